// Proves each deterministic refusal of a refund beside the nearest refund that is let through.
#include "services/desk/refund_checks.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/refused.h"

namespace postern::desk {
namespace {

using namespace services;
using test::refused;
using test::succeeded;

const WallTime kToday = wall_time_of_unix_seconds(1'796'000'000);
constexpr std::chrono::hours kDay{24};

Currency currency_of(const char* code) {
  return *Currency::of_code(code);
}

RefundReceipt receipt_of(const char* ticket, const char* line, std::int64_t cents, const char* currency = "USD") {
  return {RefundId("RF-0009"),
          TicketId(ticket),
          OrderId("ORD-5521"),
          LineId(line),
          Money{cents, currency_of(currency)},
          ApprovalId("APR-0009"),
          TokenId("APV-0009"),
          kToday - kDay};
}

class RefundChecks : public testing::Test {
 protected:
  Status check(std::int64_t cents = 4800, const char* line = "LN-1") const {
    return check_refund(product_refund_checks(),
                        {ticket_, order_, policy_, of_ticket_, of_order_, LineId(line), cents, kToday});
  }
  Ticket ticket_{TicketId("T-1042"),  "west", CustomerId("CUS-2001"), OrderId("ORD-5521"), "s", "t",
                 TicketStatus::kOpen, kToday};
  Order order_{OrderId("ORD-5521"),
               CustomerId("CUS-2001"),
               kToday - 13 * kDay,
               kToday - 7 * kDay,
               "delivered",
               currency_of("USD"),
               {{LineId("LN-1"), "TENT", "Tent", 1, 28900}, {LineId("LN-2"), "PEG", "Pegs", 1, 1600}},
               {}};
  RefundPolicy policy_{PolicyId("POL-DOA-30"), Money{6000, currency_of("USD")}, 30, "text"};
  std::vector<RefundReceipt> of_ticket_;
  std::vector<RefundReceipt> of_order_;
};

TEST_F(RefundChecks, LetTheDamagedPartThrough) {
  EXPECT_TRUE(succeeded(check()));
}

TEST_F(RefundChecks, RefuseAClosedTicket) {
  ticket_.status = TicketStatus::kClosed;
  const Status status = check();
  ASSERT_TRUE(refused(status, "refund.ticket_closed"));
  EXPECT_NE(status.error().text().find("Nothing was refunded."), std::string::npos);
}

TEST_F(RefundChecks, RefuseALineThatIsNotOnTheOrder) {
  EXPECT_TRUE(refused(check(4800, "LN-3"), "refund.no_such_line"));
  EXPECT_TRUE(succeeded(check(4800, "LN-2")));
}

TEST_F(RefundChecks, RefuseAnotherCurrencyThanThePolicys) {
  policy_.limit = Money{6000, currency_of("EUR")};
  EXPECT_TRUE(refused(check(), "refund.currency_mismatch"));
  policy_.limit = Money{9000, currency_of("JPY")};
  order_.currency = currency_of("JPY");
  EXPECT_TRUE(succeeded(check()));
}

TEST_F(RefundChecks, RefuseAfterTheWindow) {
  order_.delivered_at = kToday - 30 * kDay;
  EXPECT_TRUE(succeeded(check()));
  order_.delivered_at = kToday - 31 * kDay;
  const Status late = check();
  ASSERT_TRUE(refused(late, "refund.outside_window"));
  EXPECT_EQ(late.error().text(),
            "The order was delivered 31 days ago, and POL-DOA-30 covers 30 days. Nothing was refunded.");
  order_.delivered_at.reset();
  EXPECT_TRUE(refused(check(), "refund.outside_window"));
}

TEST_F(RefundChecks, RefuseMoreThanTheLimit) {
  EXPECT_TRUE(succeeded(check(6000)));
  EXPECT_TRUE(refused(check(6001), "refund.over_limit"));
  EXPECT_EQ(check(480'000).error().text(), "$4800.00 exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.");
}

TEST_F(RefundChecks, CountEarlierRefundsOfTheTicketIntoTheLimit) {
  of_ticket_ = {receipt_of("T-1042", "LN-2", 1200)};
  EXPECT_TRUE(succeeded(check(4800)));
  const Status status = check(4801);
  ASSERT_TRUE(refused(status, "refund.over_limit"));
  EXPECT_EQ(
      status.error().text(),
      "$48.01 with the $12.00 refunded on T-1042 before exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.");
  // A sum that cannot be formed counts as too much.
  of_ticket_ = {receipt_of("T-1042", "LN-2", 1200, "JPY")};
  EXPECT_TRUE(refused(check(1), "refund.over_limit"));
}

TEST_F(RefundChecks, RefuseALineThatWasRefunded) {
  of_order_ = {receipt_of("T-0900", "LN-2", 1200)};
  EXPECT_TRUE(succeeded(check(4800, "LN-1")));
  const Status status = check(100, "LN-2");
  ASSERT_TRUE(refused(status, "refund.line_refunded_already"));
  EXPECT_EQ(status.error().text(),
            "Line LN-2 of ORD-5521 was refunded already: RF-0009, $12.00. Nothing more was refunded.");
}

TEST_F(RefundChecks, RunInTheirOrder) {
  // Everything is wrong: what is refused first moves on as it is mended.
  ticket_.status = TicketStatus::kClosed;
  policy_.limit = Money{100, currency_of("EUR")};
  order_.delivered_at = kToday - 45 * kDay;
  of_order_ = {receipt_of("T-0900", "LN-3", 1200)};
  const auto first = [&](const char* line) { return std::string(check(4800, line).error().id()); };
  EXPECT_EQ(first("LN-3"), "refund.ticket_closed");
  ticket_.status = TicketStatus::kOpen;
  EXPECT_EQ(first("LN-3"), "refund.no_such_line");
  order_.lines.push_back({LineId("LN-3"), "X", "X", 1, 1});
  EXPECT_EQ(first("LN-3"), "refund.currency_mismatch");
  policy_.limit = Money{100, currency_of("USD")};
  EXPECT_EQ(first("LN-3"), "refund.outside_window");
  order_.delivered_at = kToday;
  EXPECT_EQ(first("LN-3"), "refund.over_limit");
  policy_.limit = Money{6000, currency_of("USD")};
  EXPECT_EQ(first("LN-3"), "refund.line_refunded_already");
  of_order_.clear();
  EXPECT_TRUE(succeeded(check(4800, "LN-3")));
}

}  // namespace
}  // namespace postern::desk
