// The two ends of an event stream: writers on any thread, the loop that owns the connection. Of the server only.
//
// Thread-safe. No lock is held while a callback runs or a loop is told.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/mutex.h"
#include "wire/transport/event_mailbox.h"
#include "wire/transport/http_server.h"

namespace postern {

struct EventStreamWriter::State {
 public:
  // Writers. False when the reader is gone, over its bound, or the stream has ended.
  bool write(std::string_view bytes) POSTERN_EXCLUDES(mutex_);
  void finish() POSTERN_EXCLUDES(mutex_);
  // Ends it without the last chunk, which tells the reader that something is missing.
  void cut() POSTERN_EXCLUDES(mutex_);
  void on_gone(std::function<void()> gone) POSTERN_EXCLUDES(mutex_);

  // The loop.
  struct Taken {
    std::string bytes;
    bool finished = false;  // nothing comes behind the bytes
  };
  void attach(std::shared_ptr<EventMailbox> mailbox, std::uint64_t connection, std::size_t bytes_max)
      POSTERN_EXCLUDES(mutex_);
  // What was written since; the bytes count against the bound until they are sent.
  [[nodiscard]] Taken take() POSTERN_EXCLUDES(mutex_);
  void sent() POSTERN_EXCLUDES(mutex_);
  [[nodiscard]] bool finished() POSTERN_EXCLUDES(mutex_);
  // It is to be cut: its reader is over the bound, or its work has failed.
  [[nodiscard]] bool is_cut() POSTERN_EXCLUDES(mutex_);
  // The connection has ended. Runs the callbacks; the second call does nothing.
  void end() POSTERN_EXCLUDES(mutex_);

 private:
  // The mailbox to tell, unless it was told already; null before attach().
  [[nodiscard]] std::shared_ptr<EventMailbox> change() POSTERN_REQUIRES(mutex_);

  Mutex mutex_;
  std::string pending_ POSTERN_GUARDED_BY(mutex_);
  std::size_t unsent_ POSTERN_GUARDED_BY(mutex_) = 0;
  std::size_t bytes_max_ POSTERN_GUARDED_BY(mutex_) = HttpLimits{}.stream_buffer_bytes_max;
  bool told_ POSTERN_GUARDED_BY(mutex_) = false;
  bool finished_ POSTERN_GUARDED_BY(mutex_) = false;
  bool cut_ POSTERN_GUARDED_BY(mutex_) = false;
  bool gone_ POSTERN_GUARDED_BY(mutex_) = false;
  std::vector<std::function<void()>> on_gone_ POSTERN_GUARDED_BY(mutex_);
  std::shared_ptr<EventMailbox> mailbox_ POSTERN_GUARDED_BY(mutex_);
  std::uint64_t connection_ POSTERN_GUARDED_BY(mutex_) = 0;
};

}  // namespace postern
