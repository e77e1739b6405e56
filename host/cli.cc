#include "host/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "host/help_text.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

// Flags that are values of the configuration: the name on the command line and the key they set.
struct ValueFlag {
  const char* flag;
  const char* key;
  const char* help;
};

constexpr ValueFlag kGlobalFlags[] = {
    {"--color", "color", "auto, always or never"},
    {"--config", "config", "configuration file in place of the user's"},
    {"--profile", "profile", "server, issuer and model as one name; local by default"},
};
constexpr ValueFlag kServerFlags[] = {
    {"--server", "server", "MCP endpoint"},
    {"--pins", "pins", "file of reviewed pins"},
    {"--as", "as", "who signs in; profile local only"},
};
constexpr ValueFlag kRunFlags[] = {
    {"--wait", "wait", "how long to wait for a decision: 30s, 10m; 0 checks once"},
    {"--open", "open", "ask or never: whether to offer to open the approval page"},
    {"--model", "model", "model id"},
    {"--model-api", "model_api", "anthropic or script:NAME"},
    {"--model-url", "model_url", "base URL of the model service"},
    {"--effort", "effort", "low, medium or high"},
    {"--max-steps", "max_steps", "turns of the model at most"},
};

// The values as CLI11 fills them in; moved into FlagValues when they were given.
using Slots = std::map<std::string, std::string>;

template <std::size_t N>
void add_flags(CLI::App& app, const ValueFlag (&flags)[N], Slots& slots) {
  for (const ValueFlag& flag : flags) app.add_option(flag.flag, slots[flag.key], flag.help);
}

// CLI11 names a command alone; a person types the whole of it.
std::string help_of(const CLI::App& app) {
  std::string before;
  for (const CLI::App* up = app.get_parent(); up != nullptr; up = up->get_parent())
    before = up->get_name() + (before.empty() ? "" : " ") + before;
  return app.help(before);
}

struct Parser {
  CLI::App app{"", "postern"};
  Slots slots;
  bool quiet = false;
  bool json = false;
  bool no_input = false;
  int verbose = 0;
  bool version = false;
  RunCommand run;
  ResumeCommand resume;
  RunsCommand runs;
  WireCommand wire;
  PinsCommand pins;
  CallCommand call;
  LoginCommand login;
  LogoutCommand logout;
  std::vector<std::string> words;  // of `wire`, `wire show`, `help`
  std::map<std::string, CLI::App*> commands;

  Parser();
  void add_run();
  void add_wire();
  void add_pins();
  void add_servers();
  void add_sign_in();
  [[nodiscard]] FlagValues flags() const;
  [[nodiscard]] Result<Command> command();
  [[nodiscard]] Result<Command> wire_command();
  [[nodiscard]] Result<Command> help_command();
};

Parser::Parser() {
  app.set_help_flag("-h,--help", "help of this command");
  app.add_flag("--version", version, "version");
  app.add_flag("-q,--quiet", quiet, "no progress");
  app.add_flag("-v,--verbose", verbose, "more detail; -vv for more");
  app.add_flag("--json", json, "one JSON document on stdout");
  app.add_flag("--no-input", no_input, "never ask");
  add_flags(app, kGlobalFlags, slots);
  app.fallthrough();
  app.require_subcommand(0, 1);
  add_run();
  add_wire();
  add_pins();
  add_servers();
  add_sign_in();
  CLI::App* help = app.add_subcommand("help", "help of a command or topic");
  help->add_option("topic", words, "");
  app.add_subcommand("version", "version");
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; })) commands[command->get_name()] = command;
}

void Parser::add_run() {
  CLI::App* command = app.add_subcommand("run", "resolve one ticket");
  command->add_option("ticket", run.ticket, "T-1042")->required();
  add_flags(*command, kServerFlags, slots);
  add_flags(*command, kRunFlags, slots);
  CLI::App* again = app.add_subcommand("resume", "go on with a run that waits or was stopped");
  again->add_option("run", resume.run, "as postern runs list shows it")->required();
  again->add_option("--wait", slots["wait"], "how long to wait for a decision");
  again->add_option("--open", slots["open"], "ask or never");
  again->add_option("--pins", slots["pins"], "file of reviewed pins, in place of the run's own");
  CLI::App* all = app.add_subcommand("runs", "list, show or remove runs");
  all->require_subcommand(0, 1);
  for (CLI::App* list : {all, all->add_subcommand("list", "newest first")})
    list->add_option("--limit", runs.limit, "at most")->check(CLI::Range(1, 10000));
  all->add_subcommand("show", "one run")->add_option("run", runs.runs, "")->required()->expected(1);
  all->add_subcommand("rm", "stop what still runs and remove the folders")
      ->add_option("run", runs.runs, "")
      ->required();
}

