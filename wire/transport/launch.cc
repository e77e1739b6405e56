#include "wire/transport/launch.h"

#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <optional>

#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/secret.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

constexpr std::size_t kDocumentBytesMax = 1024 * 1024;
constexpr std::string_view kStayUntil = "stay until ";

// What was read from stdin beyond the launch document. One for the process, as stdin is.
std::string& stdin_rest() {
  static std::string rest;
  return rest;
}

// Reads what is there and appends it; false at the end of the file.
bool read_stdin() {
  char buffer[4096];
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, buffer, sizeof buffer);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    stdin_rest().append(buffer, static_cast<std::size_t>(got));
    wipe(buffer, sizeof buffer);
    return true;
  }
}

std::optional<std::string> take_line() {
  std::string& rest = stdin_rest();
  const std::size_t line_feed = rest.find('\n');
  if (line_feed == std::string::npos) return std::nullopt;
  std::string line = rest.substr(0, line_feed);
  std::string after = rest.substr(line_feed + 1);
  wipe(rest);
  rest = std::move(after);
  return line;
}

Result<std::string> first_line_of_stdin() {
  for (;;) {
    if (auto line = take_line()) return *std::move(line);
    if (stdin_rest().size() > kDocumentBytesMax) return BadLaunchDocument{"it is larger than a megabyte"};
    if (!read_stdin()) return BadLaunchDocument{"stdin ended before a whole line of it came"};
  }
}

Result<std::string> text_of(const std::string& config) {
  if (config == "-") return first_line_of_stdin();
  POSTERN_TRY(const unsigned mode, file_mode(config));
  if ((mode & 077U) != 0) {
    return BadLaunchDocument{"other users may read or change " + visible_line(config) +
                             ", and it names secrets. Run: chmod 600 " + visible_line(config)};
  }
  return read_file(config, kDocumentBytesMax);
}

// The time in "stay until SECONDS"; nothing for any other line.
std::optional<WallTime> stay_until(std::string_view line) {
  if (line.substr(0, kStayUntil.size()) != kStayUntil) return std::nullopt;
  line.remove_prefix(kStayUntil.size());
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  std::int64_t seconds = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), seconds);
  if (error != std::errc() || end != line.data() + line.size() || seconds < 0 || seconds > 253'402'300'799)
    return std::nullopt;
  return wall_time_of_unix_seconds(seconds);
}

sigset_t stop_signals() {
  sigset_t signals;
  ::sigemptyset(&signals);
  ::sigaddset(&signals, SIGTERM);
  ::sigaddset(&signals, SIGINT);
  return signals;
}

}  // namespace

std::string BadLaunchDocument::text() const {
  return "The launch document cannot be used: " + reason + (reason.ends_with('.') ? "" : ".");
}

Result<ListeningSocket> Launch::take_socket(std::string_view name, std::uint16_t port) {
  for (auto socket = sockets.begin(); socket != sockets.end(); ++socket) {
    if (socket->name != name) continue;
    ListeningSocket taken = std::move(socket->socket);
    sockets.erase(socket);
    return taken;
  }
  return ListeningSocket::on_loopback(port);
}

Result<Launch> read_launch(const std::string& config) {
  Launch launch;
  launch.from_stdin = config == "-";
  POSTERN_TRY(std::string text, text_of(config));
  auto document = parse_json(text, {kDocumentBytesMax, 16});
  wipe(text);
  if (!document) return BadLaunchDocument{document.error().text()};
  if (!document->is_object()) return BadLaunchDocument{"it is no JSON object"};
  launch.document = *std::move(document);
  POSTERN_TRY(launch.sockets, take_inherited_sockets());
  return launch;
}

void prepare_signals() {
  ::signal(SIGPIPE, SIG_IGN);
  const sigset_t signals = stop_signals();
  ::pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

void wait_until_told_to_stop(const Clock& clock, bool from_stdin) {
  const sigset_t signals = stop_signals();
  const int told = ::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
  POSTERN_CHECK(told >= 0);
  std::optional<WallTime> until;
  bool stdin_open = from_stdin;
  for (;;) {
    while (stdin_open) {
      const auto line = take_line();
      if (!line) break;
      if (const auto time = stay_until(*line)) until = time;
    }
    if (from_stdin && !stdin_open && !until) break;  // the parent is gone
    if (until && clock.now() >= *until) break;
    // The wall clock may be set while we wait, so look again once a minute.
    const auto left = until ? std::min<std::int64_t>((*until - clock.now()).count(), 60'000) : std::int64_t{-1};
    pollfd waits[] = {{told, POLLIN, 0}, {stdin_open ? STDIN_FILENO : -1, POLLIN, 0}};
    const int ready = ::poll(waits, 2, static_cast<int>(left));
    if (ready < 0 && errno != EINTR) break;
    if (ready > 0 && waits[0].revents != 0) break;
    if (ready > 0 && waits[1].revents != 0) stdin_open = read_stdin() && stdin_rest().size() <= kDocumentBytesMax;
  }
  ::close(told);
}

const Json* LaunchReader::look(std::string_view name) {
  known_.emplace_back(name);
  return document_.find(name);
}

std::string LaunchReader::string(std::string_view name) {
  const Json* const value = look(name);
  if (value != nullptr && value->string() != nullptr && !value->string()->empty()) return *value->string();
  if (wrong_.empty()) wrong_ = "\"" + std::string(name) + "\" must be there, as a string that is not empty";
  return {};
}

std::string LaunchReader::string_or(std::string_view name, std::string_view fallback) {
  const Json* const value = look(name);
  if (value == nullptr) return std::string(fallback);
  if (value->string() != nullptr) return *value->string();
  if (wrong_.empty()) wrong_ = "\"" + std::string(name) + "\" must be a string";
  return std::string(fallback);
}

std::int64_t LaunchReader::integer_or(std::string_view name, std::int64_t fallback) {
  const Json* const value = look(name);
  if (value == nullptr) return fallback;
  if (const auto integer = value->integer()) return *integer;
  if (wrong_.empty()) wrong_ = "\"" + std::string(name) + "\" must be an integer";
  return fallback;
}

const Json* LaunchReader::json(std::string_view name) {
  return look(name);
}

Status LaunchReader::finish() const {
  if (!wrong_.empty()) return BadLaunchDocument{wrong_};
  for (const auto& [name, value] : document_.members()) {
    if (std::find(known_.begin(), known_.end(), name) == known_.end()) {
      return BadLaunchDocument{"nobody knows its member \"" + visible_line(name, 60) + "\""};
    }
  }
  return {};
}

}  // namespace postern
