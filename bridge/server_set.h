// ServerSet: the servers beside the desk, as a model meets them: which server a name belongs to, what it takes, and one
// labeled result for one call.
//
// Each server has its own pins, validator, label, call and count of calls; nothing of one reaches another. Their calls
// have no case: no argument is bound, and nothing that they return is read by the host. So no result of theirs can move
// money or open anything.
//
// Owns what it makes; sessions and authorizers behind the calls must outlive it. Not thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bridge/call.h"
#include "bridge/label.h"
#include "bridge/model_tools.h"
#include "bridge/result_validator.h"
#include "pins/pin_gate.h"

namespace postern::bridge {

struct ServerSetEntry {
  std::string name;  // of the configuration
  std::vector<pins::PinnedTool> tools;
  bool mirrors_parameters = true;
  int calls_max = 100;
  // Makes the call of this server. Its tools have effects as far as anybody knows, but for those that the reviewer lets
  // through without a question: the names of the former stand in options.moves_money, so that a lost answer to one of
  // them is bridge.outcome_unknown and the call is not made again.
  std::function<std::unique_ptr<Call>(const ResultValidator& validator, CallOptions options)> make_call;
};

class ServerSet {
 public:
  // `nonce` is that of the run (bridge/label.h).
  explicit ServerSet(std::string nonce);
  ~ServerSet();
  ServerSet(const ServerSet&) = delete;
  ServerSet& operator=(const ServerSet&) = delete;

  // Gives the tools that are left out, and why. REQUIRES a name that no other server has.
  std::vector<std::pair<std::string, Failure>> add(ServerSetEntry entry, CallOptions options);
  // No tool of that server any more: it is gone.
  void remove(std::string_view server);

  // What a model is offered, in the order of the servers.
  [[nodiscard]] std::vector<ModelTool> shown() const;
  struct Found {
    std::string server;
    const ModelTool* tool = nullptr;
    const pins::PinnedTool* pinned = nullptr;
  };
  // Nothing when no server here has a tool of that name.
  [[nodiscard]] std::optional<Found> find(std::string_view name) const;
  // schema.mismatch, schema.tool_unusable.
  [[nodiscard]] Status check_arguments(std::string_view name, const Json& arguments) const;
  // One call. Failures: bridge.calls_used_up, and those of Call::run. REQUIRES find(name).
  [[nodiscard]] Result<LabeledResult> call(std::string_view name, const Json& arguments, std::stop_token stop);

 private:
  struct Server;
  [[nodiscard]] Server* owner(std::string_view name) const;
  std::string nonce_;
  std::vector<std::unique_ptr<Server>> servers_;
};

struct CallsUsedUp {
  static constexpr std::string_view kId = "bridge.calls_used_up";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string server;
  int calls_max = 0;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
