// Time, injected.
//
// Wall time has a resolution of one millisecond and is what goes into tokens and records; steady time is for deadlines.
// The product reads the system's clocks in clock.cc only.
#pragma once

#include <chrono>
#include <cstdint>
#include <stop_token>
#include <string>

namespace postern {

using Milliseconds = std::chrono::milliseconds;
using Seconds = std::chrono::seconds;
using WallTime = std::chrono::time_point<std::chrono::system_clock, Milliseconds>;
using SteadyTime = std::chrono::steady_clock::time_point;

class Clock {
 public:
  virtual ~Clock() = default;
  [[nodiscard]] virtual WallTime now() const = 0;
  [[nodiscard]] virtual SteadyTime steady_now() const = 0;
  // Blocks for that long, or until `stop` is asked for: true then. A clock that is moved by hand may move instead.
  [[nodiscard]] virtual bool wait_for(Milliseconds how_long, const std::stop_token& stop) const;
};

// Thread-safe, without state.
class SystemClock final : public Clock {
 public:
  [[nodiscard]] WallTime now() const override;
  [[nodiscard]] SteadyTime steady_now() const override;
};

// Seconds since 1970-01-01T00:00:00Z, as in the NumericDate of RFC 7519.
[[nodiscard]] std::int64_t unix_seconds(WallTime time);
[[nodiscard]] WallTime wall_time_of_unix_seconds(std::int64_t seconds);
// "2026-11-30T02:51:07.123Z" (RFC 3339).
[[nodiscard]] std::string rfc3339(WallTime time);
// "20261130T025107": for names of runs.
[[nodiscard]] std::string compact_utc(WallTime time);
// "0:41", "12:48": minutes and seconds, never negative.
[[nodiscard]] std::string minutes_seconds(Seconds duration);

}  // namespace postern
