// /login, /callback, /logout, /signed-out.
#include "services/approvals/failures.h"
#include "services/approvals/form_guard.h"
#include "services/approvals/page_answers.h"
#include "services/approvals/pages.h"
#include "wire/base/log.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::approvals {
namespace {

AuditEvent session_event(const PageSession& session, const services::Principal& who, std::string_view action) {
  return {.actor_subject = who.subject(),
          .actor_name = who.display_name(),
          .channel = "page",
          .action = action,
          .object = "session " + session.reference(),
          .version_before = std::nullopt,
          .version_after = std::nullopt};
}

// Writes down what has happened already; a trail that cannot be written is an operator's business at once.
void record_or_log(const ApprovalPageParts& parts, const AuditEvent& event) {
  const Status written = parts.store.record(event, parts.env.clock.now());
  if (!written) log_error("the audit row " + std::string(event.action) + " was not written: " + written.error().text());
}

HttpResponse sign_in_failure(const Failure& failure) {
  if (failure.disposition() == Disposition::kUnavailable || failure.disposition() == Disposition::kPeer) {
    log_warning("sign-in: " + failure.text());
    HttpResponse response =
        plain_page({503, "Cannot reach the sign-in",
                    "The issuer cannot be reached now. You are not signed in, and nothing was decided.", "/approvals",
                    "Try again"},
                   {});
    response.headers.set("Retry-After", "2");
    return response;
  }
  log_info("sign-in refused: " + std::string(failure.id()) + ": " + visible_line(failure.text()));
  return failure_page(failure, {}, {});
}

HttpResponse finish_sign_in(const ApprovalPageParts& parts, const HttpRequest& request, const std::stop_token& stop) {
  auto signed_in = parts.sign_in.finish(request, stop);
  if (!signed_in) return sign_in_failure(signed_in.error());
  // A session that this browser had ends here: nothing that was known before the sign-in is of use after it.
  const std::shared_ptr<PageSession> before = parts.sessions.find(request, false);
  if (before != nullptr) parts.sessions.end(*before);
  auto opened = parts.sessions.open(std::move(signed_in->token), signed_in->asked_to_approve);
  record_or_log(parts, session_event(*opened.first, signed_in->verified->principal(),
                                     signed_in->asked_to_approve ? "auth.fresh" : "auth.login"));
  HttpResponse response = redirect_response(signed_in->next);
  SessionCookie::write(response, SessionCookie::kDesk, opened.second);
  SessionCookie::clear(response, SessionCookie::kSignIn);
  return response;
}

HttpResponse sign_out(const ApprovalPageParts& parts, const HttpRequest& request) {
  const auto visit = visit_of(parts, request, false);
  const std::shared_ptr<PageSession> session = parts.sessions.find(request, false);
  if (session == nullptr) return failure_page(SignedOut{}, {}, {});
  const PageVisitor visitor = visit ? visit->visitor() : PageVisitor{};
  const Status ours = check_form(parts.controls.form, {request, parts.origin, nullptr, {}, {}});
  if (!ours) return failure_page(ours.error(), visitor, {});
  const auto form = read_form(request, {"csrf"});
  if (!form) return failure_page(form.error(), visitor, {});
  if (!FormTokens::fits(*session, "logout", "", form->at("csrf")))
    return failure_page(ForeignForm{"form token"}, visitor, {});
  if (visit) record_or_log(parts, session_event(*session, visit->token->principal(), "auth.logout"));
  parts.sessions.end(*session);
  HttpResponse response = redirect_response("/signed-out");
  SessionCookie::clear(response, SessionCookie::kDesk);
  response.headers.set("Clear-Site-Data", "\"cache\", \"storage\"");
  return response;
}

}  // namespace

HttpReply start_sign_in(const ApprovalPageParts& parts, const HttpRequest& request) {
  return in_blocking_lane([&parts, request](const std::stop_token& stop) {
    const auto fields = form_decode(request.query());
    const auto next = fields ? sole_field(*fields, "next") : Result<std::optional<std::string>>(std::nullopt);
    const auto fresh = fields ? sole_field(*fields, "fresh") : Result<std::optional<std::string>>(std::nullopt);
    const std::string place = next && *next ? **next : std::string();
    auto response = parts.sign_in.begin(request, own_path(place), fresh && *fresh && **fresh == "1", stop);
    return response ? *std::move(response) : sign_in_failure(response.error());
  });
}

HttpReply end_sign_in(const ApprovalPageParts& parts, const HttpRequest& request) {
  // The answer of a sign-in works once; whoever fetches it ahead of the person must not use it up.
  if (request.method != "GET" || request.headers.has("Sec-Purpose")) return method_not_allowed("GET");
  return in_blocking_lane(
      [&parts, request](const std::stop_token& stop) { return finish_sign_in(parts, request, stop); });
}

HttpReply press_sign_out(const ApprovalPageParts& parts, const HttpRequest& request) {
  return in_blocking_lane([&parts, request](const std::stop_token&) { return sign_out(parts, request); });
}

HttpReply show_signed_out() {
  return plain_page({200, "Signed out", "You are signed out. Sign in to see the requests.", "/login", "Sign in"}, {});
}

}  // namespace postern::approvals
