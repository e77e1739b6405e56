// The core of an MCP server of revision 2026-07-28: from one JSON-RPC request to one answer.
//
// It keeps nothing between requests: each says its version and its capabilities for itself, and continuity is a handle
// that a tool gives and takes. The checks run in the order of docs/architecture.md: era, _meta, headers against the
// body, version, method, tool row, scope, Mcp-Param-*, client capability, input schema; then the handler. The two
// transports (http_endpoint.h, stdio_server.h) share all of it.
//
// Thread-safe, immutable after make().
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/gate/principal.h"
#include "services/mcp/answer.h"
#include "services/mcp/server_features.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/jsonrpc/message.h"
#include "wire/oauth/scope.h"

namespace postern::mcp {

// Who calls, and what came beside the body.
struct RequestContext {
  std::shared_ptr<const services::Principal> principal;
  // Over HTTP: what the token grants, and the headers of the request; valid during accept(). Both null over stdio.
  const ScopeSet* granted = nullptr;
  const HeaderList* headers = nullptr;
};

class CompiledTool;

// A request that passed every check, ready to be carried out. Copyable; the Server must outlive it.
class PreparedRequest {
 public:
  // Where run() belongs when it is called over HTTP.
  [[nodiscard]] Lane lane() const { return lane_; }
  // Nothing when `may_block` is false and the work has to wait: run it again where it may.
  [[nodiscard]] std::optional<Answer> run(bool may_block, std::stop_token stop = {}) const {
    return run_(may_block, stop);
  }

 private:
  friend class Server;
  using Run = std::function<std::optional<Answer>(bool may_block, const std::stop_token& stop)>;
  PreparedRequest(Lane lane, Run run) : lane_(lane), run_(std::move(run)) {}
  static PreparedRequest of(Answer answer) {
    return {Lane::kLoop, [answer = std::move(answer)](bool, const std::stop_token&) { return std::optional(answer); }};
  }
  Lane lane_;
  Run run_;
};

class Server {
 public:
  // Compiles the schemas and looks at the tables: `mcp.bad_features` names the row that cannot be served. `env` must
  // outlive it.
  [[nodiscard]] static Result<std::unique_ptr<Server>> make(Env env, ServerFeatures features);
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  // Failures: mcp.unsupported_version, mcp.malformed_params, mcp.header_mismatch, mcp.unknown_method,
  // token.insufficient_scope, mcp.missing_client_capability. A failure of the method itself (an unknown tool, arguments
  // that are not valid) is an answer.
  [[nodiscard]] Result<PreparedRequest> accept(const JsonRpcRequest& request, const RequestContext& context) const;

 private:
  // One row a method: the table that decides what this server speaks.
  struct Method {
    std::string_view name;
    Result<PreparedRequest> (Server::*prepare)(const JsonRpcRequest&, RequestMeta, const RequestContext&) const;
  };
  static const Method kMethods[];

  Server(Env env, ServerFeatures features);
  [[nodiscard]] Result<PreparedRequest> discover(const JsonRpcRequest&, RequestMeta, const RequestContext&) const;
  [[nodiscard]] Result<PreparedRequest> list_tools(const JsonRpcRequest&, RequestMeta, const RequestContext&) const;
  [[nodiscard]] Result<PreparedRequest> call_tool(const JsonRpcRequest&, RequestMeta, const RequestContext&) const;
  // Null when there is none of that name for that transport.
  [[nodiscard]] const CompiledTool* find_tool(std::string_view name, bool over_http) const;
  [[nodiscard]] Answer answer_of(const CompiledTool& tool, const RequestId& id, const CallToolOutcome& outcome) const;
  [[nodiscard]] Answer answer_of(const CompiledTool& tool, const RequestId& id, const Failure& failure) const;

  Env env_;
  ServerFeatures features_;
  ResultWriter writer_;
  std::vector<CompiledTool> tools_;
  std::string discover_members_;
  std::string http_list_members_;
  std::string stdio_list_members_;
};

}  // namespace postern::mcp
