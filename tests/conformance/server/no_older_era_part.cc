#include "tests/conformance/server/older_era_part.h"

namespace postern::conformance {

std::vector<std::string> older_versions() {
  return {};
}

std::unique_ptr<mcp::OlderEra> make_older_era(const mcp::Server&) {
  return nullptr;
}

}  // namespace postern::conformance
