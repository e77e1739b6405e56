#include "host/servers_command.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <memory>

#include "bridge/failures.h"
#include "bridge/server_set.h"
#include "bridge/tool_names.h"
#include "host/connection.h"
#include "host/server_config_file.h"
#include "host/server_pins.h"
#include "host/servers.h"
#include "pins/pin_gate.h"
#include "wire/base/visible_text.h"
#include "wire/schema/schema.h"

namespace postern::host {
namespace {

constexpr std::size_t kArgumentBytesMax = 1024 * 1024;

struct Column {
  std::string name, transport, era, pins, sign_in, where;
};

std::string sign_in_of(const ServerConfig& server, const Environment& environment) {
  if (!server.is_http()) return "none (a program of its own)";
  if (!server.bearer_token_env.empty())
    return "token of " + server.bearer_token_env +
           (environment.get(server.bearer_token_env) ? "" : ", which is not set");
  if (!server.oauth.enabled) return "none";
  return server.oauth.issuer.empty() ? "OAuth, where the server says"
                                     : "OAuth at " + visible_line(server.oauth.issuer, 120);
}

std::string pins_of(const ServerConfig& server) {
  const Result<std::optional<pins::PinFile>> pins = load_server_pins(server);
  if (!pins) return "cannot be used";
  if (!*pins) return "not reviewed";
  return std::to_string((*pins)->tools.size()) + " tools, reviewed " + (*pins)->reviewed_at;
}

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size() + 2, width), ' ');
  return text;
}

Result<std::string> read_stdin() {
  std::string text;
  std::array<char, 65536> piece{};
  while (text.size() <= kArgumentBytesMax) {
    const ssize_t got = read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0) return UsageWrong{"The arguments could not be read from stdin."};
    if (got == 0) return text;
    text.append(piece.data(), static_cast<std::size_t>(got));
  }
  return UsageWrong{"The arguments on stdin are longer than 1 MiB."};
}

Result<Json> arguments_of(const CallCommand& command) {
  if (command.arguments.empty()) return Json::object();
  std::string text = command.arguments;
  if (text == "-") {
    POSTERN_TRY(text, read_stdin());
  }
  Result<Json> json = parse_json(text);
  if (!json) return UsageWrong{"The arguments are no JSON: " + json.error().text()};
  if (!json->is_object()) return UsageWrong{"The arguments are not a JSON object, such as {\"path\":\"/srv/a.txt\"}."};
  return json;
}

// One call by hand, from the connection to the labeled result.
class HandCall {
 public:
  HandCall(const CommandContext& context, const ServerConfig& server)
      : context_(context), server_(server), set_(bridge::Labeler::new_nonce(context.outside.random)) {}
  Status prepare(const pins::PinFile& pins, const std::string& tool);
  Result<bridge::LabeledResult> call(const Json& arguments);

 private:
  [[nodiscard]] Env env() { return Env{context_.outside.clock, context_.outside.random, tap_}; }
  const CommandContext& context_;
  const ServerConfig& server_;
  NoTap tap_;
  std::unique_ptr<Connection> connection_;
  bridge::ServerSet set_;
  std::string name_;
};

Status HandCall::prepare(const pins::PinFile& pins, const std::string& tool) {
  const std::stop_token stop = context_.interrupt.token();
  POSTERN_TRY(connection_, Connection::to_server(context_, env(), server_, context_.terminal.can_ask()));
  POSTERN_TRY(const mcp::DiscoverResult discovered, connection_->session().connect(stop));
  context_.terminal.progress(
      "server", server_.name + ": " + place_of(server_) + ", MCP " + connection_->session().protocol_version());
  POSTERN_TRY(const std::vector<mcp::Tool> tools, connection_->session().list_tools(stop));
  const auto served = std::find_if(tools.begin(), tools.end(), [&](const mcp::Tool& one) { return one.name == tool; });
  if (served == tools.end()) {
    if (pins.find(tool) != nullptr) return pins::PinnedToolRemoved{tool};
    std::vector<std::string> names;
    for (const mcp::Tool& one : tools) names.push_back(one.name);
    const std::string near = nearest(tool, names);
    return UsageWrong{"The server " + server_.name + " has no tool \"" + visible_line(tool, 80) + "\"." +
                      (near.empty() ? "" : " Did you mean " + visible_line(near, 80) + "?")};
  }
  POSTERN_TRY(pins::PinnedTool pinned, pins::PinGate(pins).admit(*served));
  bridge::ServerSetEntry entry;
  entry.name = server_.name;
  entry.tools.push_back(std::move(pinned));
  entry.mirrors_parameters = connection_->session().transport().mirrors_parameters();
  entry.calls_max = 1;
  entry.make_call = calls_over(env(), *connection_);
  bridge::CallOptions options;
  options.wait_max = context_.config.wait;
  const auto unusable = set_.add(std::move(entry), std::move(options));
  if (!unusable.empty()) return unusable.front().second;
  name_ = bridge::qualified_tool_name(server_.name, tool);
  return {};
}

