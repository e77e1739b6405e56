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
    const std::function<void()> due = std::move(watched_.begin()->second.second);
    watched_.erase(watched_.begin());
    mutex_.unlock();
    due();  // runs callbacks: never with the lock held
    mutex_.lock();
  }
  mutex_.unlock();
}

std::uint64_t DeadlineWatch::add(SteadyTime until, std::function<void()> due) {
  std::uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    number = ++last_number_;
    watched_.emplace(until, std::pair(number, std::move(due)));
    if (!stopped_ && !thread_.joinable())
      thread_ = std::thread([this] { run(); });  // an alarm may set another at the end
  }
  changed_.notify_all();
  return number;
}

void DeadlineWatch::call_after(Milliseconds time, std::function<void()> alarm) {
  add(clock_.steady_now() + time, std::move(alarm));
}

DeadlineWatch::Guard::Guard(DeadlineWatch& watch, Milliseconds time_left, std::stop_source source)
    : watch_(watch),
      until_(watch.clock_.steady_now() + time_left),
      number_(watch.add(until_, [source = std::move(source)]() mutable { source.request_stop(); })) {}

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
