// Telling requests of this revision from those of 2025-11-25 and earlier (MCP 2026-07-28 basic/versioning, "Backward
// compatibility").
//
// The core speaks 2026-07-28 only. A request of an older era gets -32022 with the versions that are spoken, on either
// transport: a client that knows both eras recognises it, and a person with an old client reads what to look for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::mcp {

// True when the request is of an older era; nothing is said about whether it is valid otherwise. `version_header` is
// the MCP-Protocol-Version header, or null.
[[nodiscard]] bool is_of_older_era(std::string_view method, const Json& params, const std::string* version_header);

// `mcp.unsupported_version` when the request is of an older era.
[[nodiscard]] Status check_era(std::string_view method, const Json& params, const std::string* version_header,
                               const std::vector<std::string>& supported);

}  // namespace postern::mcp
