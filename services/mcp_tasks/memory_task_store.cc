#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "services/mcp_tasks/failures.h"
#include "services/mcp_tasks/task_store.h"
#include "wire/base/mutex.h"

namespace postern::mcp {
namespace {

class MemoryTaskStore final : public TaskStore {
 public:
  explicit MemoryTaskStore(TaskBounds bounds) : bounds_(bounds) {}

  Status insert(TaskRecord record, WallTime now) override {
    const MutexLock lock(mutex_);
    std::erase_if(tasks_, [now](const auto& task) { return task.second.expires_at <= now; });
    if (tasks_.size() >= bounds_.tasks_max) return TooManyTasks{bounds_.tasks_max};
    const auto of_caller = std::count_if(tasks_.begin(), tasks_.end(),
                                         [&](const auto& task) { return task.second.owner == record.owner; });
    if (static_cast<std::size_t>(of_caller) >= bounds_.tasks_of_one_caller_max)
      return TooManyTasksOfCaller{bounds_.tasks_of_one_caller_max};
    std::string id = record.id;
    tasks_.emplace(std::move(id), std::move(record));
    return {};
  }

  Result<std::optional<TaskRecord>> find(const std::string& id, WallTime now) override {
    const MutexLock lock(mutex_);
    const auto found = tasks_.find(id);
    if (found == tasks_.end() || found->second.expires_at <= now) return std::optional<TaskRecord>();
    return std::optional<TaskRecord>(found->second);
  }

  Result<bool> change(const std::string& id, WallTime now, const Step& step) override {
    const MutexLock lock(mutex_);
    const auto found = tasks_.find(id);
    if (found == tasks_.end() || found->second.expires_at <= now) return false;
    TaskRecord changed = found->second;
    if (!step(changed)) return false;
    found->second = std::move(changed);
    return true;
  }

 private:
  const TaskBounds bounds_;
  Mutex mutex_;
  std::map<std::string, TaskRecord> tasks_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace

std::unique_ptr<TaskStore> memory_task_store(TaskBounds bounds) {
  return std::make_unique<MemoryTaskStore>(bounds);
}

}  // namespace postern::mcp
