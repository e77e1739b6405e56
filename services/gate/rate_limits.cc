#include "services/gate/rate_limits.h"

#include <algorithm>
#include <cstdio>

#include "wire/base/check.h"
#include "wire/base/digest.h"
#include "wire/transport/ip_address.h"

namespace postern::services {
namespace {

// A longer key is kept as its digest, so that a bucket's size does not depend on a stranger.
constexpr std::size_t kKeyBytesMax = 96;

std::string bounded(std::string_view key) {
  return key.size() <= kKeyBytesMax ? std::string(key) : sha256(key);
}

std::chrono::nanoseconds token_time_of(const RateLimit& limit) {
  POSTERN_CHECK(limit.per_second >= RateLimit::kPerSecondMin && limit.per_second <= RateLimit::kPerSecondMax);
  POSTERN_CHECK(limit.burst >= 1 && limit.burst <= RateLimit::kBurstMax);
  return std::chrono::nanoseconds(static_cast<std::int64_t>(1e9 / limit.per_second));
}

// "20", "0.5"
std::string number_of(double value) {
  char text[32];
  const int size = std::snprintf(text, sizeof text, "%.4g", value);
  return {text, static_cast<std::size_t>(size)};
}

}  // namespace

RateLimits::RateLimits(const Clock& clock, RateLimit limit, std::size_t keys_max)
    : clock_(clock), limit_(limit), keys_max_(keys_max), token_time_(token_time_of(limit)) {
  POSTERN_CHECK(keys_max >= 1);
}

std::optional<Seconds> RateLimits::wait_at(SteadyTime full_at, SteadyTime now) const {
  // A bucket has a token when less than burst - 1 of them are missing.
  const auto left = after_one(full_at, now) - now - token_time_ * limit_.burst;
  if (left <= SteadyTime::duration::zero()) return std::nullopt;
  return std::max(std::chrono::ceil<Seconds>(left), Seconds(1));
}

SteadyTime RateLimits::after_one(SteadyTime full_at, SteadyTime now) const {
  return std::max(full_at, now) + token_time_;
}

void RateLimits::forget_full(SteadyTime now) {
  while (!by_time_.empty() && by_time_.begin()->first <= now) {
    const auto full = buckets_.find(by_time_.begin()->second);
    by_time_.erase(by_time_.begin());
    buckets_.erase(full);
  }
}

std::optional<Seconds> RateLimits::take(std::string_view key) {
  const std::string own = bounded(key);
  const SteadyTime now = clock_.steady_now();
  const MutexLock lock(mutex_);
  auto bucket = buckets_.find(own);
  if (bucket == buckets_.end()) {
    if (buckets_.size() >= keys_max_) forget_full(now);
    if (buckets_.size() >= keys_max_) {
      if (const auto wait = wait_at(shared_full_at_, now)) return wait;
      shared_full_at_ = after_one(shared_full_at_, now);
      return std::nullopt;
    }
    bucket = buckets_.emplace(own, now).first;
  } else {
    if (const auto wait = wait_at(bucket->second, now)) return wait;
    by_time_.erase({bucket->second, bucket->first});
  }
  bucket->second = after_one(bucket->second, now);
  by_time_.emplace(bucket->second, bucket->first);
  return std::nullopt;
}

std::optional<Seconds> RateLimits::wait_of(std::string_view key) const {
  const std::string own = bounded(key);
  const MutexLock lock(mutex_);
  const auto bucket = buckets_.find(own);
  if (bucket == buckets_.end()) return std::nullopt;
  return wait_at(bucket->second, clock_.steady_now());
}

std::size_t RateLimits::size() const {
  const MutexLock lock(mutex_);
  return buckets_.size();
}

std::string rate_key_of_address(std::string_view address) {
  const auto parsed = IpAddress::parse(address.substr(0, address.find('%')));  // without the zone of a link-local one
  return parsed ? parsed->peer_key() : "unknown";
}

std::string CallLimitReached::text() const {
  const std::string seconds = std::to_string(wait.count()) + (wait == Seconds(1) ? " second" : " seconds");
  return "The limit of calls is reached: " + number_of(limit.per_second) + " a second, " + std::to_string(limit.burst) +
         " at once. Nothing was done, and no money moved. Do not try again before " + seconds +
         " have passed, which is at " + rfc3339(now + wait) + " (UTC). Then the same call can be made again.";
}
std::string RequestLimitReached::text() const {
  return "Too many requests. Nothing was done. Try again after " + std::to_string(wait.count()) + " s.";
}

}  // namespace postern::services
