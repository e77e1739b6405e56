// The desk's own tables, changed before its server is made from them: for faults of a server that says or does
// something else than was reviewed.
#pragma once

#include <functional>
#include <string_view>

#include "services/mcp/server_features.h"
#include "tests/faults/scene.h"

namespace postern::faults {

// The row of that name as the desk serves it. REQUIRES that the desk has it.
void change_tool(Scene& scene, std::string_view tool, std::function<void(mcp::ToolRow& row)> change);
// The definition as served, and what the core knows of it.
void change_definition(Scene& scene, std::string_view tool, std::function<void(Json& definition)> change);

}  // namespace postern::faults
