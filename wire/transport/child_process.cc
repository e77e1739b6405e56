#include "wire/transport/child_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
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

extern char** environ;  // NOLINT(readability-redundant-declaration)

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
    const char* value = std::getenv(name);
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

// What posix_spawn(3) does between fork and exec.
class SpawnPlan {
 public:
  SpawnPlan() {
    POSTERN_CHECK(::posix_spawn_file_actions_init(&actions_) == 0);
    POSTERN_CHECK(::posix_spawnattr_init(&attributes_) == 0);
    sigset_t none;
    sigset_t all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes_, &none);
    ::posix_spawnattr_setsigdefault(&attributes_, &all);
    ::posix_spawnattr_setpgroup(&attributes_, 0);
    ::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnPlan() {
    ::posix_spawn_file_actions_destroy(&actions_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  void put(int descriptor, int place) {
    POSTERN_CHECK(::posix_spawn_file_actions_adddup2(&actions_, descriptor, place) == 0);
  }
  void close_from(int place) { POSTERN_CHECK(::posix_spawn_file_actions_addclosefrom_np(&actions_, place) == 0); }
  // 0, or the error number; a program that cannot be executed is one too.
  int spawn(pid_t& pid, std::vector<std::string> argv, std::vector<std::string> environment) {
    const std::vector<char*> arguments = pointers(argv);
    const std::vector<char*> variables = pointers(environment);
    return ::posix_spawn(&pid, argv[0].c_str(), &actions_, &attributes_, arguments.data(), variables.data());
  }

 private:
  posix_spawn_file_actions_t actions_;
  posix_spawnattr_t attributes_;
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
  SpawnPlan plan;
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
  const int error = plan.spawn(pid, options.argv, child_environment(options));
  if (error != 0) return failed(error);
  ChildProcess child;
  child.pid_ = pid;
  child.stdin_ = in.write.release();
  // Only this end of the pipe: the child's is another open file.
  ::fcntl(child.stdin_, F_SETFL, O_NONBLOCK);
  child.stdout_ = out.read.release();
  child.stderr_ = err.read.release();
  return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      stdin_(std::exchange(other.stdin_, -1)),
      stdout_(std::exchange(other.stdout_, -1)),
      stderr_(std::exchange(other.stderr_, -1)),
      status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(stdin_, other.stdin_);
  std::swap(stdout_, other.stdout_);
  std::swap(stderr_, other.stderr_);
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
