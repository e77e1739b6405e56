// Which exit code a failure ends with, and which one counts among several.
#include "host/exit_code.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>

#include "bridge/failures.h"
#include "bridge/oauth/failures.h"
#include "host/config.h"
#include "host/model/failures.h"
#include "host/run_command.h"
#include "pins/pin_gate.h"
#include "wire/base/file.h"
#include "wire/transport/http_client.h"

namespace postern::host {
namespace {

TEST(ExitCode, FollowsTheFailure) {
  EXPECT_EQ(exit_code_of(Unreachable{"x", "y"}), ExitCode::kUnreachable);
  EXPECT_EQ(exit_code_of(bridge::VersionNotOffered{}), ExitCode::kUnreachable);
  EXPECT_EQ(exit_code_of(bridge::CaseNotOpened{"no"}), ExitCode::kNo);
  EXPECT_EQ(exit_code_of(bridge::ScopeRefused{"a", "b"}), ExitCode::kSignIn);
  EXPECT_EQ(exit_code_of(bridge::NoWayToSignIn{"a"}), ExitCode::kSignIn);
  EXPECT_EQ(exit_code_of(bridge::StillPending{"a"}), ExitCode::kPending);
  EXPECT_EQ(exit_code_of(bridge::StoppedByPerson{}), ExitCode::kInterrupted);
  EXPECT_EQ(exit_code_of(pins::PinMismatch{"open_case", {}}), ExitCode::kPinRefused);
  EXPECT_EQ(exit_code_of(pins::BadPinFile{"x"}), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(ModelDeclined{"x"}), ExitCode::kModelFailed);
  EXPECT_EQ(exit_code_of(ModelUrlRefused{"x", "y"}), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(ConfigInvalid{"x", "y"}), ExitCode::kUsage);
  EXPECT_EQ(exit_code_of(FileFailed{"x", "y", "z", 0}), ExitCode::kUsage);
}

TEST(ExitCode, OrderOfSeverity) {
  using enum ExitCode;
  const ExitCode order[] = {kBug, kInterrupted,  kTerminated, kUnreachable, kSignIn, kModelFailed,
                            kNo,  kMoneyRefused, kPending,    kPinRefused,  kDone};
  for (std::size_t i = 0; i + 1 < std::size(order); ++i) {
    EXPECT_EQ(more_severe(order[i], order[i + 1]), order[i]);
    EXPECT_EQ(more_severe(order[i + 1], order[i]), order[i]);
  }
}

TEST(ExitCode, OfACommandThatASignalStoppedIsTheSignals) {
  const Config config;
  const Environment environment;
  Terminal terminal{TerminalOptions{}};
  const Interrupt interrupt;
  const CommandContext context{config, environment, terminal, interrupt, system_outside()};
  EXPECT_FALSE(stopped_by_signal(context));
  ASSERT_EQ(kill(getpid(), SIGTERM), 0);
  while (!interrupt.token().stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_EQ(stopped_by_signal(context), ExitCode::kTerminated);
}

// A run inside of another program: no signal is listened to, and the token that it was given is the first Ctrl-C.
TEST(Interrupt, OfAnotherProgramIsThatProgramsToken) {
  std::stop_source source;
  const Interrupt interrupt(source.get_token());
  EXPECT_FALSE(interrupt.stopped());
  source.request_stop();
  EXPECT_TRUE(interrupt.stopped());
  EXPECT_TRUE(interrupt.token().stop_requested());
  EXPECT_EQ(interrupt.code(), ExitCode::kInterrupted);
}

}  // namespace
}  // namespace postern::host
