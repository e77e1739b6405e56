// LineProcess: a stranger's program that is spoken to in lines, from its start to its end.
//
// One thread of its own starts the program, does all reading and writing, and ends it; so nothing that the program does
// or leaves undone holds a caller: lines to it wait in a queue, lines from it are handed on as they come, and what it
// writes to stderr is always taken, of which the last bytes are kept. The program dies with this process, because the
// thread that started it lives as long as it does (wire/transport/child_process.h, `bound`).
//
// The end, when it is asked for: what is queued is written (for a moment), stdin is closed, and who does not go within
// `patience` gets SIGTERM, and after that time again SIGKILL, to its whole process group. Nothing is left of it, not a
// zombie either, when the destructor returns.
//
// The tap sees each line as it crossed, before anybody parses it.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/transport/child_process.h"
#include "wire/transport/line_framer.h"
#include "wire/transport/stdio_stream.h"

namespace postern {

struct LineProcessOptions {
  std::vector<std::string> argv;                                 // argv[0] is an absolute path
  std::vector<std::pair<std::string, std::string>> environment;  // added to the clean one
  std::string working_folder;                                    // empty: this process's
  std::size_t line_bytes_max = 8 * 1024 * 1024;
  std::chrono::milliseconds patience{2'000};
  StdioTap tap;
};

// Why no more lines come.
struct LineProcessEnd {
  enum class Why {
    kExited,        // by itself
    kClosedOutput,  // its stdout, while it still ran
    kLineTooLong,   // it sent a line over the bound
    kClosedInput,   // its stdin, while it still ran
    kEnded,         // by the destructor
  };
  Why why = Why::kExited;
  std::optional<int> status;  // 0 to 255, or 128 + signal; nothing when it is not known yet
};

class LineProcess {
 public:
  // Called on the process's own thread, one at a time, without a lock. A line is without its line end. `on_end` is the
  // last call; it comes while the program may still have to be ended.
  struct Events {
    std::function<void(LineProcess&, std::string)> on_line;
    std::function<void(const LineProcessEnd&)> on_end;
  };

  // `transport.spawn_failed`. Events may come before it returns, and none after the destructor did.
  [[nodiscard]] static Result<std::unique_ptr<LineProcess>> start(LineProcessOptions options, Events events);
  ~LineProcess();
  LineProcess(const LineProcess&) = delete;
  LineProcess& operator=(const LineProcess&) = delete;

  // Queues a line; never waits. A number for withdraw(), or 0 when nobody reads any more. REQUIRES no LF in it.
  std::uint64_t put(std::string line) POSTERN_EXCLUDES(mutex_);
  // Takes a line back of which not a byte was written; false when it is too late.
  bool withdraw(std::uint64_t number) POSTERN_EXCLUDES(mutex_);
  // Bytes that wait to be written.
  [[nodiscard]] std::size_t queued() const POSTERN_EXCLUDES(mutex_);
  // The last bytes of its stderr, as they are.
  [[nodiscard]] std::string error_tail() const POSTERN_EXCLUDES(mutex_);
  [[nodiscard]] int process_id() const { return pid_; }

 private:
  //   open --asked--> flushing --written, or its time is over--> closed --patience--> terminated --patience--> killed
  //        --its end of a pipe is closed--> leaving --its time is over-->|
  //        --a line too long------------------------------------------->|
  // From each of them it is over as soon as the program has ended.
  enum class Phase { kOpen, kFlushing, kLeaving, kClosed, kTerminated, kKilled };
  struct Outgoing {
    std::uint64_t number = 0;
    std::string bytes;  // with its LF
    std::size_t written = 0;
    bool begun = false;
  };

  LineProcess(LineProcessOptions options, Events events);
  [[nodiscard]] Result<ChildProcess> spawn() const;
  void serve(ChildProcess& child);
  // Waits for something to do and does it. True when the program has ended.
  bool step(ChildProcess& child, int process);
  void advance(ChildProcess& child);
  void close_input(ChildProcess& child, LineProcessEnd::Why why);
  void enter(Phase phase, std::chrono::milliseconds at_most);
  [[nodiscard]] bool phase_is_over() const;
  [[nodiscard]] int milliseconds_left(bool watched) const;
  bool read_output(int descriptor);
  bool read_errors(int descriptor);
  void write_input(int descriptor) POSTERN_EXCLUDES(mutex_);
  void show(Direction direction, std::string_view line) const;
  void say_end(LineProcessEnd::Why why, std::optional<int> status) POSTERN_EXCLUDES(mutex_);
  void wake() const;

  const LineProcessOptions options_;
  const Events events_;
  int wake_ = -1;  // eventfd
  int pid_ = -1;

  mutable Mutex mutex_;
  std::deque<Outgoing> out_ POSTERN_GUARDED_BY(mutex_);
  std::size_t queued_ POSTERN_GUARDED_BY(mutex_) = 0;
  std::uint64_t last_number_ POSTERN_GUARDED_BY(mutex_) = 0;
  std::string errors_ POSTERN_GUARDED_BY(mutex_);
  bool closed_ POSTERN_GUARDED_BY(mutex_) = false;  // nothing is queued any more
  bool end_asked_ POSTERN_GUARDED_BY(mutex_) = false;

  // Of the thread alone.
  LineFramer framer_;
  Phase phase_ = Phase::kOpen;
  std::chrono::steady_clock::time_point phase_ends_{};
  bool output_open_ = true;
  bool errors_open_ = true;
  bool input_broken_ = false;
  bool line_too_long_ = false;
  bool end_said_ = false;

  std::thread thread_;
};

}  // namespace postern
