#include "services/payments/payments.h"

#include <gtest/gtest.h>

#include "tests/support/payments_world.h"
#include "tests/support/refused.h"

namespace postern::payments {
namespace {

using test::refund_action;
using test::refused;
using test::succeeded;

class Payment : public testing::Test, protected test::PaymentsWorld {};

TEST_F(Payment, PaysTheApprovedAction) {
  const auto paid = pay(refund_action());
  ASSERT_TRUE(succeeded(paid));
  EXPECT_FALSE(paid->repeated);
  EXPECT_EQ(paid->receipt.refund_id, RefundId("RF-0001"));
  EXPECT_EQ(paid->receipt.approval_id, ApprovalId("APR-0001"));
  EXPECT_EQ(paid->receipt.token_id, TokenId("APV-0001"));
  EXPECT_EQ(display(paid->receipt.amount), "$48.00");
  EXPECT_EQ(paid->receipt.refunded_at, env_.clock.now());
  EXPECT_EQ(refunds_of_ticket(), 1U);
  EXPECT_EQ(payments_->refunds_of_order(OrderId("ORD-5521"))->size(), 1U);
  EXPECT_TRUE(payments_->refunds_of_order(OrderId("ORD-7310"))->empty());
}

// A9: an approved $48.00 used for something else.
TEST_F(Payment, RefusesAnotherAmountOrderLineTicketOrCurrencyThanWasApproved) {
  RefundAction order = refund_action();
  order.order_id = OrderId("ORD-7310");
  RefundAction ticket = refund_action();
  ticket.ticket_id = TicketId("T-3090");
  for (const RefundAction& other : {refund_action(4900), refund_action(480000), refund_action(4700),
                                    refund_action(4800, "LN-2"), refund_action(4800, "LN-1", "KWD"), order, ticket}) {
    // With the digest that was approved, and with one that fits what is presented.
    EXPECT_TRUE(
        refused(payments_->refund(token(refund_action()), other, digest(refund_action())), "payment.action_mismatch"));
    EXPECT_TRUE(refused(payments_->refund(token(refund_action()), other, digest(other)), "payment.action_mismatch"));
  }
  EXPECT_EQ(refunds_of_ticket(), 0U);
  EXPECT_EQ(refunds_of_ticket("T-3090"), 0U);
  // None of that spent the approval.
  EXPECT_TRUE(succeeded(pay(refund_action())));
}

TEST_F(Payment, RefusesATokenThatApprovalsDidNotSign) {
  const auto forged = test::issuer_of_seed('x').issue(test::approval_of(refund_action(), 1, approved_at_));
  EXPECT_TRUE(refused(payments_->refund(forged, refund_action(), digest(refund_action())), "payment.token_invalid"));
  EXPECT_EQ(refunds_of_ticket(), 0U);
}

TEST_F(Payment, RefusesAnExpiredToken) {
  env_.clock.advance(Seconds(300));
  EXPECT_TRUE(refused(pay(refund_action()), "payment.token_expired"));
  env_.clock.advance(Milliseconds(-1));
  EXPECT_TRUE(succeeded(pay(refund_action())));
}

TEST_F(Payment, RefusesMoreThanTheLimitWhateverWasApproved) {
  const auto over = pay(refund_action(480000));
  ASSERT_TRUE(refused(over, "payment.over_limit"));
  EXPECT_EQ(over.error().text(), "$4800.00 exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.");
  EXPECT_TRUE(refused(pay(refund_action(6001), 2), "payment.over_limit"));
  EXPECT_TRUE(succeeded(pay(refund_action(6000), 3)));
}

TEST_F(Payment, RefusesWhatTogetherWithEarlierRefundsOfTheTicketIsOverTheLimit) {
  ASSERT_TRUE(succeeded(pay(refund_action(3800, "LN-1"), 1)));
  const auto over = pay(refund_action(3400, "LN-2"), 2);
  ASSERT_TRUE(refused(over, "payment.over_limit"));
  EXPECT_EQ(
      over.error().text(),
      "$34.00 after $38.00 already refunded on T-1042 exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.");
  const auto within = pay(refund_action(2200, "LN-2"), 3);
  ASSERT_TRUE(succeeded(within));
  EXPECT_EQ(within->receipt.refund_id, RefundId("RF-0002"));
  // The largest number there is does not wrap around.
  EXPECT_TRUE(refused(pay(refund_action((std::int64_t{1} << 53) - 1, "LN-3"), 4), "payment.over_limit"));
}

TEST_F(Payment, CountsOnlyTheRefundsOfTheSameTicket) {
  ASSERT_TRUE(succeeded(pay(refund_action(4800), 1)));
  RefundAction other = refund_action(4800);
  other.ticket_id = TicketId("T-1050");
  other.order_id = OrderId("ORD-5601");
  EXPECT_TRUE(succeeded(pay(other, 2)));
}

TEST_F(Payment, RefusesAnotherCurrencyThanThePolicys) {
  const auto yen = pay(refund_action(4800, "LN-1", "JPY"));
  ASSERT_TRUE(refused(yen, "payment.currency_mismatch"));
  EXPECT_NE(yen.error().text().find("POL-DOA-30 allows refunds in USD only"), std::string::npos);
}

TEST_F(Payment, RefusesAPolicyItDoesNotKnow) {
  RefundAction action = refund_action();
  action.policy_id = PolicyId("POL-GENEROUS");
  EXPECT_TRUE(refused(pay(action), "payment.unknown_policy"));
}

TEST_F(Payment, RefusesALineThatWasRefundedUnderAnotherApproval) {
  ASSERT_TRUE(succeeded(pay(refund_action(2000), 1)));
  EXPECT_TRUE(refused(pay(refund_action(2000), 2), "payment.already_refunded"));
  EXPECT_TRUE(refused(pay(refund_action(1), 3), "payment.already_refunded"));
  EXPECT_TRUE(succeeded(pay(refund_action(2000, "LN-2"), 4)));
  EXPECT_EQ(refunds_of_ticket(), 2U);
}

TEST_F(Payment, RemembersWhyAnApprovalWasRefusedUntilItPays) {
  const ApprovalId id("APR-0001");
  EXPECT_FALSE(payments_->outcome_of(id)->receipt.has_value());
  EXPECT_FALSE(payments_->outcome_of(id)->refusal.has_value());
  const auto wrong = payments_->refund(token(refund_action()), refund_action(4900), digest(refund_action()));
  EXPECT_EQ(payments_->outcome_of(id)->refusal, wrong.error().text());
  ASSERT_TRUE(succeeded(pay(refund_action())));
  EXPECT_EQ(payments_->outcome_of(id)->receipt->refund_id, RefundId("RF-0001"));
  EXPECT_FALSE(payments_->outcome_of(id)->refusal.has_value());
  // A forged token says nothing about the approval that it names.
  const auto forged = test::issuer_of_seed('x').issue(test::approval_of(refund_action(), 2, approved_at_));
  EXPECT_TRUE(refused(payments_->refund(forged, refund_action(), digest(refund_action())), "payment.token_invalid"));
  EXPECT_FALSE(payments_->outcome_of(ApprovalId("APR-0002"))->refusal.has_value());
}

TEST_F(Payment, SaysInEveryRefusalThatNothingWasRefunded) {
  const Money amount = refund_action().amount;
  for (const std::string& text : {TokenSpent{ApprovalId("APR-0001"), RefundId("RF-0001")}.text(),
                                  OverLimit{amount, amount, amount, TicketId("T-1042"), PolicyId("POL-DOA-30")}.text(),
                                  CurrencyMismatch{amount.currency, amount.currency, PolicyId("POL-DOA-30")}.text(),
                                  AlreadyRefunded{OrderId("ORD-5521"), LineId("LN-1")}.text(),
                                  UnknownPolicy{PolicyId("POL-X")}.text(), MalformedPaymentRequest{"x"}.text()}) {
    EXPECT_NE(text.find("Nothing was refunded"), std::string::npos) << text;
  }
}

// The rows are the controls: without the limit's, an approval over the limit is paid.
TEST_F(Payment, ChecksTheLimitInARowOfItsOwn) {
  std::vector<PaymentCheck> checks;
  for (const PaymentCheck& check : product_payment_checks()) {
    if (check.name != "limit") checks.push_back(check);
  }
  ASSERT_EQ(checks.size(), product_payment_checks().size() - 1);
  PaymentsOptions options{folder_.path(), issuer_.public_key()};
  options.controls.payment_checks = checks;
  const auto lax = *Payments::open(env_.env(), std::move(options));
  EXPECT_TRUE(
      succeeded(lax->refund(token(refund_action(480000)), refund_action(480000), digest(refund_action(480000)))));
}

}  // namespace
}  // namespace postern::payments
