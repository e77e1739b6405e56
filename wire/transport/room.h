// A bound on what waits to be taken: whoever adds to it looks first, and has a token that fires when there is room.
//
// Nothing is refused here: what is added while there is no room is counted, so the bound is passed by at most one
// addition of each thread that does not wait. Thread-safe; no lock is held while a token fires.
#pragma once

#include <cstddef>
#include <optional>
#include <stop_token>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"

namespace postern {

class Room {
 public:
  // `most` in whatever is counted: bytes, requests.
  explicit Room(std::size_t most) : most_(most) { free_.request_stop(); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  void take(std::size_t amount) POSTERN_EXCLUDES(mutex_);
  void give_back(std::size_t amount) POSTERN_EXCLUDES(mutex_);
  // From now on there is always room: nobody may be left waiting for somebody who has gone.
  void open_for_good() POSTERN_EXCLUDES(mutex_);
  [[nodiscard]] bool is_free() const POSTERN_EXCLUDES(mutex_);
  // Fires when less than the bound waits; has fired already when that is so.
  [[nodiscard]] std::stop_token free() POSTERN_EXCLUDES(mutex_);

 private:
  [[nodiscard]] bool has_room() const POSTERN_REQUIRES(mutex_) { return open_ || taken_ < most_; }

  const std::size_t most_;
  std::stop_source free_;
  mutable Mutex mutex_;
  std::size_t taken_ POSTERN_GUARDED_BY(mutex_) = 0;
  bool open_ POSTERN_GUARDED_BY(mutex_) = false;
  std::optional<std::stop_source> awaited_ POSTERN_GUARDED_BY(mutex_);
};

// Waits until one of the two has fired. False when the deadline passed first. The deadline is of the machine's own
// clock.
bool wait_for_either(const std::stop_token& one, const std::stop_token& other, SteadyTime deadline = SteadyTime::max());

}  // namespace postern
