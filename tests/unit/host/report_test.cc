// The last word: the desk's records beside the model's sentence, and the exit code that follows.
#include "host/report.h"

#include <gtest/gtest.h>

#include "bridge/failures.h"
#include "host/model/failures.h"

namespace postern::host {
namespace {

RefundFact tent_pole() {
  return {"RF-0001", "ORD-5521", 4800, "USD", "APR-0001", "APV-0001"};
}

RunSummary paid() {
  RunSummary summary;
  summary.run = "http-20261130T024512-7c1e";
  summary.ticket = "T-1042";
  summary.case_opened = true;
  summary.final_text = "Refunded 4800 cents (RF-0001, approval APR-0001).";
  summary.facts.known = true;
  summary.facts.refunds = {tent_pole()};
  summary.paid_now = {"RF-0001"};
  summary.approval = ApprovalSeen{"APR-0001", "approved", "Morgan Ellis"};
  summary.pins_checked = 7;
  return summary;
}

RunSummary unpaid(std::string refusal) {
  RunSummary summary = paid();
  summary.final_text = "The refund was not made.";
  summary.facts.refunds.clear();
  summary.paid_now.clear();
  summary.refund_refused = std::move(refusal);
  return summary;
}

TEST(Report, OfAPaidTicket) {
  const Report report = report_of(paid());
  EXPECT_EQ(report.exit, ExitCode::kDone);
  EXPECT_EQ(report.final_line, "final: Refunded 4800 cents (RF-0001, approval APR-0001).");
  EXPECT_EQ(report.desk_line, "desk: 1 refund(s) on T-1042, $48.00 on ORD-5521 with APV-0001.");
  EXPECT_TRUE(report.notes.empty());
  EXPECT_EQ(report.json.string_at("schema"), "postern.run/1");
  EXPECT_EQ(
      report.json.find("desk")->dump(),
      R"({"refunds":[{"id":"RF-0001","order":"ORD-5521","amount_cents":4800,"currency":"USD","approval":"APR-0001","token":"APV-0001"}]})");
}

TEST(Report, OfADeskThatShowsNoRefundsGivesItsAnswer) {
  RunSummary summary = paid();
  summary.facts = {};
  summary.facts.shown_by_desk = false;
  summary.refund_answer = "Refunded 4800 cents (approval APR-0001).";
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kDone);
  EXPECT_EQ(report.outcome, "refunded");
  EXPECT_EQ(report.desk_line,
            "desk: This desk shows no refunds with an order. Its answer to the refund call: Refunded 4800 cents "
            "(approval APR-0001).");
  EXPECT_EQ(report.json.find("desk")->dump(), R"({"known":false,"answer":"Refunded 4800 cents (approval APR-0001)."})");
}

TEST(Report, OfADeskThatShowsNoRefundsKnowsNothingOfALostAnswer) {
  RunSummary summary = paid();
  summary.facts = {};
  summary.facts.shown_by_desk = false;
  summary.paid_now.clear();
  summary.refund_lost = true;
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kUnreachable);
  EXPECT_EQ(report.outcome, "unknown");
  EXPECT_NE(report.desk_line.find("We do not know yet"), std::string::npos);
}

TEST(Report, OfADeniedRefund) {
  const Report report = report_of(
      unpaid("Approval APR-0001 was denied by Morgan Ellis. Nothing was refunded.\nThe supervisor's note: \"no\""));
  EXPECT_EQ(report.exit, ExitCode::kMoneyRefused);
  EXPECT_EQ(report.desk_line,
            "desk: 0 refund(s) on T-1042. Approval APR-0001 was denied by Morgan Ellis. Nothing was refunded.");
  EXPECT_EQ(report.outcome, "refused");
}

TEST(Report, OfATicketThatRightlyNeededNoRefund) {
  const Report report = report_of(unpaid(""));
  EXPECT_EQ(report.exit, ExitCode::kDone);
  EXPECT_EQ(report.desk_line, "desk: 0 refund(s) on T-1042. Nothing was refunded.");
  EXPECT_EQ(report.outcome, "no_refund");
}

TEST(Report, OfARefusalThatWasMended) {
  RunSummary summary = paid();
  summary.refund_refused.clear();
  EXPECT_EQ(report_of(summary).exit, ExitCode::kDone);
}

TEST(Report, OfAPendingRun) {
  RunSummary summary = unpaid("");
  summary.final_text.reset();
  summary.pending = "Approval APR-0001 is still pending. Nothing was refunded.";
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kPending);
  EXPECT_EQ(report.final_line, "");
  EXPECT_EQ(report.desk_line, "desk: 0 refund(s) on T-1042. Approval APR-0001 is still pending. Nothing was refunded.");
}

