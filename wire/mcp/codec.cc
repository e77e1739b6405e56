#include "wire/mcp/codec.h"

#include "wire/base/visible_text.h"
#include "wire/mcp/request_params.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kComplete = "complete";
constexpr std::string_view kInputRequired = "input_required";

MalformedParams bad_params(std::string where, std::string expected) {
  return {std::move(where), std::move(expected)};
}
MalformedResult bad_result(std::string where, std::string expected) {
  return {std::move(where), std::move(expected)};
}

// A string member that may be absent.
Result<std::optional<std::string>> optional_string(const Json& object, std::string_view name,
                                                   const std::string& where) {
  const Json* member = object.find(name);
  if (member == nullptr) return std::optional<std::string>();
  if (!member->is_string()) return bad_result(where + "." + std::string(name), "a string");
  return std::optional(*member->string());
}

std::optional<Implementation> implementation_of(const Json* json) {
  if (json == nullptr) return std::nullopt;
  const Json* name = json->find("name");
  const Json* version = json->find("version");
  if (name == nullptr || version == nullptr || !name->is_string() || !version->is_string()) return std::nullopt;
  return Implementation{*name->string(), *version->string()};
}

Result<std::vector<std::string>> strings_of(const Json* json, const std::string& where) {
  if (json == nullptr || !json->is_array()) return bad_result(where, "an array of strings");
  std::vector<std::string> strings;
  for (const Json& element : json->elements()) {
    if (!element.is_string()) return bad_result(where, "an array of strings");
    strings.push_back(*element.string());
  }
  return strings;
}

// The resultType, "complete" when it is absent. Refuses what is neither of the two core values.
Result<std::string> result_type_of(const Json& result) {
  if (!result.is_object()) return bad_result("result", "an object");
  const Json* type = result.find("resultType");
  if (type == nullptr) return std::string(kComplete);
  const std::string* text = type->string();
  if (text == nullptr) return bad_result("result.resultType", "a string");
  if (*text != kComplete && *text != kInputRequired) return UnexpectedResultType{visible_line(*text, 80)};
  return *text;
}

Status require_complete(const Json& result) {
  POSTERN_TRY(const std::string type, result_type_of(result));
  if (type != kComplete) return UnexpectedResultType{type};
  return {};
}

// ttlMs and cacheScope. Absent or negative counts as stale at once, and an absent scope as private
// (server/utilities/caching).
Status read_cache_hints(const Json& result, std::int64_t& ttl_ms, std::string& scope) {
  const Json* ttl = result.find("ttlMs");
  if (ttl != nullptr && !ttl->is_number()) return bad_result("result.ttlMs", "a number");
  const Result<std::int64_t> value = ttl == nullptr ? Result<std::int64_t>(0) : safe_integer(*ttl, "ttlMs");
  if (failed_with(value, JsonUnsafeInteger::kId)) return bad_result("result.ttlMs", "a number within +-(2^53 - 1)");
  ttl_ms = value && *value > 0 ? *value : 0;
  POSTERN_TRY(const auto text, optional_string(result, "cacheScope", "result"));
  if (text && *text != "public" && *text != "private")
    return bad_result("result.cacheScope", "\"public\" or \"private\"");
  scope = text ? *text : "private";
  return {};
}

Json complete() {
  return Json::object({{"resultType", kComplete}});
}

void append_cache_hints(Json& result, std::int64_t ttl_ms, const std::string& scope) {
  result.append_member("ttlMs", ttl_ms);
  result.append_member("cacheScope", scope);
}

Result<CallToolResult> read_call_tool_result(const Json& result) {
  const Json* content = result.find("content");
  if (content == nullptr || !content->is_array()) return bad_result("result.content", "an array of content blocks");
  std::size_t index = 0;
  for (const Json& block : content->elements()) {
    const std::string where = "result.content[" + std::to_string(index++) + "]";
    if (!block.is_object()) return bad_result(where, "an object");
    if (block.string_at("type").empty()) return bad_result(where + ".type", "a string");
    if (block.string_at("type") == "text" && (!block.has("text") || !block.find("text")->is_string())) {
      return bad_result(where + ".text", "a string");
    }
  }
  CallToolResult read{*content, std::nullopt, false};
  if (const Json* structured = result.find("structuredContent")) read.structured_content = *structured;
  if (const Json* flag = result.find("isError")) {
    if (!flag->boolean()) return bad_result("result.isError", "true or false");
    read.is_error = *flag->boolean();
  }
  return read;
}

