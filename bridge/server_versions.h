// What a server says of the revisions that it speaks, in answers that are no DiscoverResult. Thread-safe, without
// state.
#pragma once

#include <string>
#include <vector>

#include "wire/jsonrpc/message.h"

namespace postern::bridge {

// Names of revisions in an error, whichever way it was put: its words first, its data second. Made visible; the newest
// revision is not among them.
[[nodiscard]] std::vector<std::string> versions_in(const JsonRpcError& error);
// -32022 whose data.supported lists 2026-07-28 all the same.
[[nodiscard]] bool offers_newest(const JsonRpcError& error);
// One of the three codes that only servers of 2026-07-28 use (basic, "Error codes").
[[nodiscard]] bool is_of_newest_era(const JsonRpcError& error);

}  // namespace postern::bridge
