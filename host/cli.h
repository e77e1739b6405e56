// The command line: argv to one Command and the values that flags gave. Nothing is read but argv.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "host/config.h"
#include "wire/base/result.h"

namespace postern::host {

struct RunCommand {
  std::string ticket;
};
struct ResumeCommand {
  std::string run;
};
struct RunsCommand {
  enum class Verb { kList, kShow, kRemove } verb = Verb::kList;
  std::vector<std::string> runs;
  int limit = 20;
};
struct WireCommand {
  enum class Verb { kLadder, kShow } verb = Verb::kLadder;
  std::string run;    // empty: the newest
  std::string layer;  // empty: the summary
  bool all = false;
  int seq = 0;  // of kShow; 0: the whole log
  bool raw = false;
  bool headers = false;
  bool body = false;
};
struct PinsCommand {
  enum class Verb { kList, kShow, kVerify, kDiff, kReview } verb = Verb::kList;
  std::vector<std::string> tools;
  std::string output;  // of kReview; empty: stdout
};
// Text that is the whole answer: help and version.
struct PrintCommand {
  std::string text;
};

using Command = std::variant<RunCommand, ResumeCommand, RunsCommand, WireCommand, PinsCommand, PrintCommand>;

struct CommandLine {
  Command command;
  FlagValues flags;
};

// usage.wrong
[[nodiscard]] Result<CommandLine> parse_command_line(int argc, const char* const* argv);

// T- and four to twelve digits.
[[nodiscard]] bool is_ticket_id(std::string_view text);

struct UsageWrong {
  static constexpr std::string_view kId = "usage.wrong";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;  // one or two lines
  [[nodiscard]] std::string text() const { return reason; }
};

}  // namespace postern::host
