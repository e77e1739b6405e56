// Proves that a limit lets a burst and then the rate through, says when to come back, and stays bounded and fair under
// a flood of keys.
#include "services/gate/rate_limits.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"

namespace postern::services {
namespace {

class Limits : public testing::Test {
 protected:
  // How many of `tries` takes go through now.
  static int taken(RateLimits& limits, std::string_view key, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += limits.take(key) ? 0 : 1;
    return count;
  }
  test::ManualClock clock_;
};

TEST_F(Limits, GiveABurstAndThenTheRate) {
  RateLimits limits(clock_, {20, 200});
  EXPECT_EQ(taken(limits, "rowan", 1000), 200);
  clock_.advance(Milliseconds(49));
  EXPECT_EQ(taken(limits, "rowan", 10), 0);
  clock_.advance(Milliseconds(1));
  EXPECT_EQ(taken(limits, "rowan", 10), 1);
  clock_.advance(Seconds(1));
  EXPECT_EQ(taken(limits, "rowan", 100), 20);
  clock_.advance(Seconds(3600));
  EXPECT_EQ(taken(limits, "rowan", 1000), 200);  // never more than a burst
}

TEST_F(Limits, SayInWholeSecondsWhenATokenIsThereAgain) {
  RateLimits limits(clock_, {0.4, 1});  // one in 2.5 s
  EXPECT_FALSE(limits.take("rowan"));
  EXPECT_EQ(limits.take("rowan"), Seconds(3));
  clock_.advance(Milliseconds(500));
  EXPECT_EQ(limits.take("rowan"), Seconds(2));
  clock_.advance(Milliseconds(1999));
  EXPECT_EQ(limits.take("rowan"), Seconds(1));
  clock_.advance(Milliseconds(1));
  EXPECT_FALSE(limits.take("rowan"));
}

TEST_F(Limits, AreNotDrawnByALookNorByARefusal) {
  RateLimits limits(clock_, {1, 2});
  EXPECT_FALSE(limits.wait_of("rowan"));
  EXPECT_EQ(limits.size(), 0U);
  EXPECT_EQ(taken(limits, "rowan", 50), 2);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(limits.wait_of("rowan"), Seconds(1));
  clock_.advance(Seconds(1));
  EXPECT_FALSE(limits.wait_of("rowan"));
  EXPECT_EQ(taken(limits, "rowan", 50), 1);
}

TEST_F(Limits, KeepCallersApart) {
  RateLimits limits(clock_, {1, 3});
  EXPECT_EQ(taken(limits, "rowan", 9), 3);
  EXPECT_EQ(taken(limits, "quinn", 9), 3);
  const std::string common(500, 'x');
  EXPECT_EQ(taken(limits, common + "a", 9), 3);
  EXPECT_EQ(taken(limits, common + "b", 9), 3);
  EXPECT_EQ(taken(limits, common + "a", 9), 0);
}

TEST_F(Limits, StayBoundedUnderAFloodOfKeysAndForgetNoBusyCaller) {
  RateLimits limits(clock_, {1, 5}, 100);
  EXPECT_EQ(taken(limits, "busy", 9), 5);
  for (int i = 0; i < 10'000; ++i) {
    static_cast<void>(limits.take("flood " + std::to_string(i)));
    if (i % 1000 == 0) clock_.advance(Milliseconds(10));  // not enough for anything to be forgotten
  }
  EXPECT_EQ(limits.size(), 100U);
  EXPECT_EQ(limits.take("busy"), Seconds(1));
}

TEST_F(Limits, LetKeysWithoutRoomShareOneBucket) {
  RateLimits limits(clock_, {1, 5}, 2);
  EXPECT_EQ(taken(limits, "one", 1) + taken(limits, "two", 1), 2);
  EXPECT_EQ(taken(limits, "three", 3), 3);
  EXPECT_EQ(taken(limits, "four", 9), 2);
  EXPECT_EQ(limits.take("five"), Seconds(1));
  EXPECT_FALSE(limits.wait_of("five"));  // whoever gives no offence is not told to wait for the others
  EXPECT_FALSE(limits.take("one"));      // and who has a bucket is not in it
}

TEST_F(Limits, MakeRoomByForgettingBucketsThatAreFullAgain) {
  RateLimits limits(clock_, {1, 5}, 2);
  EXPECT_EQ(taken(limits, "emptied", 9), 5);
  EXPECT_EQ(taken(limits, "touched", 1), 1);
  clock_.advance(Seconds(1));  // "touched" is full again
  EXPECT_EQ(taken(limits, "new", 9), 5);
  EXPECT_EQ(limits.wait_of("new"), Seconds(1));  // it has a bucket of its own
  EXPECT_EQ(limits.size(), 2U);
  EXPECT_EQ(taken(limits, "emptied", 9), 1);
}

TEST_F(Limits, GiveEachTokenOnceHoweverManyAsk) {
  RateLimits limits(clock_, {1, 1000});
  std::atomic<int> count{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) threads.emplace_back([&] { count += taken(limits, "rowan", 500); });
  }
  EXPECT_EQ(count.load(), 1000);
}

TEST(RateKeys, TakeTheNetworkOfAnIpv6Address) {
  EXPECT_NE(rate_key_of_address("192.0.2.7"), rate_key_of_address("a name"));
  EXPECT_NE(rate_key_of_address("192.0.2.7"), rate_key_of_address("192.0.2.8"));
  EXPECT_EQ(rate_key_of_address("::ffff:192.0.2.7"), rate_key_of_address("192.0.2.7"));
  EXPECT_EQ(rate_key_of_address("2001:db8:1:2::1"), rate_key_of_address("2001:db8:1:2:ffff:ffff:ffff:ffff"));
  EXPECT_NE(rate_key_of_address("2001:db8:1:2::1"), rate_key_of_address("2001:db8:1:3::1"));
  EXPECT_EQ(rate_key_of_address("fe80::1%eth0"), rate_key_of_address("fe80::2%eth1"));
  EXPECT_EQ(rate_key_of_address(""), rate_key_of_address("a name"));
}

TEST(RateFailures, TellAModelWhenAndPeopleAfterWhat) {
  const CallLimitReached reached{{20, 200}, Seconds(3), WallTime(Milliseconds(1'796'000'000'000))};
  const std::string text = reached.text();
  for (const char* part :
       {"20 a second", "200 at once", "Nothing was done", "Do not try again before 3 seconds", "2026-11-30T"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << ": " << text;
  }
  EXPECT_NE(text.find(rfc3339(WallTime(Milliseconds(1'796'000'003'000)))), std::string::npos) << text;
  EXPECT_EQ(Failure(reached).disposition(), Disposition::kToolError);
  EXPECT_EQ(Failure(RequestLimitReached{}).disposition(), Disposition::kTooManyRequests);
}

}  // namespace
}  // namespace postern::services
