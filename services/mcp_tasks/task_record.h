// One task as it is kept and shown (SEP-2663, "Tasks"): plain data, and the steps that it may take.
//
// working -> input_required -> working -> ... -> completed, failed or cancelled, which are final: a step that is not
// allowed is refused by the caller's look at `status`. Times are wall times, because clients are told them.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/failure.h"
#include "wire/base/json.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

enum class TaskStatus { kWorking, kInputRequired, kCompleted, kFailed, kCancelled };
[[nodiscard]] std::string_view text_of(TaskStatus status);  // "working", "input_required", ...
[[nodiscard]] bool is_final(TaskStatus status);

// A question of the handler that is not answered yet. Its key on the wire is the handler's with the round behind it, so
// that none is ever used twice (SEP-2663, "Task Update Requests").
struct PendingInput {
  std::string key;
  InputRequest request;  // as the handler asked, under its own key
};

struct TaskRecord {
  std::string id;
  std::string owner;  // Principal::key()
  TaskStatus status = TaskStatus::kWorking;
  WallTime created_at;
  WallTime updated_at;
  WallTime expires_at;  // then it is forgotten; ttlMs tells it from created_at on
  Milliseconds round_deadline{0};
  std::int64_t round = 1;
  std::vector<PendingInput> pending;
  std::vector<InputResponse> answers;        // given so far, under the handler's keys, each key once
  std::optional<std::string> request_state;  // the handler's own, never shown
  Json outcome;                              // of a completed task its result, of a failed one its error

  // A task whose first round begins now.
  [[nodiscard]] static TaskRecord begun(std::string id, std::string owner, WallTime now, Milliseconds round_deadline,
                                        Milliseconds keep);
  // The round ended in questions. REQUIRES working.
  void park(const InputRequiredResult& asked, WallTime now, Milliseconds keep);
  // The round ended in a state without a question: the handler wants to run again. REQUIRES working.
  void hold(const std::optional<std::string>& state, WallTime now, Milliseconds keep);
  // Takes what answers a pending question and leaves the rest; true when that was the last one and the next round may
  // begin. Does nothing unless it waits for input.
  [[nodiscard]] bool take_answers(const std::vector<InputResponse>& responses, WallTime now, Milliseconds keep);
  // The three ends. REQUIRE that it is not final. What was asked, answered and kept for the handler is let go.
  void complete(const CallToolResult& result, WallTime now, Milliseconds keep);
  void fail(const Failure& failure, WallTime now, Milliseconds keep);
  void cancel(WallTime now, Milliseconds keep);

  // CreateTaskResult, with its resultType: flat, without a payload.
  [[nodiscard]] Json created_json(Milliseconds poll_interval) const;
  // The members of the result of tasks/get: the same with what the status has beside it.
  [[nodiscard]] Json detailed_json(Milliseconds poll_interval) const;

 private:
  [[nodiscard]] Json task_json(Milliseconds poll_interval) const;
  void end(TaskStatus end_status, Json end_outcome, WallTime now, Milliseconds keep);
};

}  // namespace postern::mcp
