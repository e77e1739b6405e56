// What a person at a real terminal sees: a question that nothing waits for, and a line that is rewritten.
#include "host/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace postern::host {
namespace {

constexpr std::chrono::milliseconds kAges{60'000};  // nothing here waits that long

// A pseudo terminal in place of stdin and stderr.
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
    std::array<char, 4096> bytes{};
    for (pollfd watched{person_, POLLIN, 0}; poll(&watched, 1, 0) == 1;) {
      const ssize_t got = read(person_, bytes.data(), bytes.size());
      if (got <= 0) break;
      text.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return text;
  }

 private:
  int saved_in_;
  int saved_err_;
  int person_ = -1;
  int program_ = -1;
};

TEST(Terminal, TakesAnAnswerAndHasNoForItsDefault) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  ASSERT_TRUE(terminal.can_ask());
  for (const auto& [typed, yes] :
       {std::pair("y\n", true), {"yes\n", true}, {"\n", false}, {"n\n", false}, {"yy\n", false}}) {
    terminal.begin_question("Open it?");
    EXPECT_TRUE(terminal.question_open());
    pty.type(typed);
    EXPECT_EQ(terminal.answer_within(kAges, {}), std::optional<bool>(yes)) << typed;
    EXPECT_FALSE(terminal.question_open());
  }
}

TEST(Terminal, AQuestionHoldsUpNothing) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  terminal.begin_question("Open it?");
  EXPECT_EQ(terminal.answer_within(std::chrono::milliseconds(1), {}), std::nullopt);
  EXPECT_TRUE(terminal.question_open());
  terminal.waiting(std::chrono::seconds(1), std::chrono::seconds(60));  // not over the question
  EXPECT_EQ(pty.shown(), "Open it? [y/N] ");
  terminal.err("approval   APR-0001 approved");  // what was waited for has come: the question is over
  EXPECT_FALSE(terminal.question_open());
  EXPECT_EQ(pty.shown(), "\r\napproval   APR-0001 approved\r\n");
}

TEST(Terminal, AStopEndsTheWaitForAnAnswer) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  terminal.begin_question("Open it?");
  std::stop_source stop;
  std::thread person([&stop] { stop.request_stop(); });
  EXPECT_EQ(terminal.answer_within(kAges, stop.get_token()), std::nullopt);
  person.join();
}

TEST(Terminal, MarksAreAsciiWhereTheLocaleIs) {
  const PseudoTerminal pty;
  for (const auto& [locale, shown] : {std::pair("C", "sha256:5b1e90c2...\r\n"), {"C.UTF-8", "sha256:5b1e90c2…\r\n"}}) {
    setenv("LC_ALL", locale, 1);
    Terminal terminal{TerminalOptions{}};
    terminal.err("sha256:5b1e90c2…");
    EXPECT_EQ(pty.shown(), shown) << locale;
  }
  unsetenv("LC_ALL");
}

TEST(Terminal, ARewrittenLineFitsInANarrowWindow) {
  const PseudoTerminal pty(40);
  Terminal terminal{TerminalOptions{}};
  terminal.waiting(std::chrono::seconds(1), std::chrono::seconds(60));
  EXPECT_EQ(pty.shown(), "\rwaiting    0:01 of 1:00   (Ctrl-C leave");
}

TEST(Terminal, AWideWindowShowsTheWholeLine) {
  const PseudoTerminal pty(200);
  Terminal terminal{TerminalOptions{}};
  terminal.waiting(std::chrono::seconds(1), std::chrono::seconds(60));
  EXPECT_EQ(pty.shown(), "\rwaiting    0:01 of 1:00   (Ctrl-C leaves the request open)");
}

}  // namespace
}  // namespace postern::host
