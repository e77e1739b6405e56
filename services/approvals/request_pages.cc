// One request: its page, its state for the page's script, its record for paper.
#include "services/approvals/failures.h"
#include "services/approvals/page_answers.h"
#include "services/approvals/pages.h"
#include "wire/base/digest.h"
#include "wire/base/log.h"

namespace postern::approvals {
namespace {

constexpr int kHistoryRowsMax = 100;
constexpr Seconds kSoon{120};

// A person's browser that shows a document, as opposed to a prefetch, a preview or a scanner.
bool is_navigation(const HttpRequest& request) {
  const std::string* mode = request.headers.find("Sec-Fetch-Mode");
  const std::string* dest = request.headers.find("Sec-Fetch-Dest");
  return request.method == "GET" && mode != nullptr && *mode == "navigate" && dest != nullptr && *dest == "document" &&
         !request.headers.has("Sec-Purpose") && !request.headers.has("Purpose");
}

// Tells the trail which supervisor had the request open; once a session, and never for a machine.
void note_opening(const ApprovalPageParts& parts, const HttpRequest& request, const PageVisit& visit,
                  const ConcernedRequest& concerned) {
  if (!concerned.supervisor || !is_navigation(request)) return;
  if (!visit.session->first_opening_of(concerned.request.id.value())) return;
  const AuditEvent event{.actor_subject = visit.token->principal().subject(),
                         .actor_name = visit.token->principal().display_name(),
                         .channel = "page",
                         .action = "page.opened",
                         .object = concerned.request.id.value(),
                         .version_before = std::nullopt,
                         .version_after = std::nullopt,
                         .detail = Json::object({{"session", visit.session->reference()}})};
  const Status written = parts.store.record(event, parts.env.clock.now());
  if (!written) log_error("the audit row page.opened was not written: " + written.error().text());
}

std::string path_of(const ApprovalRequest& request) {
  return "/approvals/" + request.id.value();
}

Html notice(std::string_view text) {
  Html html;
  return html.raw("<p class=\"notice\">").text(text).raw("</p>\n");
}

Html link(const char* look, const std::string& target, std::string_view text, bool decides) {
  Html html;
  html.raw("<a").attribute("class", std::string("button ") + look).attribute("href", target);
  if (decides) html.raw(" data-decides");
  return html.raw(">").text(text).raw("</a>\n");
}

Html withdraw_form(const PageVisit& visit, const ApprovalRequest& request) {
  Html html;
  html.raw("<form method=\"post\"")
      .attribute("action", path_of(request) + "/withdraw")
      .raw("><input type=\"hidden\" name=\"csrf\"");
  html.attribute("value", FormTokens::make(*visit.session, "request", request.id.value()));
  return html.raw("><button type=\"submit\" data-decides>Withdraw request</button></form>\n");
}

// The sentence above the facts and the controls below them, by who looks at it.
struct Controls {
  Html above;
  Html below;
};

Controls controls_of(const PageVisit& visit, const ConcernedRequest& concerned, const RequestFacts& facts) {
  Controls out;
  const ApprovalRequest& request = concerned.request;
  if (facts.stage.stage != Stage::kPending) {
    out.below = link("", path_of(request) + "/record",
                     facts.stage.stage == Stage::kPaid ? "Print record" : "Show record", false);
    return out;
  }
  if (concerned.requester && concerned.supervisor) {
    out.above = notice("You cannot decide your own request. You asked for this. Someone else must decide.");
    return out;
  }
  if (concerned.requester) {
    out.above = notice("You asked for this. Someone else must decide.");
    out.below = withdraw_form(visit, request);
    return out;
  }
  if (visit.session->asked_to_approve() && !visit.may_approve()) {
    out.above = notice("You need refunds:approve to decide.");
    out.below = link("", sign_in_path(path_of(request) + "/approve", true), "Sign in as someone else", false);
    return out;
  }
  if (facts.stage.left && *facts.stage.left < kSoon) out.above.add(notice("⚠ Less than two minutes left to decide."));
  if (facts.blocked) {
    out.above.add(notice("This cannot be approved: " + *facts.blocked));
  } else {
    out.below.add(link("approve", path_of(request) + "/approve", "Approve…", true));
  }
  out.below.add(link("deny", path_of(request) + "/deny", "Deny…", true));
  return out;
}

std::string tag_of(const RequestFacts& facts) {
  constexpr std::size_t kDigits = 16;
  const std::string what = std::string(facts.stage.status) + "/" + std::string(facts.stage.token) + "/" +
                           std::to_string(facts.request.version);
  return "\"" + sha256_hex(what).substr(0, kDigits) + "\"";
}

Html request_main(const PageVisit& visit, const ConcernedRequest& concerned, const RequestFacts& facts,
                  const std::vector<AuditRow>& history) {
  const Controls controls = controls_of(visit, concerned, facts);
  Html html;
  html.raw("<h1>Refund ").money(concerned.request.asked.action.amount).raw(" to ");
  html.raw("<bdi class=\"name\">").text(concerned.request.asked.customer_name).raw("</bdi> ");
  html.raw("<span class=\"muted small\">").text(concerned.request.id.value()).raw("</span></h1>\n");
  html.raw("<div role=\"status\" id=\"live\" class=\"skip\"></div>\n<p id=\"banner\" class=\"notice\" hidden></p>\n");
  html.add(status_line(facts.stage)).add(controls.above).raw("<div");
  html.attribute("data-state", path_of(concerned.request) + "/state").attribute("data-tag", tag_of(facts));
  html.attribute("data-stage", std::string(facts.stage.status) + "/" + std::string(facts.stage.token));
  html.attribute("data-final", facts.stage.final() ? "yes" : "no").raw(">\n").add(fact_list(facts)).raw("</div>\n");
  if (!controls.below.empty()) html.raw("<div class=\"actions\">\n").add(controls.below).raw("</div>\n");
  html.add(history_list(history));
  return html.raw("<noscript><p class=\"small\">Reload to see changes.</p></noscript>\n");
}

Json record_json(const RequestFacts& facts, const AuditVerdict& verdict) {
  const ApprovalRequest& request = facts.request;
  Json json = Json::object({{"approval_id", request.id.value()},
                            {"status", facts.stage.status},
                            {"token", facts.stage.token},
                            {"version", request.version},
                            {"action", action_json(request)},
                            {"requester", request.asked.requester_name},
                            {"created_at", rfc3339(request.created_at)},
                            {"expires_at", rfc3339(request.expires_at)}});
  if (request.decided_at) {
    json.set("decided_by", request.decided_by_name);
    json.set("decided_at", rfc3339(*request.decided_at));
    json.set("note", request.note);
  }
  json.set("audit_head", verdict.head);
  json.set("audit_whole", verdict.whole());
  return json;
}

Result<HttpResponse> record_page(const ApprovalPageParts& parts, const HttpRequest& request, const PageVisit& visit,
                                 std::string_view id) {
  POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
  const RequestFacts facts = facts_of(parts, concerned.request);
  POSTERN_TRY(const std::vector<AuditRow> history, parts.store.audit(concerned.request.id.value(), kHistoryRowsMax));
  POSTERN_TRY(const AuditVerdict verdict, parts.store.verify());
  const std::string* accept = request.headers.find("Accept");
  if (accept != nullptr && media_type(*accept) == "application/json") {
    return json_response(200, record_json(facts, verdict).dump());
  }
  Html html;
  html.raw("<h1>Record of ")
      .text(concerned.request.id.value())
      .raw("</h1>\n")
      .add(status_line(facts.stage))
      .add(fact_list(facts));
  html.raw("<p>Digest: <code>").text(concerned.request.request_digest).raw("</code></p>\n").add(history_list(history));
  html.raw("<h2>Where this comes from</h2>\n<p class=\"small\">").text(parts.origin + path_of(concerned.request));
  html.raw(", printed ")
      .time(parts.env.clock.now(), true)
      .raw(". Audit trail ")
      .text(verdict.whole() ? "whole" : "BROKEN");
  html.raw(", head <code>").text(verdict.head).raw("</code>.</p>\n");
  html.raw("<p class=\"actions\"><a class=\"button\"")
      .attribute("href", path_of(concerned.request))
      .raw(">Back</a></p>\n");
  return page_response(200, {"Record: " + title_of(facts), visit.visitor(), std::move(html)});
}

HttpResponse state_answer(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  const auto visit = visit_of(parts, request, false);
  if (!visit) {
    const bool signed_out = visit.error().as<SignedOut>() != nullptr;
    return signed_out ? json_response(401, R"({"error":"signed_out"})")
                      : json_response(503, R"({"error":"unavailable"})");
  }
  const auto concerned = concerned_request(parts, *visit, id);
  if (!concerned) {
    const bool unknown = concerned.error().as<NoSuchRequest>() != nullptr;
    return unknown ? json_response(404, R"({"error":"no_such_request"})")
                   : json_response(503, R"({"error":"unavailable"})");
  }
  services::PaymentState money;
  bool money_known = true;
  if (concerned->request.status == RequestStatus::kApproved) {
    auto state = parts.money.of_approval(concerned->request.id);
    money_known = state.has_value();
    if (state) money = *std::move(state);
  }
  RequestFacts facts{.request = concerned->request,
                     .stage = stage_of(concerned->request, money_known ? &money : nullptr, parts.env.clock.now()),
                     .view = std::nullopt,
                     .refunds = std::nullopt,
                     .requester_role = {},
                     .blocked = std::nullopt};
  const std::string tag = tag_of(facts);
  const std::string* known = request.headers.find("If-None-Match");
  HttpResponse response;
  if (known != nullptr && *known == tag) {
    response.status = 304;
  } else {
    Json json = Json::object(
        {{"status", facts.stage.status}, {"token", facts.stage.token}, {"version", facts.request.version}});
    const bool pending = facts.stage.stage == Stage::kPending;
    const Json left = facts.stage.left ? Json(std::int64_t{facts.stage.left->count()}) : Json();
    json.set("expires_in", pending ? left : Json());
    json.set("use_in", pending ? Json() : left);
    response = json_response(200, json.dump());
  }
  response.headers.set("ETag", tag);
  return response;
}

}  // namespace

HttpReply show_request(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  return visitor_page(
      parts, request, {}, [&parts, request, id = std::string(id)](const PageVisit& visit) -> Result<HttpResponse> {
        POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
        note_opening(parts, request, visit, concerned);
        const RequestFacts facts = facts_of(parts, concerned.request);
        POSTERN_TRY(const std::vector<AuditRow> history, parts.store.audit(id, kHistoryRowsMax));
        return page_response(200, {title_of(facts), visit.visitor(), request_main(visit, concerned, facts, history)});
      });
}

HttpReply show_record(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  return visitor_page(parts, request, {}, [&parts, request, id = std::string(id)](const PageVisit& visit) {
    return record_page(parts, request, visit, id);
  });
}

HttpReply show_state(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  return in_blocking_lane(
      [&parts, request, id = std::string(id)](const std::stop_token&) { return state_answer(parts, request, id); });
}

}  // namespace postern::approvals
