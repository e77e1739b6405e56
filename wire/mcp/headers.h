// The HTTP headers that repeat parts of a request's body, for both sides (MCP 2026-07-28
// basic/transports/streamable-http, "Headers").
//
// A client writes MCP-Protocol-Version, Mcp-Method, Mcp-Name, and Mcp-Param-* for the arguments that a tool's schema
// marks with x-mcp-header; a server compares each with the body, because something between the two may route by the
// header alone. A header that is missing, repeated, malformed or unequal is mcp.header_mismatch (-32020, HTTP 400).
// Values compare byte for byte after the Base64 sentinel is taken off; names without case. Thread-safe, without state.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/http_message/http_message.h"

namespace postern::mcp {

inline constexpr std::string_view kHeaderProtocolVersion = "MCP-Protocol-Version";
inline constexpr std::string_view kHeaderMethod = "Mcp-Method";
inline constexpr std::string_view kHeaderName = "Mcp-Name";
inline constexpr std::string_view kHeaderParamPrefix = "Mcp-Param-";

// The value as it may stand in a header: itself when it is printable ASCII without white space at its ends and does not
// look like a sentinel, otherwise "=?base64?" + padded Base64 of its bytes + "?=".
[[nodiscard]] std::string encode_header_value(std::string_view value);
// The other way. Nothing when a sentinel holds no strict Base64, or when a plain value holds characters that had to be
// encoded.
[[nodiscard]] std::optional<std::string> decode_header_value(std::string_view value);

// True for the methods whose request carries Mcp-Name; the member is then "name", "uri" or
// "taskId" (of the tasks extension).
[[nodiscard]] std::optional<std::string_view> named_member(std::string_view method);

// One argument that is mirrored in a header.
struct ParamHeader {
  std::string suffix;             // "Region" of Mcp-Param-Region
  std::vector<std::string> path;  // names of properties from the root of the arguments
  std::string type;               // "string", "integer" or "boolean"
};
// The x-mcp-header annotations of an input schema. mcp.invalid_param_header when one is not as the revision demands:
// then an HTTP client leaves the tool out of its list.
[[nodiscard]] Result<std::vector<ParamHeader>> param_headers_of(const Json& input_schema);

// What a client sends with one request: Content-Type, Accept and the headers above. `param_headers` of the tool that is
// called, if any.
[[nodiscard]] HeaderList request_headers(std::string_view method, const Json& params,
                                         const std::vector<ParamHeader>& param_headers = {});

// Server: MCP-Protocol-Version, Mcp-Method and Mcp-Name against the body, in that order; as rows, so that one can be
// taken away to see what it stops.
struct MirroredHeader {
  std::string_view name;  // "version", "method", "name"
  Status (*check)(const HeaderList& headers, std::string_view protocol_version, std::string_view method,
                  const Json& params);
};
[[nodiscard]] std::span<const MirroredHeader> mirrored_headers();
[[nodiscard]] Status check_headers(const HeaderList& headers, std::string_view protocol_version,
                                   std::string_view method, const Json& params,
                                   std::span<const MirroredHeader> rows = mirrored_headers());
// Server: Mcp-Param-* of one tool against the arguments. Integers compare as numbers.
[[nodiscard]] Status check_param_headers(const HeaderList& headers, const std::vector<ParamHeader>& param_headers,
                                         const Json& arguments);

struct HeaderMismatch {
  static constexpr std::string_view kId = "mcp.header_mismatch";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kHeaderMismatch;
  std::string header;
  std::string reason;  // "is missing", "is not what the body says"
  [[nodiscard]] std::string text() const;
};
struct InvalidParamHeader {
  static constexpr std::string_view kId = "mcp.invalid_param_header";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string where;  // JSON Pointer of the annotated property
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::mcp
