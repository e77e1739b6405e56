#include "wire/transport/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

// The header of glibc 2.36 does not say that its functions are C.
extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "wire/base/check.h"
#include "wire/base/visible_text.h"
#include "wire/transport/failures.h"

namespace postern {
namespace {

// Descriptors are moved above this before the child's are put in their places, so that no move overwrites one that is
// still to come.
constexpr int kAboveAll = 64;
constexpr std::chrono::seconds kWriteMax{10};

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(value_, other.value_);
    return *this;
  }
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  [[nodiscard]] int get() const { return value_; }
  [[nodiscard]] int release() { return std::exchange(value_, -1); }
  [[nodiscard]] bool valid() const { return value_ >= 0; }
  // The same file under a number above all that the child gets.
  [[nodiscard]] static Descriptor high(int value) { return Descriptor(::fcntl(value, F_DUPFD_CLOEXEC, kAboveAll)); }

 private:
  int value_ = -1;
};

struct Pipe {
  Descriptor read;
  Descriptor write;
  bool open() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return false;
    const Descriptor low_read(ends[0]);
    const Descriptor low_write(ends[1]);
    read = Descriptor::high(ends[0]);
    write = Descriptor::high(ends[1]);
    return read.valid() && write.valid();
  }
};

std::vector<std::string> child_environment(const ChildOptions& options) {
  std::vector<std::string> lines;
  for (const char* name : {"PATH", "HOME", "LANG", "TZ"}) {
    const bool is_set_otherwise =
        std::any_of(options.environment.begin(), options.environment.end(),
                    [name](const std::pair<std::string, std::string>& one) { return one.first == name; });
    const char* value = is_set_otherwise ? nullptr : std::getenv(name);
    if (value != nullptr) lines.push_back(std::string(name) + "=" + value);
  }
  for (const auto& [name, value] : options.environment) lines.push_back(name + "=" + value);
  if (!options.sockets.empty()) {
    std::string names;
    for (const auto& [name, descriptor] : options.sockets) names += (names.empty() ? "" : ":") + name;
    lines.push_back("LISTEN_FDS=" + std::to_string(options.sockets.size()));
    lines.push_back("LISTEN_FDNAMES=" + names);
  }
  return lines;
}

std::vector<char*> pointers(std::vector<std::string>& lines) {
  std::vector<char*> out;
  out.reserve(lines.size() + 1);
  for (std::string& line : lines) out.push_back(line.data());
  out.push_back(nullptr);
  return out;
}

// Blocks all signals of this thread: between fork and exec a handler of the parent must not run in the child.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~NoSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  NoSignals(const NoSignals&) = delete;
  NoSignals& operator=(const NoSignals&) = delete;

 private:
  sigset_t before_;
};

