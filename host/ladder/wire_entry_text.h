// One entry of a wire log in one line, as each rung shows it. Part of the ladder.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/ladder/wire_run.h"

namespace postern::host {

// The JSON-RPC message in an entry of bytes: its body, or the first one in an event stream. Nothing when there is none.
[[nodiscard]] std::optional<Json> message_of(const WireEntry& entry);
// "server->host"
[[nodiscard]] std::string direction_of(const WireEntry& entry);
// "tools/call get_order id 5", "result id 5", "error -32602 Invalid params id 5"
[[nodiscard]] std::string message_line(const Json& message);
// "POST /mcp | mcp-method: tools/call | ..." or "401 /mcp | www-authenticate: ..."; `path` is that of the request.
[[nodiscard]] std::string http_line(const WireEntry& entry, std::string_view path);
// "get_order: ok", "get_order: arguments fit"
[[nodiscard]] std::string note_line(const WireEntry& entry);
// The text of a note's details; empty when it has none.
[[nodiscard]] std::string note_text(const WireEntry& entry);
// For text of a peer in quotes: visible, in one line, cut.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t width_max);

}  // namespace postern::host
