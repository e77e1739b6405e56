// Proves that what payments told is kept for a moment, fetched by one caller at a time, and forgotten when money moved.
#include "services/desk/refund_facts.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/test_env.h"
#include "tests/unit/desk/played_services.h"

namespace postern::desk {
namespace {

using services::OrderId;
using test::refused;
using test::succeeded;

class KnownRefunds : public testing::Test {
 protected:
  int asked() const { return services_.count("GET http://127.0.0.1:8942/refunds"); }
  Result<OrderRefunds> read(bool may_block) { return facts_.of_order(OrderId("ORD-5521"), may_block, {}); }

  test::TestEnv env_;
  test::SignedTokens tokens_{env_.clock};
  test::PlayedServices services_{tokens_};
  services::HttpPaymentsClient payments_{services_,
                                         *parse_uri(test::kPaymentsOrigin),
                                         {test::credential_of("payments:read"), services::ServiceCredential()},
                                         "desk"};
  RefundFacts facts_{env_.clock, &payments_};
};

TEST_F(KnownRefunds, AreFetchedWhereItMayWaitAndKeptForAMoment) {
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));
  EXPECT_EQ(asked(), 0);
  ASSERT_TRUE(succeeded(read(true)));
  EXPECT_TRUE(read(false)->known);
  env_.clock.advance(RefundFacts::kFresh - Milliseconds(1));
  EXPECT_TRUE(read(false)->known);
  EXPECT_EQ(asked(), 1);
}

TEST_F(KnownRefunds, AreFetchedByOneWhileOthersUseWhatWasKnown) {
  ASSERT_TRUE(succeeded(read(true)));
  env_.clock.advance(RefundFacts::kFresh);
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));  // this one goes and fetches
  EXPECT_TRUE(succeeded(read(false)));                   // these do not wait for it
  services_.paid_before("T-1042", "ORD-5521", "LN-1", 4800);
  EXPECT_EQ(read(false)->receipts.size(), 0U);
  EXPECT_EQ(read(true)->receipts.size(), 1U);  // it asked, in the lane
  EXPECT_EQ(asked(), 2);
  EXPECT_EQ(read(false)->receipts.size(), 1U);
}

TEST_F(KnownRefunds, AreFetchedBySomebodyElseWhenTheFirstNeverCameBack) {
  ASSERT_TRUE(succeeded(read(true)));
  env_.clock.advance(RefundFacts::kFresh);
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));
  EXPECT_TRUE(succeeded(read(false)));
  env_.clock.advance(RefundFacts::kUsable);
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));
}

TEST_F(KnownRefunds, AreUnknownToOthersWhileTheFirstAnswerIsSlow) {
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));  // a moment's wait in the lane is better than no answer
  env_.clock.advance(RefundFacts::kPatience);
  EXPECT_FALSE(read(false)->known);  // payments hangs: the lane is not for queueing behind it
  env_.clock.advance(RefundFacts::kUsable);
  EXPECT_TRUE(refused(read(false), "mcp.lane_needed"));
}

TEST_F(KnownRefunds, AreForgottenWhenMoneyMoved) {
  ASSERT_TRUE(succeeded(read(true)));
  services_.paid_before("T-1042", "ORD-5521", "LN-1", 4800);
  EXPECT_EQ(read(true)->receipts.size(), 0U);
  facts_.forget(OrderId("ORD-5521"));
  EXPECT_EQ(read(true)->receipts.size(), 1U);
}

TEST_F(KnownRefunds, AreUnknownWhilePaymentsIsSilentAndAskedForAgain) {
  services_.payments_down = true;
  EXPECT_FALSE(read(true)->known);
  services_.payments_down = false;
  env_.clock.advance(RefundFacts::kFresh);
  EXPECT_TRUE(read(true)->known);
}

TEST_F(KnownRefunds, AreUnknownWithoutPayments) {
  RefundFacts none(env_.clock, nullptr);
  EXPECT_FALSE(none.of_order(OrderId("ORD-5521"), false, {})->known);
}

}  // namespace
}  // namespace postern::desk