Result<InputRequiredResult> read_input_required(const Json& result) {
  InputRequiredResult read;
  if (const Json* requests = result.find("inputRequests")) {
    if (!requests->is_object()) return bad_result("result.inputRequests", "an object");
    for (const auto& [key, request] : requests->members()) {
      const std::string where = "result.inputRequests." + visible_line(key, 60);
      const Json* method = request.find("method");
      if (method == nullptr || !method->is_string()) return bad_result(where + ".method", "a string");
      const Json* params = request.find("params");
      if (params != nullptr && !params->is_object()) return bad_result(where + ".params", "an object");
      read.input_requests.push_back(InputRequest{key, *method->string(), params == nullptr ? Json::object() : *params});
    }
  }
  POSTERN_TRY(read.request_state, optional_string(result, "requestState", "result"));
  if (read.input_requests.empty() && !read.request_state) {
    return bad_result("result", "inputRequests, requestState or both");
  }
  return read;
}

}  // namespace

Json to_json(const Implementation& implementation) {
  return Json::object({{"name", implementation.name}, {"version", implementation.version}});
}

Json to_json(const RequestMeta& meta) {
  Json json = Json::object({{std::string(kMetaProtocolVersion), meta.protocol_version},
                            {std::string(kMetaClientCapabilities), meta.client_capabilities}});
  if (meta.client_info) json.append_member(std::string(kMetaClientInfo), to_json(*meta.client_info));
  for (const auto& [name, value] : meta.extra.members()) json.set(name, value);
  return json;
}

Json discover_params(const RequestMeta& meta) {
  return Json::object({{"_meta", to_json(meta)}});
}

Json list_tools_params(const RequestMeta& meta, const std::optional<std::string>& cursor) {
  Json params = Json::object();
  if (cursor) params.append_member("cursor", *cursor);
  params.append_member("_meta", to_json(meta));
  return params;
}

Json to_json(const CallToolParams& params, const RequestMeta& meta) {
  Json json = Json::object({{"name", params.name}});
  if (params.arguments) json.append_member("arguments", *params.arguments);
  if (!params.input_responses.empty()) {
    Json responses = Json::object();
    for (const InputResponse& response : params.input_responses) responses.set(response.key, response.response);
    json.append_member("inputResponses", std::move(responses));
  }
  if (params.request_state) json.append_member("requestState", *params.request_state);
  json.append_member("_meta", to_json(meta));
  return json;
}

std::string_view text_of(ElicitAction action) {
  switch (action) {
    case ElicitAction::kAccept:
      return "accept";
    case ElicitAction::kDecline:
      return "decline";
    case ElicitAction::kCancel:
      return "cancel";
  }
  return "cancel";
}

Json elicit_response(ElicitAction action) {
  return Json::object({{"action", text_of(action)}});
}

Json elicit_response_with(Json content) {
  Json response = elicit_response(ElicitAction::kAccept);
  return response.append_member("content", std::move(content));
}

Result<RequestMeta> read_request_meta(const Json& params) {
  const Json* meta = params.find("_meta");
  if (meta == nullptr || !meta->is_object()) return bad_params("params._meta", "an object");
  const std::string where = "params._meta[\"";
  const Json* version = meta->find(kMetaProtocolVersion);
  if (version == nullptr || !version->is_string()) {
    return bad_params(where + std::string(kMetaProtocolVersion) + "\"]", "a string");
  }
  const Json* capabilities = meta->find(kMetaClientCapabilities);
  if (capabilities == nullptr || !capabilities->is_object()) {
    return bad_params(where + std::string(kMetaClientCapabilities) + "\"]", "an object");
  }
  RequestMeta read{*version->string(), *capabilities, implementation_of(meta->find(kMetaClientInfo)), Json::object()};
  for (const auto& [name, value] : meta->members()) {
    if (name == kMetaProtocolVersion || name == kMetaClientCapabilities || name == kMetaClientInfo) continue;
    read.extra.append_member(name, value);
  }
  return read;
}

