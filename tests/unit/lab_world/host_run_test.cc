#include <gtest/gtest.h>

#include <string>
#include <thread>

#include "tests/lab/world/lab_world.h"
#include "tests/lab/world/world_folder.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

constexpr std::string_view kPaid =
    "final: Refunded 4800 cents (RF-0001, approval APR-0001).\n"
    "desk: 1 refund(s) on T-1042, $48.00 on ORD-5521 with APV-0001.\n";

std::unique_ptr<LabWorld> world_in(const WorldFolder& folder, std::string seed = "1") {
  LabWorldOptions options;
  options.folder = folder.path();
  options.seed = std::move(seed);
  auto world = LabWorld::make(std::move(options));
  EXPECT_TRUE(world.has_value()) << (world ? "" : world.error().text());
  return world ? *std::move(world) : nullptr;
}

HostRunOptions decided(Decision decision) {
  HostRunOptions options;
  options.supervisor.emplace();
  options.supervisor->decision = decision;
  return options;
}

HostRunResult run(LabWorld& world, const HostRunOptions& options) {
  auto result = world.host_run(options);
  EXPECT_TRUE(result.has_value()) << (result ? "" : result.error().text());
  return result ? *std::move(result) : HostRunResult{};
}

TEST(HostRun, RefundsWhatASupervisorApproved) {
  const WorldFolder folder;
  const auto world = world_in(folder);
  const HostRunResult result = run(*world, decided(Decision::kApprove));
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_EQ(result.out, kPaid);
  EXPECT_NE(result.supervisor.find("Morgan Ellis"), std::string::npos) << result.supervisor;
  EXPECT_FALSE(result.model_requests.empty());
  const auto wire = read_file(result.wire_file, 16U << 20U);
  ASSERT_TRUE(wire.has_value());
  EXPECT_NE(wire->find("POST /mcp HTTP/1.1"), std::string::npos);
  EXPECT_NE(wire->find("HTTP/1.1 403 Forbidden"), std::string::npos);
}

TEST(HostRun, EndsWithTheExitCodeOfWhatWasDecided) {
  const WorldFolder denied;
  EXPECT_EQ(run(*world_in(denied), decided(Decision::kDeny)).exit, 6);
  const WorldFolder open;
  const HostRunResult pending = run(*world_in(open), {});
  EXPECT_EQ(pending.exit, 8) << pending.err;
  EXPECT_EQ(pending.out.find("RF-"), std::string::npos);
}

TEST(HostRun, PaysNoMoreWhereACarriersPageAsksAModelThatObeys) {
  const WorldFolder folder;
  HostRunOptions options = decided(Decision::kApprove);
  options.ticket = "T-3090";
  options.model_script = "injectable";
  const auto world = world_in(folder);
  const HostRunResult result = run(*world, options);
  EXPECT_EQ(result.exit, 0) << result.err;
  EXPECT_NE(result.out.find("desk: 1 refund(s) on T-3090, $39.00 on ORD-7310"), std::string::npos) << result.out;
  EXPECT_NE(result.err.find("$129.00 exceeds the $60.00 limit"), std::string::npos) << result.err;
  EXPECT_TRUE(world->strangers().empty());
}

TEST(HostRun, GoesOnWithAPendingRun) {
  const WorldFolder folder;
  const auto world = world_in(folder);
  HostRunOptions first;
  first.arguments = {"--wait", "10s"};
  const HostRunResult pending = run(*world, first);
  ASSERT_EQ(pending.exit, 8) << pending.err;
  HostRunOptions again = decided(Decision::kApprove);
  again.resume = pending.run;
  const HostRunResult resumed = run(*world, again);
  EXPECT_EQ(resumed.exit, 0) << resumed.err;
  EXPECT_EQ(resumed.out, kPaid);
  EXPECT_NE(resumed.err.find("run        " + pending.run), std::string::npos) << resumed.err;
}

TEST(HostRun, SaysThatADeskIsGone) {
  const WorldFolder folder;
  const auto world = world_in(folder);
  HostRunOptions options = decided(Decision::kApprove);
  options.on_wait = [&](int waits) {
    if (waits != 2) return;
    EXPECT_TRUE(world->stop_program("desk").has_value());
  };
  const HostRunResult gone = run(*world, options);
  EXPECT_EQ(gone.exit, 3) << gone.err;
  ASSERT_TRUE(world->start_program("desk").has_value());
  HostRunOptions again = decided(Decision::kApprove);
  again.resume = gone.run;
  const HostRunResult resumed = run(*world, again);
  EXPECT_EQ(resumed.out, kPaid) << resumed.err;
}

TEST(HostRun, StopsWhereItIsToldTo) {
  const WorldFolder folder;
  const auto world = world_in(folder);
  HostRunOptions options;
  options.stopped_at_wait = 2;
  const HostRunResult result = run(*world, options);
  EXPECT_EQ(result.exit, 130) << result.err;
}

TEST(HostRun, TwoWorldsGoAtOnce) {
  const WorldFolder one;
  const WorldFolder two;
  HostRunResult first;
  HostRunResult second;
  std::thread beside([&] { first = run(*world_in(one), decided(Decision::kApprove)); });
  second = run(*world_in(two, "2"), decided(Decision::kApprove));
  beside.join();
  EXPECT_EQ(first.out, kPaid) << first.err;
  EXPECT_EQ(second.out, kPaid) << second.err;
  EXPECT_NE(first.run, second.run);
}

TEST(HostRun, PrintsTheSameForTheSameSeed) {
  const WorldFolder one;
  const WorldFolder two;
  const HostRunResult first = run(*world_in(one), decided(Decision::kApprove));
  const HostRunResult second = run(*world_in(two), decided(Decision::kApprove));
  EXPECT_EQ(first.run, second.run);
  EXPECT_EQ(first.err, second.err);
  EXPECT_EQ(first.model_requests.size(), second.model_requests.size());
}

}  // namespace
}  // namespace postern::lab
