// Lines over descriptors: the two ends of a stdio connection.
//
// A reader waits until a deadline and no longer, wakes when it is told to stop, and keeps what it read beyond a line
// for the next call. A writer writes whole lines, also into a pipe whose reader is slow, and never two at once. Both
// show the tap each line as it crossed. The descriptors stay the caller's and must stay open; their flags are not
// changed, since they may be shared with other processes.
#pragma once

#include <chrono>
#include <cstddef>
#include <stop_token>
#include <string>
#include <string_view>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/tap/tap.h"
#include "wire/transport/line_framer.h"

namespace postern {

// Whose lines these are, for the tap. The tap must outlive the stream.
struct StdioTap {
  Tap* tap = nullptr;  // null: none
  std::string self;
  std::string peer;
};

// One thread at a time.
class LineReader {
 public:
  LineReader(int descriptor, StdioTap tap, std::size_t line_bytes_max = 8 * 1024 * 1024)
      : descriptor_(descriptor), tap_(std::move(tap)), framer_(line_bytes_max) {}

  // The next line without its line end. `transport.timed_out`, `transport.closed` at the end of file (what stands after
  // the last line end is shown to the tap and dropped), `transport.frame_too_large` (read on), `transport.cancelled`.
  [[nodiscard]] Result<std::string> read_line(SteadyTime deadline, std::stop_token stop = {});
  // Waits as long as it takes.
  [[nodiscard]] Result<std::string> read_line(std::stop_token stop = {}) { return read_line(SteadyTime::max(), stop); }
  // Waits for the other end to close its side, and takes nothing of what it sent: for whoever has no room for more.
  // `transport.timed_out`, `transport.cancelled`. A file never closes.
  [[nodiscard]] Status wait_for_hang_up(SteadyTime deadline, std::stop_token stop) const;

 private:
  Result<bool> fill(SteadyTime deadline, const std::stop_token& stop);
  void show(std::string_view line) const;

  int descriptor_;
  StdioTap tap_;
  LineFramer framer_;
};

// Thread-safe.
class LineWriter {
 public:
  LineWriter(int descriptor, StdioTap tap) : descriptor_(descriptor), tap_(std::move(tap)) {}

  // Adds the LF. REQUIRES no LF in `line`. `transport.cancelled` when the token fires. After that, or after
  // `transport.timed_out`, in the middle of a line the connection is of no more use: every later call is
  // `transport.closed`.
  [[nodiscard]] Status write_line(std::string_view line, SteadyTime deadline = SteadyTime::max(),
                                  std::stop_token stop = {});
  // Writes the line only when the pipe takes it now; false, and nothing is written, when it would have to wait. A long
  // line always would.
  [[nodiscard]] Result<bool> write_line_if_ready(std::string_view line, std::stop_token stop = {});

 private:
  Status write(std::string_view line, SteadyTime deadline, const std::stop_token& stop) POSTERN_REQUIRES(mutex_);
  Status wait_until_writable(SteadyTime deadline, const std::stop_token& stop) const;
  [[nodiscard]] std::string peer() const { return tap_.peer.empty() ? "The other end" : tap_.peer; }

  int descriptor_;
  StdioTap tap_;
  Mutex mutex_;
  bool broken_ POSTERN_GUARDED_BY(mutex_) = false;
};

}  // namespace postern
