// When a model request may be repeated, and after how long.
#include "host/model/retry_policy.h"

#include <gtest/gtest.h>

#include "tests/support/seeded_random.h"

namespace postern::host {
namespace {

using std::chrono::milliseconds;

const WallTime kNow = wall_time_of_unix_seconds(1'796'006'710);  // 2026-11-30T02:45:10Z

TEST(RetryPolicy, RepeatsWhatMayPass) {
  for (const int status : {408, 409, 429, 500, 503, 504, 529}) EXPECT_TRUE(may_retry(status, {}, "")) << status;
}

TEST(RetryPolicy, RefusesToRepeatWhatWillNot) {
  for (const int status : {301, 400, 401, 402, 403, 404, 413, 422}) EXPECT_FALSE(may_retry(status, {}, "")) << status;
}

TEST(RetryPolicy, RefusesToRepeatAtASpendLimitWhateverTheServiceSays) {
  const HeaderList repeat = {{"x-should-retry", "true"}};
  EXPECT_FALSE(may_retry(429, repeat, "enforced_spend_limit_reached"));
  EXPECT_FALSE(may_retry(429, repeat, "contract_spend_limit_reached"));
  EXPECT_TRUE(may_retry(429, repeat, "ramp_limit_exceeded"));
}

TEST(RetryPolicy, FollowsTheServiceOverTheStatus) {
  EXPECT_TRUE(may_retry(400, {{"X-Should-Retry", "true"}}, ""));
  EXPECT_FALSE(may_retry(529, {{"x-should-retry", "false"}}, ""));
}

TEST(RetryPolicy, ReadsTheWaitThatIsAskedFor) {
  EXPECT_EQ(asked_wait({{"retry-after-ms", "150"}, {"retry-after", "7"}}, kNow), milliseconds(150));
  EXPECT_EQ(asked_wait({{"Retry-After", "1.5"}}, kNow), milliseconds(1500));
  EXPECT_EQ(asked_wait({{"retry-after", "Mon, 30 Nov 2026 02:45:12 GMT"}}, kNow), milliseconds(2000));
}

TEST(RetryPolicy, RefusesWaitsThatMakeNoSense) {
  for (const char* text : {"", "0", "-1", "soon", "nan", "inf", "1e300", "Mon, 30 Nov 2026 02:45:09 GMT",
                           "Mon, 30 Nov 2026 02:45:12", "Mon, 30 Foo 2026 02:45:12 GMT"}) {
    EXPECT_EQ(asked_wait({{"retry-after", text}}, kNow), std::nullopt) << text;
  }
  EXPECT_EQ(asked_wait({}, kNow), std::nullopt);
}

TEST(RetryPolicy, DoublesItsOwnWaitUpToABound) {
  test::SeededRandom random;
  for (const auto& [retry, whole] : {std::pair{0, 500}, {1, 1000}, {4, 8000}, {30, 8000}}) {
    for (int i = 0; i < 50; ++i) {
      const milliseconds wait = default_wait(retry, random);
      EXPECT_LE(wait.count(), whole);
      EXPECT_GE(wait.count(), whole * 3 / 4);
    }
  }
}

}  // namespace
}  // namespace postern::host