void Parser::add_wire() {
  CLI::App* command = app.add_subcommand("wire", "what crossed the wire");
  command->add_option("words", words, "[ladder] [RUN] | show RUN [SEQ]");
  command->add_option("--layer", wire.layer, "bytes, envelope, http, schema or model");
  command->add_flag("--all", wire.all, "each entry, not only what is to be read");
  command->add_flag("--raw", wire.raw, "as hex");
  command->add_flag("--headers", wire.headers, "only the headers");
  command->add_flag("--body", wire.body, "only the body");
}

void Parser::add_pins() {
  CLI::App* command = app.add_subcommand("pins", "reviewed definitions of tools");
  command->require_subcommand(1, 1);
  const auto add = [&](const char* name, const char* help) {
    CLI::App* verb = command->add_subcommand(name, help);
    add_flags(*verb, kServerFlags, slots);
    verb->add_option("--server-name", pins.server_name, "a server of mcpServers, in place of the desk");
    return verb;
  };
  add("list", "what was reviewed");
  add("show", "the bytes that are hashed, and the digest")->add_option("tool", pins.tools, "")->required()->expected(1);
  add("verify", "0 all match, 1 differs, 2 or more could not check");
  add("diff", "what changed")->add_option("tool", pins.tools, "");
  add("review", "write what the server serves now; trusts nothing")->add_option("-o,--output", pins.output, "file");
  CLI::App* accept = command->add_subcommand("accept", "put a name to a review that was read: its tools may be used");
  accept->add_option("--server-name", pins.server_name, "a server of mcpServers")->required();
  accept->add_option("--reviewer", pins.reviewer, "who has read it")->required();
  accept->add_option("--review", pins.review, "file of pins review, in place of the server's own");
  accept->add_option("--no-confirm", pins.no_confirm, "tool that may be called without a yes each time")
      ->allow_extra_args(false);
  accept->add_option("--no-offer", pins.no_offer, "tool that is kept from the model")->allow_extra_args(false);
}

void Parser::add_servers() {
  app.add_subcommand("servers", "what servers there are beside the desk; asks none of them");
  CLI::App* command = app.add_subcommand("call", "call one reviewed tool of such a server by hand");
  command->add_option("server", call.server, "as mcpServers names it")->required();
  command->add_option("tool", call.tool, "as the server names it")->required();
  command->add_option("arguments", call.arguments, "a JSON object; - reads it from stdin");
}

void Parser::add_sign_in() {
  constexpr const char* kServerHelp = "a server of mcpServers; the desk without it";
  CLI::App* in = app.add_subcommand("login", "sign in ahead of a run");
  in->add_option("server", login.server, kServerHelp);
  in->add_flag("--device", login.device, "with a code that is typed on another device");
  in->add_flag("--no-browser", login.no_browser, "with a browser on another machine, whose answer is pasted here");
  CLI::App* out = app.add_subcommand("logout", "revoke the tokens at their issuer and forget them");
  out->add_option("server", logout.server, kServerHelp);
  out->add_flag("--all", logout.all, "every server");
  CLI::App* who = app.add_subcommand("whoami", "who is signed in where, until when, and where that is kept");
  for (CLI::App* command : {in, out, who}) {
    command->add_option("--server", slots["server"], "MCP endpoint of the desk");
    if (command != who) command->add_option("--open", slots["open"], "ask or never");
  }
}

FlagValues Parser::flags() const {
  FlagValues values;
  for (const auto& [key, value] : slots) {
    if (!value.empty()) values.emplace(key, value);
  }
  if (quiet) values.emplace("quiet", "true");
  if (json) values.emplace("json", "true");
  if (no_input) values.emplace("no_input", "true");
  if (verbose > 0) values.emplace("verbose", std::to_string(std::min(verbose, 2)));
  return values;
}

