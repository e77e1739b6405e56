// The prompts and resources that the conformance suite asks for. Handlers are thread-safe.
#pragma once

#include <vector>

#include "services/mcp/server_features.h"

namespace postern::conformance {

[[nodiscard]] std::vector<mcp::PromptRow> prompts();
// One more, for the list that changes.
[[nodiscard]] mcp::PromptRow dynamic_prompt();
[[nodiscard]] std::vector<mcp::ResourceRow> resources();
[[nodiscard]] std::vector<mcp::ResourceTemplateRow> resource_templates();

}  // namespace postern::conformance