TEST(Report, OfARunWithoutAToolThatDidNotMatchItsPin) {
  RunSummary summary = paid();
  summary.refused_tools = {"get_tracking"};
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kPinRefused);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes.front(), "finished without get_tracking (pin refused)");
}

TEST(Report, SaysSoWhenTheModelAndTheDeskDisagree) {
  RunSummary summary = unpaid("");
  summary.final_text = "Refunded 4800 cents (RF-0001, approval APR-0001).";
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kNo);
  ASSERT_EQ(report.notes.size(), 1U);
  EXPECT_EQ(report.notes.front().find("final and desk disagree: "), 0U);
}

TEST(Report, FindsEachKindOfDisagreement) {
  const DeskFacts facts = paid().facts;
  EXPECT_EQ(disagreement("Refunded 4800 cents (RF-0001, approval APR-0001).", facts, {"RF-0001"}), "");
  EXPECT_NE(disagreement("Refunded 4800 cents (RF-0002).", facts, {"RF-0001"}), "");
  EXPECT_NE(disagreement("Refunded 5800 cents (RF-0001).", facts, {"RF-0001"}), "");
  EXPECT_NE(disagreement("Nothing was refunded.", facts, {"RF-0001"}), "");
  // A refund of an earlier run is no contradiction.
  EXPECT_EQ(disagreement("Nothing was refunded: LN-1 was refunded before as RF-0001.", facts, {}), "");
  DeskFacts other_ticket = facts;
  other_ticket.refunds.clear();
  EXPECT_NE(disagreement("LN-1 was refunded before as RF-0900.", other_ticket, {}), "");
  other_ticket.earlier_ids = {"RF-0900"};
  EXPECT_EQ(disagreement("LN-1 was refunded before as RF-0900.", other_ticket, {}), "");
  // What cannot be known cannot be contradicted.
  EXPECT_EQ(disagreement("Refunded 1 cents (RF-0009).", DeskFacts{}, {}), "");
}

TEST(Report, SaysThatItDoesNotKnowWhenPaymentsCouldNotBeAsked) {
  RunSummary summary = paid();
  summary.facts = {};
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kUnreachable);
  EXPECT_EQ(report.desk_line,
            "desk: We do not know yet what was refunded on T-1042. Find out: postern resume http-20261130T024512-7c1e");
}

TEST(Report, OfARunThatNeverOpenedACase) {
  RunSummary summary;
  summary.ticket = "T-3091";
  summary.failure = bridge::CaseNotOpened{"No ticket T-3091."};
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kNo);
  EXPECT_EQ(report.desk_line, "");
}

TEST(Report, AModelThatFailedAfterItPaidStillShowsTheMoney) {
  RunSummary summary = paid();
  summary.final_text.reset();
  summary.failure = ModelDeclined{"x"};
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kModelFailed);
  EXPECT_EQ(report.desk_line, "desk: 1 refund(s) on T-1042, $48.00 on ORD-5521 with APV-0001.");
}

TEST(Report, OfARefundWhoseAnswerWasLost) {
  RunSummary summary = unpaid("");
  EXPECT_EQ(report_of(summary).exit, ExitCode::kDone);
  summary.refund_lost = true;
  const Report nothing_yet = report_of(summary);
  EXPECT_EQ(nothing_yet.exit, ExitCode::kUnreachable);
  EXPECT_EQ(nothing_yet.outcome, "unknown");
  EXPECT_EQ(nothing_yet.desk_line,
            "desk: 0 refund(s) on T-1042 so far. The answer to a refund call was lost, and it may still come through. "
            "Look again: postern resume http-20261130T024512-7c1e");
  summary.facts.refunds = {tent_pole()};
  summary.final_text = "It is not known whether the refund came through.";
  const Report came_through = report_of(summary);
  EXPECT_EQ(came_through.exit, ExitCode::kDone);
  EXPECT_EQ(came_through.outcome, "refunded");
  EXPECT_EQ(came_through.desk_line, "desk: 1 refund(s) on T-1042, $48.00 on ORD-5521 with APV-0001.");
  ASSERT_EQ(came_through.notes.size(), 1U);
  EXPECT_EQ(came_through.notes.front(),
            "The answer to a refund call was lost. The desk's records, read after it, show what was paid: RF-0001, "
            "$48.00.");
}

TEST(Report, AModelThatGotNoAnswerIsNotBelievedThatNothingWasPaid) {
  RunSummary summary = unpaid("");
  summary.refund_lost = true;
  summary.facts.refunds = {tent_pole()};
  for (const char* final_text : {"The refund was not made. The answer to the refund call was lost.",
                                 "Nothing was refunded.", "No refund was made."}) {
    summary.final_text = final_text;
    const Report report = report_of(summary);
    EXPECT_EQ(report.exit, ExitCode::kNo) << final_text;
    EXPECT_EQ(report.outcome, "refunded") << final_text;
    ASSERT_EQ(report.notes.size(), 2U) << final_text;
    EXPECT_EQ(report.notes.back(),
              "final and desk disagree: The model says that nothing was refunded, and the desk's records say "
              "otherwise. The desk's records count.");
  }
}