// What is done between fork and exec. posix_spawn(3) has no word for the parent's death.
class SpawnPlan {
 public:
  explicit SpawnPlan(const ChildOptions& options) : options_(options) {}
  // REQUIRES descriptors above all places.
  void put(int descriptor, int place) { places_.emplace_back(descriptor, place); }
  void close_from(int place) { close_from_ = static_cast<unsigned>(place); }
  // 0, or the error number; a program that cannot be executed is one too.
  int spawn(pid_t& pid) {
    std::vector<std::string> argv = options_.argv;
    std::vector<std::string> environment = child_environment(options_);
    const std::vector<char*> arguments = pointers(argv);
    const std::vector<char*> variables = pointers(environment);
    Pipe report;
    if (!report.open()) return errno;
    const NoSignals no_signals;
    const pid_t parent = ::getpid();
    pid = ::fork();
    if (pid < 0) return errno;
    if (pid == 0) run_child(parent, report.write.get(), arguments.data(), variables.data());
    report.write = Descriptor();
    int error = 0;
    ssize_t got = 0;
    do {
      got = ::read(report.read.get(), &error, sizeof error);
    } while (got < 0 && errno == EINTR);
    if (got != sizeof error) return 0;  // its end was closed by exec
    while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
    }
    return error;
  }

 private:
  // Only what may be called in the child of a process with threads (signal-safety(7)).
  [[noreturn]] void run_child(pid_t parent, int report, char* const* arguments, char* const* variables) const {
    prepare_child(parent, report);
    ::execve(arguments[0], arguments, variables);
    fail(report);
  }

  void prepare_child(pid_t parent, int report) const {
    ::setpgid(0, 0);
    struct sigaction by_default {};
    by_default.sa_handler = SIG_DFL;
    for (int number = 1; number < NSIG; ++number) ::sigaction(number, &by_default, nullptr);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (options_.bound) {
      const bool set = ::prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0;
      if (!set) fail(report);
      if (::getppid() != parent) ::_exit(kNotExecuted);  // it died before the line above
    }
    for (const auto& [descriptor, place] : places_) {
      if (::dup2(descriptor, place) < 0) fail(report);
    }
    const auto kept = static_cast<unsigned>(report);
    ::close_range(close_from_, kept - 1, 0);
    ::close_range(kept + 1, ~0U, 0);
    if (!options_.working_folder.empty() && ::chdir(options_.working_folder.c_str()) != 0) fail(report);
  }

  [[noreturn]] static void fail(int report) {
    const int error = errno;
    static_cast<void>(!::write(report, &error, sizeof error));
    ::_exit(kNotExecuted);
  }

  static constexpr int kNotExecuted = 127;
  const ChildOptions& options_;
  std::vector<std::pair<int, int>> places_;
  unsigned close_from_ = 0;
};

