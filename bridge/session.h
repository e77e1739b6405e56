// Session: the requests of one client to one MCP server over Streamable HTTP, in pin mode.
//
// Each request names the one pinned revision and carries its headers, a bearer token when there is one, and an id of
// its own. A 401 is answered by discovery and sign-in and the request is sent again with a new id, at most twice; a 403
// insufficient_scope ends the request with bridge.scope_needed, because what to do then belongs to the call
// (bridge/call.h). There is no fallback to an older revision, no redirect, and no repetition of a request whose answer
// was lost.
//
// Not thread-safe. `http`, `oauth`, `env` must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bridge/oauth_client.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"
#include "wire/mcp/types.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

struct SessionOptions {
  Uri server;
  mcp::Implementation client;
  std::chrono::milliseconds request_ms_max{60'000};
  int pages_max = 32;
  std::size_t tools_max = 512;
};

class Session {
 public:
  Session(Env env, HttpClient& http, OAuthClient& oauth, SessionOptions options);

  // server/discover. Failures: bridge.version_not_offered, bridge.server_unreachable, and those of a request.
  [[nodiscard]] Result<mcp::DiscoverResult> discover(std::stop_token stop);
  // tools/list, all pages.
  [[nodiscard]] Result<std::vector<mcp::Tool>> list_tools(std::stop_token stop);
  // tools/call, once. `claims` go to params._meta["dev.postern/run"]; null for none. Failures: bridge.scope_needed,
  // bridge.server_error, bridge.http_status, transport.*, mcp.*, sign_in.*.
  [[nodiscard]] Result<mcp::CallToolOutcome> call(const mcp::CallToolParams& params,
                                                  const std::vector<mcp::ParamHeader>& param_headers,
                                                  const Json& claims, std::stop_token stop);

  [[nodiscard]] const Uri& server() const { return options_.server; }

 private:
  [[nodiscard]] mcp::RequestMeta meta(const Json& claims) const;
  [[nodiscard]] Result<Json> request(std::string_view method, const Json& params,
                                     const std::vector<mcp::ParamHeader>& param_headers, std::stop_token stop);
  [[nodiscard]] Result<HttpResponse> post(std::string_view method, const Json& params, const RequestId& id,
                                          const std::vector<mcp::ParamHeader>& param_headers, std::stop_token stop);

  Env env_;
  HttpClient& http_;
  OAuthClient& oauth_;
  SessionOptions options_;
  std::int64_t next_id_ = 1;
};

// The one JSON-RPC response in an answer of either content type. bridge.bad_response when there is none or it is for
// another id.
[[nodiscard]] Result<JsonRpcMessage> response_of(const HttpResponse& response, const RequestId& id);

}  // namespace postern::bridge
