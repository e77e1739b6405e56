// Tasks in one SQLite file, for processes that stand behind one address: whichever of them is asked answers tasks/get,
// tasks/update and tasks/cancel; the process that started a task carries it out, and looks here for answers and for
// cancellation (task_runner.h). The round of a process that died is told as failed once its time is over (tasks.h).
//
//   POSTERN_TRY(auto store, open_task_database({database_dir + "/tasks.sqlite", bounds}));
//   const auto tasks = Tasks::make(env, options, std::move(store));
//
// Thread-safe. Failures of all its functions: store.*.
#pragma once

#include <memory>
#include <string>

#include "services/mcp_tasks/task_store.h"
#include "wire/base/result.h"

namespace postern::mcp {

struct TaskDatabaseOptions {
  std::string path;
  TaskBounds bounds;
};

[[nodiscard]] Result<std::unique_ptr<TaskStore>> open_task_database(const TaskDatabaseOptions& options);

}  // namespace postern::mcp
