#include "services/mcp/work_queue.h"

#include <utility>

namespace postern::mcp {

void WorkQueue::put(std::function<void()> work) {
  {
    const MutexLock lock(mutex_);
    if (stopped_) return;
    waiting_.push_back(std::move(work));
    room_.take(1);
    unfinished_.take(1);
    if (waiting_.size() > idle_ && threads_.size() < threads_max_) threads_.emplace_back([this] { serve(); });
  }
  changed_.notify_all();
}

void WorkQueue::serve() {
  for (;;) {
    std::function<void()> work;
    {
      const MutexLock lock(mutex_);
      ++idle_;
      while (waiting_.empty() && !stopped_) changed_.wait(mutex_);
      --idle_;
      if (stopped_) return;
      work = std::move(waiting_.front());
      waiting_.pop_front();
      ++running_;
    }
    room_.give_back(1);
    work();
    work = nullptr;
    unfinished_.give_back(1);
    {
      const MutexLock lock(mutex_);
      --running_;
    }
    changed_.notify_all();
  }
}

bool WorkQueue::stop(SteadyTime deadline) {
  std::deque<std::function<void()>> dropped;
  bool ended = false;
  {
    const MutexLock lock(mutex_);
    stopped_ = true;
    dropped = std::exchange(waiting_, {});
    changed_.notify_all();
    while (running_ > 0) {
      if (changed_.wait_until(mutex_, deadline) == std::cv_status::timeout) break;
    }
    ended = running_ == 0;
  }
  room_.open_for_good();
  return ended;
}

WorkQueue::~WorkQueue() {
  static_cast<void>(stop(SteadyTime()));
  std::vector<std::thread> threads;
  {
    const MutexLock lock(mutex_);
    threads = std::exchange(threads_, {});
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace postern::mcp
