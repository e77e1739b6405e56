// The states of a run, as a table.
//
//   kStart --connected--> kConnected --pinned--> kPinned --case_opened--> kCaseOpen --ask_model--> kModelTurn
//                                                                                                  |      ^
//                                                              wants_tool: kToolCall <-------------+      | answered
//                                                                  |   ^                                  |
//                                                        waits: kAwaitingApproval --decided--> kToolCall -+
//   kModelTurn --spoke_last--> kReported;  kAwaitingApproval --time_up--> kReported;  every state --failed--> kFailed
//
// A pair that is not in the table is refused. Pure.
#pragma once

#include <optional>
#include <string_view>

namespace postern::host {

enum class RunState {
  kStart,
  kConnected,
  kPinned,
  kCaseOpen,
  kModelTurn,
  kToolCall,
  kAwaitingApproval,
  kReported,
  kFailed
};
enum class RunEvent {
  kConnectedTo,
  kPinsChecked,
  kCaseOpened,
  kAskModel,
  kWantsTool,
  kWaits,
  kDecided,
  kAnswered,
  kTimeUp,
  kSpokeLast,
  kFails
};

[[nodiscard]] std::optional<RunState> after(RunState state, RunEvent event);
[[nodiscard]] std::string_view name_of(RunState state);

}  // namespace postern::host
