// The queue and the audit trail, both scoped by desk.
#include <map>

#include "services/approvals/page_answers.h"
#include "services/approvals/pages.h"
#include "wire/base/uri.h"

namespace postern::approvals {
namespace {

constexpr int kAuditRowsMax = 200;
constexpr int kPageMax = 10'000;

std::string field(const HttpRequest& request, std::string_view name) {
  const auto fields = form_decode(request.query());
  if (!fields) return {};
  const auto value = sole_field(*fields, name);
  return value && *value ? **value : std::string();
}

int page_number(const std::string& text) {
  if (text.empty() || text.size() > 4 || text.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::min(std::stoi(text), kPageMax);
}

Html queue_row(const ApprovalRequest& request, WallTime now) {
  Html html;
  html.raw("<tr><td><a").attribute("href", "/approvals/" + request.id.value()).raw(">").text(request.id.value());
  html.raw("</a></td><td>").money(request.asked.action.amount).raw("</td><td><bdi class=\"name\">");
  html.text(request.asked.customer_name)
      .raw("</bdi>, ")
      .text(request.asked.action.order_id.value())
      .raw("</td><td><bdi>");
  html.text(request.asked.requester_name)
      .raw("</bdi></td><td>")
      .text(text_of(request.status_at(now)))
      .raw("</td></tr>\n");
  return html;
}

Html queue_main(const RequestList& list, bool pending_only, int page, WallTime now) {
  Html html = "<h1>Refund requests</h1>\n<p>";
  if (pending_only) {
    html.raw("Those that wait. <a href=\"/approvals?status=all\">Show all</a></p>\n");
  } else {
    html.raw("All of them. <a href=\"/approvals\">Show those that wait</a></p>\n");
  }
  if (list.requests.empty()) return html.raw("<p class=\"notice\">Nothing waits for you.</p>\n");
  html.raw(
      "<table>\n<thead><tr><th scope=\"col\">Request</th><th scope=\"col\">Amount</th><th scope=\"col\">To</th><th "
      "scope=\"col\">Asked by</th><th scope=\"col\">Status</th></tr></thead>\n<tbody>\n");
  for (const ApprovalRequest& request : list.requests) html.add(queue_row(request, now));
  html.raw("</tbody>\n</table>\n");
  if (list.more) {
    const std::string next =
        std::string("/approvals?status=") + (pending_only ? "pending" : "all") + "&page=" + std::to_string(page + 1);
    html.raw("<p class=\"actions\"><a class=\"button\"").attribute("href", next).raw(">Older requests</a></p>\n");
  }
  return html;
}

// Rows about requests of the visitor's own desks; rows about sessions are nobody else's business.
std::vector<AuditRow> own_rows(const ApprovalPageParts& parts, const PageVisit& visit,
                               const std::vector<AuditRow>& rows) {
  std::map<std::string, bool> concerned;
  std::vector<AuditRow> out;
  for (const AuditRow& row : rows) {
    const auto known = concerned.find(row.object);
    const bool own = known != concerned.end() ? known->second : concerned_request(parts, visit, row.object).has_value();
    concerned.emplace(row.object, own);
    if (own) out.push_back(row);
  }
  return out;
}

Html audit_main(const std::vector<AuditRow>& rows, const AuditVerdict& verdict) {
  Html html = "<h1>Audit trail</h1>\n<p class=\"notice\">";
  if (verdict.whole()) {
    html.raw("✓ The chain is whole: ").number(verdict.rows).raw(" rows, head <code>").text(verdict.head).raw("</code>");
  } else {
    html.raw("✕ The chain is broken at row ").number(verdict.broken_at).raw(". Do not trust what stands after it.");
  }
  html.raw(
      "</p>\n<table>\n<thead><tr><th scope=\"col\">Row</th><th scope=\"col\">Time</th><th scope=\"col\">Who</th><th "
      "scope=\"col\">What</th><th scope=\"col\">Request</th><th scope=\"col\">Detail</th></tr></thead>\n<tbody>\n");
  for (const AuditRow& row : rows) {
    html.raw("<tr><td>")
        .number(row.seq)
        .raw("</td><td>")
        .text(row.at.substr(0, 10))
        .raw(" ")
        .text(row.at.substr(11, 8));
    html.raw(" UTC</td><td><bdi class=\"name\">")
        .text(row.actor_name)
        .raw("</bdi></td><td>")
        .text(row.action)
        .raw("</td><td>");
    html.text(row.object).raw("</td><td class=\"detail small\"><code>").text(row.detail).raw("</code></td></tr>\n");
  }
  return html.raw("</tbody>\n</table>\n");
}

}  // namespace

HttpReply show_queue(const ApprovalPageParts& parts, const HttpRequest& request) {
  return visitor_page(parts, request, {}, [&parts, request](const PageVisit& visit) -> Result<HttpResponse> {
    const bool pending_only = field(request, "status") != "all";
    const int page = page_number(field(request, "page"));
    const WallTime now = parts.env.clock.now();
    const std::vector<std::string> desks = visit.member.supervisor ? visit.member.desks : std::vector<std::string>();
    POSTERN_TRY(const RequestList list, parts.store.list(desks, visit.person(), pending_only, page, now));
    const std::string title = "(" + std::to_string(list.requests.size()) + (list.more ? "+" : "") + ") Refund requests";
    return page_response(200, {title, visit.visitor(), queue_main(list, pending_only, page, now)});
  });
}

HttpReply show_audit(const ApprovalPageParts& parts, const HttpRequest& request) {
  return visitor_page(parts, request, {}, [&parts, request](const PageVisit& visit) -> Result<HttpResponse> {
    if (!visit.member.supervisor) {
      return plain_page({404, "Not found", "There is no such page.", "/approvals", "All requests"}, visit.visitor());
    }
    const std::string object = field(request, "object");
    POSTERN_TRY(const std::vector<AuditRow> rows, parts.store.audit(object, kAuditRowsMax));
    POSTERN_TRY(const AuditVerdict verdict, parts.store.verify());
    return page_response(200, {"Audit trail", visit.visitor(), audit_main(own_rows(parts, visit, rows), verdict)});
  });
}

}  // namespace postern::approvals
