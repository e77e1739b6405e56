// A thousand subscriptions on one server, and requests beside them: nobody is forgotten, and nobody waits.
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "tests/unit/mcp_server/http_caller.h"
#include "wire/transport/descriptor_limit.h"

namespace postern::mcp {
namespace {

using test::McpOverHttp;
using test::RawConnection;

constexpr std::size_t kListens = 1000;
constexpr int kRequestsPerSecond = 200;
constexpr int kSeconds = 3;

TEST(ListenCrowd, OfAThousandLeavesEveryRequestAnswered) {
  if (raise_descriptor_limit() < 3 * kListens) GTEST_SKIP() << "needs 3,000 descriptors";
  McpOverHttp mcp;
  std::vector<RawConnection> listeners;
  listeners.reserve(kListens);
  for (std::size_t i = 0; i < kListens; ++i) {
    listeners.emplace_back(mcp.port());
    listeners.back().send(McpOverHttp::listen(std::to_string(i)));
    ASSERT_TRUE(listeners.back().read_until("notifications/subscriptions/acknowledged")) << i;
  }
  EXPECT_EQ(mcp.subscriptions().count(), kListens);

  RawConnection caller(mcp.port());
  std::vector<double> took;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kSeconds * kRequestsPerSecond; ++i) {
    std::this_thread::sleep_until(start + i * std::chrono::microseconds(1'000'000 / kRequestsPerSecond));
    if (i == kRequestsPerSecond) mcp.change_tools();
    const auto begun = std::chrono::steady_clock::now();
    caller.send(McpOverHttp::call("echo", "{}", std::to_string(i)));
    const auto reply = caller.reply();
    ASSERT_TRUE(reply.has_value()) << i;
    ASSERT_EQ(reply->status, 200) << i;
    took.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
  }
  for (RawConnection& listener : listeners) EXPECT_TRUE(listener.read_until("notifications/tools/list_changed"));
  std::sort(took.begin(), took.end());
  std::printf("%zu subscriptions, %zu calls at %d/s: median %.2f ms, 99th percentile %.2f ms, longest %.2f ms\n",
              kListens, took.size(), kRequestsPerSecond, took[took.size() / 2], took[took.size() * 99 / 100],
              took.back());
  listeners.clear();
  const SteadyTime until = test::in_time();
  while (mcp.subscriptions().count() != 0) ASSERT_LT(SystemClock().steady_now(), until);
}

}  // namespace
}  // namespace postern::mcp
