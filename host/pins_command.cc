#include "host/pins_command.h"

#include <filesystem>
#include <memory>

#include "bridge/failures.h"
#include "host/connection.h"
#include "host/local_stack.h"
#include "host/server_config_file.h"
#include "host/server_pins.h"
#include "host/servers.h"
#include "pins/pin_diff.h"
#include "pins/pin_gate.h"
#include "wire/base/bytes.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

struct Served {
  std::vector<mcp::Tool> tools;
  mcp::DiscoverResult discovered;
  std::string server;
  bool mirrors_parameters = true;
};

// A folder of its own for a stack that only answers questions; removed with it.
class PassingWorld {
 public:
  explicit PassingWorld(std::string folder) : folder_(std::move(folder)) {}
  PassingWorld(const PassingWorld&) = delete;
  PassingWorld& operator=(const PassingWorld&) = delete;
  ~PassingWorld() {
    std::error_code error;
    std::filesystem::remove_all(folder_, error);
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }

 private:
  std::string folder_;
};

Result<Served> read_served(const CommandContext& context, Connection& connection) {
  Served served;
  served.server = connection.session().where();
  served.mirrors_parameters = connection.session().transport().mirrors_parameters();
  POSTERN_TRY(served.discovered, connection.session().connect(context.interrupt.token()));
  POSTERN_TRY(served.tools, connection.session().list_tools(context.interrupt.token()));
  return served;
}

Result<Served> ask_server(const CommandContext& context) {
  NoTap tap;
  const Env env{context.outside.clock, context.outside.random, tap};
  const Config& config = context.config;
  const PassingWorld world(config.state_home + "/postern/passing/" + hex(random_bytes(env.random, 8)));
  std::unique_ptr<LocalStack> stack;
  if (config.local() && config.server.empty()) {
    LocalStackOptions options;
    options.program_folder = own_program_folder();
    options.world_folder = world.folder();
    POSTERN_TRY(stack, context.outside.start_stack(env, options, context.interrupt.token()));
  }
  POSTERN_TRY(const std::unique_ptr<Connection> connection, Connection::make(context, env, stack.get()));
  return read_served(context, *connection);
}

Result<Served> ask_server(const CommandContext& context, const ServerConfig& server) {
  NoTap tap;
  POSTERN_TRY(const std::unique_ptr<Connection> connection,
              Connection::to_server(context, Env{context.outside.clock, context.outside.random, tap}, server,
                                    context.terminal.can_ask()));
  return read_served(context, *connection);
}

ExitCode cannot_check(const CommandContext& context, const Failure& failure) {
  if (const auto stopped = stopped_by_signal(context)) return *stopped;
  print_failure(context.terminal, failure, context.config, context.config.server, true);
  const ExitCode code = exit_code_of(failure);
  return code == ExitCode::kNo ? ExitCode::kUnreachable : code;
}

Json listed(const pins::ReviewedTool& reviewed) {
  Json entry = Json::object({{"name", reviewed.pin.tool}, {"digest", reviewed.pin.digest}});
  if (reviewed.confirm) entry.set("confirm", *reviewed.confirm);
  if (reviewed.offer) entry.set("offer", *reviewed.offer);
  return entry;
}

// What its reviewer decided; nothing for a tool of the desk.
std::string decisions_of(const pins::ReviewedTool& reviewed) {
  if (!reviewed.confirm) return {};
  if (!reviewed.is_offered()) return "   kept from the model";
  return reviewed.asks_first() ? "   asks first" : "   no question";
}

ExitCode list_pins(Terminal& terminal, const pins::PinFile& file) {
  if (terminal.options().json) {
    Json tools = Json::array();
    for (const auto& reviewed : file.tools) tools.push(listed(reviewed));
    Json json =
        Json::object({{"schema", "postern.pins.list/1"}, {"server", file.server_name}, {"reviewer", file.reviewer}});
    terminal.out(json.set("reviewed_at", file.reviewed_at).set("tools", std::move(tools)).dump());
    return ExitCode::kDone;
  }
  terminal.out(visible_line(file.server_name, 80) + ", reviewed " + file.reviewed_at +
               (file.reviewer.empty() ? " (not accepted by anybody)" : " by " + visible_line(file.reviewer, 80)));
  for (const auto& reviewed : file.tools) {
    std::string line = "  " + visible_line(reviewed.pin.tool, 60);
    line.resize(std::max<std::size_t>(line.size() + 1, 18), ' ');
    terminal.out(line + reviewed.pin.digest + decisions_of(reviewed));
  }
  return ExitCode::kDone;
}

