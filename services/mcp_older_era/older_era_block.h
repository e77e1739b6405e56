// Clients of MCP 2025-11-25, and others that open with `initialize`, answered beside the core.
//
// WRITTEN 2026-11-30. TO BE REMOVED on 2027-07-28, a year after the revision that has no `initialize`; and before that
// as soon as no server has logged "a client opened with initialize" for ninety days. How: delete this folder and its
// test, and what the build then misses in the composing places; the core and its tests do not know it.
//
// Every request is put into the words of 2026-07-28, accepted by the Server as one of that revision, and its answer put
// back: so the scopes, limits, deadlines and schemas are the same, and there is no second way to a handler. Offered are
// tools that only read (readOnlyHint) and need no capability of the client, and those that the composer names because
// reading begins with them; every other tool is unknown. Nothing is
// kept between requests over HTTP: no session is begun, and Mcp-Session-Id is not looked at. Over stdio an `initialize`
// opens the era for the process, and requests with the _meta of 2026-07-28 stay modern (basic/versioning, "Backward
// compatibility"). Thread-safe.
#pragma once

#include <atomic>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/mcp/older_era.h"
#include "services/mcp/server.h"
#include "services/mcp/server_features.h"
#include "wire/mcp/headers.h"

namespace postern::mcp {

class CompiledTool;

class OlderEraBlock final : public OlderEra {
 public:
  static constexpr std::string_view kVersion = "2025-11-25";  // the one that is spoken; 2026-07-28 is never agreed here

  // Lets server/discover and -32022 name the version. Before the server is made.
  static void announce(ServerFeatures& features) { features.older_versions = {std::string(kVersion)}; }
  // `opening_tools` change nothing but what later reading needs: a tool that gives a handle. The server must outlive
  // it.
  explicit OlderEraBlock(const Server& server, std::vector<std::string> opening_tools = {})
      : server_(server), opening_tools_(std::move(opening_tools)) {}

  [[nodiscard]] std::optional<Result<PreparedRequest>> accept(const JsonRpcRequest& request,
                                                              const RequestContext& context) override;

 private:
  [[nodiscard]] bool serves(const JsonRpcRequest& request, const RequestContext& context);
  [[nodiscard]] Result<PreparedRequest> prepare(const JsonRpcRequest& request, const RequestContext& context) const;
  [[nodiscard]] Result<PreparedRequest> initialize(const JsonRpcRequest& request, const RequestContext& context) const;
  [[nodiscard]] Result<PreparedRequest> list_tools(const JsonRpcRequest& request, const RequestContext& context) const;
  [[nodiscard]] Result<PreparedRequest> call_tool(const JsonRpcRequest& request, const RequestContext& context) const;
  // The request of 2026-07-28 with those params, through every check of the server.
  [[nodiscard]] Result<PreparedRequest> accept_modern(const RequestId& id, const std::string& method, Json params,
                                                      const RequestContext& context,
                                                      const std::vector<ParamHeader>& param_headers = {}) const;
  // What is answered here needs the same scopes and counts as much as server/discover.
  [[nodiscard]] Status admit(const JsonRpcRequest& request, const RequestContext& context) const;

  [[nodiscard]] bool offers(const CompiledTool& tool) const;

  const Server& server_;
  const std::vector<std::string> opening_tools_;
  std::atomic<bool> opened_{false};  // by an initialize over stdio
};

}  // namespace postern::mcp
