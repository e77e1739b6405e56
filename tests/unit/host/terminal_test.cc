// What a person at a real terminal sees: a question that nothing waits for, and a line that is rewritten.
#include "host/terminal.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/unit/host/pseudo_terminal.h"

namespace postern::host {
namespace {

constexpr std::chrono::milliseconds kAges{60'000};  // nothing here waits that long

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

TEST(Terminal, WhatWasTypedBeforeAQuestionIsNoAnswerToIt) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  pty.type("y\n");
  terminal.begin_question("Open it?");
  EXPECT_EQ(terminal.answer_within(std::chrono::milliseconds(1), {}), std::nullopt);
  pty.type("n\ny\n");  // pasted: the second line answers nothing
  EXPECT_EQ(terminal.answer_within(kAges, {}), std::optional<bool>(false));
  terminal.begin_question("And now?");
  EXPECT_EQ(terminal.answer_within(std::chrono::milliseconds(1), {}), std::nullopt);
}

TEST(Terminal, ALongLineIsOneAnswer) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  terminal.begin_question("Open it?");
  pty.type(std::string(1000, 'x') + "\n");
  EXPECT_EQ(terminal.line_within(kAges, {}), std::string(1000, 'x'));
}

TEST(Terminal, TheEndOfTheInputIsNoLine) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  std::thread person([&pty] {
    EXPECT_EQ(pty.shown_until("> "), "> ");
    pty.type("\x04");
  });
  EXPECT_EQ(terminal.ask("> ", {}), std::nullopt);
  person.join();
}

TEST(Terminal, AStopEndsTheWaitForALine) {
  const PseudoTerminal pty;
  Terminal terminal{TerminalOptions{}};
  std::stop_source stop;
  std::thread person([&] {
    EXPECT_EQ(pty.shown_until("> "), "> ");
    stop.request_stop();
  });
  EXPECT_EQ(terminal.ask("> ", stop.get_token()), std::nullopt);
  person.join();
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
