#include "services/approvals/request_view.h"

#include <utility>

#include "wire/base/visible_text.h"

namespace postern::approvals {
namespace {

constexpr std::size_t kShortDigest = 12;

Html row(const char* term, const Html& value) {
  Html html;
  html.raw("<div><dt>").text(term).raw("</dt><dd>").add(value).raw("</dd></div>\n");
  return html;
}

Html name(std::string_view text) {
  Html html;
  html.raw("<bdi class=\"name\" dir=\"auto\">").text(text).raw("</bdi>");
  return html;
}

Html order_value(const RequestFacts& facts) {
  const ApprovalRequest& request = facts.request;
  Html html;
  html.raw("<p>")
      .text(request.asked.action.order_id.value())
      .raw(", line ")
      .text(request.asked.action.line_id.value())
      .raw(": ");
  html.add(name(request.asked.line_title)).raw("</p>\n<p class=\"small\">Price paid: ");
  if (facts.view && facts.view->line_price) {
    html.money(*facts.view->line_price);
  } else {
    html.raw("cannot be read now");
  }
  html.raw(". Already refunded on this order: ");
  const auto paid = facts.refunds ? sum_of_order(*facts.refunds, request.asked.action.amount.currency) : std::nullopt;
  if (paid) {
    html.money(*paid);
  } else {
    html.raw("we do not know yet");
  }
  return html.raw(".</p>");
}

Html policy_value(const RequestFacts& facts) {
  const ApprovalRequest& request = facts.request;
  const Money limit = facts.view && facts.view->limit ? *facts.view->limit : request.asked.limit;
  Html html;
  html.text(request.asked.action.policy_id.value()).raw(", limit ").money(limit);
  if (facts.stage.stage != Stage::kPending || !facts.refunds || limit.currency != request.asked.action.amount.currency)
    return html;
  const auto paid = sum_of_ticket(*facts.refunds, request.asked.action.ticket_id, limit.currency);
  const auto total = paid ? add(*paid, request.asked.action.amount) : std::nullopt;
  if (total && total->minor_units <= limit.minor_units) {
    html.raw(", left after this ").money({limit.minor_units - total->minor_units, limit.currency});
  }
  return html;
}

Html asked_by_value(const RequestFacts& facts) {
  const NewRequest& asked = facts.request.asked;
  Html html;
  html.raw("<p>").add(name(asked.requester_name));
  if (!facts.requester_role.empty()) html.raw(", ").text(facts.requester_role);
  html.raw(", desk ").text(asked.desk).raw("</p>");
  if (!asked.run_id.empty() || !asked.model_id.empty()) {
    html.raw("\n<p class=\"said\">Said by the host: run ")
        .text(asked.run_id)
        .raw(", model ")
        .text(asked.model_id)
        .raw("</p>");
  }
  return html;
}

Html tool_value(const NewRequest& asked) {
  Html html;
  html.raw("<p class=\"said\">Said by the host: ").text(asked.tool.empty() ? "issue_refund" : asked.tool);
  if (!asked.pin_digest.empty()) html.raw(", reviewed definition <code>").text(asked.pin_digest).raw("</code>");
  return html.raw("</p>");
}

Html digest_value(const std::string& digest) {
  Html html;
  html.raw("<details><summary><code>").text(digest.substr(0, kShortDigest)).raw("…</code></summary><code>");
  return html.text(digest).raw("</code></details>");
}

// What the services know beside the facts: enough to see whether the amount is the price of something.
Html evidence_value(const CaseView& view, WallTime asked_at) {
  Html html = "<p>Article: ";
  html.add(name(view.line_title ? *view.line_title : "unknown"));
  for (const PartPrice& part : view.parts) html.raw("; ").add(name(part.title)).raw(" ").money(part.price);
  html.raw("</p>\n<p class=\"small\">");
  if (view.delivered_at) {
    const auto days = std::chrono::duration_cast<std::chrono::hours>(asked_at - *view.delivered_at).count() / 24;
    html.raw("Delivered ")
        .number(days)
        .raw(" days before this was asked for; the policy allows ")
        .number(view.window_days);
    html.raw(" days.");
  } else {
    html.raw("Not delivered yet.");
  }
  return html.raw("</p>");
}

Html reason_box(const std::string& reason) {
  const VisibleText shown = make_visible(reason);
  Html html;
  html.raw(
          "<section class=\"quote\" aria-labelledby=\"reason\"><h2 id=\"reason\">Reason written by the model – not "
          "checked</h2>\n")
      .raw("<p class=\"words\" dir=\"auto\">")
      .lines(reason.empty() ? "(none)" : reason)
      .raw("</p>");
  if (shown.hidden > 0) {
    html.raw("<p class=\"small\">")
        .number(static_cast<long long>(shown.hidden))
        .raw(" hidden character(s) made visible as marks such as [U+202E].</p>");
  }
  return html.raw("</section>\n");
}

// What people call the events that belong into a request's history.
std::string_view event_label(std::string_view action) {
  constexpr std::pair<std::string_view, std::string_view> kLabels[] = {
      {"request.created", "Asked for by"},
      {"page.opened", "Opened by"},
      {"decision.approved", "Approved by"},
      {"decision.denied", "Denied by"},
      {"decision.refused", "Press refused of"},
      {"token.issued", "Approval redeemed by"},
      {"refund.paid", "Paid"},
      {"token.refused", "Refused by payments"},
      {"token.lapsed", "Not used in time"},
      {"request.expired", "Expired"},
      {"request.withdrawn", "Withdrawn by"},
  };
  for (const auto& [key, label] : kLabels) {
    if (key == action) return label;
  }
  return "";
}

}  // namespace

Html status_line(const StageView& stage) {
  Html html;
  html.raw("<div").attribute("class", "status " + std::string(stage.look)).attribute("data-mark", stage.mark);
  html.raw("><p>").add(stage.sentence).raw("</p>");
  if (stage.left) {
    html.raw("<span class=\"clock digits\"")
        .attribute("data-clock", std::to_string(stage.left->count()))
        .raw(">")
        .text(minutes_seconds(*stage.left))
        .raw(" left</span>");
  }
  return html.raw("</div>\n");
}

Html amount_block(const Money& amount) {
  Html html;
  html.raw("<p class=\"amount\">").money(amount).raw("</p>\n<p class=\"small digits\">").number(amount.minor_units);
  return html.raw(" cents, ").text(amount.currency.code()).raw("</p>\n");
}

Html fact_list(const RequestFacts& facts) {
  const ApprovalRequest& request = facts.request;
  Html customer = name(request.asked.customer_name);
  customer.raw(" <span class=\"small\">").text(request.asked.customer_id.value()).raw("</span>");
  Html ticket;
  ticket.text(request.asked.action.ticket_id.value()).raw(": ").add(name(request.asked.ticket_subject));
  Html times = "Asked at ";
  times.time(request.created_at, true).raw(", expires at ").time(request.expires_at);

  Html html;
  html.add(amount_block(request.asked.action.amount)).raw("<dl class=\"facts\">\n");
  html.add(row("Customer", customer)).add(row("Order", order_value(facts))).add(row("Ticket", ticket));
  html.add(row("Policy", policy_value(facts))).add(row("Asked by", asked_by_value(facts))).add(row("Times", times));
  html.add(row("Tool", tool_value(request.asked))).add(row("Request digest", digest_value(request.request_digest)));
  if (facts.view) html.add(row("From the services", evidence_value(*facts.view, request.created_at)));
  html.raw("</dl>\n").add(reason_box(request.asked.reason));
  html.raw("<details><summary>All arguments</summary><pre><code>").lines(request.arguments_canonical);
  return html.raw("</code></pre></details>\n");
}

Html short_fact_list(const ApprovalRequest& request) {
  Html order;
  order.text(request.asked.action.order_id.value()).raw(", line ").text(request.asked.action.line_id.value()).raw(": ");
  order.add(name(request.asked.line_title));
  Html ticket;
  ticket.text(request.asked.action.ticket_id.value()).raw(": ").add(name(request.asked.ticket_subject));
  Html html;
  html.add(amount_block(request.asked.action.amount)).raw("<dl class=\"facts\">\n");
  html.add(row("Customer", name(request.asked.customer_name))).add(row("Order", order)).add(row("Ticket", ticket));
  html.add(row("Asked by", name(request.asked.requester_name)))
      .add(row("Request digest", digest_value(request.request_digest)));
  return html.raw("</dl>\n");
}

Html history_list(const std::vector<AuditRow>& rows) {
  Html html = "<h2>History</h2>\n<ol class=\"history\">\n";
  for (auto event = rows.rbegin(); event != rows.rend(); ++event) {
    const std::string_view label = event_label(event->action);
    if (label.empty()) continue;
    html.raw("<li><time")
        .attribute("datetime", event->at)
        .raw(">")
        .text(event->at.substr(11, 8))
        .raw(" UTC</time><span>")
        .text(label)
        .raw(" ");
    if (!event->actor_name.empty()) html.add(name(event->actor_name));
    html.raw("</span></li>\n");
  }
  return html.raw("</ol>\n");
}

std::string title_of(const RequestFacts& facts) {
  const services::RefundAction& action = facts.request.asked.action;
  return std::string(facts.stage.title_word) + ": refund " + display(action.amount) + " on " + action.order_id.value();
}

}  // namespace postern::approvals
