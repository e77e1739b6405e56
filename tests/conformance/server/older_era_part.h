// What the conformance server answers clients of an older revision with. Built twice: older_era_part.cc has the block,
// no_older_era_part.cc has none, and the program without it passes everything of this revision all the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "services/mcp/older_era.h"
#include "services/mcp/server.h"

namespace postern::conformance {

// The versions that server/discover and -32022 name beside this revision; empty: this build has no such part.
[[nodiscard]] std::vector<std::string> older_versions();
// The server must outlive it. Null when this build has none.
[[nodiscard]] std::unique_ptr<mcp::OlderEra> make_older_era(const mcp::Server& server);

}  // namespace postern::conformance
