// Where tasks are kept: what tasks/get, tasks/update and tasks/cancel are answered from.
//
// In the memory of one process here; services/mcp_task_database keeps them for several. Thread-safe. A task whose time
// is over is not found, and makes room.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "services/mcp_tasks/task_record.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"

namespace postern::mcp {

struct TaskBounds {
  std::size_t tasks_max = 1024;              // of all callers
  std::size_t tasks_of_one_caller_max = 64;  // finished ones that are still kept count
};

class TaskStore {
 public:
  virtual ~TaskStore() = default;
  // Keeps a new task. `tasks.too_many`, `tasks.too_many_of_caller`.
  [[nodiscard]] virtual Status insert(TaskRecord record, WallTime now) = 0;
  // Nothing when there is none of that id.
  [[nodiscard]] virtual Result<std::optional<TaskRecord>> find(const std::string& id, WallTime now) = 0;
  // Changes one task as one step: nobody else changes it between what `step` sees and what it leaves. Nothing is kept
  // when it returns false. False when there is no such task too. `step` must not call the store.
  using Step = std::function<bool(TaskRecord& record)>;
  [[nodiscard]] virtual Result<bool> change(const std::string& id, WallTime now, const Step& step) = 0;
  // Other processes change its tasks too, and its functions wait for a disk and for them.
  [[nodiscard]] virtual bool is_shared() const { return false; }
};

// In the memory of this process.
[[nodiscard]] std::unique_ptr<TaskStore> memory_task_store(TaskBounds bounds);

}  // namespace postern::mcp
