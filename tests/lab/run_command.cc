#include "tests/lab/run_command.h"

#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <memory>
#include <thread>
#include <utility>

#include "wire/base/random_source.h"
#include "wire/tap/tap.h"
#include "wire/transport/child_process.h"
#include "wire/transport/http_client.h"

extern char** environ;

namespace postern::lab {
namespace {

constexpr int kCannotRun = 3;
constexpr std::size_t kLineMax = 64 * 1024;

// The host's own settings, and what a terminal or a sanitizer needs. The clean environment of a child has the rest.
std::vector<std::pair<std::string, std::string>> environment_for_host() {
  constexpr std::string_view kPrefixes[] = {"XDG_", "POSTERN_", "ANTHROPIC_", "LC_"};
  constexpr std::string_view kNames[] = {"TERM",         "NO_COLOR",      "COLUMNS",     "TMPDIR",
                                         "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"};
  std::vector<std::pair<std::string, std::string>> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) continue;
    const std::string_view name = text.substr(0, equals);
    bool wanted = false;
    for (const std::string_view prefix : kPrefixes) wanted = wanted || name.starts_with(prefix);
    for (const std::string_view one : kNames) wanted = wanted || name == one;
    if (wanted) kept.emplace_back(name, text.substr(equals + 1));
  }
  return kept;
}

ChildOptions host_options(const RunOptions& options) {
  ChildOptions child;
  child.argv = {options.host_program, "run", options.ticket, "--open", "never"};
  bool waits = false;
  for (const std::string& argument : options.host_arguments) waits = waits || argument.starts_with("--wait");
  if (!options.supervisor && !waits) child.argv.insert(child.argv.end(), {"--wait", "3s"});
  if (!options.model_script.empty()) {
    child.argv.insert(child.argv.end(), {"--model-api", "script:" + options.model_script});
  }
  child.argv.insert(child.argv.end(), options.host_arguments.begin(), options.host_arguments.end());
  child.environment = environment_for_host();
  child.pipe_stdout = true;
  child.pipe_stderr = true;
  return child;
}

