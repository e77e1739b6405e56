// The types of wire/mcp/types.h to and from Json, for both sides of the boundary (MCP 2026-07-28, schema.ts).
//
// Readers take what a peer sent and check every member that this project uses; members that they do not know are left
// alone, as the revision demands. A result that is not of the shape is mcp.malformed_result (a peer's fault);
// parameters of a request that are not are mcp.malformed_params (-32602). Writers give the exact wire form.
// Thread-safe, without state.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

// ---- Requests, written by a client
// --------------------------------------------------------------------------------------------

// The _meta object that every request carries: protocolVersion, clientCapabilities, and clientInfo when it is given,
// then `extra`.
[[nodiscard]] Json to_json(const RequestMeta& meta);
// `params` of each method, with _meta inside.
[[nodiscard]] Json discover_params(const RequestMeta& meta);
[[nodiscard]] Json list_tools_params(const RequestMeta& meta, const std::optional<std::string>& cursor = std::nullopt);
[[nodiscard]] Json to_json(const CallToolParams& params, const RequestMeta& meta);
// {"action":"accept"}: the value of one entry of inputResponses, without content (URL mode has none).
[[nodiscard]] Json elicit_response(ElicitAction action);
// {"action":"accept","content":{...}}: the answers of a form.
[[nodiscard]] Json elicit_response_with(Json content);

// ---- Requests, read by a server
// -----------------------------------------------------------------------------------------------

// `params._meta`. mcp.malformed_params when it is absent, or one of the two required keys is absent or of a wrong type.
[[nodiscard]] Result<RequestMeta> read_request_meta(const Json& params);
[[nodiscard]] Result<CallToolParams> read_call_tool_params(const Json& params);
// The cursor, when there is one: an empty string is a real cursor.
[[nodiscard]] Result<std::optional<std::string>> read_cursor(const Json& params);

// ---- Results, written by a server
// ---------------------------------------------------------------------------------------------

[[nodiscard]] Json to_json(const Implementation& implementation);
// tool.definition as it stands.
[[nodiscard]] Json to_json(const Tool& tool);
[[nodiscard]] Json to_json(const DiscoverResult& result);
[[nodiscard]] Json to_json(const ListToolsResult& result);
[[nodiscard]] Json to_json(const CallToolResult& result);
[[nodiscard]] Json to_json(const InputRequiredResult& result);
[[nodiscard]] Json to_json(const CallToolOutcome& outcome);
[[nodiscard]] Json to_json(const ElicitRequestUrlParams& params);
// {"type":"text","text":...}
[[nodiscard]] Json text_block(std::string_view text);

// ---- Results, read by a client
// ------------------------------------------------------------------------------------------------

// A missing resultType counts as "complete" (older servers); any value but the two of the core is
// mcp.unexpected_result_type.
[[nodiscard]] Result<DiscoverResult> read_discover_result(const Json& result);
[[nodiscard]] Result<ListToolsResult> read_list_tools_result(const Json& result);
[[nodiscard]] Result<CallToolOutcome> read_call_tool_outcome(const Json& result);
// One definition; `definition` keeps the whole object.
[[nodiscard]] Result<Tool> read_tool(const Json& definition);
// The params of an "elicitation/create" of mode "url"; every other mode is refused.
[[nodiscard]] Result<ElicitRequestUrlParams> read_elicit_url(const InputRequest& request);
// The params of an "elicitation/create" of mode "form", which is also what an absent mode means.
[[nodiscard]] Result<ElicitRequestFormParams> read_elicit_form(const InputRequest& request);
// The self-reported name of the server in result._meta: display only. Nothing when it is absent or odd.
[[nodiscard]] std::optional<Implementation> server_info_of(const Json& result);

// ---- Errors
// -------------------------------------------------------------------------------------------------------------------

// The data of -32022.
struct UnsupportedVersionData {
  std::vector<std::string> supported;
  std::string requested;
};
[[nodiscard]] Json to_json(const UnsupportedVersionData& data);
// Nothing when the error is another one, or its data are not of the shape.
[[nodiscard]] std::optional<UnsupportedVersionData> unsupported_version_of(const JsonRpcError& error);
// The data of -32021: {"requiredCapabilities": capabilities}.
[[nodiscard]] Json required_capabilities_data(Json capabilities);

struct MalformedParams {
  static constexpr std::string_view kId = "mcp.malformed_params";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string where;     // "params._meta", "params.name"
  std::string expected;  // "an object"
  [[nodiscard]] std::string text() const;
};
struct MalformedResult {
  static constexpr std::string_view kId = "mcp.malformed_result";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;     // "result.tools[2].inputSchema"
  std::string expected;  // "an object whose type is \"object\""
  [[nodiscard]] std::string text() const;
};
struct UnexpectedResultType {
  static constexpr std::string_view kId = "mcp.unexpected_result_type";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string result_type;  // made visible
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::mcp
