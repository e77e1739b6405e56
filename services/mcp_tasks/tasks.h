// Calls that go on as tasks: the extension io.modelcontextprotocol/tasks (SEP-2663; MCP 2026-07-28 has it beside the
// core).
//
//   const auto tasks = Tasks::make(env);                      // after what the handlers use, before the server
//   features.extensions.push_back(tasks->extension());
//   features.task_starter = tasks->starter();
//   row.as_task = [](const ToolCall&) { return true; };       // this tool's calls, for clients that declare tasks
//
// The handler of such a row runs on a thread of the tasks' own pool, once a round. What it asks for with
// InputRequiredResult parks the task: tasks/get shows the questions, tasks/update takes the answers key by key, and
// when all are there the handler runs again with every answer that was given so far under the handler's own keys (the
// last one of each), and with its own request_state, which no client ever sees. A parked task holds no thread. A
// result, isError included, completes the task; a failure that a plain call would answer with a JSON-RPC error fails
// it. What comes back after tasks/cancel, or after the deadline of the round, is dropped.
//
// A task belongs to the principal that started it: to everybody else it is unknown. Its id holds 128 random bits. A
// finished task is kept for `keep`, a parked one waits that long for an answer; then it is forgotten. A tool that must
// be a task refuses clients without the extension by ToolRow::client_capabilities.
//
// Where several processes stand behind one address, Tasks::make() takes a store that they share: then each of them
// answers for every task, and the one that started it carries it out. A process that ends leaves its unfinished tasks
// failed; of one that dies they are told as failed when their round is over.
//
// Thread-safe. The server must be destroyed first; destroying the tasks stops all work and waits for the handlers that
// are running: they heed their stop tokens.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/mcp/extension.h"
#include "services/mcp_tasks/task_store.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::mcp {

class TaskRunner;

inline constexpr std::string_view kTasksExtension = "io.modelcontextprotocol/tasks";

struct TaskOptions {
  std::size_t workers = 4;                       // handlers that run at a time; the others wait for their turn
  TaskBounds bounds;                             // tasks that are kept at a time
  std::chrono::milliseconds keep{600'000};       // a finished task, and a parked one that nobody answers
  std::chrono::milliseconds poll_interval{500};  // what clients are told
};

class Tasks final : public Extension, public TaskStarter {
 public:
  // `env` must outlive it.
  [[nodiscard]] static std::unique_ptr<Tasks> make(Env env, const TaskOptions& options = {});
  // `options.bounds` are the store's own here.
  [[nodiscard]] static std::unique_ptr<Tasks> make(Env env, const TaskOptions& options,
                                                   std::unique_ptr<TaskStore> store);
  ~Tasks() override;
  Tasks(const Tasks&) = delete;
  Tasks& operator=(const Tasks&) = delete;

  // For ServerFeatures. They own nothing: a task keeps the tables that it was started with, which hold these.
  [[nodiscard]] std::shared_ptr<Extension> extension();
  [[nodiscard]] std::shared_ptr<TaskStarter> starter();

  // Extension.
  [[nodiscard]] std::string_view identifier() const override { return kTasksExtension; }
  [[nodiscard]] Json settings() const override { return Json::object(); }
  // tasks/get, tasks/update, tasks/cancel. Failures: tasks.unknown_task, mcp.malformed_params.
  [[nodiscard]] std::vector<ExtensionMethod> methods() override;

  // TaskStarter. Failures of start(): tasks.too_many, tasks.too_many_of_caller.
  [[nodiscard]] std::string_view extension() const override { return kTasksExtension; }
  [[nodiscard]] Lane lane() const override;
  [[nodiscard]] Result<Json> start(TaskStart start) override;

 private:
  Tasks(Env env, const TaskOptions& options, std::unique_ptr<TaskStore> store);
  // The caller's own task of the request. `tasks.unknown_task`.
  [[nodiscard]] Result<TaskRecord> find(const MethodCall& call) const;
  // A round that should be over long ago: nobody carries it out.
  [[nodiscard]] bool is_abandoned(const TaskRecord& record) const;
  [[nodiscard]] Result<Json> get(const MethodCall& call);
  [[nodiscard]] Result<Json> update(const MethodCall& call);
  [[nodiscard]] Result<Json> cancel(const MethodCall& call);

  Env env_;
  TaskOptions options_;
  std::unique_ptr<TaskStore> store_;
  std::unique_ptr<TaskRunner> runner_;
};

}  // namespace postern::mcp
