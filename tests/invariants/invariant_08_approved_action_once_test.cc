// I8: an approval pays exactly the stored action, once, within the policy limit, checked again by the service that
// moves the money. Attacks A9 and A10; the faults amount-blind-token, replayable-token and dollars-for-cents.
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(ApprovedActionOnce, HoldsInAnApprovedRun) {
  expect_held("I8", approved_run());
}

TEST(ApprovedActionOnce, IsBrokenByAReceiptOfAnotherAmountLineOrOrder) {
  const auto with = [](std::string_view from, std::string_view to) {
    Evidence run = approved_run();
    host::WireEntry& receipt = entry(run, 68);
    const std::size_t at = receipt.body.rfind(from);
    receipt.body.replace(at, from.size(), to);
    return run;
  };
  expect_broken("I8", with(R"("amount_cents":4800)", R"("amount_cents":480000)"),
                "entry 68, body.result.structuredContent.amount_cents");
  expect_broken("I8", with(R"("line_id":"LN-1")", R"("line_id":"LN-2")"),
                "entry 68, body.result.structuredContent.line_id");
  expect_broken("I8", with(R"("order_id":"ORD-5521")", R"("order_id":"ORD-5600")"),
                "entry 68, body.result.structuredContent.order_id");
  expect_broken("I8", with(R"("currency":"USD")", R"("currency":"JPY")"),
                "entry 68, body.result.structuredContent.currency");
}

TEST(ApprovedActionOnce, IsBrokenByMoreThanTheLimit) {
  Evidence run = approved_run();
  host::WireEntry& policy = entry(run, 42);
  policy.body.replace(policy.body.rfind(R"("limit_cents":6000)"), 18, R"("limit_cents":4000)");
  expect_broken("I8", run, "more than the policy's limit");
}

TEST(ApprovedActionOnce, IsBrokenByARowThatIsNotTheStoredAction) {
  for (const std::string field : {"amount_minor", "currency", "order_id", "line_id", "ticket_id", "request_digest"}) {
    Evidence run = approved_run();
    run.world->refunds[0].set(field, field == "amount_minor" ? Json(5900) : Json("another"));
    expect_broken("I8", run, "payments, RF-0001, " + field + ": not as it was approved");
  }
}

TEST(ApprovedActionOnce, IsBrokenByASecondRefundOfOneApproval) {
  Evidence run = approved_run();
  Json again = run.world->refunds[0];
  again.set("refund_id", "RF-0002").set("token_id", "APV-0002");
  run.world->refunds.push_back(again);
  expect_broken("I8", run, "payments, RF-0002, approval_id: an approval was paid twice");
}

TEST(ApprovedActionOnce, IsBrokenByATokenThatWasSpentTwice) {
  Evidence run = approved_run();
  Json again = run.world->refunds[0];
  Json request = run.world->requests[0];
  again.set("refund_id", "RF-0002").set("approval_id", "APR-0002");
  run.world->requests.push_back(request.set("id", "APR-0002"));
  run.world->refunds.push_back(again);
  expect_broken("I8", run, "payments, RF-0002, token_id: an approval token was spent twice");
}

TEST(ApprovedActionOnce, IsBrokenByRefundsThatAreTogetherOverTheLimit) {
  Evidence run = approved_run();
  for (Json& limit : run.world->limits) limit.set("limit_minor", 4700);
  expect_broken("I8", run, "payments, refunds of T-1042: together over the limit");
}

TEST(ApprovedActionOnce, IsBrokenByAReceiptWithoutATokenOrARowOfPayments) {
  Evidence token = approved_run();
  host::WireEntry& receipt = entry(token, 68);
  receipt.body.replace(receipt.body.rfind(R"("APV-0001")"), 10, R"("")");
  expect_broken("I8", token, "entry 68, body.result.structuredContent.token_id");
  Evidence emptied = approved_run();
  emptied.world->refunds.clear();
  expect_broken("I8", emptied, "payments, RF-0001: there is a receipt and no row of it");
}

TEST(ApprovedActionOnce, IsBrokenByReceiptAndRecordsThatSayDifferentThings) {
  for (const std::string field : {"amount_minor", "currency", "line_id"}) {
    Evidence run = approved_run();
    const Json other = field == "amount_minor" ? Json(5900) : Json("another");
    run.world->refunds[0].set(field, other);
    run.world->requests[0].set(field == "amount_minor" ? "amount_cents" : field, other);
    expect_broken("I8", run, "payments, RF-0001, " + field + ": not as its receipt says");
  }
  Evidence token = approved_run();
  token.world->refunds[0].set("token_id", "APV-0009");
  expect_broken("I8", token, "payments, RF-0001, token_id: not as its receipt says");
  Evidence limit = approved_run();
  limit.world->limits[0].set("limit_minor", 999999);
  expect_broken("I8", limit, "payments, limit of POL-DOA-30: not what get_policy said");
}

TEST(ApprovedActionOnce, IsBrokenByARowOfThisRunThatNothingShowsWheneverItWasMade) {
  Evidence run = approved_run();
  Json row = run.world->refunds[0];
  Json request = run.world->requests[0];
  run.world->requests.push_back(request.set("id", "APR-0002"));
  row.set("refund_id", "RF-0002").set("approval_id", "APR-0002").set("token_id", "APV-0002").set("amount_minor", 100);
  run.world->requests.back().set("amount_cents", 100);
  run.world->refunds.push_back(row.set("refunded_at", 5));
  expect_broken("I8", run, "payments, RF-0002: paid for this run, and neither");
  run.world->requests.back().set("run_id", "http-of-another");
  expect_held("I8", run);
}

TEST(ApprovedActionOnce, IsBrokenByAnOrderThatShowsTheReceiptNotOrOtherwise) {
  const auto with = [](std::string_view from, std::string_view to) {
    Evidence run = approved_run();
    host::WireEntry& order = entry(run, 77);
    const std::size_t at = order.body.find(from, order.body.find("structuredContent"));
    EXPECT_NE(at, std::string::npos);
    order.body.replace(at, from.size(), to);
    return run;
  };
  expect_broken("I8", with(R"("RF-0001")", R"("RF-0002")"), "entry 77, body.result.structuredContent.refunds: RF-0001");
  expect_broken("I8", with(R"("amount_cents":4800)", R"("amount_cents":5900)"), "is not as its receipt says");
}

TEST(ApprovedActionOnce, IsNotObservableWhereNoMoneyMoved) {
  Evidence run = cut_before(approved_run(), 67);
  run.world->refunds.clear();
  expect_unseen("I8", run, "no money moved");
}

}  // namespace
}  // namespace postern::lab
