// When a model request may be sent again, and after how long.
//
// A model request moves no money and is safe to repeat; a tool call is not, and has nothing to do with this policy.
// What the service says in x-should-retry rules over the status; a spend limit is final whatever it says. retry-after
// is honoured up to a bound; above it the request fails with the time to come back. Without one the wait is 0.5 s,
// doubled each time, at most 8 s, less up to a quarter at random.
#pragma once

#include <chrono>
#include <optional>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/base/random_source.h"
#include "wire/http_message/http_message.h"

namespace postern::host {

inline constexpr std::chrono::milliseconds kRetryAfterMax{60'000};

// `error_code` is error.details.error_code of the body, or empty.
[[nodiscard]] bool may_retry(int status, const HeaderList& headers, std::string_view error_code);

// What the service asks for: retry-after-ms, else retry-after in seconds or as an HTTP date. Nothing when it is absent,
// unreadable, zero or in the past.
[[nodiscard]] std::optional<std::chrono::milliseconds> asked_wait(const HeaderList& headers, WallTime now);

// `retry` counts from 0.
[[nodiscard]] std::chrono::milliseconds default_wait(int retry, RandomSource& random);

}  // namespace postern::host