// Keeps SIGPIPE from this thread while it writes, in case the program does not ignore it.
class NoPipeSignal {
 public:
  NoPipeSignal() {
    ::sigemptyset(&pipe_);
    ::sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoPipeSignal() {
    const timespec no_time{};
    while (::sigismember(&before_, SIGPIPE) == 0 && ::sigtimedwait(&pipe_, nullptr, &no_time) == SIGPIPE) {
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoPipeSignal(const NoPipeSignal&) = delete;
  NoPipeSignal& operator=(const NoPipeSignal&) = delete;

 private:
  sigset_t pipe_;
  sigset_t before_;
};

int status_of(int wait_status) {
  return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

// Without waiting for it.
bool has_ended(pid_t pid) {
  siginfo_t info{};
  return ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

void close_end(int& descriptor) {
  if (descriptor >= 0) ::close(descriptor);
  descriptor = -1;
}

}  // namespace

std::string SpawnFailed::text() const {
  return "Cannot start " + visible_line(program) + ": " + visible_line(reason) + ".";
}

Result<ChildProcess> ChildProcess::spawn(const ChildOptions& options) {
  POSTERN_CHECK(!options.argv.empty());
  const auto failed = [&](int error) { return SpawnFailed{options.argv[0], std::strerror(error)}; };
  Pipe in;
  Pipe out;
  Pipe err;
  if (!in.open() || (options.pipe_stdout && !out.open()) || (options.pipe_stderr && !err.open())) return failed(errno);
  Descriptor log;
  if (options.stderr_file.empty()) {
    log = Descriptor::high(STDERR_FILENO);
  } else {
    const Descriptor low(
        ::open(options.stderr_file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (low.valid()) log = Descriptor::high(low.get());
  }
  if (!log.valid()) return failed(errno);
  SpawnPlan plan(options);
  plan.put(in.read.get(), STDIN_FILENO);
  plan.put(options.pipe_stdout ? out.write.get() : log.get(), STDOUT_FILENO);
  plan.put(options.pipe_stderr ? err.write.get() : log.get(), STDERR_FILENO);
  std::vector<Descriptor> sockets;
  int place = STDERR_FILENO + 1;
  for (const auto& [name, descriptor] : options.sockets) {
    sockets.push_back(Descriptor::high(descriptor));
    if (!sockets.back().valid()) return failed(errno);
    plan.put(sockets.back().get(), place++);
  }
  plan.close_from(place);
  pid_t pid = -1;
  const int error = plan.spawn(pid);
  if (error != 0) return failed(error);
  ChildProcess child;
  child.pid_ = pid;
  child.stdin_ = in.write.release();
  // Only this end of the pipe: the child's is another open file.
  ::fcntl(child.stdin_, F_SETFL, O_NONBLOCK);
  child.stdout_ = out.read.release();
  child.stderr_ = err.read.release();
  child.bound_ = options.bound;
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      stdin_(std::exchange(other.stdin_, -1)),
      stdout_(std::exchange(other.stdout_, -1)),
      stderr_(std::exchange(other.stderr_, -1)),
      bound_(other.bound_),
      status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(stdin_, other.stdin_);
  std::swap(stdout_, other.stdout_);
  std::swap(stderr_, other.stderr_);
  std::swap(bound_, other.bound_);
  std::swap(status_, other.status_);
  return *this;
}

ChildProcess::~ChildProcess() {
  if (pid_ > 0) stop();
  close_end(stdin_);
  close_end(stdout_);
  close_end(stderr_);
}

Status ChildProcess::write(std::string_view bytes) {
  const NoPipeSignal no_signal;
  const auto until = std::chrono::steady_clock::now() + kWriteMax;
  while (!bytes.empty()) {
    const ssize_t written = ::write(stdin_, bytes.data(), bytes.size());
    if (written >= 0) {
      bytes.remove_prefix(static_cast<std::size_t>(written));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno != EAGAIN) return PeerClosed{"The child process"};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    pollfd wait{stdin_, POLLOUT, 0};
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left)) == 0) return TimedOut{"The child process"};
  }
  return {};
}

void ChildProcess::close_stdin() {
  close_end(stdin_);
}

std::optional<int> ChildProcess::exit_status() {
  return wait(std::chrono::milliseconds(0));
}

std::optional<int> ChildProcess::wait(std::chrono::milliseconds at_most) {
  if (status_ || pid_ <= 0) return status_;
  const auto until = std::chrono::steady_clock::now() + at_most;
  const Descriptor process(::pidfd_open(pid_, 0));
  for (;;) {
    if (bound_ && has_ended(pid_)) ::kill(-pid_, SIGKILL);  // before it is waited for: the number is still its group's
    int wait_status = 0;
    const pid_t ended = ::waitpid(pid_, &wait_status, WNOHANG);
    if (ended == pid_ || (ended < 0 && errno == ECHILD)) {
      status_ = ended == pid_ ? status_of(wait_status) : 0;
      return status_;
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
    if (left <= 0) return std::nullopt;
    // Without a descriptor of the process (an old kernel) look again every 10 ms.
    pollfd wait{process.get(), POLLIN, 0};
    ::poll(&wait, process.valid() ? 1 : 0, static_cast<int>(process.valid() ? std::min<long long>(left, INT_MAX) : 10));
  }
}

void ChildProcess::signal(int number) {
  if (pid_ > 0 && !status_) ::kill(pid_, number);
}

void ChildProcess::signal_group(int number) {
  if (pid_ > 0 && !status_) ::kill(-pid_, number);
}

int ChildProcess::stop(std::chrono::milliseconds patience) {
  close_stdin();
  if (!wait(patience)) {
    // The child leads its group and has not been waited for, so the number still names it and what it started, and
    // nobody else.
    ::kill(-pid_, SIGTERM);
    if (!wait(patience)) {
      ::kill(-pid_, SIGKILL);
      static_cast<void>(wait(std::chrono::hours(24)));
    }
  }
  pid_ = -1;
  return status_.value_or(0);
}

void ChildProcess::release() {
  close_stdin();
  pid_ = -1;
}

}  // namespace postern
