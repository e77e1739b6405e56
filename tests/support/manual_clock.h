// A clock that moves when it is told to.
#pragma once

#include <atomic>

#include "wire/base/clock.h"

namespace postern::test {

class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t unix_seconds = 1'796'000'000) : ms_(unix_seconds * 1000) {}
  [[nodiscard]] WallTime now() const override { return WallTime(Milliseconds(ms_.load())); }
  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(Milliseconds(ms_.load())); }
  void advance(Milliseconds by) { ms_ += by.count(); }

 private:
  std::atomic<std::int64_t> ms_;
};

}  // namespace postern::test
