// The stored action against the case as it is: each difference blocks, and says why.
#include "services/approvals/case_facts.h"

#include <gtest/gtest.h>

#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

class Difference : public testing::Test {
 protected:
  Difference() {
    request_ = world_.store->find(services::ApprovalId(world_.request())).value();
    view_ = world_.facts->read(request_->asked.action).value();
  }
  std::optional<std::string> found() { return difference(*request_, *view_, refunds_); }
  void expect(std::string_view words) {
    const auto text = found();
    ASSERT_TRUE(text.has_value());
    EXPECT_NE(text->find(words), std::string::npos) << *text;
  }
  services::RefundReceipt refund(const char* ticket, const char* line, std::int64_t cents) {
    return {services::RefundId("RF-0009"),           services::TicketId(ticket),
            services::OrderId("ORD-5521"),           services::LineId(line),
            Money{cents, *Currency::of_code("USD")}, services::ApprovalId("APR-0009"),
            services::TokenId("APV-0009"),           world_.clock.now()};
  }
  PageWorld world_;
  std::optional<ApprovalRequest> request_;
  std::optional<CaseView> view_;
  std::vector<services::RefundReceipt> refunds_;
};

TEST_F(Difference, IsNoneForTheCaseAsItWasAskedFor) {
  EXPECT_FALSE(found().has_value());
}

TEST_F(Difference, RefusesAClosedTicket) {
  view_->ticket_open = false;
  expect("is closed");
}
TEST_F(Difference, RefusesAnotherOrder) {
  view_->order_id = services::OrderId("ORD-9999");
  expect("not about the order ORD-5521");
}
TEST_F(Difference, RefusesAnotherCustomer) {
  view_->customer_name = "Somebody Else";
  expect("customer");
}
TEST_F(Difference, RefusesALineThatIsNotThere) {
  view_->line_title.reset();
  expect("no line LN-1");
}
TEST_F(Difference, RefusesAnotherPolicy) {
  view_->policy_id = services::PolicyId("POL-OTHER");
  expect("Another policy");
}
TEST_F(Difference, RefusesAnotherCurrency) {
  view_->limit = Money{6000, *Currency::of_code("EUR")};
  expect("currency");
}
TEST_F(Difference, RefusesWhatExceedsTheLimitTogetherWithEarlierRefundsOfTheTicket) {
  refunds_.push_back(refund("T-1042", "LN-2", 1200));
  EXPECT_FALSE(found().has_value());  // 60.00 of 60.00
  refunds_.push_back(refund("T-1042", "LN-3", 1));
  expect("$60.01 exceeds the $60.00 limit in POL-DOA-30.");
}
TEST_F(Difference, RefusesALineThatWasRefundedAlready) {
  refunds_.push_back(refund("T-9999", "LN-1", 100));
  expect("refunded already");
}
TEST_F(Difference, RefusesMoreThanWasPaidForTheLine) {
  view_->line_price = Money{4799, *Currency::of_code("USD")};
  expect("more than the $47.99");
}

}  // namespace
}  // namespace postern::approvals::test
