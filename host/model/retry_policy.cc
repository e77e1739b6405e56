#include "host/model/retry_policy.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <ctime>
#include <limits>
#include <string>

namespace postern::host {
namespace {

using std::chrono::milliseconds;

bool is_spend_limit(std::string_view error_code) {
  return error_code == "enforced_spend_limit_reached" || error_code == "contract_spend_limit_reached";
}

std::optional<double> non_negative_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

// A wait above the range of a 32-bit count of milliseconds is a mistake of the sender's, not a wish.
std::optional<milliseconds> positive_wait(double ms) {
  if (!(ms > 0) || ms > static_cast<double>(std::numeric_limits<std::int32_t>::max())) return std::nullopt;
  return milliseconds(static_cast<std::int64_t>(ms));
}

// "Mon, 30 Nov 2026 02:45:12 GMT" (RFC 9110 section 5.6.7), read without the process's locale.
std::optional<WallTime> http_date(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  if (text.size() != 29 || text.substr(3, 2) != ", " || text.substr(25) != " GMT") return std::nullopt;
  const auto number = [text](std::size_t at, std::size_t length) {
    int value = -1;
    const char* begin = text.data() + at;
    const auto [end, error] = std::from_chars(begin, begin + length, value);
    return error == std::errc() && end == begin + length ? value : -1;
  };
  const auto month = std::find(kMonths.begin(), kMonths.end(), text.substr(8, 3));
  std::tm fields{};
  fields.tm_mday = number(5, 2);
  fields.tm_year = number(12, 4) - 1900;
  fields.tm_hour = number(17, 2);
  fields.tm_min = number(20, 2);
  fields.tm_sec = number(23, 2);
  if (month == kMonths.end() || fields.tm_mday < 1 || fields.tm_year < 70 || fields.tm_hour < 0 || fields.tm_min < 0 ||
      fields.tm_sec < 0) {
    return std::nullopt;
  }
  fields.tm_mon = static_cast<int>(month - kMonths.begin());
  return wall_time_of_unix_seconds(::timegm(&fields));
}

}  // namespace

bool may_retry(int status, const HeaderList& headers, std::string_view error_code) {
  if (is_spend_limit(error_code)) return false;
  if (const std::string* said = headers.find("x-should-retry"); said != nullptr) {
    if (*said == "true") return true;
    if (*said == "false") return false;
  }
  return status == 408 || status == 409 || status == 429 || status >= 500;
}

std::optional<milliseconds> asked_wait(const HeaderList& headers, WallTime now) {
  if (const std::string* ms = headers.find("retry-after-ms"); ms != nullptr) {
    if (const auto value = non_negative_number(*ms)) return positive_wait(*value);
  }
  const std::string* after = headers.find("retry-after");
  if (after == nullptr) return std::nullopt;
  if (const auto seconds = non_negative_number(*after)) return positive_wait(*seconds * 1000);
  const auto date = http_date(*after);
  if (!date) return std::nullopt;
  return positive_wait(static_cast<double>((*date - now).count()));
}

milliseconds default_wait(int retry, RandomSource& random) {
  const std::int64_t whole_ms = std::min<std::int64_t>(8000, std::int64_t{500} << std::clamp(retry, 0, 10));
  std::array<unsigned char, 1> byte{};
  random.fill(byte);
  return milliseconds(whole_ms - whole_ms * byte[0] / 1024);  // less at most a quarter
}

}  // namespace postern::host