ExitCode show_pin(Terminal& terminal, const pins::PinFile& file, const std::string& tool) {
  const pins::ReviewedTool* reviewed = file.find(tool);
  if (reviewed == nullptr) {
    std::vector<std::string> names;
    for (const auto& candidate : file.tools) names.push_back(candidate.pin.tool);
    const std::string near = nearest(tool, names);
    terminal.err("No tool \"" + visible_line(tool, 60) + "\" was reviewed." +
                 (near.empty() ? "" : " Did you mean " + near + "?"));
    return ExitCode::kUsage;
  }
  if (terminal.options().json) {
    Json json = Json::object({{"schema", "postern.pins.show/1"}, {"tool", reviewed->pin.tool}});
    terminal.out(json.set("digest", reviewed->pin.digest).set("definition", reviewed->definition).dump());
    return ExitCode::kDone;
  }
  terminal.out(visible_text(pins::pinned_bytes(reviewed->definition)));
  terminal.out(reviewed->pin.digest);
  return ExitCode::kDone;
}

ExitCode verify_pins(const CommandContext& context, const pins::PinFile& file, const Served& served,
                     const std::string& flags) {
  Terminal& terminal = context.terminal;
  const pins::PinGate gate(file);
  const pins::PinVerdict verdict = gate.admit_all(served.tools, served.discovered.instructions);
  const std::size_t checked = verdict.admitted.size() + verdict.refused.size();
  const bool good = verdict.refused.empty() && !verdict.instructions_changed;
  if (terminal.options().json) {
    Json refused = Json::array();
    for (const auto& refusal : verdict.refused) {
      refused.push(Json::object({{"tool", refusal.tool}, {"reason", pins::reason_of(refusal)}}));
    }
    Json json = Json::object({{"schema", "postern.pins.verify/1"}, {"checked", static_cast<std::int64_t>(checked)}});
    json.set("refused", std::move(refused)).set("instructions_changed", verdict.instructions_changed);
    terminal.out(json.dump());
    return good ? ExitCode::kDone : ExitCode::kNo;
  }
  for (const auto& refusal : verdict.refused) {
    terminal.out("pin check refused: " + visible_line(refusal.tool, 80) + " (" + pins::reason_of(refusal) + ")");
  }
  if (verdict.instructions_changed) terminal.out("pin check refused: the server's instructions changed");
  terminal.out(std::to_string(verdict.admitted.size()) + " of " + std::to_string(checked) +
               " definitions match, reviewed " + file.reviewed_at);
  if (!verdict.refused.empty()) terminal.err("  See the change: postern pins diff" + flags);
  return good ? ExitCode::kDone : ExitCode::kNo;
}

ExitCode diff_pins(const CommandContext& context, const pins::PinFile& file, const Served& served,
                   const std::vector<std::string>& wanted, const std::string& to_accept) {
  std::vector<std::string> names = wanted;
  if (names.empty()) {
    for (const auto& reviewed : file.tools) names.push_back(reviewed.pin.tool);
    for (const mcp::Tool& tool : served.tools) {
      if (file.find(tool.name) == nullptr) names.push_back(tool.name);
    }
  }
  const bool as_json = context.terminal.options().json;
  Json tools = Json::array();
  bool differs = false;
  for (const std::string& name : names) {
    const pins::ReviewedTool* reviewed = file.find(name);
    const mcp::Tool* tool = nullptr;
    for (const mcp::Tool& candidate : served.tools) {
      if (candidate.name == name) tool = &candidate;
    }
    if (reviewed == nullptr && tool == nullptr) {
      context.terminal.err("No tool \"" + visible_line(name, 60) + "\" is reviewed or served.");
      return ExitCode::kUsage;
    }
    const pins::PinDiff diff = pins::diff_of(reviewed, tool);
    differs = differs || diff.differs;
    tools.push(Json::object({{"tool", name}, {"differs", diff.differs}, {"text", diff.text}}));
    if (!as_json && (diff.differs || !wanted.empty())) context.terminal.out_text(diff.text);
  }
  if (as_json) {
    Json json = Json::object({{"schema", "postern.pins.diff/1"}, {"differs", differs}, {"tools", std::move(tools)}});
    context.terminal.out(json.dump());
  }
  if (!differs) return ExitCode::kDone;
  context.terminal.err("To accept it after review: " + to_accept);
  return ExitCode::kNo;
}

