// I7: money moves only after a separate person with refunds:approve decided; nothing a client or a model says counts as
// that decision. Attacks A6 and A7; the fault trust-client-accept.
#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

TEST(SomebodyElseDecided, HoldsInAnApprovedRun) {
  expect_held("I7", approved_run());
}

TEST(SomebodyElseDecided, IsBrokenByAReceiptBeforeAnybodyWasAsked) {
  Evidence run = approved_run();
  replace_in(entry(run, 66), R"("resultType":"input_required")", R"("resultType":"complete","isError":true)");
  expect_broken("I7", run, "entry 68, body.result");
}

TEST(SomebodyElseDecided, IsBrokenByTheRequesterAsTheOneWhoApproved) {
  Evidence run = approved_run();
  replace_in(entry(run, 68), R"("approved_by":"Morgan Ellis"},"_meta")", R"("approved_by":"Rowan Diaz"},"_meta")");
  expect_broken("I7", run, "entry 68, body.result.structuredContent.approved_by");
}

TEST(SomebodyElseDecided, IsBrokenByARefundWithoutADecisionInTheAuditTrail) {
  Evidence run = approved_run();
  for (Json& row : run.world->audit) {
    if (row.string_at("action") == "decision.approved") row.set("action", "page.opened");
  }
  expect_broken("I7", run, "payments, RF-0001, approval_id: paid on APR-0001, which nobody approved");
}

TEST(SomebodyElseDecided, IsBrokenByADecisionOfTheRequesterOrElsewhereThanOnThePage) {
  Evidence own = approved_run();
  Evidence elsewhere = approved_run();
  for (Json& row : own.world->audit) row.set("actor_sub", "rowan");
  for (Json& row : elsewhere.world->audit) row.set("channel", "desk");
  expect_broken("I7", own, "approvals, APR-0001, decided_by_sub");
  expect_broken("I7", elsewhere, "approvals, audit row of APR-0001, channel");
}

TEST(SomebodyElseDecided, IsBrokenByMoneyBeforeTheDecision) {
  Evidence run = approved_run();
  run.world->requests[0].set("decided_at_ms", run.world->refunds[0].integer_at("refunded_at").value_or(0) + 1);
  expect_broken("I7", run, "payments, RF-0001, refunded_at");
}

TEST(SomebodyElseDecided, IsBrokenByAnAuditRowThatNamesAnotherThanTheRequestDoes) {
  Evidence audit = approved_run();
  for (Json& row : audit.world->audit) {
    if (row.string_at("action") == "decision.approved") row.set("actor_sub", "ghost");
  }
  expect_broken("I7", audit, "approvals, audit row of APR-0001, actor_sub");
  Evidence request = approved_run();
  request.world->requests[0].set("decided_by_sub", "ghost");
  expect_broken("I7", request, "approvals, audit row of APR-0001, actor_sub");
}

// One more refund in an order that was read.
void add_refund(host::WireEntry& order, std::string_view approval) {
  Json body = *parse_json(order.body);
  Json result = *body.find("result");
  Json content = *result.find("structuredContent");
  Json refunds = *content.find("refunds");
  refunds.push(Json::object({{"refund_id", "RF-0099"}, {"approval_id", std::string(approval)}}));
  content.set("refunds", refunds);
  result.set("structuredContent", content);
  order.body = body.set("result", result).dump();
}

TEST(SomebodyElseDecided, IsBrokenByARefundInTheOrderThatNoReceiptExplains) {
  for (const std::string approval : {"", "APR-0099"}) {
    Evidence run = approved_run();
    add_refund(entry(run, 77), approval);
    expect_broken("I7", run, "entry 77, body.result.structuredContent.refunds: RF-0099");
  }
}

TEST(SomebodyElseDecided, HoldsWhereTheRefundStoodThereBeforeAnyWasAskedFor) {
  Evidence run = approved_run();
  add_refund(entry_with(run, R"("refunds":[])"), "APR-0099");
  add_refund(entry(run, 77), "APR-0099");
  expect_held("I7", run);
}

TEST(SomebodyElseDecided, IsBrokenByARunThatSaysThatItPaidAndHasNoReceipt) {
  Evidence outcome = cut_before(approved_run(), 67);
  outcome.world->refunds.clear();
  expect_held("I7", outcome);
  outcome.outcome = "refunded";
  expect_broken("I7", outcome, "run.json, outcome");
  expect_broken("I8", outcome, "run.json, outcome");
  Evidence printed = cut_before(approved_run(), 67);
  printed.world->refunds.clear();
  printed.texts["stdout"] = "final: Refunded 4800 cents (RF-0001, approval APR-0001).";
  expect_broken("I7", printed, "stdout: RF-0001 is named");
  expect_broken("I8", printed, "stdout: RF-0001 is named");
}

TEST(SomebodyElseDecided, HoldsWhereWhatTheRunSaysHasItsReceipt) {
  Evidence run = approved_run();
  run.outcome = "refunded";
  run.texts["stdout"] = "final: Refunded 4800 cents (RF-0001, approval APR-0001).";
  expect_held("I7", run);
  expect_held("I8", run);
  run.outcome = "no_refund";
  expect_broken("I7", run, "run.json, outcome");
  expect_broken("I8", run, "run.json, outcome");
}

TEST(SomebodyElseDecided, HoldsWhereNobodyDecidedAndNothingWasPaid) {
  Evidence run = cut_before(approved_run(), 67);
  run.world->refunds.clear();
  expect_held("I7", run);
}

TEST(SomebodyElseDecided, IsNotObservableWithoutARefund) {
  Evidence run = cut_before(approved_run(), 54);
  run.world->refunds.clear();
  expect_unseen("I7", run, "no refund was asked for");
}

}  // namespace
}  // namespace postern::lab
