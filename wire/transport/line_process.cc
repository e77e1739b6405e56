#include "wire/transport/line_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <unistd.h>

// The header of glibc 2.36 does not say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <cerrno>
#include <climits>
#include <future>
#include <utility>

#include "wire/base/check.h"

namespace postern {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kPiece = 64 * 1024;
constexpr std::size_t kErrorTail = 8 * 1024;
constexpr milliseconds kFlushMax{200};
// Who closes a pipe is mostly about to end: its exit status says more than the pipe does.
constexpr milliseconds kLeavingMax{500};
constexpr int kDrainReadsMax = 64;  // of what a program that has ended left in its pipes
constexpr int kLookAgainMs = 10;    // for its end, on a kernel without descriptors of processes

void block_all_signals() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
}

void make_non_blocking(int descriptor) {
  ::fcntl(descriptor, F_SETFL, ::fcntl(descriptor, F_GETFL, 0) | O_NONBLOCK);
}

// Bytes read, 0 when there are none now, -1 at the end of the file.
ssize_t read_some(int descriptor, char* to, std::size_t size) {
  for (;;) {
    const ssize_t got = ::read(descriptor, to, size);
    if (got > 0) return got;
    if (got < 0 && errno == EINTR) continue;
    return got < 0 && errno == EAGAIN ? 0 : -1;
  }
}

}  // namespace

LineProcess::LineProcess(LineProcessOptions options, Events events)
    : options_(std::move(options)),
      events_(std::move(events)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      framer_(options_.line_bytes_max) {}

Result<std::unique_ptr<LineProcess>> LineProcess::start(LineProcessOptions options, Events events) {
  POSTERN_CHECK(!options.argv.empty());
  std::unique_ptr<LineProcess> made(new LineProcess(std::move(options), std::move(events)));
  std::promise<std::optional<Failure>> started;
  made->thread_ = std::thread([process = made.get(), &started] {
    block_all_signals();
    Result<ChildProcess> child = process->spawn();
    if (!child) {
      started.set_value(child.error());
      return;
    }
    process->pid_ = child->process_id();
    started.set_value(std::nullopt);
    process->serve(*child);
  });
  if (const std::optional<Failure> failure = started.get_future().get()) return *failure;
  return made;
}

LineProcess::~LineProcess() {
  {
    const MutexLock lock(mutex_);
    end_asked_ = true;
  }
  wake();
  if (thread_.joinable()) thread_.join();
  ::close(wake_);
}

std::uint64_t LineProcess::put(std::string line) {
  POSTERN_CHECK(line.find('\n') == std::string::npos);
  line += '\n';
  std::uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    if (closed_) return 0;
    number = ++last_number_;
    queued_ += line.size();
    Outgoing outgoing;
    outgoing.number = number;
    outgoing.bytes = std::move(line);
    out_.push_back(std::move(outgoing));
  }
  wake();
  return number;
}

bool LineProcess::withdraw(std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto found =
      std::find_if(out_.begin(), out_.end(), [number](const Outgoing& one) { return one.number == number; });
  if (found == out_.end() || found->begun) return false;
  queued_ -= found->bytes.size();
  out_.erase(found);
  return true;
}

std::size_t LineProcess::queued() const {
  const MutexLock lock(mutex_);
  return queued_;
}

std::string LineProcess::error_tail() const {
  const MutexLock lock(mutex_);
  return errors_.size() <= kErrorTail ? errors_ : errors_.substr(errors_.size() - kErrorTail);
}

Result<ChildProcess> LineProcess::spawn() const {
  ChildOptions child;
  child.argv = options_.argv;
  child.environment = options_.environment;
  child.working_folder = options_.working_folder;
  child.pipe_stdout = true;
  child.pipe_stderr = true;
  child.bound = true;
  return ChildProcess::spawn(child);
}

void LineProcess::serve(ChildProcess& child) {
  make_non_blocking(child.stdout_descriptor());
  make_non_blocking(child.stderr_descriptor());
  const int process = ::pidfd_open(child.process_id(), 0);
  while (!step(child, process)) advance(child);
  if (process >= 0) ::close(process);
  for (int i = 0; i < kDrainReadsMax && read_output(child.stdout_descriptor()); ++i) {
  }
  for (int i = 0; i < kDrainReadsMax && read_errors(child.stderr_descriptor()); ++i) {
  }
  say_end(LineProcessEnd::Why::kExited, child.exit_status());
}

bool LineProcess::step(ChildProcess& child, int process) {
  bool to_write = false;
  {
    const MutexLock lock(mutex_);
    to_write = !out_.empty() && !input_broken_;
  }
  pollfd waits[] = {{wake_, POLLIN, 0},
                    {process, POLLIN, 0},
                    {output_open_ ? child.stdout_descriptor() : -1, POLLIN, 0},
                    {errors_open_ ? child.stderr_descriptor() : -1, POLLIN, 0},
                    {to_write ? child.stdin_descriptor() : -1, POLLOUT, 0}};
  if (::poll(waits, std::size(waits), milliseconds_left(process >= 0)) > 0) {
    std::uint64_t count = 0;
    if (waits[0].revents != 0) static_cast<void>(!::read(wake_, &count, sizeof count));
    if (waits[4].revents != 0) write_input(child.stdin_descriptor());
    if (waits[2].revents != 0) read_output(child.stdout_descriptor());
    if (waits[3].revents != 0) read_errors(child.stderr_descriptor());
    if (waits[1].revents != 0) return true;
  }
  return process < 0 && child.exit_status().has_value();
}