Result<CallToolParams> read_call_tool_params(const Json& params) {
  const Json* name = params.find("name");
  if (name == nullptr || !name->is_string()) return bad_params("params.name", "a string");
  CallToolParams read;
  read.name = *name->string();
  if (const Json* arguments = params.find("arguments")) {
    if (!arguments->is_object()) return bad_params("params.arguments", "an object");
    read.arguments = *arguments;
  }
  POSTERN_TRY(InputRound round, read_input_round(params));
  read.input_responses = std::move(round.input_responses);
  read.request_state = std::move(round.request_state);
  return read;
}

Result<std::optional<std::string>> read_cursor(const Json& params) {
  const Json* cursor = params.find("cursor");
  if (cursor == nullptr) return std::optional<std::string>();
  if (!cursor->is_string()) return bad_params("params.cursor", "a string");
  return std::optional(*cursor->string());
}

Json to_json(const Tool& tool) {
  return tool.definition;
}

Json to_json(const DiscoverResult& result) {
  Json json = complete();
  Json versions = Json::array();
  for (const std::string& version : result.supported_versions) versions.push(version);
  json.append_member("supportedVersions", std::move(versions));
  json.append_member("capabilities", result.capabilities);
  if (result.instructions) json.append_member("instructions", *result.instructions);
  append_cache_hints(json, result.ttl_ms, result.cache_scope);
  if (result.server_info) {
    json.append_member("_meta", Json::object({{std::string(kMetaServerInfo), to_json(*result.server_info)}}));
  }
  return json;
}

Json to_json(const ListToolsResult& result) {
  Json json = complete();
  Json tools = Json::array();
  for (const Tool& tool : result.tools) tools.push(to_json(tool));
  json.append_member("tools", std::move(tools));
  if (result.next_cursor) json.append_member("nextCursor", *result.next_cursor);
  append_cache_hints(json, result.ttl_ms, result.cache_scope);
  return json;
}

Json to_json(const CallToolResult& result) {
  Json json = complete();
  json.append_member("content", result.content.is_array() ? result.content : Json::array());
  if (result.structured_content) json.append_member("structuredContent", *result.structured_content);
  if (result.is_error) json.append_member("isError", true);
  return json;
}

Json to_json(const InputRequiredResult& result) {
  Json json = Json::object({{"resultType", kInputRequired}});
  if (!result.input_requests.empty()) {
    Json requests = Json::object();
    for (const InputRequest& request : result.input_requests) {
      requests.set(request.key, Json::object({{"method", request.method}, {"params", request.params}}));
    }
    json.append_member("inputRequests", std::move(requests));
  }
  if (result.request_state) json.append_member("requestState", *result.request_state);
  return json;
}

Json to_json(const CallToolOutcome& outcome) {
  const auto* asks = std::get_if<InputRequiredResult>(&outcome);
  return asks != nullptr ? to_json(*asks) : to_json(std::get<CallToolResult>(outcome));
}

Json to_json(const ElicitRequestUrlParams& params) {
  return Json::object({{"mode", "url"}, {"message", params.message}, {"url", params.url}});
}

Json text_block(std::string_view text) {
  return Json::object({{"type", "text"}, {"text", text}});
}

Result<DiscoverResult> read_discover_result(const Json& result) {
  POSTERN_TRY_VOID(require_complete(result));
  DiscoverResult read;
  POSTERN_TRY(read.supported_versions, strings_of(result.find("supportedVersions"), "result.supportedVersions"));
  const Json* capabilities = result.find("capabilities");
  if (capabilities == nullptr || !capabilities->is_object()) return bad_result("result.capabilities", "an object");
  read.capabilities = *capabilities;
  POSTERN_TRY(read.instructions, optional_string(result, "instructions", "result"));
  POSTERN_TRY_VOID(read_cache_hints(result, read.ttl_ms, read.cache_scope));
  read.server_info = server_info_of(result);
  return read;
}

Result<Tool> read_tool(const Json& definition) {
  if (!definition.is_object()) return bad_result("tool", "an object");
  const std::string name(definition.string_at("name"));
  if (name.empty()) return bad_result("tool.name", "a string that is not empty");
  const std::string where = "tool " + visible_line(name, 128);
  Tool tool;
  tool.name = name;
  POSTERN_TRY(tool.title, optional_string(definition, "title", where));
  POSTERN_TRY(tool.description, optional_string(definition, "description", where));
  const Json* input = definition.find("inputSchema");
  if (input == nullptr || input->string_at("type") != "object") {
    return bad_result(where + ".inputSchema", "an object whose type is \"object\"");
  }
  tool.input_schema = *input;
  if (const Json* output = definition.find("outputSchema")) {
    if (!output->is_object()) return bad_result(where + ".outputSchema", "an object");
    tool.output_schema = *output;
  }
  tool.definition = definition;
  return tool;
}

