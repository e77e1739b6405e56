// The table of a run's states.
#include "host/run_state.h"

#include <gtest/gtest.h>

namespace postern::host {
namespace {

TEST(RunState, FollowsATicketToItsEnd) {
  RunState state = RunState::kStart;
  for (const RunEvent event :
       {RunEvent::kConnectedTo, RunEvent::kPinsChecked, RunEvent::kCaseOpened, RunEvent::kAskModel,
        RunEvent::kWantsTool, RunEvent::kWaits, RunEvent::kDecided, RunEvent::kAnswered, RunEvent::kSpokeLast}) {
    const auto next = after(state, event);
    ASSERT_TRUE(next.has_value());
    state = *next;
  }
  EXPECT_EQ(state, RunState::kReported);
}

TEST(RunState, RefusesToSkipThePins) {
  EXPECT_FALSE(after(RunState::kConnected, RunEvent::kCaseOpened));
  EXPECT_FALSE(after(RunState::kConnected, RunEvent::kAskModel));
  EXPECT_FALSE(after(RunState::kPinned, RunEvent::kAskModel));
  EXPECT_TRUE(after(RunState::kPinned, RunEvent::kCaseOpened));
}

TEST(RunState, EveryLivingStateCanFailAndADeadOneCannot) {
  for (const RunState state : {RunState::kStart, RunState::kConnected, RunState::kPinned, RunState::kCaseOpen,
                               RunState::kModelTurn, RunState::kToolCall, RunState::kAwaitingApproval}) {
    EXPECT_EQ(after(state, RunEvent::kFails), RunState::kFailed) << name_of(state);
  }
  EXPECT_FALSE(after(RunState::kReported, RunEvent::kFails));
  EXPECT_FALSE(after(RunState::kFailed, RunEvent::kFails));
}

}  // namespace
}  // namespace postern::host
