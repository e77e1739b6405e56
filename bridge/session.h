// Session: the requests of one client to one MCP server, whatever the transport.
//
// Each request names its revision in _meta and has an id of its own. Nothing is sent again after an answer was lost.
//
// Not thread-safe. `transport` and the Env must outlive it.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "bridge/server_transport.h"
#include "wire/base/result.h"
#include "wire/env/env.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

struct SessionOptions {
  mcp::Implementation client;
  std::chrono::milliseconds request_ms_max{60'000};
  int pages_max = 32;
  std::size_t tools_max = 512;
};

class Session {
 public:
  Session(Env env, ServerTransport& transport, SessionOptions options);

  // server/discover. Failures: bridge.version_not_offered, bridge.server_unreachable, and those of a request.
  [[nodiscard]] Result<mcp::DiscoverResult> discover(std::stop_token stop);
  // tools/list, all pages.
  [[nodiscard]] Result<std::vector<mcp::Tool>> list_tools(std::stop_token stop);
  // tools/call, once. `claims` go to params._meta["dev.postern/run"]; null for none. Failures: bridge.scope_needed,
  // bridge.server_error, bridge.http_status, transport.*, mcp.*, sign_in.*.
  [[nodiscard]] Result<mcp::CallToolOutcome> call(const mcp::CallToolParams& params,
                                                  const std::vector<mcp::ParamHeader>& param_headers,
                                                  const Json& claims, std::stop_token stop);

  // For people: the URL, or the command.
  [[nodiscard]] const std::string& where() const { return transport_.where(); }
  [[nodiscard]] ServerTransport& transport() { return transport_; }

 private:
  [[nodiscard]] mcp::RequestMeta meta(const Json& claims) const;
  [[nodiscard]] Result<Json> request(std::string_view method, const Json& params,
                                     const std::vector<mcp::ParamHeader>& param_headers, std::stop_token stop);

  Env env_;
  ServerTransport& transport_;
  SessionOptions options_;
};

}  // namespace postern::bridge