void LineProcess::advance(ChildProcess& child) {
  bool asked = false;
  bool all_written = false;
  {
    const MutexLock lock(mutex_);
    asked = end_asked_;
    all_written = out_.empty();
  }
  using Why = LineProcessEnd::Why;
  switch (phase_) {
    case Phase::kOpen:
      if (line_too_long_) return close_input(child, Why::kLineTooLong);
      if (!output_open_ || input_broken_) {
        child.close_stdin();
        enter(Phase::kLeaving, kLeavingMax);
      } else if (asked) {
        enter(Phase::kFlushing, kFlushMax);
      }
      return;
    case Phase::kFlushing:
      if (all_written || input_broken_ || phase_is_over()) close_input(child, Why::kEnded);
      return;
    case Phase::kLeaving:
      if (phase_is_over()) close_input(child, output_open_ ? Why::kClosedInput : Why::kClosedOutput);
      return;
    case Phase::kClosed:
      if (!phase_is_over()) return;
      child.signal_group(SIGTERM);
      enter(Phase::kTerminated, options_.patience);
      return;
    case Phase::kTerminated:
      if (!phase_is_over()) return;
      child.signal_group(SIGKILL);
      enter(Phase::kKilled, milliseconds(0));
      return;
    case Phase::kKilled:
      return;
  }
}

void LineProcess::close_input(ChildProcess& child, LineProcessEnd::Why why) {
  say_end(why, std::nullopt);
  child.close_stdin();
  enter(Phase::kClosed, options_.patience);
}

void LineProcess::enter(Phase phase, milliseconds at_most) {
  phase_ = phase;
  phase_ends_ = std::chrono::steady_clock::now() + at_most;
}

bool LineProcess::phase_is_over() const {
  return std::chrono::steady_clock::now() >= phase_ends_;
}

int LineProcess::milliseconds_left(bool watched) const {
  const bool timed = phase_ != Phase::kOpen && phase_ != Phase::kKilled;
  const auto left = std::chrono::ceil<milliseconds>(phase_ends_ - std::chrono::steady_clock::now()).count();
  const int wait = timed ? static_cast<int>(std::clamp<long long>(left, 0, INT_MAX)) : -1;
  if (watched) return wait;
  return wait < 0 ? kLookAgainMs : std::min(wait, kLookAgainMs);
}

// True when there may be more to read at once.
bool LineProcess::read_output(int descriptor) {
  char buffer[kPiece];
  const ssize_t got = output_open_ ? read_some(descriptor, buffer, sizeof buffer) : -1;
  if (got < 0) {
    if (output_open_ && !framer_.rest().empty()) show(Direction::kIn, framer_.rest());
    output_open_ = false;
  }
  if (got <= 0) return false;
  if (end_said_) return true;  // taken, so that it can end, and thrown away
  framer_.feed(std::string_view(buffer, static_cast<std::size_t>(got)));
  for (;;) {
    Result<std::optional<std::string>> line = framer_.next();
    if (!line) {
      line_too_long_ = true;
      return true;
    }
    if (!*line) return true;
    show(Direction::kIn, **line);
    events_.on_line(*this, **std::move(line));
  }
}

bool LineProcess::read_errors(int descriptor) {
  char buffer[kPiece];
  const ssize_t got = errors_open_ ? read_some(descriptor, buffer, sizeof buffer) : -1;
  if (got < 0) errors_open_ = false;
  if (got <= 0) return false;
  const MutexLock lock(mutex_);
  errors_.append(buffer, static_cast<std::size_t>(got));
  if (errors_.size() > 2 * kErrorTail) errors_.erase(0, errors_.size() - kErrorTail);
  return true;
}

void LineProcess::write_input(int descriptor) {
  for (;;) {
    Outgoing* line = nullptr;
    bool first = false;
    {
      const MutexLock lock(mutex_);
      if (out_.empty()) return;
      line = &out_.front();  // nobody else takes away a line that is begun, and none that is added moves it
      first = !std::exchange(line->begun, true);
    }
    if (first) show(Direction::kOut, std::string_view(line->bytes).substr(0, line->bytes.size() - 1));
    const ssize_t written =
        ::write(descriptor, line->bytes.data() + line->written, std::min(line->bytes.size() - line->written, kPiece));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) {
      input_broken_ = errno != EAGAIN;
      return;
    }
    line->written += static_cast<std::size_t>(written);
    if (line->written < line->bytes.size()) continue;
    const MutexLock lock(mutex_);
    queued_ -= line->bytes.size();
    out_.pop_front();
  }
}

void LineProcess::show(Direction direction, std::string_view line) const {
  if (options_.tap.tap == nullptr) return;
  options_.tap.tap->see(TapRecord{Channel::kStdio, direction, options_.tap.self, options_.tap.peer, 0, line, true});
}

void LineProcess::say_end(LineProcessEnd::Why why, std::optional<int> status) {
  {
    const MutexLock lock(mutex_);
    closed_ = true;
    if (end_asked_) why = LineProcessEnd::Why::kEnded;
  }
  if (!std::exchange(end_said_, true)) events_.on_end(LineProcessEnd{why, status});
}

void LineProcess::wake() const {
  const std::uint64_t one = 1;
  static_cast<void>(!::write(wake_, &one, sizeof one));  // full, so readable already
}

}  // namespace postern
