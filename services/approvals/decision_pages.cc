// Deciding: the two pages that hold a form, and what happens when one is pressed.
#include <charconv>

#include "services/approvals/failures.h"
#include "services/approvals/form_guard.h"
#include "services/approvals/page_answers.h"
#include "services/approvals/pages.h"
#include "wire/base/log.h"

namespace postern::approvals {
namespace {

struct TooManyPresses {
  static constexpr std::string_view kId = "approval.too_many_presses";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kTooManyRequests;
  [[nodiscard]] std::string text() const {
    return "More than ten refused presses a minute. This one was not looked at. Wait a minute.";
  }
};

std::string path_of(const ApprovalRequest& request) {
  return "/approvals/" + request.id.value();
}

Html form_start(const PageVisit& visit, const ApprovalRequest& request, std::string_view action) {
  Html html;
  html.raw("<form method=\"post\"").attribute("action", path_of(request) + "/" + std::string(action)).raw(">\n");
  html.raw("<input type=\"hidden\" name=\"csrf\"")
      .attribute("value", FormTokens::make(*visit.session, "request", request.id.value()))
      .raw(">\n<input type=\"hidden\" name=\"version\"")
      .attribute("value", std::to_string(request.version))
      .raw(">\n<input type=\"hidden\" name=\"digest\"")
      .attribute("value", request.request_digest)
      .raw(">\n");
  return html;
}

Html back_link(const ApprovalRequest& request) {
  Html html;
  return html.raw("<a class=\"button\"").attribute("href", path_of(request)).raw(">Go back</a>\n");
}

// The state rules that a decision page shares with the store, so that nobody reads a page whose button must fail.
Status check_decidable(const PageVisit& visit, const ConcernedRequest& concerned, WallTime now) {
  if (concerned.requester) return OwnRequest{};
  const ApprovalRequest& request = concerned.request;
  switch (request.status_at(now)) {
    case RequestStatus::kPending:
      return {};
    case RequestStatus::kExpired:
      return RequestExpired{};
    case RequestStatus::kWithdrawn:
      return RequestWithdrawn{request.asked.requester_name};
    case RequestStatus::kApproved:
    case RequestStatus::kDenied:
      break;
  }
  return AlreadyDecided{std::string(text_of(request.status)), request.decided_by_name,
                        request.decided_at ? clock_text(*request.decided_at) : "",
                        request.decided_by == visit.person()};
}

Status check_fresh(const services::VerifiedAccessToken& token, WallTime now) {
  if (!token.auth_time()) return StaleSignIn{};
  const auto age = std::chrono::duration_cast<Seconds>(now - *token.auth_time());
  if (age > ApprovalStore::kSignInAgeMax) return StaleSignIn{age.count()};
  return {};
}

HttpResponse confirm_page(const PageVisit& visit, const RequestFacts& facts) {
  const ApprovalRequest& request = facts.request;
  Html html;
  html.raw("<h1>This pays ").money(request.asked.action.amount).raw(" back to <bdi class=\"name\">");
  html.text(request.asked.customer_name)
      .raw("</bdi>.</h1>\n")
      .add(status_line(facts.stage))
      .add(short_fact_list(request));
  html.add(form_start(visit, request, "approve"))
      .raw("<div class=\"actions\">\n<button class=\"approve\" type=\"submit\">Pay back ");
  html.text(display(request.asked.action.amount)).raw("</button>\n").add(back_link(request)).raw("</div>\n</form>\n");
  return page_response(200,
                       {"Confirm: refund " + display(request.asked.action.amount), visit.visitor(), std::move(html)});
}

Result<HttpResponse> approve_page(const ApprovalPageParts& parts, const PageVisit& visit, std::string_view id) {
  POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
  const WallTime now = parts.env.clock.now();
  POSTERN_TRY_VOID(check_decidable(visit, concerned, now));
  // The first press is the natural place for the sign-in that may approve; the decision itself is never carried through
  // it.
  if (!visit.may_approve()) {
    if (visit.session->asked_to_approve()) return ApproveScopeMissing{};
    return to_sign_in(path_of(concerned.request) + "/approve", true);
  }
  POSTERN_TRY_VOID(check_fresh(*visit.token, now));
  const RequestFacts facts = facts_of(parts, concerned.request);
  if (facts.blocked) return ActionBlocked{*facts.blocked};
  return confirm_page(visit, facts);
}

HttpResponse deny_form(const PageVisit& visit, const RequestFacts& facts, const std::string& note,
                       const std::string& error) {
  const ApprovalRequest& request = facts.request;
  Html html;
  html.raw("<h1>Deny the refund of ").money(request.asked.action.amount).raw("</h1>\n");
  if (!error.empty()) {
    html.raw("<div class=\"notice error\" id=\"note-error\" role=\"alert\" tabindex=\"-1\" data-focus><p>").text(error);
    html.raw(" <a href=\"#note\">Go to the note</a></p></div>\n");
  }
  html.add(status_line(facts.stage)).add(short_fact_list(request)).add(form_start(visit, request, "deny"));
  html.raw(
      "<p><label for=\"note\">Why? The requester reads this.</label>\n<textarea id=\"note\" name=\"note\" rows=\"4\" "
      "required");
  if (!error.empty()) html.raw(" aria-invalid=\"true\" aria-describedby=\"note-error note-rule\"");
  if (error.empty()) html.raw(" aria-describedby=\"note-rule\"");
  html.raw(">");
  if (note.starts_with('\n')) html.raw("\n");  // a parser drops the first one
  html.lines(note).raw("</textarea>\n<span class=\"small\" id=\"note-rule\">1 to 500 characters.</span></p>\n");
  html.raw("<div class=\"actions\">\n<button class=\"deny\" type=\"submit\">Deny refund</button>\n")
      .add(back_link(request));
  html.raw("</div>\n</form>\n");
  return page_response(error.empty() ? 200 : 422,
                       {"Deny: refund " + display(request.asked.action.amount), visit.visitor(), std::move(html)});
}

Result<HttpResponse> deny_page(const ApprovalPageParts& parts, const PageVisit& visit, std::string_view id) {
  POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
  POSTERN_TRY_VOID(check_decidable(visit, concerned, parts.env.clock.now()));
  return deny_form(visit, facts_of(parts, concerned.request), {}, {});
}

// A press that never reached the store leaves its row here.
void record_refused_form(const ApprovalPageParts& parts, const PageVisit& visit, std::string_view id,
                         const Failure& failure) {
  const auto approval_id = services::read_id<services::ApprovalId>(id);
  const ForeignForm* foreign = failure.as<ForeignForm>();
  if (!approval_id || foreign == nullptr) return;
  if (!visit.session->notes_foreign_press(parts.env.clock.steady_now())) return;
  const AuditEvent event{
      .actor_subject = visit.token->principal().subject(),
      .actor_name = visit.token->principal().display_name(),
      .channel = "page",
      .action = "decision.refused",
      .object = approval_id->value(),
      .version_before = std::nullopt,
      .version_after = std::nullopt,
      .detail = Json::object({{"reason", "csrf"}, {"what", foreign->what}, {"session", visit.session->reference()}})};
  const Status written = parts.store.record(event, parts.env.clock.now());
  if (!written) log_error("the audit row decision.refused was not written: " + written.error().text());
}

// Our own form, complete, with the token of this session and request, and not pressed too often.
Result<Form> press_of(const ApprovalPageParts& parts, const HttpRequest& request, const PageVisit& visit,
                      std::string_view id, const std::vector<std::string_view>& fields) {
  POSTERN_TRY_VOID(check_form(parts.controls.form, {request, parts.origin, visit.session.get(), "request", id}));
  if (!visit.session->may_press(parts.env.clock.steady_now())) return TooManyPresses{};
  return read_form(request, fields);
}

Result<Decision> decision_of(const Form& form, std::string_view id, Verdict verdict, const PageVisit& visit) {
  const std::string& digits = form.at("version");
  std::int64_t version = 0;
  const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), version);
  const auto approval_id = services::read_id<services::ApprovalId>(id);
  if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || !approval_id) return IncompleteForm{};
  const auto note = form.find("note");
  return Decision{.approval_id = *approval_id,
                  .verdict = verdict,
                  .version = version,
                  .request_digest = form.at("digest"),
                  .note = note == form.end() ? std::string() : note->second,
                  .session_ref = visit.session->reference(),
                  .blocked = std::nullopt};
}

