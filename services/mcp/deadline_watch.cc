#include "services/mcp/deadline_watch.h"

#include <utility>

namespace postern::mcp {

DeadlineWatch::~DeadlineWatch() {
  std::thread thread;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    thread = std::move(thread_);
  }
  changed_.notify_all();
  if (thread.joinable()) thread.join();
}

void DeadlineWatch::run() {
  mutex_.lock();
  while (!stopped_) {
    if (watched_.empty()) {
      changed_.wait(mutex_);
      continue;
    }
    const SteadyTime next = watched_.begin()->first;
    if (clock_.steady_now() < next) {
      changed_.wait_until(mutex_, next);
      continue;
    }
    std::stop_source source = watched_.begin()->second.second;
    watched_.erase(watched_.begin());
    mutex_.unlock();
    source.request_stop();  // runs callbacks: never with the lock held
    mutex_.lock();
  }
  mutex_.unlock();
}

DeadlineWatch::Guard::Guard(DeadlineWatch& watch, Milliseconds time_left, std::stop_source source)
    : watch_(watch), until_(watch.clock_.steady_now() + time_left) {
  {
    const MutexLock lock(watch_.mutex_);
    number_ = ++watch_.last_number_;
    watch_.watched_.emplace(until_, std::pair(number_, std::move(source)));
    if (!watch_.thread_.joinable()) watch_.thread_ = std::thread([&watch] { watch.run(); });
  }
  watch_.changed_.notify_all();
}

DeadlineWatch::Guard::~Guard() {
  const MutexLock lock(watch_.mutex_);
  const auto [begin, end] = watch_.watched_.equal_range(until_);
  for (auto at = begin; at != end; ++at) {
    if (at->second.first == number_) {
      watch_.watched_.erase(at);
      return;
    }
  }
}

bool DeadlineWatch::Guard::is_over() const {
  return watch_.clock_.steady_now() >= until_;
}

}  // namespace postern::mcp
