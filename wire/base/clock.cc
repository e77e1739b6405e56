#include "wire/base/clock.h"

#include <algorithm>
#include <condition_variable>
#include <cstdio>
#include <ctime>
#include <mutex>

namespace postern {
namespace {

std::tm utc(WallTime time) {
  const std::time_t seconds = static_cast<std::time_t>(unix_seconds(time));
  std::tm parts{};
  gmtime_r(&seconds, &parts);
  return parts;
}

}  // namespace

bool Clock::wait_for(Milliseconds how_long, const std::stop_token& stop) const {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock<std::mutex> lock(mutex);
  never.wait_for(lock, stop, how_long, [] { return false; });
  return stop.stop_requested();
}

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
  // Without the C library: a call of every service is written down with its time, and printf costs more than the rest.
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  std::string text = "0000-00-00T00:00:00.000Z";
  const auto put = [&text](std::size_t end, std::int64_t value) {
    for (; value > 0; value /= 10) text[--end] = static_cast<char>('0' + value % 10);
  };
  put(4, std::clamp(static_cast<int>(date.year()), 0, 9999));
  put(7, static_cast<unsigned>(date.month()));
  put(10, static_cast<unsigned>(date.day()));
  put(13, clock.hours().count());
  put(16, clock.minutes().count());
  put(19, clock.seconds().count());
  put(23, clock.subseconds().count());
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
