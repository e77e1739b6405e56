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

TEST(ApprovedActionOnce, IsNotObservableWhereNoMoneyMoved) {
  Evidence run = cut_before(approved_run(), 67);
  run.world->refunds.clear();
  expect_unseen("I8", run, "no money moved");
}

}  // namespace
}  // namespace postern::lab
