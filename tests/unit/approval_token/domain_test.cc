#include <gtest/gtest.h>

#include "services/domain/ids.h"
#include "services/domain/refund_action.h"
#include "services/domain/refund_receipt.h"
#include "tests/support/issued_approval.h"
#include "tests/support/refused.h"

namespace postern::services {
namespace {

TEST(Id, IsReadInItsOneForm) {
  EXPECT_EQ(read_id<TicketId>("T-1042")->value(), "T-1042");
  EXPECT_EQ(read_id<PolicyId>("POL-DOA-30")->value(), "POL-DOA-30");
  EXPECT_EQ(read_id<LineId>("LN-1")->value(), "LN-1");
  EXPECT_EQ(numbered("RF-", 7), "RF-0007");
  EXPECT_EQ(numbered("RF-", 12345), "RF-12345");
}

TEST(Id, RefusesOtherForms) {
  for (const std::string_view text : {"", "T-", "T-104", "t-1042", "T-1042 ", " T-1042", "T-1042\n", "T-10x2",
                                      "T-1042/../T-1043", "ORD-1042", "T--1042"}) {
    EXPECT_FALSE(read_id<TicketId>(text).has_value()) << text;
  }
  EXPECT_FALSE(read_id<TicketId>("T-" + std::string(31, '1')).has_value());
  EXPECT_TRUE(read_id<TicketId>("T-" + std::string(30, '1')).has_value());
  EXPECT_FALSE(read_id<PolicyId>("POL-").has_value());
  EXPECT_FALSE(read_id<PolicyId>("POL-doa").has_value());
}

TEST(RefundAction, ComesBackFromItsJson) {
  const RefundAction action = test::refund_action(3250, "LN-2", "KWD");
  const auto again = read_refund_action(to_json(action));
  ASSERT_TRUE(test::succeeded(again));
  EXPECT_EQ(*again, action);
}

TEST(RefundAction, RefusesEachMemberThatIsWrong) {
  const std::vector<std::pair<std::string, Json>> wrong{
      {"ticket_id", "T-1"},    {"order_id", Json()},
      {"line_id", "1"},        {"amount_cents", 0},
      {"amount_cents", -4800}, {"amount_cents", 48.0},
      {"amount_cents", "48"},  {"amount_cents", std::int64_t{9007199254740992}},
      {"currency", "usd"},     {"currency", "XTS"},
      {"policy_id", 30}};
  for (const auto& member : wrong) {
    Json json = to_json(test::refund_action());
    json.set(member.first, member.second);
    const auto action = read_refund_action(json);
    ASSERT_TRUE(test::refused(action, "refund.malformed_action")) << member.first << " " << member.second.dump();
    EXPECT_EQ(action.error().as<MalformedAction>()->member, member.first);
  }
}

TEST(RequestDigest, DiffersWithEachMemberAndWithTheRequester) {
  const PersonKey rowan{"iss", "rowan"};
  const RefundAction base = test::refund_action();
  const std::string digest = request_digest(base, rowan);
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(request_digest(test::refund_action(), rowan), digest);
  std::vector<RefundAction> others(6, base);
  others[0].ticket_id = TicketId("T-1043");
  others[1].order_id = OrderId("ORD-5522");
  others[2].line_id = LineId("LN-2");
  others[3].amount.minor_units = 4801;
  others[4].amount.currency = *Currency::of_code("EUR");
  others[5].policy_id = PolicyId("POL-DOA-31");
  for (const RefundAction& other : others) EXPECT_NE(request_digest(other, rowan), digest);
  EXPECT_NE(request_digest(base, {"iss", "quinn"}), digest);
  EXPECT_NE(request_digest(base, {"other", "rowan"}), digest);
}

TEST(RefundReceipt, ComesBackFromItsJson) {
  const RefundReceipt receipt{RefundId("RF-0001"),          TicketId("T-1042"),
                              OrderId("ORD-5521"),          LineId("LN-1"),
                              test::refund_action().amount, ApprovalId("APR-0001"),
                              TokenId("APV-0001"),          WallTime(Milliseconds(1'796'000'000'123))};
  const auto again = read_refund_receipt(to_json(receipt));
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(to_json(*again), to_json(receipt));
  EXPECT_EQ(again->refunded_at, receipt.refunded_at);
}

TEST(RefundReceipt, RefusesEachMemberThatIsMissingOrWrong) {
  const RefundReceipt receipt{RefundId("RF-0001"), TicketId("T-1042"),           OrderId("ORD-5521"),
                              LineId("LN-1"),      test::refund_action().amount, ApprovalId("APR-0001"),
                              TokenId("APV-0001"), WallTime(Milliseconds(0))};
  const Json whole = to_json(receipt);
  ASSERT_TRUE(read_refund_receipt(whole).has_value());
  for (const Json::Member& member : whole.members()) {
    Json json = whole;
    json.erase(member.first);
    EXPECT_FALSE(read_refund_receipt(json).has_value()) << member.first;
  }
  for (const char* time : {"2026-02-30T00:00:00.000Z", "2026-11-30T24:00:00.000Z", "2026-11-30 02:51:07.123Z", "now"}) {
    Json json = whole;
    json.set("refunded_at", time);
    EXPECT_FALSE(read_refund_receipt(json).has_value()) << time;
  }
}

}  // namespace
}  // namespace postern::services
