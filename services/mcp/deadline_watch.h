// Stops work whose time is over, and rings alarms: one thread for all that a server waits for.
//
// The times are of the machine's own clock, because it is real work that is stopped. Thread-safe. What is called must
// not block; what has not come due when the watch ends is never called.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <stop_token>
#include <thread>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"

namespace postern::mcp {

class DeadlineWatch {
 public:
  DeadlineWatch() = default;
  ~DeadlineWatch();
  DeadlineWatch(const DeadlineWatch&) = delete;
  DeadlineWatch& operator=(const DeadlineWatch&) = delete;

  // Calls `alarm` once after that time.
  void call_after(Milliseconds time, std::function<void()> alarm) POSTERN_EXCLUDES(mutex_);

  // Fires `source` unless the guard is gone by then.
  class Guard {
   public:
    Guard(DeadlineWatch& watch, Milliseconds time_left, std::stop_source source);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;
    [[nodiscard]] bool is_over() const;

   private:
    DeadlineWatch& watch_;
    SteadyTime until_;
    std::uint64_t number_;
  };

 private:
  void run() POSTERN_EXCLUDES(mutex_);
  // The number of the entry.
  std::uint64_t add(SteadyTime until, std::function<void()> due) POSTERN_EXCLUDES(mutex_);

  const SystemClock clock_{};
  Mutex mutex_;
  ConditionVariable changed_;
  std::multimap<SteadyTime, std::pair<std::uint64_t, std::function<void()>>> watched_ POSTERN_GUARDED_BY(mutex_);
  std::uint64_t last_number_ POSTERN_GUARDED_BY(mutex_) = 0;
  bool stopped_ POSTERN_GUARDED_BY(mutex_) = false;
  std::thread thread_ POSTERN_GUARDED_BY(mutex_);  // started when first needed
};

}  // namespace postern::mcp