void write_all(int descriptor, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // whoever read our output is gone; the run goes on
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void say(const std::string& line) {
  write_all(STDERR_FILENO, "supervisor " + line + "\n");
}

// The person and the browser, on a thread of their own: the host's output has to go through while they press buttons.
class SupervisorDesk {
 public:
  explicit SupervisorDesk(SupervisorOptions options)
      : http_(make_http_client(Env{clock_, random_, tap_}, client_options())), options_(std::move(options)) {}

  void decide(std::string link) {
    if (thread_.joinable()) thread_.join();
    thread_ = std::jthread([this, link = std::move(link)](const std::stop_token& stop) { work(link, stop); });
  }
  [[nodiscard]] bool failed() const { return failed_.load(); }

 private:
  static HttpClientOptions client_options() {
    HttpClientOptions options;
    options.tap_self = "supervisor";
    options.tap_peer = "page";
    return options;
  }

  void work(const std::string& link, const std::stop_token& stop) {
    // A decision is made in one sitting: each link begins with a browser of its own, which nobody has signed in with.
    Browser browser(*http_, clock_, stop);
    Supervisor supervisor(browser, options_);
    const Result<OpenPage> page = supervisor.decide(link);
    std::string way;
    for (const std::string& one : supervisor.pressed()) way += (way.empty() ? "" : " > ") + one;
    if (page) {
      say("pressed    " + way);
    } else {
      say("stuck      " + way + ": " + page.error().text());
      failed_ = true;
    }
  }

  SystemClock clock_;
  SystemRandomSource random_;
  NoTap tap_;
  std::unique_ptr<HttpClient> http_;
  SupervisorOptions options_;
  std::atomic<bool> failed_{false};
  std::jthread thread_;
};

// Reads what is there and passes it on. False at the end of the stream.
bool pass_through(int from, int to, std::string* lines) {
  char buffer[16 * 1024];
  const ssize_t count = ::read(from, buffer, sizeof buffer);
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  write_all(to, {buffer, static_cast<std::size_t>(count)});
  if (lines != nullptr) lines->append(buffer, static_cast<std::size_t>(count));
  return true;
}

class HostRun {
 public:
  HostRun(ChildProcess child, const RunOptions& options) : child_(std::move(child)) {
    if (!options.supervisor) return;
    SupervisorOptions person;
    person.decision = *options.supervisor;
    if (!options.note.empty()) person.note = options.note;
    desk_ = std::make_unique<SupervisorDesk>(std::move(person));
  }

  int to_its_end() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, nullptr);
    const int signal_descriptor = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
    pollfd watched[3] = {{child_.stdout_descriptor(), POLLIN, 0},
                         {child_.stderr_descriptor(), POLLIN, 0},
                         {signal_descriptor, POLLIN, 0}};
    while (watched[0].fd >= 0 || watched[1].fd >= 0) {
      if (::poll(watched, 3, 200) < 0 && errno != EINTR) break;
      if (watched[0].revents != 0 && !pass_through(watched[0].fd, STDOUT_FILENO, nullptr)) watched[0].fd = -1;
      if (watched[1].revents != 0 && !pass_through(watched[1].fd, STDERR_FILENO, &unread_)) watched[1].fd = -1;
      if (watched[2].revents != 0) hand_signal_on(signal_descriptor);
      look_for_links();
      stop_when_nobody_can_decide();
      // A stack that stays up for a pending approval may hold the pipes; the host itself has ended then.
      if (child_.exit_status() && watched[0].revents == 0 && watched[1].revents == 0) break;
    }
    ::close(signal_descriptor);
    const std::optional<int> status = child_.wait(std::chrono::seconds(30));
    const bool failed = desk_ != nullptr && desk_->failed();
    desk_.reset();
    if (failed) return kCannotRun;
    return status.value_or(kCannotRun);
  }

 private:
  void hand_signal_on(int signal_descriptor) {
    signalfd_siginfo told{};
    if (::read(signal_descriptor, &told, sizeof told) == static_cast<ssize_t>(sizeof told)) {
      child_.signal(static_cast<int>(told.ssi_signo));
    }
  }

  void look_for_links() {
    for (std::size_t end = unread_.find('\n'); end != std::string::npos; end = unread_.find('\n')) {
      const std::string link = approval_link_in(std::string_view(unread_).substr(0, end));
      unread_.erase(0, end + 1);
      if (link.empty() || link == last_link_ || desk_ == nullptr) continue;
      last_link_ = link;
      desk_->decide(link);
    }
    if (unread_.size() > kLineMax) unread_.clear();
  }

  void stop_when_nobody_can_decide() {
    if (desk_ == nullptr || !desk_->failed() || told_) return;
    told_ = true;
    child_.signal(SIGINT);
  }

  ChildProcess child_;
  std::unique_ptr<SupervisorDesk> desk_;
  std::string unread_;
  std::string last_link_;
  bool told_ = false;
};

}  // namespace

std::string approval_link_in(std::string_view line) {
  const std::size_t at = line.find("http://");
  if (at == std::string_view::npos) return "";
  std::string_view url = line.substr(at);
  url = url.substr(0, url.find_first_of(" \t\r\n\"<>\x1b"));
  const auto uri = parse_uri(url);
  if (!uri || !uri->is_loopback() || uri->has_query) return "";
  return uri->path.find("/approvals/APR-") == std::string::npos ? "" : std::string(url);
}

int run_ticket(const RunOptions& options) {
  ::signal(SIGPIPE, SIG_IGN);
  auto child = ChildProcess::spawn(host_options(options));
  if (!child) {
    say("not needed: " + child.error().text());
    return kCannotRun;
  }
  return HostRun(*std::move(child), options).to_its_end();
}

}  // namespace postern::lab
