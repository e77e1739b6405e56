// What the desk serves over HTTP, and in which order a request is looked at before it is MCP: Host and Origin, method,
// a bearer token that was verified before, the limit of the address, any other bearer token.
#include "services/desk/compose.h"
#include "services/desk/tool_table.h"
#include "services/mcp/answer.h"

namespace postern::desk {
namespace {

constexpr std::string_view kRetryAfterSeconds = "5";

// Bodies of refusals hold no data and no detail: the challenge and the log do (MCP 2026-07-28
// basic/authorization/security).
std::string_view error_word(Disposition disposition) {
  switch (disposition) {
    case Disposition::kMissingToken:
      return "token_required";
    case Disposition::kInvalidToken:
      return "invalid_token";
    case Disposition::kUnavailable:
      return "temporarily_unavailable";
    case Disposition::kBadRequest:
      return "invalid_request";
    case Disposition::kTooManyRequests:
      return "too_many_requests";
    case Disposition::kInternal:
    case Disposition::kParseError:
    case Disposition::kInvalidParams:
    case Disposition::kMethodNotFound:
    case Disposition::kHeaderMismatch:
    case Disposition::kMissingCapability:
    case Disposition::kUnsupportedVersion:
    case Disposition::kInsufficientScope:
    case Disposition::kForbidden:
    case Disposition::kNotFound:
    case Disposition::kConflict:
    case Disposition::kGone:
    case Disposition::kTooLarge:
    case Disposition::kUnsupportedMedia:
    case Disposition::kUnprocessable:
    case Disposition::kToolError:
    case Disposition::kPeer:
    case Disposition::kUsage:
      return "refused";
  }
  return "refused";
}

}  // namespace

HttpResponse HttpDesk::refuse(const Failure& failure) const {
  const int status = mcp::http_status_of(failure.disposition());
  HttpResponse response = json_response(status, Json::object({{"error", error_word(failure.disposition())}}).dump());
  if (const auto wait = mcp::retry_after_of(failure)) {
    response.headers.set("Retry-After", std::to_string(wait->count()));
  } else if (status == 503) {
    response.headers.set("Retry-After", std::string(kRetryAfterSeconds));
  } else {
    response.headers.set("WWW-Authenticate", services::challenge_of(failure, metadata_url_, ScopeSet{kReadScope}));
  }
  return response;
}

HttpResponse HttpDesk::refuse_bearer(const std::string& address, const Failure& failure) {
  // That the issuer is away is no offence of the caller.
  const bool counts = failure.disposition() != Disposition::kUnavailable;
  const Status counted = counts ? limits_->count_refused(address) : Status();
  return refuse(counted ? failure : counted.error());
}

HttpReply HttpDesk::on_mcp(const HttpRequest& request) {
  if (auto refusal = mcp::HttpEndpoint::method_refusal(request)) return *std::move(refusal);
  // Before the limit of the address: strangers who share it, without a token, must not be able to shut its callers out.
  if (auto known = gate_->known(request)) return endpoint_->handle(request, std::move(known));
  if (const Status allowed = limits_->may_try(request.peer_address); !allowed) return refuse(allowed.error());
  auto token = gate_->admit(request, services::KeyAccess::kCachedOnly);
  if (token) return endpoint_->handle(request, *std::move(token));
  if (token.error().as<services::KeysNeeded>() == nullptr) return refuse_bearer(request.peer_address, token.error());
  // The issuer has to be asked for its keys, which may take a while: not on a thread of the loop.
  return Blocking{[this, request](std::stop_token stop) -> HttpReply {
    auto again = gate_->admit(request, services::KeyAccess::kMayFetch);
    if (!again) return refuse_bearer(request.peer_address, again.error());
    return endpoint_->handle_blocking(request, *std::move(again), stop);
  }};
}

Routes HttpDesk::routes() {
  Routes routes;
  routes.before(services::host_origin_check_of(resource_uri_, controls_.host_origin));
  routes.after([](const HttpRequest&, HttpResponse& response) {
    response.headers.set("Cache-Control", "no-store");
    response.headers.set("X-Content-Type-Options", "nosniff");
  });
  routes.add_any(resource_uri_.path, [this](const HttpRequest& request) { return on_mcp(request); });
  routes.add("GET", parse_uri(metadata_url_)->path,
             [this](const HttpRequest&) { return json_response(200, metadata_); });
  routes.fallback([this](const HttpRequest& request) {
    if (const Status counted = limits_->count_stray(request.peer_address); !counted) return refuse(counted.error());
    return text_response(404, "There is nothing at this path.\n");
  });
  return routes;
}

}  // namespace postern::desk
