#include "services/mcp_tasks/task_record.h"

#include <algorithm>
#include <utility>

#include "services/mcp/answer.h"
#include "wire/base/check.h"

namespace postern::mcp {

std::string_view text_of(TaskStatus status) {
  switch (status) {
    case TaskStatus::kWorking:
      return "working";
    case TaskStatus::kInputRequired:
      return "input_required";
    case TaskStatus::kCompleted:
      return "completed";
    case TaskStatus::kFailed:
      return "failed";
    case TaskStatus::kCancelled:
      return "cancelled";
  }
  return "failed";
}

bool is_final(TaskStatus status) {
  return status != TaskStatus::kWorking && status != TaskStatus::kInputRequired;
}

TaskRecord TaskRecord::begun(std::string id, std::string owner, WallTime now, Milliseconds round_deadline,
                             Milliseconds keep) {
  TaskRecord record;
  record.id = std::move(id);
  record.owner = std::move(owner);
  record.created_at = now;
  record.updated_at = now;
  record.expires_at = now + round_deadline + keep;
  record.round_deadline = round_deadline;
  return record;
}

void TaskRecord::park(const InputRequiredResult& asked, WallTime now, Milliseconds keep) {
  POSTERN_CHECK(status == TaskStatus::kWorking);
  for (const InputRequest& request : asked.input_requests) {
    pending.push_back({request.key + "." + std::to_string(round), request});
  }
  request_state = asked.request_state;
  status = TaskStatus::kInputRequired;
  updated_at = now;
  expires_at = now + keep;
}

void TaskRecord::hold(const std::optional<std::string>& state, WallTime now, Milliseconds keep) {
  POSTERN_CHECK(status == TaskStatus::kWorking);
  request_state = state;
  ++round;
  updated_at = now;
  expires_at = now + round_deadline + keep;
}

bool TaskRecord::take_answers(const std::vector<InputResponse>& responses, WallTime now, Milliseconds keep) {
  if (status != TaskStatus::kInputRequired) return false;
  for (const InputResponse& response : responses) {
    const auto question = std::find_if(pending.begin(), pending.end(),
                                       [&](const PendingInput& input) { return input.key == response.key; });
    if (question == pending.end()) continue;
    const std::string key = question->request.key;
    std::erase_if(answers, [&](const InputResponse& older) { return older.key == key; });
    answers.push_back({key, response.response});
    pending.erase(question);
    updated_at = now;
  }
  if (!pending.empty()) return false;
  status = TaskStatus::kWorking;
  ++round;
  expires_at = now + round_deadline + keep;
  return true;
}

void TaskRecord::end(TaskStatus end_status, Json end_outcome, WallTime now, Milliseconds keep) {
  POSTERN_CHECK(!is_final(status));
  status = end_status;
  outcome = std::move(end_outcome);
  pending.clear();
  answers.clear();
  request_state.reset();
  updated_at = now;
  expires_at = now + keep;
}

void TaskRecord::complete(const CallToolResult& result, WallTime now, Milliseconds keep) {
  end(TaskStatus::kCompleted, result_json(result), now, keep);
}

void TaskRecord::fail(const Failure& failure, WallTime now, Milliseconds keep) {
  const JsonRpcError error = error_of(failure, std::nullopt);
  Json members = Json::object({{"code", error.code}, {"message", error.message}});
  if (error.data) members.append_member("data", *error.data);
  end(TaskStatus::kFailed, std::move(members), now, keep);
}

void TaskRecord::cancel(WallTime now, Milliseconds keep) {
  end(TaskStatus::kCancelled, Json(), now, keep);
}

Json TaskRecord::task_json(Milliseconds poll_interval) const {
  return Json::object({{"taskId", id},
                       {"status", text_of(status)},
                       {"createdAt", rfc3339(created_at)},
                       {"lastUpdatedAt", rfc3339(updated_at)},
                       {"ttlMs", std::int64_t{(expires_at - created_at).count()}},
                       {"pollIntervalMs", std::int64_t{poll_interval.count()}}});
}

Json TaskRecord::created_json(Milliseconds poll_interval) const {
  Json json = Json::object({{"resultType", "task"}});
  const Json task = task_json(poll_interval);
  for (const auto& [name, value] : task.members()) json.append_member(name, value);
  return json;
}

Json TaskRecord::detailed_json(Milliseconds poll_interval) const {
  Json json = task_json(poll_interval);
  if (status == TaskStatus::kCompleted) json.append_member("result", outcome);
  if (status == TaskStatus::kFailed) {
    json.append_member("statusMessage", outcome.string_at("message"));
    json.append_member("error", outcome);
  }
  if (status == TaskStatus::kInputRequired) {
    Json requests = Json::object();
    for (const PendingInput& input : pending) {
      requests.append_member(input.key,
                             Json::object({{"method", input.request.method}, {"params", input.request.params}}));
    }
    json.append_member("inputRequests", std::move(requests));
  }
  return json;
}

}  // namespace postern::mcp
