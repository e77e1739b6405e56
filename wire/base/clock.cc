#include "wire/base/clock.h"

#include <algorithm>
#include <cstdio>
#include <ctime>

namespace postern {
namespace {

std::tm utc(WallTime time) {
  const std::time_t seconds = static_cast<std::time_t>(unix_seconds(time));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

WallTime SystemClock::now() const {
  return std::chrono::floor<Milliseconds>(std::chrono::system_clock::now());
}

SteadyTime SystemClock::steady_now() const {
  return std::chrono::steady_clock::now();
}

std::int64_t unix_seconds(WallTime time) {
  return std::chrono::floor<Seconds>(time).time_since_epoch().count();
}

WallTime wall_time_of_unix_seconds(std::int64_t seconds) {
  return WallTime(Seconds(seconds));
}

std::string rfc3339(WallTime time) {
  const std::tm parts = utc(time);
  const auto ms = static_cast<int>((time - std::chrono::floor<Seconds>(time)).count());
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, ms);
  return text;
}

std::string compact_utc(WallTime time) {
  const std::tm parts = utc(time);
  char text[48];
  std::snprintf(text, sizeof text, "%04d%02d%02dT%02d%02d%02d", parts.tm_year + 1900, parts.tm_mon + 1, parts.tm_mday,
                parts.tm_hour, parts.tm_min, parts.tm_sec);
  return text;
}

std::string minutes_seconds(Seconds duration) {
  const long long total = std::max<long long>(0, duration.count());
  char text[48];
  std::snprintf(text, sizeof text, "%lld:%02lld", total / 60, total % 60);
  return text;
}

}  // namespace postern
