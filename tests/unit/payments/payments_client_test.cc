#include "services/payments_client/payments_client.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/served_payments.h"

namespace postern::payments {
namespace {

using services::HttpPaymentsClient;
using services::PaymentsRefused;
using services::PaymentStatus;
using services::PaymentsUnavailable;
using test::refund_action;

class PaymentsAsAsked : public testing::Test, protected test::ServedPayments {
 protected:
  Result<services::PaidRefund> refund(const RefundAction& action, std::int64_t number = 1) {
    return client_.refund(token(action, number), action, digest(action), SteadyTime::max(), {});
  }
  Result<services::PaymentState> state() {
    return client_.state_of_approval(ApprovalId("APR-0001"), SteadyTime::max(), {});
  }

  test::BreakableLink http_{routes_};
  HttpPaymentsClient client_{http_,
                             *parse_uri("http://127.0.0.1:4000"),
                             {test::credential_of("payments:read"), test::credential_of("payments:refund")},
                             "postern-desk"};
};

TEST_F(PaymentsAsAsked, PaysAndTellsWhatWasPaid) {
  EXPECT_EQ(state()->status, PaymentStatus::kNone);
  const auto paid = refund(refund_action());
  ASSERT_TRUE(test::succeeded(paid));
  EXPECT_FALSE(paid->repeated);
  EXPECT_EQ(paid->receipt.refund_id, RefundId("RF-0001"));
  EXPECT_EQ(http_.last_uri, "http://127.0.0.1:4000");
  EXPECT_EQ(state()->status, PaymentStatus::kPaid);
  EXPECT_EQ(to_json(*state()->receipt), to_json(paid->receipt));
  EXPECT_EQ(client_.refunds_of_ticket(TicketId("T-1042"), SteadyTime::max(), {})->size(), 1U);
  EXPECT_EQ(client_.refunds_of_order(OrderId("ORD-5521"), SteadyTime::max(), {})->size(), 1U);
  EXPECT_TRUE(client_.refunds_of_order(OrderId("ORD-7310"), SteadyTime::max(), {})->empty());
}

TEST_F(PaymentsAsAsked, RefusesWithThePaymentsOwnWords) {
  const auto over = refund(refund_action(480000));
  ASSERT_TRUE(test::refused(over, "payments.refused"));
  EXPECT_EQ(over.error().as<PaymentsRefused>()->remote_id, "payment.over_limit");
  EXPECT_EQ(over.error().text(), "$4800.00 exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.");
  EXPECT_EQ(state()->status, PaymentStatus::kRefused);
  EXPECT_EQ(state()->refusal, over.error().text());
}

// B-063: the client sends once, says that it does not know, and the same refund again gives the receipt that was lost.
TEST_F(PaymentsAsAsked, SaysThatItDoesNotKnowWhenTheAnswerIsLost) {
  http_.lose_answer = true;
  const auto lost = refund(refund_action());
  ASSERT_TRUE(test::refused(lost, "payments.unavailable"));
  EXPECT_TRUE(lost.error().as<PaymentsUnavailable>()->may_have_paid);
  EXPECT_NE(lost.error().text().find("We do not know yet"), std::string::npos);
  EXPECT_EQ(http_.sent, 1);
  http_.lose_answer = false;
  EXPECT_EQ(state()->status, PaymentStatus::kPaid);
  const auto again = refund(refund_action());
  ASSERT_TRUE(test::succeeded(again));
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

TEST_F(PaymentsAsAsked, SaysThatNothingWasPaidWhenPaymentsWasNotReached) {
  http_.refuse_connection = true;
  const auto unreached = refund(refund_action());
  ASSERT_TRUE(test::refused(unreached, "payments.unavailable"));
  EXPECT_FALSE(unreached.error().as<PaymentsUnavailable>()->may_have_paid);
  EXPECT_TRUE(test::refused(state(), "payments.unavailable"));
}

TEST_F(PaymentsAsAsked, TakesNoAnswerOfAnotherFormForAReceipt) {
  for (const char* body :
       {"", "[]", "{}", "{\"refund_id\":\"RF-0001\"}", "<html>", "{\"status\":\"maybe\"}", "{\"status\":\"paid\"}"}) {
    http_.replace_body = *body == '\0' ? " " : body;
    const auto paid = refund(refund_action());
    ASSERT_TRUE(test::refused(paid, "payments.unavailable")) << body;
    EXPECT_TRUE(paid.error().as<PaymentsUnavailable>()->may_have_paid);
    EXPECT_TRUE(test::refused(state(), "payments.unavailable")) << body;
    EXPECT_TRUE(
        test::refused(client_.refunds_of_ticket(TicketId("T-1042"), SteadyTime::max(), {}), "payments.unavailable"));
  }
  http_.replace_body.clear();
  http_.replace_status = 500;
  EXPECT_TRUE(test::refused(refund(refund_action()), "payments.unavailable"));
}

TEST_F(PaymentsAsAsked, RefusesToPayForThoseWhoMayOnlyAsk) {
  HttpPaymentsClient page(http_, *parse_uri("http://127.0.0.1:4000"), {test::credential_of("payments:read"), {}},
                          "page");
  const auto paid =
      page.refund(token(refund_action()), refund_action(), digest(refund_action()), SteadyTime::max(), {});
  ASSERT_TRUE(test::refused(paid, "payments.refused"));
  EXPECT_EQ(paid.error().as<PaymentsRefused>()->remote_id, "service.foreign_credential");
  EXPECT_TRUE(test::succeeded(page.state_of_approval(ApprovalId("APR-0001"), SteadyTime::max(), {})));
  EXPECT_EQ(refunds_of_ticket(), 0U);
}

}  // namespace
}  // namespace postern::payments
