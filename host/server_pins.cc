#include "host/server_pins.h"

#include <unistd.h>

#include <algorithm>

#include "bridge/model_tools.h"
#include "bridge/tool_names.h"
#include "host/servers.h"
#include "pins/pin_diff.h"
#include "pins/pin_gate.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

constexpr std::size_t kPinBytesMax = 4 * 1024 * 1024;
constexpr std::size_t kReviewerBytesMax = 80;

std::string review_path(const ServerConfig& server) {
  constexpr std::string_view kEnd = ".json";
  std::string path = server.pins;
  if (path.size() > kEnd.size() && path.substr(path.size() - kEnd.size()) == kEnd)
    path.resize(path.size() - kEnd.size());
  return path + ".review.json";
}

std::string folder_of(const std::string& path) {
  return path.substr(0, path.rfind('/'));
}

// What a reviewer should know beside the definitions: names that look alike, tools that no model can be offered.
void print_remarks(Terminal& terminal, const ServerConfig& server, const pins::PinFile& review,
                   bool mirrors_parameters) {
  bridge::ToolNames names;
  for (const pins::ReviewedTool& tool : review.tools) {
    const Status added = names.add(server.name, tool.pin.tool);
    if (!added) terminal.err(added.error().text());
  }
  pins::PinGate gate(review);
  std::vector<pins::PinnedTool> pinned;
  for (const pins::ReviewedTool& tool : review.tools) {
    const Result<mcp::Tool> read = mcp::read_tool(tool.definition);
    if (!read) continue;
    Result<pins::PinnedTool> admitted = gate.admit(*read);
    if (admitted) pinned.push_back(*std::move(admitted));
  }
  bridge::ToolBinding binding;
  binding.server = server.name;
  binding.mirrors_parameters = mirrors_parameters;
  const bridge::ModelTools tools(pinned, std::move(binding));
  for (const auto& [tool, failure] : tools.unusable()) terminal.err(failure.text());
}

// The reviewer's decisions about a tool stay while its definition does.
void keep_decisions(pins::ReviewedTool& tool, const std::optional<pins::PinFile>& before) {
  tool.confirm = true;
  tool.offer = true;
  const pins::ReviewedTool* known = before ? before->find(tool.pin.tool) : nullptr;
  if (known == nullptr || !(known->pin == tool.pin)) return;
  tool.confirm = known->asks_first();
  tool.offer = known->is_offered();
}

Status mark(pins::PinFile& review, const std::vector<std::string>& names,
            std::optional<bool> pins::ReviewedTool::*field, const char* flag) {
  for (const std::string& name : names) {
    const auto found = std::find_if(review.tools.begin(), review.tools.end(),
                                    [&](const pins::ReviewedTool& tool) { return tool.pin.tool == name; });
    if (found == review.tools.end()) {
      std::vector<std::string> known;
      for (const pins::ReviewedTool& tool : review.tools) known.push_back(tool.pin.tool);
      const std::string near = nearest(name, known);
      return UsageWrong{std::string(flag) + ": the review has no tool \"" + visible_line(name, 80) + "\"." +
                        (near.empty() ? "" : " Did you mean " + visible_line(near, 80) + "?")};
    }
    (*found).*field = false;
  }
  return {};
}

std::string names_of(const pins::PinFile& review, bool (*wanted)(const pins::ReviewedTool&)) {
  std::string names;
  for (const pins::ReviewedTool& tool : review.tools) {
    if (wanted(tool)) names += (names.empty() ? "" : ", ") + visible_line(tool.pin.tool, 80);
  }
  return names;
}

}  // namespace

Result<const ServerConfig*> server_named(const Config& config, const std::string& name) {
  if (const ServerConfig* server = config.find_server(name)) return server;
  if (config.servers.empty()) return UsageWrong{"No server is configured beside the desk. See: postern help servers"};
  std::vector<std::string> names;
  std::string all;
  for (const ServerConfig& server : config.servers) {
    names.push_back(server.name);
    all += (all.empty() ? "" : ", ") + server.name;
  }
  const std::string near = nearest(name, names);
  return UsageWrong{"There is no server \"" + visible_line(name, 60) + "\" in mcpServers." +
                    (near.empty() ? " There are: " + all : " Did you mean " + near + "?")};
}

