#include "host/terminal.h"

#include <errno.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>

#include "wire/base/check.h"
#include "wire/base/clock.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kLabelWidth = 11;

std::string labeled(std::string_view label, std::string_view text) {
  std::string line(label);
  line.resize(std::max(line.size(), kLabelWidth), ' ');
  line += text;
  return line;
}

// LANG=C: a terminal that may show no more than ASCII.
bool speaks_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    const std::string_view locale(value);
    return locale.find("UTF-8") != std::string_view::npos || locale.find("utf8") != std::string_view::npos ||
           locale.find("UTF8") != std::string_view::npos || locale.find("utf-8") != std::string_view::npos;
  }
  return false;
}

// Our own marks; what people and peers wrote stays as it is.
std::string without_marks(std::string_view text) {
  constexpr std::string_view kEllipsis = "\xE2\x80\xA6";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t mark = std::min(text.find(kEllipsis, at), text.size());
    out += text.substr(at, mark - at);
    if (mark < text.size()) out += "...";
    at = mark + kEllipsis.size();
  }
  return out;
}

bool wants_color(ColorChoice choice, int descriptor) {
  if (choice != ColorChoice::kAuto) return choice == ColorChoice::kAlways;
  const char* no_color = std::getenv("NO_COLOR");
  if (no_color != nullptr && *no_color != '\0') return false;
  const char* force = std::getenv("CLICOLOR_FORCE");
  if (force != nullptr && *force != '\0' && std::string_view(force) != "0") return true;
  const char* term = std::getenv("TERM");
  if (term != nullptr && std::string_view(term) == "dumb") return false;
  return isatty(descriptor) == 1;
}

}  // namespace

TerminalStreams own_streams() {
  return {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO, speaks_utf8()};
}

Terminal::Terminal(TerminalOptions options, TerminalStreams streams)
    : options_(options),
      streams_(streams),
      err_is_terminal_(isatty(streams.err) == 1),
      can_ask_(err_is_terminal_ && isatty(streams.in) == 1 && !options.no_input),
      color_on_err_(wants_color(options.color, streams.err)) {}

Terminal::~Terminal() {
  end_waiting();
}

void Terminal::write(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      // A reader that has gone (postern ... | head -1) wants no more; anything else means that a result is missing.
      if (descriptor == streams_.out && errno != EPIPE) stdout_complete_ = false;
      return;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Terminal::out(std::string_view line) {
  out_text(std::string(line) + "\n");
}

void Terminal::out_text(std::string_view text) {
  end_waiting();
  if (options_.json) {
    write(streams_.out, json_with_hidden_escaped(text));
  } else if (streams_.utf8) {
    write(streams_.out, text);
  } else {
    write(streams_.out, without_marks(text));
  }
}

void Terminal::err(std::string_view line) {
  end_waiting();
  write(streams_.err, (streams_.utf8 ? std::string(line) : without_marks(line)) + "\n");
}

void Terminal::progress(std::string_view label, std::string_view text) {
  progress_line(labeled(label, text));
}

void Terminal::progress_line(std::string_view line) {
  if (!options_.quiet) err(line);
}

void Terminal::detail(std::string_view label, std::string_view text) {
  if (options_.verbose > 0) progress(label, text);
}

void Terminal::waiting(std::chrono::seconds elapsed, std::chrono::seconds at_most) {
  if (options_.quiet || question_open_) return;
  std::string line = labeled(
      "waiting", minutes_seconds(elapsed) + " of " + minutes_seconds(at_most) + "   (Ctrl-C leaves the request open)");
  if (err_is_terminal_) {
    // A line that wraps cannot be rewritten.
    winsize window{};
    if (ioctl(streams_.err, TIOCGWINSZ, &window) == 0 && window.ws_col > 1 && line.size() >= window.ws_col)
      line.resize(window.ws_col - 1U);
    write(streams_.err, "\r" + line);
    line_open_ = true;
    return;
  }
  const auto minute = std::chrono::duration_cast<std::chrono::minutes>(elapsed);
  if (minute == last_minute_) return;
  last_minute_ = minute;
  write(streams_.err, line + "\n");
}

void Terminal::end_waiting() {
  if (!line_open_ && !question_open_) return;
  line_open_ = false;
  question_open_ = false;
  write(streams_.err, "\n");
}

void Terminal::forget_typed() {
  typed_.clear();
  tcflush(streams_.in, TCIFLUSH);
}

void Terminal::begin_question(std::string_view question, std::string_view choices) {
  POSTERN_CHECK(can_ask_);
  end_waiting();
  forget_typed();
  write(streams_.err, std::string(question) + " " + std::string(choices) + " ");
  question_open_ = true;
}

std::optional<std::string> Terminal::line_within(std::chrono::milliseconds how_long, const std::stop_token& stop) {
  const int wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) return std::string();
  std::array<pollfd, 2> watched = {{{streams_.in, POLLIN, 0}, {wake, POLLIN, 0}}};
  {
    const std::stop_callback on_stop(stop, [wake] {
      const std::uint64_t one = 1;
      [[maybe_unused]] const ssize_t written = ::write(wake, &one, sizeof one);
    });
    poll(watched.data(), watched.size(), static_cast<int>(how_long.count()));
  }
  close(wake);
  if (stop.stop_requested() || watched[0].revents == 0) return std::nullopt;
  std::array<char, 4096> bytes{};  // a terminal hands over no longer line
  const ssize_t got = read(streams_.in, bytes.data(), bytes.size());
  if (got <= 0) {  // the end of the input is a no, and nobody has pressed Enter
    question_open_ = false;
    input_ended_ = true;
    write(streams_.err, "\n");
    return std::string();
  }
  typed_.append(bytes.data(), static_cast<std::size_t>(got));
  const std::size_t end = typed_.find('\n');
  if (end == std::string::npos) return std::nullopt;
  question_open_ = false;
  std::string_view line = std::string_view(typed_).substr(0, end);
  const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  while (!line.empty() && blank(line.back())) line.remove_suffix(1);
  while (!line.empty() && blank(line.front())) line.remove_prefix(1);
  std::string answer(line);
  typed_.clear();  // more lines at once are a paste, and no answers to questions that nobody has seen
  return answer;
}

std::optional<bool> Terminal::answer_within(std::chrono::milliseconds how_long, const std::stop_token& stop) {
  const std::optional<std::string> line = line_within(how_long, stop);
  if (!line) return std::nullopt;
  return *line == "y" || *line == "Y" || *line == "yes";
}

std::optional<std::string> Terminal::ask(std::string_view prompt, const std::stop_token& stop) {
  POSTERN_CHECK(can_ask_);
  constexpr std::chrono::milliseconds kLook{60'000};
  end_waiting();
  forget_typed();
  write(streams_.err, prompt);
  input_ended_ = false;
  question_open_ = true;
  while (!stop.stop_requested()) {
    std::optional<std::string> line = line_within(kLook, stop);
    if (line && input_ended_) return std::nullopt;
    if (line) return line;
  }
  end_waiting();
  return std::nullopt;
}

std::size_t Terminal::columns() const {
  winsize window{};
  if (ioctl(streams_.err, TIOCGWINSZ, &window) != 0 || window.ws_col == 0) return 80;
  return window.ws_col;
}

std::string Terminal::bold(std::string_view text) const {
  if (!color_on_err_) return std::string(text);
  return "\x1b[1m" + std::string(text) + "\x1b[0m";
}

}  // namespace postern::host
