// At most so many in a window of time, whoever asks: on loopback all callers are one peer. Thread-safe.
#pragma once

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"

namespace postern::issuer {

class RateBound {
 public:
  RateBound(Env env, int count, Seconds window) : env_(env), count_(count), window_(window) {}
  // Counts one and says whether it is still within the bound.
  [[nodiscard]] bool admit() POSTERN_EXCLUDES(mutex_);
  // Whether the next one would be admitted; counts nothing.
  [[nodiscard]] bool has_room() POSTERN_EXCLUDES(mutex_);
  // For Retry-After: whoever waits that long meets a new window.
  [[nodiscard]] Seconds window() const { return window_; }

 private:
  void renew() POSTERN_REQUIRES(mutex_);
  Env env_;
  const int count_;
  const Seconds window_;
  Mutex mutex_;
  SteadyTime started_ POSTERN_GUARDED_BY(mutex_){};
  int used_ POSTERN_GUARDED_BY(mutex_) = 0;
};

}  // namespace postern::issuer
