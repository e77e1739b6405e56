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
    if (before_wait_) before_wait_();
    if (!stop.stop_requested()) advance(how_long);
    return stop.stop_requested();
  }

  // Called whenever somebody begins to wait, before time goes on; empty: nothing is.
  void before_wait(std::function<void()> what) { before_wait_ = std::move(what); }

  // Called behind each move of the clock, when so much time has gone since the last call: what servers do now and then.
  void now_and_then(Milliseconds period, std::function<void()> what) {
    period_ = period.count();
    last_ = ms_.load();
    now_and_then_ = std::move(what);
  }

  // From now on time goes by itself too: for a run with a real process in it, which nobody can wait for otherwise.
  // Before any other thread reads.
  void go_with(const Clock& real) {
    real_ = &real;
    began_ = real.steady_now();
  }

  // In that much time from now.
  void in(Milliseconds how_long, std::function<void()> what) {
    plans_.emplace(ms_ + how_long.count(), std::move(what));
  }
  // What was planned and has not come does not happen.
  void forget_plans() { plans_.clear(); }
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
    if (now_and_then_ && ms_ - last_ >= period_) {
      last_ = ms_.load();
      now_and_then_();
    }
  }

 private:
  [[nodiscard]] Milliseconds by_itself() const {
    if (real_ == nullptr) return Milliseconds(0);
    return std::chrono::duration_cast<Milliseconds>(real_->steady_now() - began_);
  }

  std::function<void()> before_wait_;
  std::function<void()> now_and_then_;
  std::int64_t period_ = 0;
  mutable std::int64_t last_ = 0;
  const Clock* real_ = nullptr;
  SteadyTime began_{};
  mutable std::atomic<std::int64_t> ms_;  // who waits holds the clock as const
  mutable std::multimap<std::int64_t, std::function<void()>> plans_;
};

}  // namespace postern::lab
