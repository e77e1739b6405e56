// The terminal: results to stdout, everything else to stderr, and what a person may be asked.
//
// Text of models, servers and tickets passes visible_text() before it comes here; the callers say so by name (untrusted
// parameters of the helpers here make it visible themselves). Off a terminal: no colour, no rewritten line, no
// question. --quiet hides progress, never a failure or a result. One thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "wire/base/result.h"

namespace postern::host {

enum class ColorChoice { kAuto, kAlways, kNever };

struct TerminalOptions {
  bool quiet = false;
  int verbose = 0;
  bool json = false;
  bool no_input = false;
  ColorChoice color = ColorChoice::kAuto;
};

// Where a person reads and types. Of this process, unless a run goes on inside of another program.
struct TerminalStreams {
  int in = 0;
  int out = 1;
  int err = 2;
  bool utf8 = true;  // whether more than ASCII may be shown
};
// The three of this process, and what its locale says.
[[nodiscard]] TerminalStreams own_streams();

class Terminal {
 public:
  // The descriptors stay the caller's.
  explicit Terminal(TerminalOptions options, TerminalStreams streams = own_streams());
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // A line of the result, on stdout.
  void out(std::string_view line);
  // Text that ends with a line feed, on stdout.
  void out_text(std::string_view text);
  // A line that must be seen, on stderr: failures and what comes after them. Shown with --quiet too.
  void err(std::string_view line);
  // "run        http-...": a label of 11 columns and a text, on stderr. Not with --quiet.
  void progress(std::string_view label, std::string_view text);
  // A progress line without a label.
  void progress_line(std::string_view line);
  // Only with -v.
  void detail(std::string_view label, std::string_view text);
  // One line, rewritten in place on a terminal; elsewhere one line a minute.
  void waiting(std::chrono::seconds elapsed, std::chrono::seconds at_most);
  // Ends a rewritten line or an open question, if there is one.
  void end_waiting();

  // True when a person can be asked: stdin and stderr are terminals, and --no-input was not given.
  [[nodiscard]] bool can_ask() const { return can_ask_; }
  // Shows a question and goes on: the answer comes while something else is waited for, and a decision or a Ctrl-C ends
  // it unanswered, which is a no. What was typed before it stood there is no answer to it. `choices` says what may be
  // typed. REQUIRES can_ask().
  void begin_question(std::string_view question, std::string_view choices = "[y/N]");
  [[nodiscard]] bool question_open() const { return question_open_; }
  // The line that is typed within that time, without its end and the blanks around it; empty at the end of the input.
  // Nothing when none is, or when `stop` comes first.
  [[nodiscard]] std::optional<std::string> line_within(std::chrono::milliseconds how_long, const std::stop_token& stop);
  // The same as a yes or a no. No is the default.
  [[nodiscard]] std::optional<bool> answer_within(std::chrono::milliseconds how_long, const std::stop_token& stop);
  // Shows a prompt and waits for a line, as long as it takes. Nothing when `stop` comes, or at the end of the input.
  // REQUIRES can_ask().
  [[nodiscard]] std::optional<std::string> ask(std::string_view prompt, const std::stop_token& stop);
  // The width of the window that messages go to; 80 where there is none.
  [[nodiscard]] std::size_t columns() const;
  // Bold on a terminal with colour.
  [[nodiscard]] std::string bold(std::string_view text) const;

  [[nodiscard]] const TerminalOptions& options() const { return options_; }
  // Whether all that was written to stdout went out: a full disk is an error and no silence.
  [[nodiscard]] bool stdout_complete() const { return stdout_complete_; }

 private:
  void write(int descriptor, std::string_view text);
  void forget_typed();
  TerminalOptions options_;
  TerminalStreams streams_;
  bool err_is_terminal_;
  bool can_ask_;
  bool color_on_err_;
  bool line_open_ = false;
  bool question_open_ = false;
  bool input_ended_ = false;
  std::string typed_;  // read, and no whole line yet
  bool stdout_complete_ = true;
  std::chrono::minutes last_minute_{-1};
};

}  // namespace postern::host
