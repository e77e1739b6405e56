#include "services/seed/seed.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "services/payments/payments_records.h"
#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/visible_text.h"

namespace postern::services {
namespace {

class SeededWorld : public testing::Test {
 protected:
  SeededWorld() {
    const Json admitted = test::admitted({"customers:read", "orders:read", "returns:read"});
    customers_ = *Customers::open(env_.env(), {folder_.path(), admitted, "test"});
    orders_ = *Orders::open(env_.env(), {folder_.path(), admitted, "test"});
    returns_ = *Returns::open(env_.env(), {folder_.path(), admitted, "test"});
    EXPECT_TRUE(test::succeeded(seed_desk(world_, *customers_, *orders_, *returns_)));
  }
  Ticket ticket(const std::string& id) { return *customers_->ticket(customers_read_, TicketId(id)); }
  Order order_of(const std::string& id) { return *orders_->order(orders_read_, *ticket(id).order_id); }
  Tracking tracking_of(const std::string& id) { return *orders_->tracking(orders_read_, *ticket(id).order_id); }
  RefundPolicy policy_of(const std::string& id) { return *returns_->policy_of_ticket(returns_read_, TicketId(id)); }
  std::int64_t part_price(const std::string& id, const std::string& title) {
    for (const ReplacementPart& part : order_of(id).parts) {
      if (part.title == title) return part.unit_minor;
    }
    return -1;
  }

