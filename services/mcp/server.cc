#include "services/mcp/server.h"

#include <algorithm>
#include <iterator>

#include "services/gate/bearer_gate.h"
#include "services/mcp/compiled_tool.h"
#include "services/mcp/era.h"
#include "services/mcp/failures.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"

namespace postern::mcp {
namespace {

std::string members_of(const Json& object) {
  const std::string text = object.dump();
  return text.substr(1, text.size() - 2);
}

Status require_scopes(const ScopeSet* granted, const ScopeSet& required) {
  if (granted != nullptr && !granted->contains_all(required)) return services::InsufficientScope{required};
  return {};
}

// True when every member that is required is declared: {"elicitation":{"url":{}}} wants elicitation and url in it.
bool declares(const Json& declared, const Json& required) {
  if (!declared.is_object()) return false;
  return std::all_of(required.members().begin(), required.members().end(), [&](const Json::Member& member) {
    const Json* found = declared.find(member.first);
    return found != nullptr && declares(*found, member.second);
  });
}

}  // namespace

const Server::Method Server::kMethods[] = {
    {"server/discover", &Server::discover},
    {"tools/list", &Server::list_tools},
    {"tools/call", &Server::call_tool},
};

Server::Server(Env env, ServerFeatures features)
    : env_(env), features_(std::move(features)), writer_(features_.server_info) {}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::make(Env env, ServerFeatures features) {
  std::unique_ptr<Server> server(new Server(env, std::move(features)));
  ListToolsResult http;
  http.ttl_ms = server->features_.list_ttl_ms;
  http.cache_scope = server->features_.cache_scope;
  ListToolsResult stdio = http;
  for (ToolRow& row : server->features_.tools) {
    if (server->find_tool(row.tool.name, true) != nullptr)
      return BadFeatures{visible_line(row.tool.name), "its name occurs twice"};
    http.tools.push_back(row.tool);
    if (!row.http_only) stdio.tools.push_back(row.tool);
    POSTERN_TRY(CompiledTool compiled, CompiledTool::of_row(std::move(row)));
    server->tools_.push_back(std::move(compiled));
  }
  server->features_.tools.clear();
  server->http_list_members_ = members_of(to_json(http));
  server->stdio_list_members_ = members_of(to_json(stdio));
  DiscoverResult discover;
  discover.supported_versions = {std::string(kProtocolVersion)};
  discover.capabilities = Json::object({{"tools", Json::object()}});
  discover.instructions = server->features_.instructions;
  discover.ttl_ms = server->features_.list_ttl_ms;
  discover.cache_scope = server->features_.cache_scope;
  server->discover_members_ = members_of(to_json(discover));
  return server;
}

Result<PreparedRequest> Server::accept(const JsonRpcRequest& request, const RequestContext& context) const {
  const std::string* version_header = nullptr;
  if (context.headers != nullptr) version_header = context.headers->find(kHeaderProtocolVersion);
  POSTERN_TRY_VOID(check_era(request.method, request.params, version_header));
  POSTERN_TRY(RequestMeta meta, read_request_meta(request.params));
  if (context.headers != nullptr) {
    POSTERN_TRY_VOID(check_headers(*context.headers, meta.protocol_version, request.method, request.params));
  }
  if (meta.protocol_version != kProtocolVersion) return UnsupportedVersion{meta.protocol_version};
  const auto* method = std::find_if(std::begin(kMethods), std::end(kMethods),
                                    [&](const Method& row) { return row.name == request.method; });
  if (method == std::end(kMethods)) return UnknownMethod{visible_line(request.method, 80)};
  return (this->*method->prepare)(request, std::move(meta), context);
}

Result<PreparedRequest> Server::discover(const JsonRpcRequest& request, RequestMeta,
                                         const RequestContext& context) const {
  POSTERN_TRY_VOID(require_scopes(context.granted, features_.base_scopes));
  return PreparedRequest::of(writer_.result_of_members(request.id, discover_members_));
}

Result<PreparedRequest> Server::list_tools(const JsonRpcRequest& request, RequestMeta,
                                           const RequestContext& context) const {
  POSTERN_TRY_VOID(require_scopes(context.granted, features_.base_scopes));
  POSTERN_TRY(const auto cursor, read_cursor(request.params));
  if (cursor) return PreparedRequest::of({200, serialise(error_of(UnknownCursor{}, request.id))});  // there is one page
  const bool over_http = context.headers != nullptr;
  return PreparedRequest::of(
      writer_.result_of_members(request.id, over_http ? http_list_members_ : stdio_list_members_));
}

const CompiledTool* Server::find_tool(std::string_view name, bool over_http) const {
  for (const CompiledTool& tool : tools_) {
    if (tool.name() == name) return over_http || !tool.row().http_only ? &tool : nullptr;
  }
  return nullptr;
}

Result<PreparedRequest> Server::call_tool(const JsonRpcRequest& request, RequestMeta meta,
                                          const RequestContext& context) const {
  POSTERN_TRY(CallToolParams params, read_call_tool_params(request.params));
  const CompiledTool* tool = find_tool(params.name, context.headers != nullptr);
  if (tool == nullptr) {
    POSTERN_TRY_VOID(require_scopes(context.granted, features_.base_scopes));
    return PreparedRequest::of({200, serialise(error_of(UnknownTool{visible_line(params.name, 128)}, request.id))});
  }
  const ToolRow& row = tool->row();
  POSTERN_TRY_VOID(require_scopes(context.granted, row.scopes.join(features_.base_scopes)));
  Json arguments = params.arguments ? *std::move(params.arguments) : Json::object();
  params.arguments.reset();
  if (context.headers != nullptr) {
    POSTERN_TRY_VOID(check_param_headers(*context.headers, tool->param_headers(), arguments));
  }
  if (!row.client_capabilities.is_null() && !declares(meta.client_capabilities, row.client_capabilities)) {
    return MissingClientCapability{row.client_capabilities};
  }
  if (const Status valid = tool->check_arguments(arguments); !valid) {
    return PreparedRequest::of(writer_.tool_error(request.id, valid.error().text()));
  }
  struct Kept {  // what the call needs after accept(), on whichever thread it runs
    std::shared_ptr<const services::Principal> principal;
    RequestId id;
    Json arguments;
    CallToolParams params;
    RequestMeta meta;
  };
  const std::shared_ptr<const Kept> kept(
      new Kept{context.principal, request.id, std::move(arguments), std::move(params), std::move(meta)});
  return PreparedRequest(row.lane,
                         [this, tool, kept](bool may_block, const std::stop_token& stop) -> std::optional<Answer> {
                           const ToolCall call{*kept->principal,
                                               kept->arguments,
                                               kept->params,
                                               kept->meta,
                                               env_.clock.steady_now() + tool->row().deadline,
                                               may_block,
                                               stop};
                           auto outcome = tool->row().handler(call);
                           if (outcome) return answer_of(*tool, kept->id, *outcome);
                           if (!may_block && outcome.error().as<LaneNeeded>() != nullptr) return std::nullopt;
                           return answer_of(*tool, kept->id, outcome.error());
                         });
}

Answer Server::answer_of(const CompiledTool& tool, const RequestId& id, const CallToolOutcome& outcome) const {
  if (const auto* result = std::get_if<CallToolResult>(&outcome)) {
    if (const Status valid = tool.check_result(*result); !valid) return answer_of(tool, id, valid.error());
  }
  return writer_.tool_outcome(id, outcome);
}

Answer Server::answer_of(const CompiledTool& tool, const RequestId& id, const Failure& failure) const {
  if (failure.disposition() == Disposition::kToolError) return writer_.tool_error(id, failure.text());
  const JsonRpcError error = error_of(failure, id);
  if (error.code == static_cast<std::int64_t>(ErrorCode::kInternalError)) {
    log_error(tool.name() + " failed with " + std::string(failure.id()) + ": " + failure.text());
  }
  return {200, serialise(error)};
}

}  // namespace postern::mcp
