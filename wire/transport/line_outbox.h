// Lines on their way to a reader who may be slow, or may never read: nobody who puts one in has to wait for it.
//
// A line that the pipe takes at once is written by whoever puts it in; what it does not take waits here, in order, for
// a thread that is started when it is first needed. Each line goes out whole. What waits is bounded by `room`, which
// whoever can wait looks at first. A line that was withdrawn before its first byte is never written. Thread-safe; the
// writer must outlive close(), nothing else is touched after it.
#pragma once

#include <atomic>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/transport/room.h"
#include "wire/transport/stdio_stream.h"

namespace postern {

class LineOutbox {
 public:
  // True once the line is not wanted any more.
  using Withdrawn = std::shared_ptr<const std::atomic<bool>>;

  // `on_broken` runs once when the lines cannot be written any more, on the thread that found it out, without a lock.
  LineOutbox(LineWriter& writer, std::size_t bytes_max, std::function<void()> on_broken)
      : writer_(writer), room_(bytes_max), on_broken_(std::move(on_broken)) {}
  ~LineOutbox() { static_cast<void>(close(SteadyTime())); }
  LineOutbox(const LineOutbox&) = delete;
  LineOutbox& operator=(const LineOutbox&) = delete;

  // Never waits. False when nobody reads any more: after a failed write, and after close(). REQUIRES no LF in it.
  bool put(std::string line, Withdrawn withdrawn = nullptr) POSTERN_EXCLUDES(mutex_);
  // In bytes of lines that wait.
  [[nodiscard]] Room& room() { return room_; }
  // Takes no more lines, and gives the reader until then for those that wait; the rest is dropped. The failure of the
  // first write that failed: `transport.closed`; `transport.cancelled` when lines were dropped. Safe to call twice.
  [[nodiscard]] Status close(SteadyTime deadline) POSTERN_EXCLUDES(mutex_);

 private:
  struct Line {
    std::string text;
    Withdrawn withdrawn;
    [[nodiscard]] bool is_withdrawn() const { return withdrawn != nullptr && withdrawn->load(); }
  };
  void hold(Line line, bool first) POSTERN_REQUIRES(mutex_);
  void serve() POSTERN_EXCLUDES(mutex_);
  void write_at_once(Line line) POSTERN_EXCLUDES(mutex_);
  void end_write(const Status& written) POSTERN_EXCLUDES(mutex_);

  LineWriter& writer_;
  Room room_;
  const std::function<void()> on_broken_;
  std::stop_source give_up_;
  Mutex mutex_;
  ConditionVariable changed_;
  std::deque<Line> waiting_ POSTERN_GUARDED_BY(mutex_);
  bool writing_ POSTERN_GUARDED_BY(mutex_) = false;  // a line is being written, by whichever thread
  bool closed_ POSTERN_GUARDED_BY(mutex_) = false;
  Status status_ POSTERN_GUARDED_BY(mutex_);
  std::thread thread_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern
