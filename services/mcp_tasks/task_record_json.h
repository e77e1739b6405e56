// A task's record as JSON, for stores that keep it outside this process. Not a wire form: clients get created_json()
// and detailed_json(). Thread-safe, without state.
#pragma once

#include <string>

#include "services/mcp_tasks/task_record.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::mcp {

// Without the id, which is what one has to know.
[[nodiscard]] Json to_json(const TaskRecord& record);
// `tasks.bad_record` for what this version did not write.
[[nodiscard]] Result<TaskRecord> read_task_record(const Json& json, std::string id);

}  // namespace postern::mcp
