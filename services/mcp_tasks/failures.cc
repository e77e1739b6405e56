#include "services/mcp_tasks/failures.h"

namespace postern::mcp {

std::string UnknownTask::text() const {
  return "There is no such task, or its time is over. Call the tool again to start a new one.";
}

std::string TooManyTasks::text() const {
  return "This server keeps " + std::to_string(most) +
         " tasks, and has no room for another one. Nothing was started. Call the tool again later.";
}

std::string TooManyTasksOfCaller::text() const {
  return "You have " + std::to_string(most) +
         " tasks here, as many as one caller may have. Nothing was started. Wait until some are done and forgotten.";
}

std::string TaskAbandoned::text() const {
  return "The process that carried the task out ended before it was done. What the tool does may have happened.";
}

std::string BadTaskRecord::text() const {
  return "A task in the store was not written by this version.";
}

}  // namespace postern::mcp
