#include "services/approvals/page_answers.h"

#include "services/approvals/failures.h"
#include "wire/base/uri.h"

namespace postern::approvals {
namespace {

std::string path_of(std::string_view id) {
  return "/approvals/" + std::string(id);
}

PlainPage page_of(const Failure& failure, std::string_view id) {
  const std::string back = id.empty() ? "/approvals" : path_of(id);
  const std::string back_text = id.empty() ? "All requests" : "Show the request";
  if (failure.as<StaleSignIn>() != nullptr) {
    return {403, "Sign in again", failure.text(), sign_in_path(path_of(id) + "/approve", true), "Sign in again"};
  }
  if (failure.as<ApproveScopeMissing>() != nullptr) {
    return {403, "Not your decision", failure.text(), sign_in_path(path_of(id) + "/approve", true),
            "Sign in as someone else"};
  }
  switch (failure.disposition()) {
    case Disposition::kMissingToken:
    case Disposition::kInvalidToken:
      return {401, "Signed out", failure.text(), sign_in_path(back, false), "Sign in"};
    case Disposition::kNotFound:
      return {404, "Not found", failure.text(), "/approvals", "All requests"};
    case Disposition::kForbidden:
    case Disposition::kInsufficientScope:
      return {403, "Refused", failure.text(), back, back_text};
    case Disposition::kConflict:
      return {409, "Not decided by you now", failure.text(), back, back_text};
    case Disposition::kGone:
      return {410, "Too late", failure.text(), back, back_text};
    case Disposition::kTooLarge:
      return {413, "Too long", failure.text(), back, back_text};
    case Disposition::kUnsupportedMedia:
      return {415, "Not understood", failure.text(), back, back_text};
    case Disposition::kUnprocessable:
      return {422, "Not complete", failure.text(), back, back_text};
    case Disposition::kTooManyRequests:
      return {429, "Too many presses", failure.text(), back, back_text};
    case Disposition::kUnavailable:
      return {503, "Cannot reach the desk", "A part of the desk cannot be reached now. Nothing was decided.", back,
              "Try again"};
    case Disposition::kBadRequest:
      return {400, "Not understood", failure.text(), back, back_text};
    case Disposition::kInternal:
    case Disposition::kParseError:
    case Disposition::kInvalidParams:
    case Disposition::kMethodNotFound:
    case Disposition::kHeaderMismatch:
    case Disposition::kMissingCapability:
    case Disposition::kUnsupportedVersion:
    case Disposition::kToolError:
    case Disposition::kPeer:
    case Disposition::kUsage:
      break;
  }
  return {500, "Something went wrong", "We do not know whether this was decided. Open the request to see.", back,
          back_text};
}

}  // namespace

HttpResponse failure_page(const Failure& failure, const PageVisitor& visitor, std::string_view id) {
  const PlainPage page = page_of(failure, id);
  HttpResponse response = plain_page(page, visitor);
  if (page.status == 503) response.headers.set("Retry-After", "2");
  if (page.status == 429) response.headers.set("Retry-After", "60");
  return response;
}

std::string sign_in_path(std::string_view next, bool fresh) {
  return "/login?" + std::string(fresh ? "fresh=1&" : "") + "next=" + percent_encode(own_path(next));
}

HttpResponse to_sign_in(std::string_view next, bool fresh) {
  return redirect_response(sign_in_path(next, fresh));
}

HttpResponse method_not_allowed(std::string_view allow) {
  HttpResponse response =
      plain_page({405, "Not this way", "This address does not take that method. Nothing was decided.", "/approvals",
                  "All requests"},
                 {});
  response.headers.set("Allow", std::string(allow));
  return response;
}

HttpReply in_blocking_lane(std::function<HttpResponse(const std::stop_token&)> work) {
  return Blocking{[work = std::move(work)](std::stop_token stop) -> HttpReply { return work(stop); }};
}

HttpReply visitor_page(const ApprovalPageParts& parts, const HttpRequest& request, std::string_view id,
                       VisitorPage page) {
  return in_blocking_lane([&parts, request, id = std::string(id), page = std::move(page)](const std::stop_token&) {
    const auto visit = visit_of(parts, request, true);
    if (!visit) {
      if (visit.error().as<SignedOut>() == nullptr) return failure_page(visit.error(), {}, id);
      return to_sign_in(request.target, request.path().ends_with("/approve"));
    }
    auto answer = page(*visit);
    return answer ? *std::move(answer) : failure_page(answer.error(), visit->visitor(), id);
  });
}

}  // namespace postern::approvals
