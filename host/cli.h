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
  enum class Verb { kList, kShow, kVerify, kDiff, kReview, kAccept } verb = Verb::kList;
  std::string server_name;  // a server of the configuration; empty: the desk
  std::vector<std::string> tools;
  std::string output;  // of kReview; empty: stdout, or the server's own place
  // Of kAccept.
  std::string reviewer;
  std::string review;  // a file of kReview; empty: the server's own place
  std::vector<std::string> no_confirm;
  std::vector<std::string> no_offer;
};
// What servers there are beside the desk.
struct ServersCommand {};
// One reviewed tool of such a server, called by hand.
struct CallCommand {
  std::string server;
  std::string tool;
  std::string arguments;  // JSON; "-": of stdin; empty: none
};
// Signing in ahead of a run, signing out, and who is signed in where.
struct LoginCommand {
  std::string server;  // of mcpServers; empty: the desk
  bool device = false;
  bool no_browser = false;
};
struct LogoutCommand {
  std::string server;
  bool all = false;
};
struct WhoamiCommand {};
// Text that is the whole answer: help and version.
struct PrintCommand {
  std::string text;
};

using Command = std::variant<RunCommand, ResumeCommand, RunsCommand, WireCommand, PinsCommand, ServersCommand,
                             CallCommand, LoginCommand, LogoutCommand, WhoamiCommand, PrintCommand>;

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