Result<bridge::LabeledResult> HandCall::call(const Json& arguments) {
  if (const Status fits = set_.check_arguments(name_, arguments); !fits)
    return UsageWrong{"The arguments do not fit the tool's schema: " + visible_line(fits.error().text(), 300)};
  Result<bridge::LabeledResult> result = set_.call(name_, arguments, context_.interrupt.token());
  context_.terminal.end_waiting();
  return result;
}

ExitCode call_failed(const CommandContext& context, const Failure& failure, const ServerConfig& server) {
  if (const auto stopped = stopped_by_signal(context)) return *stopped;
  Terminal& terminal = context.terminal;
  const std::string_view id = failure.id();
  if (const auto* lost = failure.as<bridge::OutcomeUnknown>()) {
    terminal.err("The answer to " + visible_line(lost->tool, 80) + " was lost or cannot be used (" +
                 visible_line(lost->reason, 300) + ").");
    terminal.err("It is not known whether the call was carried out. It is not sent again.");
    return ExitCode::kUnreachable;
  }
  terminal.err(text_beside_desk(failure));
  if (const std::string hint = hint_beside_desk(failure, server); !hint.empty()) terminal.err(hint);
  if (bridge::wants_what_was_not_declared(failure) && !terminal.can_ask())
    terminal.err("  It may want something of a person: run the command at a terminal, without --no-input.");
  if (id == pins::PinMismatch::kId || id == pins::ToolNotPinned::kId || id == pins::PinnedToolRemoved::kId)
    terminal.err("  See the change: postern pins diff --server-name " + server.name);
  return exit_code_of(failure);
}

}  // namespace

ExitCode servers_command(const CommandContext& context) {
  Terminal& terminal = context.terminal;
  if (terminal.options().json) {
    Json servers = Json::array();
    for (const ServerConfig& server : context.config.servers) {
      const Result<std::optional<pins::PinFile>> pins = load_server_pins(server);
      Json entry = Json::object({{"name", server.name}, {"enabled", server.enabled}});
      entry.set("transport", server.is_http() ? "http" : "stdio").set("where", place_of(server));
      entry.set("era", text_of(server.era)).set("reviewed", pins && *pins ? Json((*pins)->reviewed_at) : Json());
      entry.set("sign_in", sign_in_of(server, context.environment)).set("pins", server.pins);
      servers.push(std::move(entry));
    }
    terminal.out(Json::object({{"schema", "postern.servers/1"}, {"servers", std::move(servers)}}).dump());
    return ExitCode::kDone;
  }
  if (context.config.servers.empty()) {
    terminal.out("No server is configured beside the desk. See: postern help servers");
    return ExitCode::kDone;
  }
  terminal.out(padded("NAME", 14) + padded("TRANSPORT", 11) + padded("ERA", 8) + padded("PINS", 32) + "SIGN-IN");
  bool unreviewed = false;
  for (const ServerConfig& server : context.config.servers) {
    const std::string pins = pins_of(server);
    unreviewed = unreviewed || (server.enabled && pins == "not reviewed");
    terminal.out(padded(server.name, 14) + padded(server.is_http() ? "http" : "stdio", 11) +
                 padded(std::string(text_of(server.era)), 8) + padded(pins, 32) +
                 sign_in_of(server, context.environment) + (server.enabled ? "" : ", switched off"));
    terminal.out(padded("", 12) + place_of(server));
  }
  if (unreviewed) terminal.err("  Review one before its first use: postern pins review --server-name NAME");
  return ExitCode::kDone;
}

ExitCode call_command(const CommandContext& context, const CallCommand& command) {
  Terminal& terminal = context.terminal;
  const Result<const ServerConfig*> named = server_named(context.config, command.server);
  if (!named) return refuse(terminal, named.error());
  const ServerConfig& server = **named;
  const Result<Json> arguments = arguments_of(command);
  if (!arguments) return refuse(terminal, arguments.error());
  const Result<std::optional<pins::PinFile>> pins = load_server_pins(server);
  if (!pins) return refuse(terminal, pins.error());
  if (!*pins) return refuse(terminal, ServerNotReviewed{server.name});
  HandCall call(context, server);
  if (const Status prepared = call.prepare(**pins, command.tool); !prepared)
    return call_failed(context, prepared.error(), server);
  const Result<bridge::LabeledResult> result = call.call(*arguments);
  if (!result) return call_failed(context, result.error(), server);
  if (terminal.options().json) {
    Json json = Json::object({{"schema", "postern.call/1"}, {"server", server.name}, {"tool", command.tool}});
    terminal.out(json.set("is_error", result->is_error()).set("text", result->text()).dump());
  } else {
    terminal.out(result->text());
  }
  return result->is_error() ? ExitCode::kNo : ExitCode::kDone;
}

}  // namespace postern::host
