#include "bridge/server_set.h"

#include <algorithm>

#include "wire/base/check.h"

namespace postern::bridge {

struct ServerSet::Server {
  ServerSetEntry entry;
  ResultValidator validator;
  ModelTools tools;
  Labeler labeler;
  std::unique_ptr<Call> call;
  int calls = 0;

  Server(ServerSetEntry given, const std::string& nonce)
      : entry(std::move(given)),
        validator(entry.tools),
        tools(entry.tools, binding_of(entry)),
        labeler(nonce, entry.name) {}

  static ToolBinding binding_of(const ServerSetEntry& entry) {
    ToolBinding binding;
    binding.server = entry.name;
    binding.mirrors_parameters = entry.mirrors_parameters;
    return binding;
  }
  [[nodiscard]] const pins::PinnedTool* pinned(const ModelTool& tool) const {
    const auto found = std::find_if(entry.tools.begin(), entry.tools.end(),
                                    [&](const pins::PinnedTool& one) { return one.name() == tool.served_name(); });
    return found == entry.tools.end() ? nullptr : &*found;
  }
};

ServerSet::ServerSet(std::string nonce) : nonce_(std::move(nonce)) {}
ServerSet::~ServerSet() = default;

std::vector<std::pair<std::string, Failure>> ServerSet::add(ServerSetEntry entry, CallOptions options) {
  POSTERN_CHECK(std::none_of(servers_.begin(), servers_.end(),
                             [&](const std::unique_ptr<Server>& other) { return other->entry.name == entry.name; }));
  auto server = std::make_unique<Server>(std::move(entry), nonce_);
  options.bound_argument.clear();
  options.moves_money.clear();
  for (const pins::PinnedTool& tool : server->entry.tools) {
    if (tool.asks_first()) options.moves_money.insert(tool.name());
  }
  server->call = server->entry.make_call(server->validator, std::move(options));
  std::vector<std::pair<std::string, Failure>> unusable = server->tools.unusable();
  servers_.push_back(std::move(server));
  return unusable;
}

void ServerSet::remove(std::string_view server) {
  const auto gone = std::remove_if(servers_.begin(), servers_.end(),
                                   [&](const std::unique_ptr<Server>& one) { return one->entry.name == server; });
  servers_.erase(gone, servers_.end());
}

std::vector<ModelTool> ServerSet::shown() const {
  std::vector<ModelTool> all;
  for (const std::unique_ptr<Server>& server : servers_)
    all.insert(all.end(), server->tools.shown().begin(), server->tools.shown().end());
  return all;
}

ServerSet::Server* ServerSet::owner(std::string_view name) const {
  for (const std::unique_ptr<Server>& server : servers_) {
    if (server->tools.find(name) != nullptr) return server.get();
  }
  return nullptr;
}

std::optional<ServerSet::Found> ServerSet::find(std::string_view name) const {
  const Server* server = owner(name);
  if (server == nullptr) return std::nullopt;
  Found found;
  found.server = server->entry.name;
  found.tool = server->tools.find(name);
  found.pinned = server->pinned(*found.tool);
  POSTERN_CHECK(found.pinned != nullptr);
  return found;
}

Status ServerSet::check_arguments(std::string_view name, const Json& arguments) const {
  const Server* server = owner(name);
  if (server == nullptr) return ToolUnusable{std::string(name), "it was not shown to the model"};
  return server->tools.check_arguments(name, arguments);
}

Result<LabeledResult> ServerSet::call(std::string_view name, const Json& arguments, std::stop_token stop) {
  Server* server = owner(name);
  POSTERN_CHECK(server != nullptr);
  if (server->calls >= server->entry.calls_max) return CallsUsedUp{server->entry.name, server->entry.calls_max};
  ++server->calls;
  const pins::PinnedTool* tool = server->pinned(*server->tools.find(name));
  POSTERN_CHECK(tool != nullptr);
  // Nothing of this run is told to a stranger: no run id, no model, no digest.
  POSTERN_TRY(const ValidatedResult result, server->call->run(*tool, arguments, Json(), std::move(stop)));
  return server->labeler.label(result);
}

std::string CallsUsedUp::text() const {
  return "The server " + server + " was called " + std::to_string(calls_max) +
         " times in this run, and more is not allowed (\"calls\" of its limits).";
}

}  // namespace postern::bridge
