#include "issuer/rate_bound.h"

namespace postern::issuer {

void RateBound::renew() {
  const SteadyTime now = env_.clock.steady_now();
  if (used_ > 0 && now - started_ < window_) return;
  started_ = now;
  used_ = 0;
}

bool RateBound::admit() {
  const MutexLock lock(mutex_);
  renew();
  if (used_ >= count_) return false;
  ++used_;
  return true;
}

bool RateBound::has_room() {
  const MutexLock lock(mutex_);
  renew();
  return used_ < count_;
}

}  // namespace postern::issuer
