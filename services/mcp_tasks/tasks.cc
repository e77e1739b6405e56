#include "services/mcp_tasks/tasks.h"

#include <utility>

#include "services/mcp_tasks/failures.h"
#include "services/mcp_tasks/task_runner.h"
#include "wire/base/random_source.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/request_params.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kIdPrefix = "task_";
constexpr std::size_t kIdBytes = 16;
// How long after the end of a round its task still says that it works: the process that carries it out tells it first.
constexpr Milliseconds kAfterRound{5'000};

Result<std::string> read_task_id(const Json& params) {
  const Json* id = params.find("taskId");
  if (id == nullptr || !id->is_string()) return MalformedParams{"params.taskId", "a string"};
  return *id->string();
}

}  // namespace

std::unique_ptr<Tasks> Tasks::make(Env env, const TaskOptions& options) {
  return make(env, options, memory_task_store(options.bounds));
}

std::unique_ptr<Tasks> Tasks::make(Env env, const TaskOptions& options, std::unique_ptr<TaskStore> store) {
  return std::unique_ptr<Tasks>(new Tasks(env, options, std::move(store)));
}

Tasks::Tasks(Env env, const TaskOptions& options, std::unique_ptr<TaskStore> store)
    : env_(env),
      options_(options),
      store_(std::move(store)),
      runner_(std::make_unique<TaskRunner>(env, *store_, options.workers, options.keep)) {}

Tasks::~Tasks() = default;

std::shared_ptr<Extension> Tasks::extension() {
  return {std::shared_ptr<void>(), this};
}

std::shared_ptr<TaskStarter> Tasks::starter() {
  return {std::shared_ptr<void>(), this};
}

std::vector<ExtensionMethod> Tasks::methods() {
  const auto method = [this](const char* name, std::function<Result<Json>(const MethodCall&)> handler) {
    ExtensionMethod row;
    row.name = name;
    row.client_must_declare = true;
    row.lane = lane();
    row.handler = std::move(handler);
    return row;
  };
  return {method("tasks/get", [this](const MethodCall& call) { return get(call); }),
          method("tasks/update", [this](const MethodCall& call) { return update(call); }),
          method("tasks/cancel", [this](const MethodCall& call) { return cancel(call); })};
}

Lane Tasks::lane() const {
  return store_->is_shared() ? Lane::kBlocking : Lane::kLoop;
}

// The record is there before the client learns the id (SEP-2663, "Task Creation").
Result<Json> Tasks::start(TaskStart start) {
  const WallTime now = env_.clock.now();
  TaskRecord record = TaskRecord::begun(random_token(env_.random, kIdPrefix, kIdBytes), start.owner->key(), now,
                                        start.deadline, options_.keep);
  Json created = record.created_json(options_.poll_interval);
  const std::string id = record.id;
  POSTERN_TRY_VOID(store_->insert(std::move(record), now));
  runner_->begin(id, std::move(start));
  return created;
}

// Holding an id proves nothing: the task must be the caller's (SEP-2663, "Security Considerations").
Result<TaskRecord> Tasks::find(const MethodCall& call) const {
  POSTERN_TRY(const std::string id, read_task_id(call.params));
  POSTERN_TRY(std::optional<TaskRecord> record, store_->find(id, env_.clock.now()));
  if (!record || record->owner != call.principal.key()) return UnknownTask{};
  return *std::move(record);
}

bool Tasks::is_abandoned(const TaskRecord& record) const {
  return record.status == TaskStatus::kWorking && env_.clock.now() >= record.expires_at - options_.keep + kAfterRound;
}

Result<Json> Tasks::get(const MethodCall& call) {
  POSTERN_TRY(TaskRecord record, find(call));
  if (store_->is_shared() && is_abandoned(record)) {
    const WallTime now = env_.clock.now();
    POSTERN_TRY_VOID(store_->change(record.id, now, [&](TaskRecord& task) {
      record = task;
      if (!is_abandoned(task)) return false;
      task.fail(TaskAbandoned{}, now, options_.keep);
      record = task;
      return true;
    }));
  }
  return record.detailed_json(options_.poll_interval);
}

Result<Json> Tasks::update(const MethodCall& call) {
  if (!call.params.has("inputResponses")) return MalformedParams{"params.inputResponses", "an object"};
  POSTERN_TRY(const InputRound round, read_input_round(call.params));
  POSTERN_TRY(const TaskRecord record, find(call));
  const WallTime now = env_.clock.now();
  std::int64_t next_round = 0;
  POSTERN_TRY_VOID(store_->change(record.id, now, [&](TaskRecord& task) {
    const std::size_t before = task.pending.size();
    if (task.take_answers(round.input_responses, now, options_.keep)) next_round = task.round;
    return task.pending.size() < before;
  }));
  if (next_round != 0) runner_->go_on(record.id, next_round);
  return Json::object();
}

Result<Json> Tasks::cancel(const MethodCall& call) {
  POSTERN_TRY(const TaskRecord record, find(call));
  const WallTime now = env_.clock.now();
  POSTERN_TRY_VOID(store_->change(record.id, now, [&](TaskRecord& task) {
    if (is_final(task.status)) return false;
    task.cancel(now, options_.keep);
    return true;
  }));
  runner_->drop(record.id);
  return Json::object();
}

}  // namespace postern::mcp
