#include "services/mcp_older_era/older_era_block.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "services/mcp/answer.h"
#include "services/mcp/catalog.h"
#include "services/mcp/failures.h"
#include "services/mcp_older_era/older_words.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

using Translation = std::function<Json(Json)>;

constexpr std::size_t kDepthMax = 512;  // of a result of our own, which is read to be put into other words

Answer translate(const Answer& answer, const RequestId& id, const Translation& translation) {
  const auto message = parse_json(answer.body, JsonBounds{answer.body.size(), kDepthMax});
  const Json* result = message ? message->find("result") : nullptr;
  if (result != nullptr) return {answer.http_status, serialise(JsonRpcResult{id, translation(*result)})};
  if (message && message->has("error")) return answer;  // errors have the same words
  log_error("a result of this server could not be read back for a client of an older revision");
  return {answer.http_status, serialise(JsonRpcError{id, static_cast<std::int64_t>(ErrorCode::kInternalError),
                                                     "Internal error.", std::nullopt})};
}

// The same work, its answer in other words. A connection that goes away cancels nothing over HTTP (2025-11-25
// basic/transports, "Sending Messages to the Server"): the deadline of the row ends the work.
PreparedRequest told_as(PreparedRequest modern, const RequestId& id, bool over_http, Translation translation) {
  const Lane lane = modern.lane();
  return {lane,
          [modern = std::move(modern), id, over_http,
           translation = std::move(translation)](const RunContext& context) -> std::optional<Answer> {
            const auto answer = modern.run({context.may_block, over_http ? std::stop_token() : context.stop, nullptr});
            if (!answer) return std::nullopt;
            return translate(*answer, id, translation);
          }};
}

}  // namespace

bool OlderEraBlock::serves(const JsonRpcRequest& request, const RequestContext& context) {
  const Json* meta = request.params.find("_meta");
  if (meta != nullptr && meta->has(kMetaProtocolVersion)) return false;
  if (request.method == "initialize") {
    if (context.headers == nullptr) opened_ = true;
    return true;
  }
  if (context.headers == nullptr) return opened_;
  // Without the header the revision would be 2025-03-26, which is not spoken here.
  const auto version = context.headers->sole(kHeaderProtocolVersion);
  return version && *version != nullptr && **version == kVersion;
}

std::optional<Result<PreparedRequest>> OlderEraBlock::accept(const JsonRpcRequest& request,
                                                             const RequestContext& context) {
  if (!serves(request, context)) return std::nullopt;
  Result<PreparedRequest> prepared = prepare(request, context);
  if (prepared) return prepared;
  const Disposition disposition = prepared.error().disposition();
  // No status of its own is defined for these: clients of that revision look for the error in a 200.
  if (disposition == Disposition::kInvalidParams || disposition == Disposition::kMethodNotFound)
    return PreparedRequest::of({200, serialise(error_of(prepared.error(), request.id))});
  return prepared;
}

Result<PreparedRequest> OlderEraBlock::prepare(const JsonRpcRequest& request, const RequestContext& context) const {
  if (request.method == "initialize") return initialize(request, context);
  if (request.method == "tools/list") return list_tools(request, context);
  if (request.method == "tools/call") return call_tool(request, context);
  POSTERN_TRY_VOID(admit(request, context));
  if (request.method == "ping") return PreparedRequest::of({200, serialise(JsonRpcResult{request.id, Json::object()})});
  return UnknownMethod{visible_line(request.method, 80)};
}

Result<PreparedRequest> OlderEraBlock::initialize(const JsonRpcRequest& request, const RequestContext& context) const {
  const Json* asked = request.params.find("protocolVersion");
  if (asked == nullptr || !asked->is_string()) return MalformedParams{"params.protocolVersion", "a string"};
  POSTERN_TRY(PreparedRequest discover, accept_modern(request.id, "server/discover", Json::object(), context));
  const Json* info = request.params.find("clientInfo");
  const std::string_view name = info == nullptr ? std::string_view() : info->string_at("name");
  log_info("a client opened with initialize: it calls itself \"" + visible_line(name, 60) + "\" and asks for " +
           visible_line(*asked->string(), 20));
  return told_as(std::move(discover), request.id, context.headers != nullptr,
                 [](const Json& discovered) { return initialize_result(discovered, kVersion); });
}

bool OlderEraBlock::offers(const CompiledTool& tool) const {
  const bool opens = std::find(opening_tools_.begin(), opening_tools_.end(), tool.name()) != opening_tools_.end();
  return opens || is_offered_to_older_era(tool.row());
}

Result<PreparedRequest> OlderEraBlock::list_tools(const JsonRpcRequest& request, const RequestContext& context) const {
  const bool over_http = context.headers != nullptr;
  Json params = Json::object();
  if (const Json* cursor = request.params.find("cursor")) params.append_member("cursor", *cursor);
  POSTERN_TRY(PreparedRequest page, accept_modern(request.id, request.method, std::move(params), context));
  return told_as(std::move(page), request.id, over_http, [this, catalog = server_.catalog(), over_http](Json result) {
    Json tools = Json::array();
    if (const Json* all = result.find("tools")) {
      for (const Json& tool : all->elements()) {
        const CompiledTool* known = catalog->find_tool(tool.string_at("name"), over_http);
        if (known != nullptr && offers(*known)) tools.push(older_tool(tool));
      }
    }
    result.set("tools", std::move(tools));
    strip_newer_members(result);
    return result;
  });
}

Result<PreparedRequest> OlderEraBlock::call_tool(const JsonRpcRequest& request, const RequestContext& context) const {
  const bool over_http = context.headers != nullptr;
  const std::shared_ptr<const Catalog> catalog = server_.catalog();
  const std::string_view name = request.params.string_at("name");
  const CompiledTool* tool = catalog->find_tool(name, over_http);
  if (tool != nullptr && !offers(*tool)) {
    POSTERN_TRY_VOID(admit(request, context));
    return UnknownTool{visible_line(name, 128)};
  }
  Json params = Json::object();
  for (const char* member : {"name", "arguments"}) {
    if (const Json* value = request.params.find(member)) params.append_member(member, *value);
  }
  const std::vector<ParamHeader> param_headers = tool == nullptr ? std::vector<ParamHeader>() : tool->param_headers();
  auto call = accept_modern(request.id, request.method, params, context, param_headers);
  if (!call) return call;
  return told_as(*std::move(call), request.id, over_http, older_call_result);
}

Result<PreparedRequest> OlderEraBlock::accept_modern(const RequestId& id, const std::string& method, Json params,
                                                     const RequestContext& context,
                                                     const std::vector<ParamHeader>& param_headers) const {
  params.set("_meta", to_json(RequestMeta{}));  // no capability: what the client said at initialize is not kept
  const JsonRpcRequest request{id, method, std::move(params)};
  const HeaderList headers = request_headers(method, request.params, param_headers);
  RequestContext own = context;
  if (context.headers != nullptr) own.headers = &headers;
  POSTERN_TRY(Accepted accepted, server_.accept(request, own));
  return std::get<PreparedRequest>(std::move(accepted));  // no method that is asked here opens a subscription
}

Status OlderEraBlock::admit(const JsonRpcRequest& request, const RequestContext& context) const {
  const auto discover = accept_modern(request.id, "server/discover", Json::object(), context);
  if (!discover) return discover.error();
  return {};
}

}  // namespace postern::mcp
