// A bounded pool for work that may wait for another process, so that it never takes a thread that requests need.
//
// Threads are started when they are first needed. Work that waits in the queue is dropped when its token has fired.
// Thread-safe; no lock is held while work runs.
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <thread>
#include <vector>

#include "wire/base/mutex.h"
#include "wire/transport/http_server.h"

namespace postern {

class BlockingLane {
 public:
  struct Job {
    std::function<HttpReply(std::stop_token)> work;
    std::stop_token stop;
    std::function<void(HttpReply)> done;  // not called for work that was dropped
    // What the work has of its request and of its peer's share, let go of when it is done: whoever hangs up and asks
    // again while it still runs has no more than its share.
    std::shared_ptr<const void> memory{};
    std::shared_ptr<const void> place{};
  };

  BlockingLane(int threads_max, std::size_t queue_max)
      : threads_max_(static_cast<std::size_t>(std::max(threads_max, 1))), queue_max_(queue_max) {}
  ~BlockingLane() { stop(); }
  BlockingLane(const BlockingLane&) = delete;
  BlockingLane& operator=(const BlockingLane&) = delete;

  // False when every thread is busy and the queue is full.
  [[nodiscard]] bool submit(Job job) POSTERN_EXCLUDES(mutex_);
  // Drops what waits and joins the threads; work that runs must heed its token. Safe to call twice.
  void stop() POSTERN_EXCLUDES(mutex_);

 private:
  void serve() POSTERN_EXCLUDES(mutex_);

  const std::size_t threads_max_;
  const std::size_t queue_max_;
  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<Job> waiting_ POSTERN_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ POSTERN_GUARDED_BY(mutex_);
  std::size_t idle_ POSTERN_GUARDED_BY(mutex_) = 0;
  bool stopped_ POSTERN_GUARDED_BY(mutex_) = false;
};

}  // namespace postern
