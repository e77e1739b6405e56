#include "bridge/http_transport.h"

#include <optional>
#include <vector>

#include "bridge/failures.h"
#include "bridge/oauth/failures.h"
#include "wire/base/replace_text.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/challenge.h"
#include "wire/transport/sse.h"

namespace postern::bridge {
namespace {

constexpr std::size_t kTokenBytesMin = 16;  // a shorter one could be any word
constexpr int kSendsMax = 4;                // one, and one after each of at most three authorizations

// 403 insufficient_scope, or nothing.
std::optional<ScopeNeeded> scope_needed_of(const HttpResponse& response) {
  if (response.status != 403) return std::nullopt;
  const auto challenge = read_bearer_challenge(response.headers);
  if (!challenge || !*challenge || (*challenge)->error != "insufficient_scope") return std::nullopt;
  ScopeNeeded needed;
  if ((*challenge)->scope) needed.scopes = visible_line((*challenge)->scope->text());
  if (const std::string* field = response.headers.find("WWW-Authenticate")) needed.www_authenticate = *field;
  return needed;
}

}  // namespace

Result<ServerAnswer> response_of(const HttpResponse& response, const RequestId& id) {
  const std::string* type = response.headers.find("Content-Type");
  const std::string media = type == nullptr ? std::string() : media_type(*type);
  std::vector<std::string> texts;
  if (media == "text/event-stream") {
    EventStreamReader reader;
    POSTERN_TRY_VOID(reader.feed(response.body, [&](const ServerSentEvent& event) {
      texts.push_back(event.data);
      return true;
    }));
  } else if (media == "application/json") {
    texts.push_back(response.body);
  } else {
    return BadResponse{"its content type is neither JSON nor an event stream"};
  }
  JsonBounds bounds;
  bounds.bytes_max = 8 * 1024 * 1024;
  for (const std::string& text : texts) {
    POSTERN_TRY(JsonRpcMessage message, parse_message(text, bounds));
    if (auto* result = std::get_if<JsonRpcResult>(&message)) {
      if (result->id == id) return ServerAnswer(std::move(*result));
      return BadResponse{"it is an answer to another request"};
    }
    if (auto* error = std::get_if<JsonRpcError>(&message)) {
      if (!error->id || *error->id == id) return ServerAnswer(std::move(*error));
      return BadResponse{"it is an answer to another request"};
    }
    if (std::holds_alternative<JsonRpcRequest>(message)) return BadResponse{"the server sent a request"};
  }
  return BadResponse{"it ended without a response"};
}

HttpTransport::HttpTransport(Env env, HttpClient& http, RequestAuthorizer& authorizer, Uri endpoint)
    : env_(env), http_(http), authorizer_(authorizer), endpoint_(std::move(endpoint)), where_(endpoint_.text()) {}

void HttpTransport::speak_older_era(std::string_view /*protocol_version*/) {}

Status HttpTransport::notify(const JsonRpcNotification& notification, SteadyTime /*deadline*/,
                             const std::stop_token& /*stop*/) {
  return HttpStatus{notification.method, 0};
}

Result<HttpResponse> HttpTransport::post(const OutgoingRequest& outgoing, const RequestId& id,
                                         const std::stop_token& stop) {
  HttpRequest request;
  request.method = "POST";
  request.target = endpoint_.target();
  request.headers = mcp::request_headers(outgoing.method, outgoing.params, outgoing.param_headers);
  request.body = serialise(JsonRpcRequest{id, outgoing.method, outgoing.params});
  POSTERN_TRY_VOID(authorizer_.authorize(request, endpoint_, stop));
  Result<HttpResponse> response = http_.send(endpoint_, request, outgoing.deadline, stop);
  // A server that quotes the headers it was sent brings the token to no screen, no transcript and no model.
  const std::string* authorization = request.headers.find("Authorization");
  if (response && authorization != nullptr) {
    const std::string_view token = std::string_view(*authorization).substr(authorization->find(' ') + 1);
    if (token.size() >= kTokenBytesMin) replace_all(response->body, token, "[the access token is withheld]");
  }
  return response;
}

Result<ServerAnswer> HttpTransport::exchange(const OutgoingRequest& request, const std::stop_token& stop) {
  for (int sent = 0; sent < kSendsMax; ++sent) {
    const RequestId id(next_id_++);
    POSTERN_TRY(const HttpResponse response, post(request, id, stop));
    if (authorizer_.take_note(response)) continue;
    if (response.status == 401) {
      POSTERN_TRY_VOID(authorizer_.sign_in(response, stop));
      continue;
    }
    if (auto needed = scope_needed_of(response)) return *std::move(needed);
    Result<ServerAnswer> answer = response_of(response, id);
    if (answer && (std::holds_alternative<JsonRpcError>(*answer) || response.status == 200)) return answer;
    if (response.status != 200) return HttpStatus{request.method, response.status};
    return answer.error();
  }
  return RefusedAfterSignIn{"401 invalid_token"};
}

}  // namespace postern::bridge
