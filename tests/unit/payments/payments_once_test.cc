// A10: the approval used twice, in sequence, at the same instant, and after a crash between pay and answer.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <thread>

#include "services/store/database.h"
#include "tests/support/payments_world.h"
#include "tests/support/refused.h"

namespace postern::payments {
namespace {

using test::refund_action;
using test::refused;
using test::succeeded;

class PaymentOnce : public testing::Test, protected test::PaymentsWorld {
 protected:
  // Runs `pay` on that many threads at the same instant; gives what each got.
  template <class Pay>
  static std::vector<Result<Paid>> at_once(int threads, Pay pay) {
    std::vector<std::optional<Result<Paid>>> got(static_cast<std::size_t>(threads));
    std::barrier start(threads);
    std::vector<std::thread> running;
    for (int i = 0; i < threads; ++i) {
      running.emplace_back([&, i] {
        start.arrive_and_wait();
        got[static_cast<std::size_t>(i)] = pay(i);
      });
    }
    for (std::thread& thread : running) thread.join();
    std::vector<Result<Paid>> results;
    for (auto& result : got) results.push_back(*std::move(result));
    return results;
  }
};

TEST_F(PaymentOnce, GivesTheSameReceiptForTheSameRefundAgain) {
  const auto first = pay(refund_action());
  env_.clock.advance(Seconds(1));
  const auto second = pay(refund_action());
  ASSERT_TRUE(succeeded(second));
  EXPECT_TRUE(second->repeated);
  EXPECT_EQ(to_json(second->receipt), to_json(first->receipt));
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

TEST_F(PaymentOnce, RefusesASpentTokenForAnotherAction) {
  ASSERT_TRUE(succeeded(pay(refund_action())));
  for (const RefundAction& other : {refund_action(100), refund_action(4800, "LN-2")}) {
    EXPECT_TRUE(refused(payments_->refund(token(refund_action()), other, digest(other)), "payment.token_spent"));
  }
  EXPECT_TRUE(
      refused(payments_->refund(token(refund_action()), refund_action(), std::string(64, '0')), "payment.token_spent"));
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

// B-063: the answer was lost, and the process with it.
TEST_F(PaymentOnce, GivesTheReceiptAfterACrashBetweenPayAndAnswer) {
  const auto lost = pay(refund_action());
  payments_ = open();
  env_.clock.advance(std::chrono::hours(24));  // long after the token's time
  const auto again = pay(refund_action());
  ASSERT_TRUE(succeeded(again));
  EXPECT_TRUE(again->repeated);
  EXPECT_EQ(to_json(again->receipt), to_json(lost->receipt));
  EXPECT_EQ(payments_->outcome_of(ApprovalId("APR-0001"))->receipt->refund_id, lost->receipt.refund_id);
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

// B-061: twenty clicks.
TEST_F(PaymentOnce, PaysOnceForTwentyThreadsAtTheSameInstant) {
  const auto results = at_once(20, [&](int) { return pay(refund_action()); });
  int fresh = 0;
  for (const auto& result : results) {
    ASSERT_TRUE(succeeded(result));
    EXPECT_EQ(result->receipt.refund_id, RefundId("RF-0001"));
    fresh += result->repeated ? 0 : 1;
  }
  EXPECT_EQ(fresh, 1);
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

TEST_F(PaymentOnce, PaysOnceForTwoHandlesOnOneDatabaseAtTheSameInstant) {
  for (int round = 1; round <= 10; ++round) {
    const RefundAction action = refund_action(10, "LN-" + std::to_string(round));
    const auto one = open();
    const auto two = open();
    const auto results =
        at_once(2, [&](int i) { return (i == 0 ? one : two)->refund(token(action, round), action, digest(action)); });
    ASSERT_TRUE(succeeded(results[0]));
    ASSERT_TRUE(succeeded(results[1]));
    EXPECT_NE(results[0]->repeated, results[1]->repeated);
    EXPECT_EQ(to_json(results[0]->receipt), to_json(results[1]->receipt));
    EXPECT_EQ(refunds_of_ticket(), static_cast<std::size_t>(round));
  }
}

TEST_F(PaymentOnce, PaysALineOnceForTwoApprovalsAtTheSameInstant) {
  const auto results = at_once(2, [&](int i) { return pay(refund_action(), i + 1); });
  const auto paid =
      std::count_if(results.begin(), results.end(), [](const auto& result) { return result.has_value(); });
  EXPECT_EQ(paid, 1);
  const auto& other = results[0].has_value() ? results[1] : results[0];
  EXPECT_TRUE(refused(other, "payment.already_refunded"));
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

TEST_F(PaymentOnce, HoldsTheLimitForTwoLinesAtTheSameInstant) {
  const auto results =
      at_once(2, [&](int i) { return pay(refund_action(3800, "LN-" + std::to_string(i + 1)), i + 1); });
  const auto paid =
      std::count_if(results.begin(), results.end(), [](const auto& result) { return result.has_value(); });
  EXPECT_EQ(paid, 1);
  EXPECT_EQ(refunds_of_ticket(), 1U);
}

// Without any check of the program, the tables themselves still refuse the second row.
TEST_F(PaymentOnce, IsGuardedByTheTablesToo) {
  PaymentsOptions options{folder_.path(), issuer_.public_key()};
  options.controls.payment_checks = {};
  const auto lax = *Payments::open(env_.env(), std::move(options));
  ASSERT_TRUE(succeeded(lax->refund(token(refund_action(), 1), refund_action(), digest(refund_action()))));
  EXPECT_TRUE(
      refused(lax->refund(token(refund_action(), 2), refund_action(), digest(refund_action())), "store.not_unique"));
  EXPECT_EQ(refunds_of_ticket(), 1U);
  // What was rolled back took no number.
  EXPECT_EQ(
      lax->refund(token(refund_action(10, "LN-2"), 3), refund_action(10, "LN-2"), digest(refund_action(10, "LN-2")))
          ->receipt.refund_id,
      RefundId("RF-0002"));
}

}  // namespace
}  // namespace postern::payments
