// A pseudo terminal in place of stdin and stderr, and a person at its other end.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <string>
#include <string_view>

namespace postern::host {

class PseudoTerminal {
 public:
  explicit PseudoTerminal(unsigned short columns = 80) : saved_in_(dup(STDIN_FILENO)), saved_err_(dup(STDERR_FILENO)) {
    winsize size{};
    size.ws_row = 24;
    size.ws_col = columns;
    EXPECT_EQ(openpty(&person_, &program_, nullptr, nullptr, &size), 0);
    dup2(program_, STDIN_FILENO);
    dup2(program_, STDERR_FILENO);
  }
  PseudoTerminal(const PseudoTerminal&) = delete;
  PseudoTerminal& operator=(const PseudoTerminal&) = delete;
  ~PseudoTerminal() {
    dup2(saved_in_, STDIN_FILENO);
    dup2(saved_err_, STDERR_FILENO);
    for (const int descriptor : {saved_in_, saved_err_, person_, program_}) close(descriptor);
  }
  void type(std::string_view text) const {
    EXPECT_EQ(write(person_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  // What stands on the screen since the last call.
  [[nodiscard]] std::string shown() const {
    std::string text;
    while (read_some(text, 0)) {
    }
    return text;
  }
  // The same, once `end` stands at its end: the program waits for somebody to type.
  [[nodiscard]] std::string shown_until(std::string_view end) const {
    constexpr int kAgesMs = 60'000;
    std::string text;
    while (!text.ends_with(end)) {
      if (read_some(text, kAgesMs)) continue;
      ADD_FAILURE() << "\"" << end << "\" was not shown, but: " << text;
      break;
    }
    return text;
  }

 private:
  bool read_some(std::string& text, int wait_ms) const {
    pollfd watched{person_, POLLIN, 0};
    if (poll(&watched, 1, wait_ms) != 1) return false;
    std::array<char, 4096> bytes{};
    const ssize_t got = read(person_, bytes.data(), bytes.size());
    if (got <= 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(got));
    return true;
  }

  int saved_in_;
  int saved_err_;
  int person_ = -1;
  int program_ = -1;
};

}  // namespace postern::host
