// A part of a server beside the core: methods of an extension of the protocol (MCP 2026-07-28 basic/versioning,
// "Extensions").
//
// The core checks version, headers, scopes and, when the row says so, that the client declared the extension on this
// very request; then the handler answers with the members of a `complete` result. Thread-safe; an extension outlives
// the server's requests.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "services/mcp/server_features.h"

namespace postern::mcp {

struct MethodCall : Call {
  const Json& params;  // an object; _meta has been read
};

struct ExtensionMethod {
  std::string name;                  // "tasks/get"
  bool client_must_declare = false;  // -32021 otherwise
  Lane lane = Lane::kLoop;
  std::chrono::milliseconds deadline{10'000};
  std::function<Result<Json>(const MethodCall&)> handler;  // an object, without resultType
};

class Extension {
 public:
  virtual ~Extension() = default;
  [[nodiscard]] virtual std::string_view identifier() const = 0;  // "io.modelcontextprotocol/tasks"
  [[nodiscard]] virtual Json settings() const = 0;                // an object
  [[nodiscard]] virtual std::vector<ExtensionMethod> methods() = 0;
  // Resources that the extension adds to the server's own.
  [[nodiscard]] virtual std::vector<ResourceRow> resources() { return {}; }
};

// One round of a call that goes on as a task: the handler with its checks, given what was answered so far. Blocks;
// heeds the token. Its failures are the handler's (server_features.h): one with the disposition kToolError is told as a
// result with isError.
using TaskWork = std::function<Result<CallToolOutcome>(std::vector<InputResponse> responses,
                                                       std::optional<std::string> request_state, std::stop_token stop)>;

struct TaskStart {
  std::shared_ptr<const services::Principal> owner;
  std::string tool;
  std::chrono::milliseconds deadline;  // of one round
  TaskWork work;
};

// What carries calls on as tasks.
class TaskStarter {
 public:
  virtual ~TaskStarter() = default;
  [[nodiscard]] virtual std::string_view extension() const = 0;  // what the client must declare
  // Where start() runs.
  [[nodiscard]] virtual Lane lane() const { return Lane::kLoop; }
  // The members of a result whose resultType is "task" (they hold it). Must not block in kLoop.
  [[nodiscard]] virtual Result<Json> start(TaskStart start) = 0;
};

}  // namespace postern::mcp
