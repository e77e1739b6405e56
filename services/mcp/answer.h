// How failures are answered by an MCP server: the one place where a disposition becomes a JSON-RPC error and an HTTP
// status (MCP 2026-07-28 basic, "Error codes"; basic/transports/streamable-http).
#pragma once

#include <optional>
#include <string>

#include "wire/base/clock.h"
#include "wire/base/failure.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

// One JSON-RPC message and the status that carries it over HTTP.
struct Answer {
  int http_status = 200;
  std::string body;
};

// The error message for a failure, with its data. Internal failures keep their text to themselves.
[[nodiscard]] JsonRpcError error_of(const Failure& failure, std::optional<RequestId> id);
// The status for a failure that is found before the method runs. What is found inside a method is answered with 200.
[[nodiscard]] int http_status_of(Disposition disposition);
// When the same request may be sent again, for Retry-After; nothing when the failure does not say.
[[nodiscard]] std::optional<Seconds> retry_after_of(const Failure& failure);
[[nodiscard]] Answer refusal(const Failure& failure, std::optional<RequestId> id);

// A finished call as a `complete` result: structured content is put into a text block too when there is no
// other content (server/tools, "Structured content").
[[nodiscard]] Json result_json(const CallToolResult& result);

// Writes results: with resultType, and the server's name in _meta. Immutable, thread-safe.
class ResultWriter {
 public:
  explicit ResultWriter(const Implementation& server_info);
  // REQUIRES an object.
  [[nodiscard]] Answer result(const RequestId& id, const Json& result) const;
  // The members of a result as text, without braces.
  [[nodiscard]] Answer result_of_members(const RequestId& id, std::string_view members) const;
  // The structured content is serialised once and put into both places (server/tools, "Structured content").
  [[nodiscard]] Answer tool_outcome(const RequestId& id, const CallToolOutcome& outcome) const;
  [[nodiscard]] Answer tool_error(const RequestId& id, std::string_view text) const;

 private:
  std::string tail_;  // ,"_meta":{...}}}
};

}  // namespace postern::mcp
