// The protocol's own names for the parts of MCP 2026-07-28 that both sides use (schema.ts). Open-ended parts stay Json,
// so that what a peer sent is kept whole.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "wire/base/json.h"

namespace postern::mcp {

inline constexpr std::string_view kProtocolVersion = "2026-07-28";

// Keys of _meta (basic, "_meta").
inline constexpr std::string_view kMetaProtocolVersion = "io.modelcontextprotocol/protocolVersion";
inline constexpr std::string_view kMetaClientCapabilities = "io.modelcontextprotocol/clientCapabilities";
inline constexpr std::string_view kMetaClientInfo = "io.modelcontextprotocol/clientInfo";
inline constexpr std::string_view kMetaServerInfo = "io.modelcontextprotocol/serverInfo";

struct Implementation {
  std::string name;
  std::string version;
};

// What every request says of its sender (basic, "_meta"): self-reported. A server decides nothing by `client_info`.
struct RequestMeta {
  std::string protocol_version{kProtocolVersion};
  Json client_capabilities = Json::object();
  std::optional<Implementation> client_info;
  Json extra = Json::object();  // every other member of _meta, as it came
};

// One answer to an InputRequest: `response` is the bare result ({"action":"accept"}).
struct InputResponse {
  std::string key;
  Json response;
};

// What tools/call asks for, and on later rounds what was asked back.
struct CallToolParams {
  std::string name;
  std::optional<Json> arguments;  // an object
  std::vector<InputResponse> input_responses;
  std::optional<std::string> request_state;  // opaque to the client: echoed byte for byte
};

// A tool's definition. `definition` is the whole object as served, unknown members included: pins are taken over it.
struct Tool {
  std::string name;
  std::optional<std::string> title;
  std::optional<std::string> description;
  Json input_schema;
  std::optional<Json> output_schema;
  Json definition;
};

struct ListToolsResult {
  std::vector<Tool> tools;
  std::optional<std::string> next_cursor;
  std::int64_t ttl_ms = 0;
  std::string cache_scope = "private";  // "public" or "private"
};

struct DiscoverResult {
  std::vector<std::string> supported_versions;
  Json capabilities;
  std::optional<std::string> instructions;    // text of the server: untrusted
  std::optional<Implementation> server_info;  // display only; travels in result._meta
  std::int64_t ttl_ms = 0;
  std::string cache_scope = "public";  // "public" or "private"
};

struct CallToolResult {
  Json content;                            // an array of content blocks
  std::optional<Json> structured_content;  // any JSON value
  bool is_error = false;
};

// URL-mode elicitation (client/elicitation, "URL mode").
struct ElicitRequestUrlParams {
  std::string message;
  std::string url;
};

// Form-mode elicitation (client/elicitation, "Form mode").
struct ElicitRequestFormParams {
  std::string message;
  Json requested_schema;  // an object; what may stand in it is bridge/elicitation_form.h's to say
};

struct InputRequest {
  std::string key;
  std::string method;  // "elicitation/create"
  Json params;
};

struct InputRequiredResult {
  std::vector<InputRequest> input_requests;
  std::optional<std::string> request_state;  // opaque: echoed byte for byte
};

// A call ends in a result or asks for input; never both.
using CallToolOutcome = std::variant<CallToolResult, InputRequiredResult>;

enum class ElicitAction { kAccept, kDecline, kCancel };
[[nodiscard]] std::string_view text_of(ElicitAction action);  // "accept", "decline", "cancel"

}  // namespace postern::mcp
