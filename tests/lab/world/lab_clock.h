// A clock that moves when somebody waits, and does what was planned for the time that it passes.
//
// A wait costs nothing: it moves the clock. What was planned with at() runs on the thread that waits, when the clock
// comes to its time. So a run of a quarter of an hour with a supervisor who decides after four minutes takes
// milliseconds, and the same one each time. Waits and plans are of one thread; reading is for any.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <utility>

#include "wire/base/clock.h"

namespace postern::lab {

class LabClock final : public Clock {
 public:
  explicit LabClock(std::int64_t unix_seconds = 1'796'000'000) : ms_(unix_seconds * 1000) {}

  [[nodiscard]] WallTime now() const override { return WallTime(Milliseconds(ms_) + by_itself()); }
  [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime(Milliseconds(ms_) + by_itself()); }
  [[nodiscard]] bool wait_for(Milliseconds how_long, const std::stop_token& stop) const override {
    advance(how_long);
    return stop.stop_requested();
  }

  // From now on time goes by itself too: for a run with a real process in it, which nobody can wait for otherwise.
  // Before any other thread reads.
  void go_with(const Clock& real) {
    real_ = &real;
    began_ = real.steady_now();
  }

  // In that much time from now.
  void in(Milliseconds how_long, std::function<void()> what) { plans_.emplace(ms_ + how_long.count(), std::move(what)); }
  // Moves the clock, and runs what was planned on the way.
  void advance(Milliseconds by) const {
    const std::int64_t until = ms_ + by.count();
    while (!plans_.empty() && plans_.begin()->first <= until) {
      const auto plan = plans_.begin();
      const auto what = std::move(plan->second);
      ms_ = std::max(ms_.load(), plan->first);
      plans_.erase(plan);
      what();
    }
    ms_ = std::max(ms_.load(), until);
  }

 private:
  [[nodiscard]] Milliseconds by_itself() const {
    if (real_ == nullptr) return Milliseconds(0);
    return std::chrono::duration_cast<Milliseconds>(real_->steady_now() - began_);
  }

  const Clock* real_ = nullptr;
  SteadyTime began_{};
  mutable std::atomic<std::int64_t> ms_;  // who waits holds the clock as const
  mutable std::multimap<std::int64_t, std::function<void()>> plans_;
};

}  // namespace postern::lab
