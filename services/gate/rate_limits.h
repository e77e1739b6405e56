// How much one caller may ask for: token buckets, one a key (a principal, the address of a peer).
//
// A bucket holds at most `burst` tokens and gets `per_second` back, evenly. A full bucket is the same as none, so only
// those that something was taken from are kept, and at most `keys_max` of them. When the table is full of buckets that
// are still short, keys that are new draw from one bucket that they share: a flood of keys costs no more memory, and
// never makes a caller's emptied bucket be forgotten.
//
// Time is the steady time of an injected clock. Thread-safe. MCP 2026-07-28 server/tools, "Security considerations".
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/clock.h"
#include "wire/base/failure.h"
#include "wire/base/mutex.h"

namespace postern::services {

struct RateLimit {
  double per_second = 1;   // RateLimit::kPerSecondMin to kPerSecondMax
  std::int64_t burst = 1;  // 1 to kBurstMax
  // One token an hour is the slowest that is still a limit and no ban; a million a second is above what a socket gives.
  static constexpr double kPerSecondMin = 1.0 / 3600;
  static constexpr double kPerSecondMax = 1e6;
  static constexpr std::int64_t kBurstMax = 1'000'000;
};

class RateLimits {
 public:
  // Some hundred bytes each: what one listener's connections can be, four times.
  static constexpr std::size_t kKeysMax = 16'384;

  // `clock` must outlive it. REQUIRES a limit within its bounds and at least one key.
  RateLimits(const Clock& clock, RateLimit limit, std::size_t keys_max = kKeysMax);

  // Takes one token of that key. Nothing when there was one; else after how many whole seconds, at least one, there is
  // one again. A refused take costs nothing.
  [[nodiscard]] std::optional<Seconds> take(std::string_view key) POSTERN_EXCLUDES(mutex_);
  // The same without taking. A key that has no bucket of its own is never told to wait here.
  [[nodiscard]] std::optional<Seconds> wait_of(std::string_view key) const POSTERN_EXCLUDES(mutex_);
  [[nodiscard]] const RateLimit& limit() const { return limit_; }
  // How many buckets are kept. For tests and figures.
  [[nodiscard]] std::size_t size() const POSTERN_EXCLUDES(mutex_);

 private:
  using Buckets = std::map<std::string, SteadyTime, std::less<>>;

  // A bucket is the time at which it will be full again.
  [[nodiscard]] std::optional<Seconds> wait_at(SteadyTime full_at, SteadyTime now) const;
  [[nodiscard]] SteadyTime after_one(SteadyTime full_at, SteadyTime now) const;
  void forget_full(SteadyTime now) POSTERN_REQUIRES(mutex_);

  const Clock& clock_;
  const RateLimit limit_;
  const std::size_t keys_max_;
  const std::chrono::nanoseconds token_time_;  // in which one token comes back

  mutable Mutex mutex_;
  Buckets buckets_ POSTERN_GUARDED_BY(mutex_);
  std::set<std::pair<SteadyTime, std::string_view>> by_time_ POSTERN_GUARDED_BY(mutex_);  // of the same buckets
  SteadyTime shared_full_at_ POSTERN_GUARDED_BY(mutex_){};
};

// The key of a peer's address (IpAddress::peer_key()). What is no address is one key for all.
[[nodiscard]] std::string rate_key_of_address(std::string_view address);

// A verified caller's tool call over the limit. Read by models, so it is an answer in words and no HTTP status.
struct CallLimitReached {
  static constexpr std::string_view kId = "gate.call_limit_reached";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  RateLimit limit;
  Seconds wait{1};
  WallTime now{};
  [[nodiscard]] std::string text() const;
};
// Every other request over the limit (RFC 6585 section 4).
struct RequestLimitReached {
  static constexpr std::string_view kId = "gate.request_limit_reached";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kTooManyRequests;
  Seconds wait{1};  // for Retry-After
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