Result<ListToolsResult> read_list_tools_result(const Json& result) {
  POSTERN_TRY_VOID(require_complete(result));
  const Json* tools = result.find("tools");
  if (tools == nullptr || !tools->is_array()) return bad_result("result.tools", "an array");
  ListToolsResult read;
  for (const Json& definition : tools->elements()) {
    POSTERN_TRY(Tool tool, read_tool(definition));
    read.tools.push_back(std::move(tool));
  }
  POSTERN_TRY(read.next_cursor, optional_string(result, "nextCursor", "result"));
  POSTERN_TRY_VOID(read_cache_hints(result, read.ttl_ms, read.cache_scope));
  return read;
}

Result<CallToolOutcome> read_call_tool_outcome(const Json& result) {
  POSTERN_TRY(const std::string type, result_type_of(result));
  if (type == kInputRequired) {
    POSTERN_TRY(InputRequiredResult asks, read_input_required(result));
    return CallToolOutcome(std::move(asks));
  }
  POSTERN_TRY(CallToolResult done, read_call_tool_result(result));
  return CallToolOutcome(std::move(done));
}

Result<ElicitRequestUrlParams> read_elicit_url(const InputRequest& request) {
  const std::string where = "result.inputRequests." + visible_line(request.key, 60);
  if (request.method != "elicitation/create") return bad_result(where + ".method", "\"elicitation/create\"");
  if (request.params.string_at("mode") != "url") return bad_result(where + ".params.mode", "\"url\"");
  const std::string message(request.params.string_at("message"));
  const std::string url(request.params.string_at("url"));
  if (message.empty()) return bad_result(where + ".params.message", "a string that is not empty");
  if (url.empty()) return bad_result(where + ".params.url", "a string that is not empty");
  return ElicitRequestUrlParams{message, url};
}

Result<ElicitRequestFormParams> read_elicit_form(const InputRequest& request) {
  const std::string where = "result.inputRequests." + visible_line(request.key, 60);
  if (request.method != "elicitation/create") return bad_result(where + ".method", "\"elicitation/create\"");
  const Json* mode = request.params.find("mode");
  // A mode that is not there means a form (client/elicitation, "Elicitation Requests").
  if (mode != nullptr && (mode->string() == nullptr || *mode->string() != "form"))
    return bad_result(where + ".params.mode", "\"form\" or \"url\"");
  const std::string message(request.params.string_at("message"));
  if (message.empty()) return bad_result(where + ".params.message", "a string that is not empty");
  const Json* schema = request.params.find("requestedSchema");
  if (schema == nullptr || !schema->is_object()) return bad_result(where + ".params.requestedSchema", "an object");
  return ElicitRequestFormParams{message, *schema};
}

std::optional<Implementation> server_info_of(const Json& result) {
  const Json* meta = result.find("_meta");
  return meta == nullptr ? std::nullopt : implementation_of(meta->find(kMetaServerInfo));
}

Json to_json(const UnsupportedVersionData& data) {
  Json supported = Json::array();
  for (const std::string& version : data.supported) supported.push(version);
  return Json::object({{"supported", std::move(supported)}, {"requested", data.requested}});
}

std::optional<UnsupportedVersionData> unsupported_version_of(const JsonRpcError& error) {
  if (error.code != static_cast<std::int64_t>(ErrorCode::kUnsupportedProtocolVersion) || !error.data)
    return std::nullopt;
  const auto supported = strings_of(error.data->find("supported"), "");
  const Json* requested = error.data->find("requested");
  if (!supported || requested == nullptr || !requested->is_string()) return std::nullopt;
  return UnsupportedVersionData{*supported, *requested->string()};
}

Json required_capabilities_data(Json capabilities) {
  return Json::object({{"requiredCapabilities", std::move(capabilities)}});
}

std::string MalformedParams::text() const {
  return "The request is not valid: " + where + " must be " + expected + ".";
}

std::string MalformedResult::text() const {
  return "The server's answer is not valid: " + where + " must be " + expected + ".";
}

std::string UnexpectedResultType::text() const {
  return "The server answered with a result of type \"" + result_type + "\", which was not agreed on.";
}

}  // namespace postern::mcp
