// Names to addresses, within a deadline.
//
// A literal address and "localhost" need no lookup. getaddrinfo(3) has no deadline of its own, so a lookup runs on a
// thread that is left to end by itself when its time is up; there are at most eight of those. Thread-safe.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/transport/failures.h"

namespace postern {

// Addresses in the order in which to try them, "127.0.0.1" or "::1". `transport.unreachable`, `transport.timed_out`,
// `transport.cancelled`.
[[nodiscard]] Result<std::vector<std::string>> resolve(const std::string& host, const std::string& where,
                                                       const Clock& clock, SteadyTime deadline,
                                                       const std::stop_token& stop);

}  // namespace postern