ExitCode review_pins(const CommandContext& context, const Served& served, const std::string& output) {
  pins::PinFile review;
  review.server_name = served.discovered.server_info ? served.discovered.server_info->name : served.server;
  review.server_version = served.discovered.server_info ? served.discovered.server_info->version : "";
  review.reviewed_at = rfc3339(context.outside.clock.now()).substr(0, 10);
  review.instructions = served.discovered.instructions;
  for (const mcp::Tool& tool : served.tools) review.tools.push_back({pins::pin_of(tool), tool.definition});
  const std::string text = pins::serialise(review);
  if (output.empty() || output == "-") {
    context.terminal.out_text(text);
    return ExitCode::kDone;
  }
  if (const Status written = replace_file(output, text); !written) {
    context.terminal.err(written.error().text());
    return ExitCode::kUsage;
  }
  context.terminal.progress("review", std::to_string(review.tools.size()) + " definitions written to " +
                                          visible_line(output, 200) +
                                          ". Nothing is trusted until somebody has read it.");
  return ExitCode::kDone;
}

}  // namespace

std::string pins_flags(const Config& config) {
  std::string flags;
  if (!config.pins.empty()) flags += " --pins " + shell_word(visible_line(config.pins, 400));
  return flags + desk_flags(config);
}

Result<pins::PinFile> load_pins(const Config& config) {
  if (config.pins.empty()) return pins::embedded_pins();
  const Result<std::string> text = read_file(config.pins, 4 * 1024 * 1024);
  if (!text) return pins::BadPinFile{"the file " + visible_line(config.pins, 200) + " cannot be read"};
  Result<pins::PinFile> file = pins::parse_pin_file(*text);
  if (file) return file;
  const auto* bad = file.error().as<pins::BadPinFile>();
  std::string reason = bad != nullptr ? bad->reason : file.error().text();
  if (!reason.empty() && reason.back() == '.') reason.pop_back();
  return pins::BadPinFile{visible_line(config.pins, 200) + ": " + reason};
}

namespace {

// The same verbs about a server beside the desk.
ExitCode server_pins_command(const CommandContext& context, const PinsCommand& command) {
  using Verb = PinsCommand::Verb;
  Terminal& terminal = context.terminal;
  const auto refuse = [&](const Failure& failure) {
    terminal.err(failure.text());
    return exit_code_of(failure);
  };
  const Result<const ServerConfig*> named = server_named(context.config, command.server_name);
  if (!named) return refuse(named.error());
  const ServerConfig& server = **named;
  std::optional<pins::PinFile> file;
  if (command.verb != Verb::kReview) {
    Result<std::optional<pins::PinFile>> read = load_server_pins(server);
    if (!read) return refuse(read.error());
    if (!*read) return refuse(ServerNotReviewed{server.name});
    file = **std::move(read);
  }
  if (command.verb == Verb::kList) return list_pins(terminal, *file);
  if (command.verb == Verb::kShow) return show_pin(terminal, *file, command.tools.front());
  const Result<Served> served = ask_server(context, server);
  if (!served) {
    if (const auto stopped = stopped_by_signal(context)) return *stopped;
    terminal.err(text_beside_desk(served.error()));
    if (const std::string hint = hint_beside_desk(served.error(), server); !hint.empty()) terminal.err(hint);
    const ExitCode code = exit_code_of(served.error());
    return code == ExitCode::kNo ? ExitCode::kUnreachable : code;
  }
  const std::string flags = " --server-name " + server.name;
  if (command.verb == Verb::kVerify) return verify_pins(context, *file, *served, flags);
  if (command.verb == Verb::kDiff) {
    return diff_pins(
        context, *file, *served, command.tools,
        "postern pins review" + flags + ", read it, then postern pins accept" + flags + " --reviewer \"YOUR NAME\"");
  }
  return review_server(context, server, place_of(server), served->tools, served->discovered, served->mirrors_parameters,
                       command.output);
}

}  // namespace

ExitCode pins_command(const CommandContext& context, const PinsCommand& command) {
  using Verb = PinsCommand::Verb;
  if (command.verb == Verb::kAccept) return accept_review(context, command);
  if (!command.server_name.empty()) return server_pins_command(context, command);
  const Result<pins::PinFile> file = load_pins(context.config);
  if (!file && command.verb != Verb::kReview) {
    context.terminal.err(file.error().text());
    return exit_code_of(file.error());
  }
  if (command.verb == Verb::kList) return list_pins(context.terminal, *file);
  if (command.verb == Verb::kShow) return show_pin(context.terminal, *file, command.tools.front());
  const Result<Served> served = ask_server(context);
  if (!served) return cannot_check(context, served.error());
  if (command.verb == Verb::kVerify) return verify_pins(context, *file, *served, pins_flags(context.config));
  if (command.verb == Verb::kDiff) {
    return diff_pins(context, *file, *served, command.tools,
                     "postern pins review -o review.json, read it, then run with --pins review.json");
  }
  return review_pins(context, *served, command.output);
}

}  // namespace postern::host
