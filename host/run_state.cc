#include "host/run_state.h"

namespace postern::host {
namespace {

struct Row {
  RunState from;
  RunEvent event;
  RunState to;
};

constexpr Row kTable[] = {
    {RunState::kStart, RunEvent::kConnectedTo, RunState::kConnected},
    {RunState::kConnected, RunEvent::kPinsChecked, RunState::kPinned},
    {RunState::kPinned, RunEvent::kCaseOpened, RunState::kCaseOpen},
    {RunState::kCaseOpen, RunEvent::kAskModel, RunState::kModelTurn},
    {RunState::kCaseOpen, RunEvent::kWantsTool, RunState::kToolCall},   // a resumed run: the call that was not answered
    {RunState::kModelTurn, RunEvent::kAskModel, RunState::kModelTurn},  // the turn was not finished (pause_turn)
    {RunState::kModelTurn, RunEvent::kWantsTool, RunState::kToolCall},
    {RunState::kModelTurn, RunEvent::kSpokeLast, RunState::kReported},
    {RunState::kToolCall, RunEvent::kWaits, RunState::kAwaitingApproval},
    {RunState::kToolCall, RunEvent::kAnswered, RunState::kModelTurn},
    {RunState::kAwaitingApproval, RunEvent::kDecided, RunState::kToolCall},
    {RunState::kAwaitingApproval, RunEvent::kTimeUp, RunState::kReported},
};

}  // namespace

std::optional<RunState> after(RunState state, RunEvent event) {
  if (event == RunEvent::kFails && state != RunState::kReported && state != RunState::kFailed) return RunState::kFailed;
  for (const Row& row : kTable) {
    if (row.from == state && row.event == event) return row.to;
  }
  return std::nullopt;
}

std::string_view name_of(RunState state) {
  switch (state) {
    case RunState::kStart:
      return "start";
    case RunState::kConnected:
      return "connected";
    case RunState::kPinned:
      return "pinned";
    case RunState::kCaseOpen:
      return "case open";
    case RunState::kModelTurn:
      return "model turn";
    case RunState::kToolCall:
      return "tool call";
    case RunState::kAwaitingApproval:
      return "awaiting approval";
    case RunState::kReported:
      return "reported";
    case RunState::kFailed:
      return "failed";
  }
  return "unknown";
}

}  // namespace postern::host
