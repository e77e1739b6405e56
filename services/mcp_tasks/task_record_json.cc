#include "services/mcp_tasks/task_record_json.h"

#include <array>
#include <optional>
#include <utility>

#include "services/mcp_tasks/failures.h"

namespace postern::mcp {
namespace {

std::int64_t milliseconds(WallTime time) {
  return time.time_since_epoch().count();
}

std::optional<TaskStatus> status_of_text(std::string_view text) {
  static constexpr std::array kAll = {TaskStatus::kWorking, TaskStatus::kInputRequired, TaskStatus::kCompleted,
                                      TaskStatus::kFailed, TaskStatus::kCancelled};
  for (const TaskStatus status : kAll) {
    if (text_of(status) == text) return status;
  }
  return std::nullopt;
}

Json member(const Json& json, std::string_view name) {
  const Json* found = json.find(name);
  return found == nullptr ? Json() : *found;
}

}  // namespace

Json to_json(const TaskRecord& record) {
  Json pending = Json::array();
  for (const PendingInput& input : record.pending) {
    pending.push(Json::object({{"key", input.key},
                               {"request_key", input.request.key},
                               {"method", input.request.method},
                               {"params", input.request.params}}));
  }
  Json answers = Json::array();
  for (const InputResponse& answer : record.answers)
    answers.push(Json::object({{"key", answer.key}, {"response", answer.response}}));
  Json json = Json::object({{"owner", record.owner},
                            {"status", text_of(record.status)},
                            {"created_at", milliseconds(record.created_at)},
                            {"updated_at", milliseconds(record.updated_at)},
                            {"expires_at", milliseconds(record.expires_at)},
                            {"round_deadline", std::int64_t{record.round_deadline.count()}},
                            {"round", record.round},
                            {"pending", std::move(pending)},
                            {"answers", std::move(answers)},
                            {"outcome", record.outcome}});
  if (record.request_state) json.append_member("request_state", *record.request_state);
  return json;
}

Result<TaskRecord> read_task_record(const Json& json, std::string id) {
  TaskRecord record;
  const auto status = status_of_text(json.string_at("status"));
  const auto time = [&](std::string_view name, WallTime& into) {
    const auto read = json.integer_at(name);
    if (read) into = WallTime(Milliseconds(*read));
    return read.has_value();
  };
  const auto deadline = json.integer_at("round_deadline");
  const auto round = json.integer_at("round");
  if (!status || !deadline || !round || !time("created_at", record.created_at) ||
      !time("updated_at", record.updated_at) || !time("expires_at", record.expires_at))
    return BadTaskRecord{};
  record.id = std::move(id);
  record.owner = json.string_at("owner");
  record.status = *status;
  record.round_deadline = Milliseconds(*deadline);
  record.round = *round;
  const Json pending = member(json, "pending");
  for (const Json& input : pending.elements()) {
    record.pending.push_back({std::string(input.string_at("key")),
                              {std::string(input.string_at("request_key")), std::string(input.string_at("method")),
                               member(input, "params")}});
  }
  const Json answers = member(json, "answers");
  for (const Json& answer : answers.elements())
    record.answers.push_back({std::string(answer.string_at("key")), member(answer, "response")});
  if (json.has("request_state")) record.request_state = std::string(json.string_at("request_state"));
  record.outcome = member(json, "outcome");
  return record;
}

}  // namespace postern::mcp