ExitCode review_server(const CommandContext& context, const ServerConfig& server, const std::string& where,
                       const std::vector<mcp::Tool>& tools, const mcp::DiscoverResult& discovered,
                       bool mirrors_parameters, const std::string& output) {
  Terminal& terminal = context.terminal;
  const Result<std::optional<pins::PinFile>> before = load_server_pins(server);
  if (!before) terminal.err(before.error().text());
  const std::optional<pins::PinFile> known = before ? *before : std::optional<pins::PinFile>();
  pins::PinFile review;
  // Ours and where it was read; what the server calls itself decides nothing and is nobody's business later.
  review.server_name = server.name;
  review.server_version = discovered.server_info ? visible_line(discovered.server_info->version, 60) : "";
  review.reviewed_at = rfc3339(context.outside.clock.now()).substr(0, 10);
  review.instructions = discovered.instructions;
  for (const mcp::Tool& tool : tools) {
    review.tools.push_back({pins::pin_of(tool), tool.definition, true, true});
    keep_decisions(review.tools.back(), known);
  }
  const std::string text = pins::serialise(review);
  const std::string path = output.empty() ? review_path(server) : output;
  if (path == "-") {
    terminal.out_text(text);
    return ExitCode::kDone;
  }
  if (const Result<pins::PinFile> again = pins::parse_pin_file(text); !again) {
    terminal.err("What " + server.name + " serves cannot be reviewed: " + again.error().text());
    return ExitCode::kUnreachable;
  }
  if (output.empty()) {
    if (const Status made = make_folder(folder_of(path)); !made) return refuse(terminal, made.error());
  }
  if (const Status written = replace_file(path, text); !written) return refuse(terminal, written.error());
  std::size_t same = 0;
  Json names = Json::array();
  for (const mcp::Tool& tool : tools) {
    const pins::PinDiff diff = pins::diff_of(known ? known->find(tool.name) : nullptr, &tool);
    names.push(Json::object({{"name", tool.name}, {"differs", diff.differs}}));
    same += diff.differs ? 0U : 1U;
    if (diff.differs && !terminal.options().json) terminal.out_text(diff.text);
  }
  print_remarks(terminal, server, review, mirrors_parameters);
  if (terminal.options().json) {
    Json json = Json::object({{"schema", "postern.pins.review/1"}, {"server", server.name}, {"where", where}});
    terminal.out(json.set("tools", std::move(names)).set("file", path).dump());
    return ExitCode::kDone;
  }
  terminal.progress("review", std::to_string(tools.size()) + " definitions of " + server.name + " (" +
                                  visible_line(where, 200) + ") written to " + visible_line(path, 200));
  if (same > 0) terminal.progress("", std::to_string(same) + " of them are as they were reviewed before.");
  terminal.err("Nothing is trusted until somebody has read them: above, or in the file. Then:");
  terminal.err("  postern pins accept --server-name " + server.name + " --reviewer \"YOUR NAME\"" +
               (output.empty() ? "" : " --review " + visible_line(path, 200)));
  return ExitCode::kDone;
}

ExitCode accept_review(const CommandContext& context, const PinsCommand& command) {
  Terminal& terminal = context.terminal;
  const Result<const ServerConfig*> named = server_named(context.config, command.server_name);
  if (!named) return refuse(terminal, named.error());
  const ServerConfig& server = **named;
  if (is_blank(command.reviewer) || command.reviewer.size() > kReviewerBytesMax ||
      visible_line(command.reviewer) != command.reviewer)
    return refuse(terminal, UsageWrong{"--reviewer is a name of 1 to 80 bytes that can be seen."});
  const std::string path = command.review.empty() ? review_path(server) : command.review;
  if (!file_exists(path)) {
    return refuse(terminal,
                  UsageWrong{"There is no review of " + server.name + " to accept (" + visible_line(path, 200) +
                             ").\n  Make one: postern pins review --server-name " + server.name});
  }
  const Result<std::string> text = read_file(path, kPinBytesMax);
  if (!text) return refuse(terminal, text.error());
  Result<pins::PinFile> review = pins::parse_pin_file(*text);
  if (!review) return refuse(terminal, review.error());
  if (review->server_name != server.name) {
    return refuse(terminal, UsageWrong{visible_line(path, 200) + " is a review of " +
                                       visible_line(review->server_name, 60) + ", not of " + server.name + "."});
  }
  for (pins::ReviewedTool& tool : review->tools) {
    tool.confirm = tool.asks_first();
    tool.offer = tool.is_offered();
  }
  Status marked = mark(*review, command.no_confirm, &pins::ReviewedTool::confirm, "--no-confirm");
  if (marked) marked = mark(*review, command.no_offer, &pins::ReviewedTool::offer, "--no-offer");
  if (!marked) return refuse(terminal, marked.error());
  review->reviewer = command.reviewer;
  if (const Status made = make_folder(folder_of(server.pins)); !made) return refuse(terminal, made.error());
  if (const Status written = replace_file(server.pins, pins::serialise(*review)); !written)
    return refuse(terminal, written.error());
  if (command.review.empty()) unlink(path.c_str());
  terminal.progress("pins", std::to_string(review->tools.size()) + " definitions of " + server.name + " accepted by " +
                                command.reviewer + ": " + visible_line(server.pins, 200));
  const std::string free = names_of(*review, [](const pins::ReviewedTool& tool) { return !tool.asks_first(); });
  const std::string kept = names_of(*review, [](const pins::ReviewedTool& tool) { return !tool.is_offered(); });
  terminal.progress(
      "", free.empty() ? "Each call of them wants a yes at the terminal." : "Without a yes each time: " + free);
  if (!kept.empty()) terminal.progress("", "Kept from the model: " + kept);
  return ExitCode::kDone;
}

}  // namespace postern::host
