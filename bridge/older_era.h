// The words of MCP 2025-11-25 and before it, for a server that speaks nothing newer (2026-07-28 basic/versioning,
// "Backward compatibility").
//
// There a session begins with `initialize` and `notifications/initialized`; requests carry no revision, no capabilities
// and no identity; results have no resultType. What they have in common with 2026-07-28 is read by the same readers.
// No capability is declared: a server of that era is given tools to be called and nothing else. Thread-safe, without
// state.
#pragma once

#include <string_view>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::bridge {

inline constexpr std::string_view kOlderVersion = "2025-11-25";  // what is asked for
// Whether this program can go on with the version that the server chose.
[[nodiscard]] bool is_older_version(std::string_view version);

[[nodiscard]] Json initialize_params(const mcp::Implementation& client);
// What initialize brought, in the form of server/discover: the one version that was chosen, capabilities, instructions,
// the server's name. mcp.malformed_result
[[nodiscard]] Result<mcp::DiscoverResult> read_initialize_result(const Json& result);
// `params` without what that era does not know. `meta` goes in as it is, unless it is empty.
[[nodiscard]] Json older_params(Json params, const Json& meta);

}  // namespace postern::bridge