TEST(Report, ALostAnswerAfterAReceiptMayStillComeThrough) {
  RunSummary summary = paid();
  summary.refund_lost = true;
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kUnreachable);
  EXPECT_EQ(report.outcome, "unknown");
  EXPECT_EQ(report.desk_line,
            "desk: 1 refund(s) on T-1042, $48.00 on ORD-5521 with APV-0001. The answer to one more refund call was "
            "lost, and it may still come through. Look again: postern resume http-20261130T024512-7c1e");
}

TEST(Report, OfAnInterruptedRun) {
  RunSummary summary = unpaid("");
  summary.interrupted = ExitCode::kInterrupted;
  summary.failure = bridge::StoppedByPerson{};
  EXPECT_EQ(report_of(summary).exit, ExitCode::kInterrupted);
  EXPECT_EQ(report_of(summary).outcome, "stopped");
  summary.interrupted = ExitCode::kTerminated;
  EXPECT_EQ(report_of(summary).exit, ExitCode::kTerminated);
}

TEST(Report, OfARunWithoutGetOrderThatAskedForNoRefund) {
  RunSummary summary = unpaid("");
  summary.facts = DeskFacts{};
  summary.refused_tools = {"get_order"};
  summary.refund_wanted = false;
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kPinRefused);
  EXPECT_EQ(report.outcome, "no_refund");
  EXPECT_EQ(
      report.desk_line,
      "desk: The records of T-1042 were not read: get_order is refused by its pin. This run asked for no refund.");
  // As soon as a refund was wanted, nobody knows.
  summary.refund_wanted = true;
  EXPECT_EQ(report_of(summary).exit, ExitCode::kUnreachable);
  EXPECT_EQ(report_of(summary).outcome, "unknown");
}

TEST(Report, OfRecordsThatCouldNotBeReadInARunThatAskedForNoRefund) {
  RunSummary summary = unpaid("");
  summary.facts = DeskFacts{};
  summary.refund_wanted = false;
  const Report report = report_of(summary);
  EXPECT_EQ(report.exit, ExitCode::kUnreachable);
  EXPECT_EQ(report.desk_line,
            "desk: The records of T-1042 could not be read. This run asked for no refund. Look again: postern resume "
            "http-20261130T024512-7c1e");
  // A call that was on its way when the run was stopped is no "no refund".
  summary.refund_lost = true;
  EXPECT_NE(report_of(summary).desk_line.find("We do not know yet"), std::string::npos);
}

TEST(Report, ReadsFactsOfTheTicketOnly) {
  Json mine =
      Json::object({{"refund_id", "RF-0001"}, {"ticket_id", "T-1042"}, {"amount_cents", 4800}, {"currency", "USD"}});
  Json other =
      Json::object({{"refund_id", "RF-0002"}, {"ticket_id", "T-2000"}, {"amount_cents", 1}, {"currency", "USD"}});
  Json order =
      Json::object({{"order_id", "ORD-5521"}, {"refunds_source", "payments"}, {"refunds", Json::array({mine, other})}});
  const DeskFacts facts = facts_of(order, "T-1042");
  EXPECT_TRUE(facts.known);
  ASSERT_EQ(facts.refunds.size(), 1U);
  EXPECT_EQ(facts.refunds.front().refund_id, "RF-0001");
  EXPECT_FALSE(facts_of(order.set("refunds_source", "unavailable"), "T-1042").known);
}

TEST(Report, ReadsApprovalsOutOfTheDesksSentences) {
  const auto denied = approval_in("Approval APR-0001 was denied by Morgan Ellis. Nothing was refunded.");
  ASSERT_TRUE(denied.has_value());
  EXPECT_EQ(denied->id, "APR-0001");
  EXPECT_EQ(denied->status, "denied");
  EXPECT_EQ(denied->decided_by, "Morgan Ellis");
  // Whoever is named stays on one line: a server could write lines of its own otherwise.
  EXPECT_EQ(approval_in("Approval APR-0001 was denied by Morgan\nfinal: Refunded. Nothing was refunded.")->decided_by,
            "Morgan[U+000A]final: Refunded");
  EXPECT_EQ(approval_in("Approval APR-0002 is still pending. Nothing was refunded.")->status, "pending");
  EXPECT_EQ(approval_in("Approval APR-0002 expired before anybody decided.")->status, "expired");
  EXPECT_FALSE(approval_in("$4800.00 exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.").has_value());
}

}  // namespace
}  // namespace postern::host
