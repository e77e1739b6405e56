// Results of 2026-07-28 in the words of 2025-11-25 (its schema; MCP 2026-07-28 changelog). Without state.
#pragma once

#include <string_view>

#include "services/mcp/server_features.h"
#include "wire/base/json.h"

namespace postern::mcp {

// Whether the tool only reads and needs nothing of the client: then clients of the older revision are offered it.
[[nodiscard]] bool is_offered_to_older_era(const ToolRow& row);

// An InitializeResult from that of server/discover. Tools are the one feature that is advertised.
[[nodiscard]] Json initialize_result(const Json& discovered, std::string_view version);
// A tool's definition: schemas are rooted in an object, and their properties are objects.
[[nodiscard]] Json older_tool(Json definition);
// A CallToolResult; one with isError when the tool asked for input.
[[nodiscard]] Json older_call_result(Json result);
// Takes away what the older revision does not have: resultType, ttlMs, cacheScope, reserved keys of _meta.
void strip_newer_members(Json& result);

}  // namespace postern::mcp
