#include "tests/conformance/server/older_era_part.h"

#include "services/mcp_older_era/older_era_block.h"

namespace postern::conformance {

std::vector<std::string> older_versions() {
  return {std::string(mcp::OlderEraBlock::kVersion)};
}

std::unique_ptr<mcp::OlderEra> make_older_era(const mcp::Server& server) {
  return std::make_unique<mcp::OlderEraBlock>(server);
}

}  // namespace postern::conformance
