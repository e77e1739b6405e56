#include "bridge/http_transport.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "bridge/failures.h"
#include "bridge/oauth/failures.h"
#include "wire/base/digest.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/challenge.h"

namespace postern::bridge {
namespace {

constexpr int kSendsMax = 5;               // one, one after each of at most three authorizations, one for a nonce
constexpr int kServerRequestsMax = 32;     // that one answer may ask of us, in an older era
constexpr Milliseconds kOneWayMax{5'000};  // for a message that has no answer
constexpr std::size_t kSessionIdBytesMax = 4096;
constexpr const char* kSessionIdHeader = "Mcp-Session-Id";

// 403 insufficient_scope, or nothing.
std::optional<ScopeNeeded> scope_needed_of(const HttpResponse& response) {
  if (response.status != 403) return std::nullopt;
  const auto challenge = read_bearer_challenge(response.headers);
  if (!challenge || !*challenge || (*challenge)->error != "insufficient_scope") return std::nullopt;
  ScopeNeeded needed;
  if ((*challenge)->scope) needed.scopes = visible_line((*challenge)->scope->text());
  // As one field (RFC 9110 section 5.3); one that cannot be read would spoil the others.
  for (const std::string_view field : response.headers.all("WWW-Authenticate")) {
    if (!parse_challenges(field)) continue;
    if (!needed.www_authenticate.empty()) needed.www_authenticate += ", ";
    needed.www_authenticate += field;
  }
  return needed;
}

// What stands in an Authorization header behind its scheme.
std::string credential_in(const HeaderList& headers) {
  const std::string* authorization = headers.find("Authorization");
  const std::size_t blank = authorization == nullptr ? std::string::npos : authorization->find(' ');
  return blank == std::string::npos ? std::string() : authorization->substr(blank + 1);
}

// Visible ASCII (2025-11-25 basic/transports, "Session Management").
bool is_session_id(std::string_view id) {
  return !id.empty() && id.size() <= kSessionIdBytesMax &&
         std::all_of(id.begin(), id.end(), [](char c) { return c >= 0x21 && c <= 0x7E; });
}

// We stopped waiting while the server may still be at it.
bool is_abandoned(const Result<ServerAnswer>& answer) {
  return failed_with(answer, RequestTimedOut::kId) || failed_with(answer, EndedByCaller::kId) ||
         failed_with(answer, Cancelled::kId);
}

}  // namespace

HttpTransport::HttpTransport(Env env, HttpClient& http, RequestAuthorizer& authorizer, Uri endpoint)
    : env_(env), http_(http), authorizer_(authorizer), endpoint_(std::move(endpoint)), where_(endpoint_.text()) {}

// ---- Eras

void HttpTransport::speak_older_era(std::string_view protocol_version) {
  const MutexLock lock(mutex_);
  older_era_ = true;
  older_version_ = protocol_version;
  if (protocol_version.empty()) session_id_ = OlderSessionId();
}

void HttpTransport::leave_older_era(SteadyTime deadline) {
  HttpRequest request;
  request.method = "DELETE";
  request.target = endpoint_.target();
  request.headers = headers_of("", Json(), {});
  const bool in_a_session = in_session();
  {
    const MutexLock lock(mutex_);
    older_era_ = false;
    older_version_.clear();
    session_id_ = OlderSessionId();
  }
  if (in_a_session && authorizer_.authorize(request, endpoint_, {}))
    static_cast<void>(http_.send(endpoint_, request, deadline));
  request.headers.wipe_all();
}

bool HttpTransport::in_older_era() const {
  const MutexLock lock(mutex_);
  return older_era_;
}

bool HttpTransport::in_session() const {
  const MutexLock lock(mutex_);
  return older_era_ && !session_id_.empty();
}

HeaderList HttpTransport::headers_of(std::string_view method, const Json& params,
                                     const std::vector<mcp::ParamHeader>& param_headers) const {
  const MutexLock lock(mutex_);
  if (!older_era_) return mcp::request_headers(method, params, param_headers);
  HeaderList headers{{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  if (!older_version_.empty()) headers.add(std::string(mcp::kHeaderProtocolVersion), older_version_);
  if (!session_id_.empty()) headers.add(kSessionIdHeader, std::string(session_id_.reveal(Passkey<HttpTransport>{})));
  return headers;
}

void HttpTransport::note_session(const OutgoingRequest& request, const HttpResponse& head) {
  const std::string* id = head.headers.find(kSessionIdHeader);
  const MutexLock lock(mutex_);
  if (!older_era_ || request.method != "initialize" || head.status != 200 || id == nullptr || !is_session_id(*id))
    return;
  session_id_ = OlderSessionId::take(std::string(*id));
}

// ---- Credentials

void HttpTransport::note_authorization(const HeaderList& headers) {
  std::string credential = credential_in(headers);
  std::string digest = credential.empty() ? std::string() : sha256(credential);
  wipe(credential);
  const MutexLock lock(mutex_);
  if (digest == authorization_digest_) return;
  authorization_digest_ = std::move(digest);
  ++authorization_context_;
}

std::uint64_t HttpTransport::authorization_context() const {
  const MutexLock lock(mutex_);
  return authorization_context_;
}

// ---- Messages

Result<HttpTransport::Posted> HttpTransport::post(const OutgoingRequest& outgoing, const RequestId& id,
                                                  const std::stop_token& stop) {
  HttpRequest request;
  request.method = "POST";
  request.target = endpoint_.target();
  request.headers = headers_of(outgoing.method, outgoing.params, outgoing.param_headers);
  request.body = serialise(JsonRpcRequest{id, outgoing.method, outgoing.params});
  POSTERN_TRY_VOID(authorizer_.authorize(request, endpoint_, stop));
  note_authorization(request.headers);
  const Withheld withheld(credential_in(request.headers));
  SignsOfLife signs(env_.clock, outgoing);
  HttpAnswer::Parts parts{outgoing, id, withheld, signs, nullptr};
  int asked_of_us = 0;
  if (in_older_era()) {
    parts.answer_server = [&](const JsonRpcRequest& asked) -> Status {
      if (++asked_of_us > kServerRequestsMax) return TooMany{"requests of its own", kServerRequestsMax};
      return answer_server(asked, outgoing.deadline, stop);
    };
  }
  HttpAnswer answer(std::move(parts));
  Posted posted{BadResponse{"there is none"}, {}, false, false};
  const Result<HttpResponse> transported = http_.open_until(
      endpoint_, request,
      [&](const HttpResponse& head) {
        note_session(outgoing, head);
        posted.again = authorizer_.take_note(head);
        return answer.take_head(head) && !posted.again;
      },
      [&](std::string_view bytes) { return answer.take_bytes(bytes); }, [&] { return signs.deadline(); }, stop);
  request.headers.wipe_all();
  posted.head = answer.head();
  posted.has_head = answer.has_head();
  if (answer.outcome()) {
    posted.answer = *answer.outcome();
  } else if (transported) {
    posted.answer = answer.finish();
  } else if (failed_with(transported, TimedOut::kId)) {
    posted.answer = signs.failure();
  } else {
    posted.answer = transported.error();
  }
  return posted;
}

Result<ServerAnswer> HttpTransport::exchange(const OutgoingRequest& request, const std::stop_token& stop) {
  for (int sent = 0; sent < kSendsMax; ++sent) {
    const RequestId id(next_id_++);
    const bool in_a_session = in_session();
    POSTERN_TRY(const Posted posted, post(request, id, stop));
    if (is_abandoned(posted.answer)) cancel_in_older_era(request, id);
    if (!posted.has_head) return posted.answer;
    if (posted.again) continue;
    const int status = posted.head.status;
    if (status == 401 && request.may_sign_in) {
      POSTERN_TRY_VOID(authorizer_.sign_in(posted.head, stop));
      continue;
    }
    if (status == 401) return HttpStatus{request.method, status};
    if (auto needed = scope_needed_of(posted.head)) {
      // What to do then belongs to a call (bridge/call.h). Nobody else is there for the other requests.
      if (request.method == "tools/call" || !request.may_sign_in) return *std::move(needed);
      POSTERN_TRY_VOID(authorizer_.step_up(needed->www_authenticate, stop));
      continue;
    }
    if (status == 404 && in_a_session) return SessionEnded{request.method};
    return posted.answer;
  }
  return RefusedAfterSignIn{"401 invalid_token"};
}

Status HttpTransport::post_one_way(std::string_view method, std::string body, SteadyTime deadline, bool may_sign_in,
                                   const std::stop_token& stop) {
  for (int sent = 0; sent < kSendsMax; ++sent) {
    HttpRequest request;
    request.method = "POST";
    request.target = endpoint_.target();
    request.headers = headers_of(method, Json(), {});
    request.body = body;
    POSTERN_TRY_VOID(authorizer_.authorize(request, endpoint_, stop));
    const Result<HttpResponse> response = http_.send(endpoint_, request, deadline, stop);
    request.headers.wipe_all();
    if (!response) return response.error();
    if (authorizer_.take_note(*response)) continue;
    if (response->status == 401 && may_sign_in) {
      POSTERN_TRY_VOID(authorizer_.sign_in(*response, stop));
      continue;
    }
    if (response->status < 200 || response->status > 299) return HttpStatus{std::string(method), response->status};
    return {};
  }
  return RefusedAfterSignIn{"401 invalid_token"};
}

Status HttpTransport::notify(const JsonRpcNotification& notification, SteadyTime deadline,
                             const std::stop_token& stop) {
  return post_one_way(notification.method, serialise(notification), deadline, true, stop);
}

// 2025-11-25 basic/utilities/ping: answered at once. No capability was declared for anything else.
Status HttpTransport::answer_server(const JsonRpcRequest& asked, SteadyTime deadline, const std::stop_token& stop) {
  const SteadyTime end = std::min(deadline, env_.clock.steady_now() + kOneWayMax);
  if (asked.method == "ping")
    return post_one_way("ping", serialise(JsonRpcResult{asked.id, Json::object()}), end, false, stop);
  const JsonRpcError refusal{asked.id, static_cast<std::int64_t>(ErrorCode::kMethodNotFound),
                             "This client declared no capability for it.", std::nullopt};
  return post_one_way(visible_line(asked.method, 80), serialise(refusal), end, false, stop);
}

// There a closed stream does not cancel (2025-11-25 basic/transports). initialize cannot be cancelled.
void HttpTransport::cancel_in_older_era(const OutgoingRequest& request, const RequestId& id) {
  if (!in_older_era() || request.method == "initialize") return;
  const JsonRpcNotification cancelled{
      "notifications/cancelled",
      Json::object({{"requestId", id.json()}, {"reason", "Nobody waits for the answer any longer."}})};
  static_cast<void>(
      post_one_way(cancelled.method, serialise(cancelled), env_.clock.steady_now() + kOneWayMax, false, {}));
}

}  // namespace postern::bridge