using Press = std::function<Result<HttpResponse>(const PageVisit&)>;

// A press that lost the race against another one is no attempt at anything: it is told who decided, however many there
// are.
// What came from elsewhere is nobody's press here.
bool counts_as_refused(const Failure& failure) {
  return failure.as<AlreadyDecided>() == nullptr && failure.as<TooManyPresses>() == nullptr &&
         failure.as<ForeignForm>() == nullptr;
}

// Runs a press for whoever is signed in. Nothing is replayed after a sign-in: who is signed out reads that, and presses
// again.
HttpReply press(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id, Press work) {
  return in_blocking_lane([&parts, request, id = std::string(id), work = std::move(work)](const std::stop_token&) {
    const auto visit = visit_of(parts, request, true);
    const auto known_id = services::read_id<services::ApprovalId>(id);
    const std::string link = known_id ? known_id->value() : std::string();
    if (!visit) return failure_page(visit.error(), {}, link);
    auto answer = work(*visit);
    if (answer) return *std::move(answer);
    if (counts_as_refused(answer.error())) visit->session->count_refused_press(parts.env.clock.steady_now());
    record_refused_form(parts, *visit, id, answer.error());
    const bool unknown = answer.error().as<NoSuchRequest>() != nullptr;
    return failure_page(answer.error(), visit->visitor(), unknown ? std::string() : link);
  });
}

}  // namespace

