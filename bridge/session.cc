#include "bridge/session.h"

#include <algorithm>
#include <set>

#include "bridge/failures.h"
#include "wire/base/replace_text.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/challenge.h"
#include "wire/transport/sse.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kClaimsKey = "dev.postern/run";
constexpr std::size_t kTokenBytesMin = 16;  // a shorter one could be any word
constexpr int kSendsMax = 4;                // one, and one after each of at most three authorizations

// Names of revisions in what a server of another era says of itself: its data first, its words second.
std::vector<std::string> versions_in(const JsonRpcError& error) {
  std::string text = visible_line(error.message, 400);
  if (error.data) text += " " + visible_line(error.data->dump(), 400);
  std::vector<std::string> versions;
  const auto digit = [&](std::size_t at) { return text[at] >= '0' && text[at] <= '9'; };
  for (std::size_t at = 0; at + 10 <= text.size(); ++at) {
    bool date = text[at] == '2' && text[at + 4] == '-' && text[at + 7] == '-';
    for (const std::size_t offset : {1U, 2U, 3U, 5U, 6U, 8U, 9U}) date = date && digit(at + offset);
    if (!date) continue;
    std::string version = text.substr(at, 10);
    const bool known = std::find(versions.begin(), versions.end(), version) != versions.end();
    if (version != mcp::kProtocolVersion && !known) versions.push_back(std::move(version));
    at += 9;
  }
  return versions;
}

Failure error_of(std::string_view method, const JsonRpcError& error) {
  if (error.code == static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion)) {
    return VersionNotOffered{versions_in(error)};
  }
  return ServerError{std::string(method), error.code, visible_line(error.message)};
}

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

Result<JsonRpcMessage> response_of(const HttpResponse& response, const RequestId& id) {
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
    if (const auto* result = std::get_if<JsonRpcResult>(&message)) {
      if (result->id == id) return message;
      return BadResponse{"it is an answer to another request"};
    }
    if (const auto* error = std::get_if<JsonRpcError>(&message)) {
      if (!error->id || *error->id == id) return message;
      return BadResponse{"it is an answer to another request"};
    }
    if (std::holds_alternative<JsonRpcRequest>(message)) return BadResponse{"the server sent a request"};
  }
  return BadResponse{"it ended without a response"};
}

Session::Session(Env env, HttpClient& http, OAuthClient& oauth, SessionOptions options)
    : env_(env), http_(http), oauth_(oauth), options_(std::move(options)) {}

mcp::RequestMeta Session::meta(const Json& claims) const {
  mcp::RequestMeta meta;
  meta.client_capabilities = Json::object({{"elicitation", Json::object({{"url", Json::object()}})}});
  meta.client_info = options_.client;
  if (claims.is_object()) meta.extra.set(std::string(kClaimsKey), claims);
  return meta;
}

Result<HttpResponse> Session::post(std::string_view method, const Json& params, const RequestId& id,
                                   const std::vector<mcp::ParamHeader>& param_headers, std::stop_token stop) {
  HttpRequest request;
  request.method = "POST";
  request.target = options_.server.target();
  request.headers = mcp::request_headers(method, params, param_headers);
  request.body = serialise(JsonRpcRequest{id, std::string(method), params});
  oauth_.authorize(request);
  Result<HttpResponse> response =
      http_.send(options_.server, request, env_.clock.steady_now() + options_.request_ms_max, std::move(stop));
  // A server that quotes the headers it was sent brings the token to no screen, no transcript and no model.
  const std::string* authorization = request.headers.find("Authorization");
  if (response && authorization != nullptr) {
    const std::string_view token = std::string_view(*authorization).substr(authorization->find(' ') + 1);
    if (token.size() >= kTokenBytesMin) replace_all(response->body, token, "[the access token is withheld]");
  }
  return response;
}

Result<Json> Session::request(std::string_view method, const Json& params,
                              const std::vector<mcp::ParamHeader>& param_headers, std::stop_token stop) {
  for (int sent = 0; sent < kSendsMax; ++sent) {
    const RequestId id(next_id_++);
    POSTERN_TRY(const HttpResponse response, post(method, params, id, param_headers, stop));
    if (response.status == 401) {
      POSTERN_TRY_VOID(oauth_.sign_in(response, stop));
      continue;
    }
    if (auto needed = scope_needed_of(response)) return *std::move(needed);
    const Result<JsonRpcMessage> message = response_of(response, id);
    if (message) {
      if (const auto* error = std::get_if<JsonRpcError>(&*message)) return error_of(method, *error);
      if (response.status == 200) return std::get<JsonRpcResult>(*message).result;
    }
    if (response.status != 200) return HttpStatus{std::string(method), response.status};
    return message.error();
  }
  return RefusedAfterSignIn{"401 invalid_token"};
}

Result<mcp::DiscoverResult> Session::discover(std::stop_token stop) {
  oauth_.begin_operation();
  const Result<Json> result = request("server/discover", mcp::discover_params(meta(Json())), {}, std::move(stop));
  if (!result) {
    // A server of another era answers in its own way: whatever it says, it does not speak the pinned revision.
    if (const auto* error = result.error().as<ServerError>()) {
      JsonRpcError said;
      said.message = error->message;
      return VersionNotOffered{versions_in(said)};
    }
    const auto* status = result.error().as<HttpStatus>();
    if (status != nullptr && status->status >= 400 && status->status < 500 && status->status != 403) {
      return VersionNotOffered{};
    }
    return result.error();
  }
  POSTERN_TRY(mcp::DiscoverResult discovered, mcp::read_discover_result(*result));
  const auto& offered = discovered.supported_versions;
  if (std::find(offered.begin(), offered.end(), mcp::kProtocolVersion) == offered.end()) {
    VersionNotOffered failure;
    for (const std::string& version : offered) failure.offered.push_back(visible_line(version, 40));
    return failure;
  }
  return discovered;
}

Result<std::vector<mcp::Tool>> Session::list_tools(std::stop_token stop) {
  std::vector<mcp::Tool> tools;
  std::optional<std::string> cursor;
  std::set<std::string> seen;
  for (int page = 0; page < options_.pages_max; ++page) {
    oauth_.begin_operation();
    POSTERN_TRY(const Json result, request("tools/list", mcp::list_tools_params(meta(Json()), cursor), {}, stop));
    POSTERN_TRY(mcp::ListToolsResult list, mcp::read_list_tools_result(result));
    for (mcp::Tool& tool : list.tools) tools.push_back(std::move(tool));
    if (tools.size() > options_.tools_max) return TooMany{"tools", options_.tools_max};
    if (!list.next_cursor) return tools;
    if (!seen.insert(*list.next_cursor).second) return BadResponse{"the list of tools runs in a circle"};
    cursor = list.next_cursor;
  }
  return TooMany{"pages of tools", static_cast<std::size_t>(options_.pages_max)};
}

Result<mcp::CallToolOutcome> Session::call(const mcp::CallToolParams& params,
                                           const std::vector<mcp::ParamHeader>& param_headers, const Json& claims,
                                           std::stop_token stop) {
  POSTERN_TRY(const Json result,
              request("tools/call", mcp::to_json(params, meta(claims)), param_headers, std::move(stop)));
  return mcp::read_call_tool_outcome(result);
}

}  // namespace postern::bridge
