// Child processes with a fixed argv and no shell.
//
// A child gets: a process group of its own; its descriptors closed but stdin, stdout, stderr and the sockets handed
// down; all signals at their defaults; a clean environment (PATH, HOME, LANG, TZ, and what the caller adds or sets
// otherwise). Its stdin is a pipe that the parent holds.
//
// A child of our own stack has its launch document written there first, and the end of file is its lifeline, so that it
// never outlives a parent that died. A stranger's program cannot be relied on to end at an end of file: a `bound` child
// is killed by the system when the thread that started it ends, which is when the parent dies, however it dies
// (prctl(2), PR_SET_PDEATHSIG); it can gain no rights by executing set-user-ID programs; and what it started and left
// behind in its process group ends with it.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/result.h"

namespace postern {

struct ChildOptions {
  std::vector<std::string> argv;                                 // argv[0] is the path of the program
  std::vector<std::pair<std::string, std::string>> environment;  // added to the clean one
  std::vector<std::pair<std::string, int>>
      sockets;  // name and descriptor, handed down as LISTEN_FDS; stay the caller's
  bool pipe_stdout =
      false;  // otherwise stdout goes where `stderr_file` goes: a server of ours prints nothing to people
  bool pipe_stderr = false;    // the parent reads it (tail bounded by the reader)
  std::string stderr_file;     // appended to, mode 0600; empty: the parent's stderr
  std::string working_folder;  // absolute; empty: the parent's
  // REQUIRES that the thread that calls spawn() lives as long as the child may.
  bool bound = false;
};

// Owns the child: the destructor closes stdin, waits, then TERM, then KILL (2 s each), both to the child's own process
// group, so that what a child started does not outlive it. Move-only, one thread.
class ChildProcess {
 public:
  [[nodiscard]] static Result<ChildProcess> spawn(const ChildOptions& options);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&& other) noexcept;
  ~ChildProcess();

  [[nodiscard]] int process_id() const { return pid_; }
  // Writes all of it to the child's stdin.
  [[nodiscard]] Status write(std::string_view bytes);
  void close_stdin();
  // The reading ends, when asked for in the options; otherwise -1. Owned by this object.
  [[nodiscard]] int stdin_descriptor() const { return stdin_; }  // non-blocking; -1 when it is closed
  [[nodiscard]] int stdout_descriptor() const { return stdout_; }
  [[nodiscard]] int stderr_descriptor() const { return stderr_; }
  // The exit status once the child has ended: 0 to 255, or 128 + signal. Nothing while it runs.
  [[nodiscard]] std::optional<int> exit_status();
  // Waits until then at most.
  [[nodiscard]] std::optional<int> wait(std::chrono::milliseconds at_most);
  void signal(int number);
  void signal_group(int number);
  // Close stdin, wait, TERM, wait, KILL: returns the exit status.
  int stop(std::chrono::milliseconds patience = std::chrono::milliseconds(2000));
  // Lets the child live on without this object (a stack that stays up for a pending approval). Its stdin must have been
  // told until when.
  void release();

 private:
  ChildProcess() = default;
  int pid_ = -1;
  int stdin_ = -1;
  int stdout_ = -1;
  int stderr_ = -1;
  bool bound_ = false;
  std::optional<int> status_;
};

struct SpawnFailed {
  static constexpr std::string_view kId = "transport.spawn_failed";
  static constexpr Layer kLayer = Layer::kBytes;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string program;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