HttpReply show_approve(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  const std::string link(services::read_id<services::ApprovalId>(id) ? id : std::string_view());
  return visitor_page(parts, request, link, [&parts, id = std::string(id)](const PageVisit& visit) {
    return approve_page(parts, visit, id);
  });
}

HttpReply show_deny(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  const std::string link(services::read_id<services::ApprovalId>(id) ? id : std::string_view());
  return visitor_page(parts, request, link,
                      [&parts, id = std::string(id)](const PageVisit& visit) { return deny_page(parts, visit, id); });
}

HttpReply press_approve(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  return press(
      parts, request, id, [&parts, request, id = std::string(id)](const PageVisit& visit) -> Result<HttpResponse> {
        POSTERN_TRY(const Form form, press_of(parts, request, visit, id, {"csrf", "version", "digest"}));
        POSTERN_TRY(Decision decision, decision_of(form, id, Verdict::kApprove, visit));
        POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
        decision.blocked = facts_of(parts, concerned.request).blocked;
        POSTERN_TRY(const ApprovalRequest decided, parts.store.decide(*visit.token, decision, parts.env.clock.now()));
        return redirect_response(path_of(decided));
      });
}

HttpReply press_deny(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  return press(
      parts, request, id, [&parts, request, id = std::string(id)](const PageVisit& visit) -> Result<HttpResponse> {
        POSTERN_TRY(const Form form, press_of(parts, request, visit, id, {"csrf", "version", "digest", "note"}));
        POSTERN_TRY(Decision decision, decision_of(form, id, Verdict::kDeny, visit));
        POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
        auto decided = parts.store.decide(*visit.token, decision, parts.env.clock.now());
        if (decided) return redirect_response(path_of(*decided));
        if (decided.error().as<NoteUnusable>() == nullptr) return decided.error();
        visit.session->count_refused_press(parts.env.clock.steady_now());
        return deny_form(visit, facts_of(parts, concerned.request), decision.note, decided.error().text());
      });
}

HttpReply press_withdraw(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id) {
  return press(parts, request, id,
               [&parts, request, id = std::string(id)](const PageVisit& visit) -> Result<HttpResponse> {
                 POSTERN_TRY(const Form form, press_of(parts, request, visit, id, {"csrf"}));
                 POSTERN_TRY(const ConcernedRequest concerned, concerned_request(parts, visit, id));
                 POSTERN_TRY(const ApprovalRequest withdrawn,
                             parts.store.withdraw(concerned.request.id, visit.person(), "page", parts.env.clock.now()));
                 return redirect_response(path_of(withdrawn));
               });
}

}  // namespace postern::approvals