Result<Command> Parser::wire_command() {
  std::vector<std::string> rest = words;
  if (!rest.empty() && (rest.front() == "ladder" || rest.front() == "show")) {
    if (rest.front() == "show") wire.verb = WireCommand::Verb::kShow;
    rest.erase(rest.begin());
  }
  const auto number = [](const std::string& text) {
    return !text.empty() && text.size() < 8 &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  if (wire.verb == WireCommand::Verb::kShow && !rest.empty() && number(rest.back())) {
    wire.seq = std::stoi(rest.back());
    rest.pop_back();
  }
  if (rest.size() > 1) return UsageWrong{"Too many words after wire. See: postern help wire"};
  if (!rest.empty()) wire.run = rest.front();
  return Command(wire);
}

Result<Command> Parser::help_command() {
  if (words.empty()) return Command(PrintCommand{overview_text()});
  // A word that is a topic and a command is both.
  std::string text = topic_text(words.front());
  if (const auto found = commands.find(words.front()); found != commands.end())
    text += (text.empty() ? "" : "\n") + help_of(*found->second);
  if (!text.empty()) return Command(PrintCommand{std::move(text)});
  std::vector<std::string> names = topics();
  for (const auto& [name, command] : commands) names.push_back(name);
  const std::string near = nearest(words.front(), names);
  return UsageWrong{"There is no help on \"" + visible_line(words.front(), 60) + "\"." +
                    (near.empty() ? " See: postern help" : " Did you mean: postern help " + near)};
}

Result<Command> Parser::command() {
  if (version) return Command(PrintCommand{json ? version_json() : version_text()});
  const std::vector<CLI::App*> chosen = app.get_subcommands();
  if (chosen.empty()) return Command(PrintCommand{overview_text()});
  const std::string name = chosen.front()->get_name();
  if (name == "run") return Command(run);
  if (name == "resume") return Command(resume);
  if (name == "servers") return Command(ServersCommand{});
  if (name == "call") return Command(call);
  if (name == "login") return Command(login);
  if (name == "logout") return Command(logout);
  if (name == "whoami") return Command(WhoamiCommand{});
  if (name == "wire") return wire_command();
  if (name == "help") return help_command();
  if (name == "version") return Command(PrintCommand{json ? version_json() : version_text()});
  const std::vector<CLI::App*> verbs = chosen.front()->get_subcommands();
  const std::string verb = verbs.empty() ? "list" : verbs.front()->get_name();
  if (name == "runs") {
    runs.verb = verb == "show" ? RunsCommand::Verb::kShow
                : verb == "rm" ? RunsCommand::Verb::kRemove
                               : RunsCommand::Verb::kList;
    return Command(runs);
  }
  using Verb = PinsCommand::Verb;
  pins.verb = verb == "show"     ? Verb::kShow
              : verb == "verify" ? Verb::kVerify
              : verb == "diff"   ? Verb::kDiff
              : verb == "review" ? Verb::kReview
              : verb == "accept" ? Verb::kAccept
                                 : Verb::kList;
  return Command(pins);
}

// The flags that would have been understood there.
void add_flag_names(const CLI::App& app, std::vector<std::string>& names) {
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
}

// The sentence for a flag that nobody knows; empty when the mistake was another one.
std::string unknown_flag(Parser& parser) {
  std::vector<std::string> names;
  std::string where = "postern help";
  add_flag_names(parser.app, names);
  for (CLI::App* app = &parser.app; !app->get_subcommands().empty();) {
    app = app->get_subcommands().front();
    add_flag_names(*app, names);
    if (where == "postern help") where += " " + app->get_name();
  }
  for (const std::string& word : parser.app.remaining(true)) {
    if (word.size() < 3 || word.substr(0, 2) != "--") continue;
    const std::string flag = word.substr(0, word.find('='));
    const std::string near = nearest(flag, names);
    return "There is no flag " + visible_line(flag, 60) + " here." +
           (near.empty() || near[2] != flag[2] ? "" : " Did you mean " + near + "?") + "\nSee: " + where;
  }
  return {};
}

// The sentence for a word that is no command; empty when the mistake was another one.
std::string unknown_command(Parser& parser) {
  CLI::App* app = &parser.app;
  std::string before;
  if (const std::vector<CLI::App*> chosen = app->get_subcommands(); !chosen.empty()) {
    app = chosen.front();
    before = app->get_name() + " ";
    // Only of a command that has some of its own, and of which none was found.
    if (app->get_subcommands([](CLI::App*) { return true; }).empty() || !app->get_subcommands().empty()) return {};
  }
  for (const std::string& word : parser.app.remaining(true)) {
    if (word.empty() || word.front() == '-') continue;
    std::vector<std::string> names;
    for (const CLI::App* command : app->get_subcommands([](CLI::App*) { return true; }))
      names.push_back(command->get_name());
    const std::string near = nearest(word, names);
    return "There is no command \"" + before + visible_line(word, 60) + "\"." +
           (near.empty() ? " See: postern help" + (before.empty() ? "" : " " + app->get_name())
                         : " Did you mean: postern " + before + near);
  }
  return {};
}

}  // namespace

Result<CommandLine> parse_command_line(int argc, const char* const* argv) {
  Parser parser;
  try {
    parser.app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    std::string text = overview_text();
    for (CLI::App* app = &parser.app; !app->get_subcommands().empty();) {
      app = app->get_subcommands().front();
      text = help_of(*app);
    }
    return CommandLine{PrintCommand{std::move(text)}, {}};
  } catch (const CLI::ParseError& error) {
    if (std::string text = unknown_command(parser); !text.empty()) return UsageWrong{std::move(text)};
    if (std::string text = unknown_flag(parser); !text.empty()) return UsageWrong{std::move(text)};
    const std::vector<CLI::App*> chosen = parser.app.get_subcommands();
    return UsageWrong{visible_line(error.what(), 300) + "\nSee: postern help" +
                      (chosen.empty() ? "" : " " + chosen.front()->get_name())};
  }
  POSTERN_TRY(Command command, parser.command());
  return CommandLine{std::move(command), parser.flags()};
}

bool is_ticket_id(std::string_view text) {
  if (text.size() < 6 || text.size() > 14 || text.substr(0, 2) != "T-") return false;
  return std::all_of(text.begin() + 2, text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace postern::host
