// The tools that the conformance suite calls, in three tables. Handlers are thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "services/mcp/sealed_state.h"
#include "services/mcp/server_features.h"

namespace postern::conformance {

// What a tool gives: kinds of content, an error, progress, log messages, a schema of many keywords, a mirrored header.
// The first of them can be called without arguments.
[[nodiscard]] std::vector<mcp::ToolRow> content_tools();
// What a tool asks back, in one round or several.
[[nodiscard]] std::vector<mcp::ToolRow> input_tools(const std::shared_ptr<const mcp::SealedStates>& states);
// Calls that may go on as a task.
[[nodiscard]] std::vector<mcp::ToolRow> task_tools();

}  // namespace postern::conformance
