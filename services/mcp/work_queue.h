// A few threads for the requests of one stdio connection that may wait for something.
//
// Threads are started when they are first needed. Nothing is refused: `room` bounds what waits, and the reader of the
// connection looks at it before it reads on, which is the back pressure. Thread-safe; no lock is held while work runs.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <stop_token>
#include <thread>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/transport/room.h"

namespace postern::mcp {

class WorkQueue {
 public:
  WorkQueue(std::size_t threads_max, std::size_t waiting_max) : threads_max_(threads_max), room_(waiting_max) {}
  // Waits for the work that runs.
  ~WorkQueue();
  WorkQueue(const WorkQueue&) = delete;
  WorkQueue& operator=(const WorkQueue&) = delete;

  // Dropped after stop(). The work must not throw.
  void put(std::function<void()> work) POSTERN_EXCLUDES(mutex_);
  // In pieces of work that have not begun.
  [[nodiscard]] Room& room() { return room_; }
  // Fires when all that was put in is done; has fired already when that is so.
  [[nodiscard]] std::stop_token idle() { return unfinished_.free(); }
  // Drops what has not begun, and waits until then for what has. False when some of it still runs.
  [[nodiscard]] bool stop(SteadyTime deadline) POSTERN_EXCLUDES(mutex_);

 private:
  void serve() POSTERN_EXCLUDES(mutex_);

  const std::size_t threads_max_;
  Room room_;
  Room unfinished_{1};
  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<std::function<void()>> waiting_ POSTERN_GUARDED_BY(mutex_);
  std::vector<std::thread> threads_ POSTERN_GUARDED_BY(mutex_);
  std::size_t idle_ POSTERN_GUARDED_BY(mutex_) = 0;  // threads that wait for work
  std::size_t running_ POSTERN_GUARDED_BY(mutex_) = 0;
  bool stopped_ POSTERN_GUARDED_BY(mutex_) = false;
};

}  // namespace postern::mcp
