// One row a tool: who may call it, over which transport, where it runs, and its handler. A row that is missing is a
// refusal.
#pragma once

#include <vector>

#include "services/desk/desk_parts.h"
#include "services/mcp/server_features.h"

namespace postern::desk {

inline constexpr std::string_view kReadScope = "desk:read";
inline constexpr std::string_view kRefundScope = "refunds:write";

// In the order in which they are listed. `desk` must outlive the rows.
[[nodiscard]] std::vector<mcp::ToolRow> tool_rows(const DeskParts& desk);

}  // namespace postern::desk