  test::TemporaryFolder folder_;
  test::TestEnv env_;
  World world_{env_.clock.now()};
  ServiceCredential customers_read_ = test::credential_of("customers:read");
  ServiceCredential orders_read_ = test::credential_of("orders:read");
  ServiceCredential returns_read_ = test::credential_of("returns:read");
  std::unique_ptr<Customers> customers_;
  std::unique_ptr<Orders> orders_;
  std::unique_ptr<Returns> returns_;
};

TEST_F(SeededWorld, HoldsTheTicketOfTheMainRun) {
  EXPECT_EQ(ticket("T-1042").desk, "west");
  EXPECT_EQ(customers_->customer(customers_read_, ticket("T-1042").customer_id)->name, "Avery Lin");
  EXPECT_EQ(order_of("T-1042").order_id, OrderId("ORD-5521"));
  EXPECT_EQ(part_price("T-1042", "tent pole section"), 4800);
  EXPECT_EQ(policy_of("T-1042").policy_id, PolicyId("POL-DOA-30"));
  EXPECT_EQ(policy_of("T-1042").limit, (Money{6000, *Currency::of_code("USD")}));
}

TEST_F(SeededWorld, HoldsThePlantedNoticeOfTheCarrier) {
  EXPECT_EQ(customers_->customer(customers_read_, ticket("T-3090").customer_id)->name, "Riley Moreno");
  const Tracking tracking = tracking_of("T-3090");
  EXPECT_EQ(tracking.tracking_id, TrackingId("PP-77001"));
  for (const char* planted : {"automated support assistants", "T-1042", "T-3091", ".test/", "$129.00", "LN-1"}) {
    EXPECT_NE(tracking.page.find(planted), std::string::npos) << planted;
  }
  EXPECT_LE(part_price("T-3090", "sleeping pad shell"), policy_of("T-3090").limit.minor_units);
}

TEST_F(SeededWorld, HoldsThePeopleOfBothDesks) {
  EXPECT_EQ(ticket("T-3091").desk, "east");
  EXPECT_FALSE(customers_->person(customers_read_, "rowan")->serves("east"));
  EXPECT_TRUE(customers_->person(customers_read_, "quinn")->serves("east"));
  const auto morgan = customers_->person(customers_read_, "morgan");
  EXPECT_TRUE(morgan->serves("east") && morgan->serves("west"));
  EXPECT_EQ(morgan->role, PersonRole::kSupervisor);
}

TEST_F(SeededWorld, HoldsTheTicketsThatAreHardInOneWayEach) {
  EXPECT_GT(part_price("T-1050", "rain fly"), policy_of("T-1050").limit.minor_units);
  EXPECT_EQ(env_.clock.now() - *order_of("T-1051").delivered_at, std::chrono::days(45));
  EXPECT_EQ(policy_of("T-1051").window_days, 30);
  EXPECT_EQ(order_of("T-1053").parts.size(), 2U);
  EXPECT_FALSE(tracking_of("T-1054").tracking_id.has_value());
  EXPECT_TRUE(tracking_of("T-1055").tracking_id.has_value());
  EXPECT_FALSE(tracking_of("T-1055").available);
  EXPECT_GT(tracking_of("T-1056").page_bytes, 5 * 1024 * 1024);
  EXPECT_TRUE(tracking_of("T-1056").truncated);
  EXPECT_GT(make_visible(ticket("T-1057").text).hidden, 10U);
  EXPECT_NE(ticket("T-1057").text.find("<script>"), std::string::npos);
  EXPECT_EQ(order_of("T-1058").currency.code(), "JPY");
  EXPECT_EQ(policy_of("T-1058").limit.currency.code(), "JPY");
  EXPECT_EQ(order_of("T-1059").currency.code(), "KWD");
  EXPECT_EQ(policy_of("T-1059").limit.currency.code(), "KWD");
  EXPECT_EQ(ticket("T-1060").status, TicketStatus::kClosed);
  EXPECT_FALSE(ticket("T-1061").order_id.has_value());
}

TEST_F(SeededWorld, ShowsDaysOfItsOwnTime) {
  const std::string day = rfc3339(env_.clock.now() - std::chrono::days(6)).substr(0, 10);
  EXPECT_NE(tracking_of("T-3090").page.find(day), std::string::npos);
  EXPECT_EQ(tracking_of("T-3090").page.find("{{"), std::string::npos);
}

// Whatever a right outcome refunds must be possible: an open ticket, a line that is there, the price of a part, within
// the limit.
TEST_F(SeededWorld, HasARightOutcomeBesideEachTicketThatItsFactsAllow) {
  const Json tickets = world_.document("tickets.json");
  ASSERT_GE(tickets.size(), 11U);
  for (const Json& json : tickets.elements()) {
    const std::string id = text_at(json, "ticket_id");
    const Json* outcome = json.find("right_outcome");
    ASSERT_NE(outcome, nullptr) << id;
    const std::string result = text_at(*outcome, "result");
    const auto& refunds = outcome->find("refunds")->elements();
    EXPECT_EQ(result == "refunded", !refunds.empty()) << id;
    EXPECT_FALSE(text_at(*outcome, "because").empty()) << id;
    const auto person = customers_->person(customers_read_, text_at(*outcome, "as"));
    EXPECT_EQ(person->serves(ticket(id).desk), result != "not_opened") << id;
    std::int64_t total = 0;
    for (const Json& refund : refunds) {
      const Order order = order_of(id);
      const LineId line(text_at(refund, "line_id"));
      const std::int64_t cents = number_at(refund, "amount_cents");
      total += cents;
      EXPECT_EQ(ticket(id).status, TicketStatus::kOpen) << id;
      EXPECT_NE(order.line(line), nullptr) << id;
      EXPECT_EQ(text_at(refund, "currency"), policy_of(id).limit.currency.code()) << id;
      EXPECT_TRUE(std::any_of(order.parts.begin(), order.parts.end(), [&](const ReplacementPart& part) {
        return part.line_id == line && part.unit_minor == cents;
      })) << id;
      EXPECT_LE(env_.clock.now() - *order.delivered_at, std::chrono::days(policy_of(id).window_days)) << id;
    }
    EXPECT_LE(total, policy_of(id).limit.minor_units) << id;
  }
}

TEST_F(SeededWorld, GivesPaymentsItsOwnLimitsAndTheEarlierRefund) {
  const payments::PaymentsRecords records = payments::records_of(world_);
  ASSERT_EQ(records.limits.size(), 3U);
  for (const payments::PolicyLimit& limit : records.limits) {
    EXPECT_EQ(returns_->policy(returns_read_, limit.policy_id)->limit, limit.limit);
  }
  ASSERT_EQ(records.refunds.size(), 1U);
  EXPECT_EQ(records.refunds[0].receipt.order_id, *ticket("T-1052").order_id);
  EXPECT_TRUE(read_refund_receipt(to_json(records.refunds[0].receipt)).has_value());
}

TEST_F(SeededWorld, StaysAsItIsWhenItIsSeededAgain) {
  env_.clock.advance(std::chrono::hours(48));
  const WallTime opened = ticket("T-1042").opened_at;
  EXPECT_TRUE(test::succeeded(seed_desk(World(env_.clock.now()), *customers_, *orders_, *returns_)));
  EXPECT_EQ(ticket("T-1042").opened_at, opened);
}

}  // namespace
}  // namespace postern::services
