// Proves the rounds of a refund: what is asked for, what the client's answer does not decide (A6), whose state counts
// (A8), and that only payments has a word about money.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/shared_file.h"
#include "tests/unit/desk/desk_world.h"

namespace postern::desk {
namespace {

using test::DeskWorld;

class IssueRefund : public testing::Test {
 protected:
  static Json arguments_of(const std::string& handle) {
    return Json::object(
        {{"case_handle", handle}, {"line_id", "LN-1"}, {"amount_cents", 4800}, {"reason", "Pole section snapped"}});
  }
  Json first_round(Json arguments, const char* person = "rowan") {
    return world_.call(world_.token(person, test::kReadAndRefund), "issue_refund", std::move(arguments));
  }
  Json first_round() { return first_round(arguments_of(handle_)); }
  // A later round with that state and answer.
  Json round(const std::string& state, Json arguments, const char* action = "accept", const char* person = "rowan") {
    Json more = Json::object({{"requestState", state}});
    if (*action != '\0') {
      more.set("inputResponses", Json::object({{"approval", Json::object({{"action", action}})}}));
    }
    return world_.call(world_.token(person, test::kReadAndRefund), "issue_refund", std::move(arguments),
                       std::move(more));
  }
  Json round(const std::string& state, const char* action = "accept") {
    return round(state, arguments_of(handle_), action);
  }
  static std::string state_of(const Json& result) { return std::string(result.string_at("requestState")); }
  static Json link_of(const Json& result) { return *result.find("inputRequests")->find("approval")->find("params"); }
  int payments_made() const { return world_.services.count("POST http://127.0.0.1:8942"); }

  void expect_tool_error(const Json& result, const std::string& text) {
    EXPECT_EQ(result.boolean_at("isError"), true) << result.dump();
    EXPECT_EQ(DeskWorld::text_of(result), text);
  }
  void expect_state_refused(const Json& error) {
    EXPECT_EQ(error.integer_at("code"), -32602) << error.dump();
    EXPECT_EQ(world_.last_status, 200);
    EXPECT_EQ(world_.services.count("POST http://127.0.0.1:8941/requests/"), 0) << "approvals was asked";
    EXPECT_EQ(payments_made(), 0);
  }

  DeskWorld world_;
  std::string handle_ = world_.open_case("T-1042");
};

TEST_F(IssueRefund, AsksForApprovalWithTheStoredFacts) {
  const Json result = first_round();
  EXPECT_EQ(result.string_at("resultType"), "input_required");
  const Json link = link_of(result);
  EXPECT_EQ(link.string_at("mode"), "url");
  EXPECT_EQ(link.string_at("url"), "http://127.0.0.1:8940/approvals/APR-0001");
  EXPECT_EQ(link.string_at("message"),
            "Approval APR-0001: $48.00 on ORD-5521 waits for a supervisor. Nothing was refunded.");
  const Json asked = world_.services.last_body("POST http://127.0.0.1:8941/requests");
  EXPECT_EQ(asked.string_at("ticket_id"), "T-1042");
  EXPECT_EQ(asked.string_at("order_id"), "ORD-5521");
  EXPECT_EQ(asked.integer_at("amount_cents"), 4800);
  EXPECT_EQ(asked.string_at("currency"), "USD");
  EXPECT_EQ(asked.string_at("line_title"), "tent pole section");
  EXPECT_EQ(asked.string_at("customer_name"), "Avery Lin");
  EXPECT_EQ(asked.integer_at("limit_cents"), 6000);
  EXPECT_EQ(*asked.find("requester"),
            *parse_json(R"({"issuer":"http://127.0.0.1:8930","subject":"rowan","name":"Rowan Diaz"})"));
  EXPECT_EQ(payments_made(), 0);
}

TEST_F(IssueRefund, PassesOnWhatTheHostClaimsOfItselfAsClaims) {
  Json more = Json::object();
  more.set("_meta", *parse_json(R"({"io.modelcontextprotocol/protocolVersion":"2026-07-28",
      "io.modelcontextprotocol/clientCapabilities":{"elicitation":{"url":{}}},
      "dev.postern/run":{"run_id":"http-1","model_id":"m","pin_digest":"p","approved":true}})"));
  world_.call(world_.token("rowan", test::kReadAndRefund), "issue_refund", arguments_of(handle_), more);
  const Json asked = world_.services.last_body("POST http://127.0.0.1:8941/requests");
  EXPECT_EQ(*asked.find("claims"),
            *parse_json(R"({"run_id":"http-1","model_id":"m","tool":"issue_refund","pin_digest":"p"})"));
}

TEST_F(IssueRefund, PaysWhatASupervisorApproved) {
  const Json asked = first_round();
  world_.services.status = "approved";
  const Json result = round(state_of(asked));
  EXPECT_EQ(
      *result.find("structuredContent"),
      *parse_json(R"({"refund_id":"RF-0001","amount_cents":4800,"currency":"USD","order_id":"ORD-5521","line_id":"LN-1",
                            "approval_id":"APR-0001","token_id":"APV-0001","approved_by":"Morgan Ellis"})"));
  const Json paid = world_.services.last_body("POST http://127.0.0.1:8942/refunds");
  EXPECT_EQ(paid.find("action")->string_at("request_digest"), test::kDigest);
  EXPECT_EQ(world_.services.refunds.size(), 1U);
}

TEST_F(IssueRefund, ShowsThePaidRefundInTheOrderAtOnce) {
  const Json arguments = Json::object({{"case_handle", handle_}});
  const Json before = world_.call(world_.token(), "get_order", arguments);
  EXPECT_EQ(before.find("structuredContent")->find("refunds")->size(), 0U);
  const Json asked = first_round();
  world_.services.status = "approved";
  round(state_of(asked));
  const Json after = world_.call(world_.token(), "get_order", arguments);
  EXPECT_EQ(after.find("structuredContent")->find("refunds")->size(), 1U);
}

TEST_F(IssueRefund, RefundsNothingOnTheClientsWordAlone) {  // A6
  Json asked = first_round();
  for (int i = 0; i < 3; ++i) {
    const std::string before = state_of(asked);
    asked = round(before);
    EXPECT_EQ(asked.string_at("resultType"), "input_required");
    EXPECT_EQ(link_of(asked).string_at("message"), "Approval APR-0001 is still pending. Nothing was refunded.");
    EXPECT_NE(state_of(asked), before);  // fresh
  }
  EXPECT_EQ(payments_made(), 0);
  world_.services.status = "approved";
  EXPECT_TRUE(round(state_of(asked)).has("structuredContent"));
}

TEST_F(IssueRefund, StopsWhenTheOperatorDeclinesOrCancels) {
  const Json asked = first_round();
  world_.services.status = "approved";
  for (const char* action : {"decline", "cancel"}) {
    const Json result = round(state_of(asked), action);
    EXPECT_EQ(result.boolean_at("isError"), true);
    EXPECT_NE(DeskWorld::text_of(result).find("Nothing was refunded."), std::string::npos);
  }
  EXPECT_EQ(payments_made(), 0);
  EXPECT_TRUE(round(state_of(asked), "accept").has("structuredContent"));
}

TEST_F(IssueRefund, AsksAgainWhenTheAnswerIsMissingAndRefusesJunk) {
  const Json asked = first_round();
  world_.services.status = "approved";
  EXPECT_EQ(round(state_of(asked), "").string_at("resultType"), "input_required");
  EXPECT_EQ(round(state_of(asked), "approved").integer_at("code"), -32602);
  EXPECT_EQ(payments_made(), 0);
}

TEST_F(IssueRefund, SaysWhyNothingWasRefunded) {
  const std::pair<const char*, const char*> rows[] = {
      {"denied", "Approval APR-0001 was denied by Morgan Ellis. Nothing was refunded."},
      {"expired",
       "Approval APR-0001 expired before anybody decided. Nothing was refunded. Ask again if it is still wanted."},
      {"withdrawn", "Approval APR-0001 was withdrawn. Nothing was refunded."},
      {"lapsed", "Approval APR-0001 was not used in time. Nothing was refunded. Ask again if it is still wanted."},
  };
  const Json asked = first_round();
  for (const auto& [status, text] : rows) {
    world_.services.status = status;
    expect_tool_error(round(state_of(asked)), text);
  }
  EXPECT_EQ(payments_made(), 0);
}

TEST_F(IssueRefund, GivesTheSupervisorsNoteInABlockOfItsOwn) {
  const Json asked = first_round();
  world_.services.status = "denied";
  world_.services.note = "Ask for a photo of the pole first.";
  const Json result = round(state_of(asked));
  expect_tool_error(result, "Approval APR-0001 was denied by Morgan Ellis. Nothing was refunded.");
  EXPECT_EQ(result.find("content")->elements().at(1).string_at("text"),
            "The supervisor's note: \"Ask for a photo of the pole first.\"");
}

TEST_F(IssueRefund, RefusesTheStateOfAnother) {  // A8
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  expect_state_refused(round(state, arguments_of(handle_), "accept", "quinn"));
  const std::string quinns = world_.open_case("T-3091", "quinn");
  expect_state_refused(round(state, arguments_of(quinns), "accept", "quinn"));
  EXPECT_TRUE(round(state).has("structuredContent"));
}

TEST_F(IssueRefund, RefusesTheStateWithOtherArguments) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  for (const auto& [name, value] : Json::Object{{"amount_cents", 6000}, {"line_id", "LN-2"}, {"reason", "other"}}) {
    Json arguments = arguments_of(handle_);
    arguments.set(name, value);
    expect_state_refused(round(state, arguments));
  }
  EXPECT_TRUE(round(state).has("structuredContent"));
}

TEST_F(IssueRefund, RefusesTheStateOnAnotherTicketsCase) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  expect_state_refused(round(state, arguments_of(world_.open_case("T-3090"))));
  EXPECT_TRUE(round(state).has("structuredContent"));
}

TEST_F(IssueRefund, RefusesAChangedOrExpiredState) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  std::string changed = state;
  changed[40] = changed[40] == 'A' ? 'B' : 'A';
  expect_state_refused(round(changed));
  expect_state_refused(round("rs_invented"));
  expect_state_refused(round(""));
  world_.env_.clock.advance(Seconds(1200));
  expect_state_refused(round(state));
}

TEST_F(IssueRefund, OpensTheCaseAnewForTheSameCallerWhenTheHandleRanOut) {
  const std::string state = state_of(first_round());
  world_.env_.clock.advance(Seconds(901));
  const Json read = world_.call(world_.token(), "get_ticket", Json::object({{"case_handle", handle_}}));
  EXPECT_EQ(read.boolean_at("isError"), true);  // the handle itself stays dead
  world_.services.status = "approved";
  EXPECT_TRUE(round(state).has("structuredContent"));
}

TEST_F(IssueRefund, RefusesTheFirstRoundWithoutALiveHandle) {
  world_.env_.clock.advance(Seconds(901));
  expect_tool_error(first_round(), "No open case with that handle for this caller.");
  EXPECT_EQ(world_.services.count("POST"), 0);
  handle_ = world_.open_case("T-1042");
  expect_tool_error(first_round(arguments_of(handle_), "quinn"), "No open case with that handle for this caller.");
  EXPECT_EQ(first_round().string_at("resultType"), "input_required");
}

TEST_F(IssueRefund, RefusesBeforeAnybodyIsAsked) {
  const auto with = [&](const char* name, const Json& value) {
    Json arguments = arguments_of(handle_);
    arguments.set(name, value);
    return arguments;
  };
  expect_tool_error(first_round(with("amount_cents", 480'000)),
                    "$4800.00 exceeds the $60.00 limit in POL-DOA-30. Nothing was refunded.");
  expect_tool_error(first_round(with("line_id", "LN-7")),
                    "Order ORD-5521 has no line LN-7. Nothing was refunded. Take the line_id from get_order.");
  world_.services.paid_before("T-0900", "ORD-5521", "LN-1", 1000);
  expect_tool_error(first_round(),
                    "Line LN-1 of ORD-5521 was refunded already: RF-0001, $10.00. Nothing more was refunded.");
  EXPECT_EQ(world_.services.count("POST"), 0);
}

TEST_F(IssueRefund, RefusesClosedLateAndOrderlessTicketsOfTheWorld) {
  const std::pair<const char*, const char*> rows[] = {{"T-1051", "covers 30 days"}};
  for (const auto& [ticket, part] : rows) {
    const Json result = first_round(arguments_of(world_.open_case(ticket)));
    EXPECT_EQ(result.boolean_at("isError"), true) << ticket;
    EXPECT_NE(DeskWorld::text_of(result).find(part), std::string::npos) << DeskWorld::text_of(result);
    EXPECT_NE(DeskWorld::text_of(result).find("Nothing was refunded."), std::string::npos);
  }
  EXPECT_EQ(world_.services.count("POST"), 0);
}

TEST_F(IssueRefund, SaysWhenAServiceIsSilentBeforeMoneyMoves) {
  world_.services.payments_down = true;
  expect_tool_error(first_round(),
                    "The payments service does not answer. Nothing was refunded by this call. Try again in a moment.");
  world_.services.payments_down = false;
  world_.services.approvals_down = true;
  expect_tool_error(first_round(),
                    "The approvals service does not answer. Nothing was refunded by this call. Try again in a moment.");
  world_.services.approvals_down = false;
  EXPECT_EQ(first_round().string_at("resultType"), "input_required");
}

TEST_F(IssueRefund, FindsOutWhenPaymentsAnswerIsLost) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  world_.services.answers_lost = 1;  // it paid, and the answer did not come
  const Json result = round(state);
  EXPECT_EQ(result.find("structuredContent")->string_at("refund_id"), "RF-0001");
  EXPECT_EQ(payments_made(), 1);
  EXPECT_EQ(world_.services.refunds.size(), 1U);
}

TEST_F(IssueRefund, SendsTheSameRefundOnceMoreWhenPaymentsNeverSawIt) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  world_.services.answers_lost = 1;
  world_.services.arrives = false;
  EXPECT_TRUE(round(state).has("structuredContent"));
  EXPECT_EQ(payments_made(), 2);
  EXPECT_EQ(world_.services.refunds.size(), 1U);
}

TEST_F(IssueRefund, SaysThatWeDoNotKnowYetWhenPaymentsCannotBeAsked) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  world_.services.answers_lost = 1;
  world_.services.states_lost = true;
  const Json result = round(state);
  EXPECT_EQ(result.boolean_at("isError"), true);
  EXPECT_TRUE(DeskWorld::text_of(result).starts_with("We do not know yet whether $48.00 was refunded under APR-0001"))
      << DeskWorld::text_of(result);
  EXPECT_EQ(DeskWorld::text_of(result).find("Nothing was refunded"), std::string::npos);
  // The truth comes out with the next round, and the money moved once.
  world_.services.states_lost = false;
  EXPECT_EQ(round(state).find("structuredContent")->string_at("refund_id"), "RF-0001");
  EXPECT_EQ(world_.services.refunds.size(), 1U);
}

TEST_F(IssueRefund, AsksPaymentsWhenApprovalsIsSilentOrTheApprovalLapsed) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  world_.services.answers_lost = 1;
  world_.services.states_lost = true;
  round(state);  // paid, and nobody here knows
  world_.services.states_lost = false;
  world_.services.approvals_down = true;
  EXPECT_EQ(round(state).find("structuredContent")->string_at("refund_id"), "RF-0001");
  world_.services.approvals_down = false;
  world_.services.status = "lapsed";
  EXPECT_EQ(round(state).find("structuredContent")->string_at("refund_id"), "RF-0001");
  EXPECT_EQ(payments_made(), 1);
}

TEST_F(IssueRefund, SaysThatWeDoNotKnowWhenNeitherServiceAnswers) {
  const std::string state = state_of(first_round());
  world_.services.approvals_down = true;
  world_.services.payments_down = true;
  const Json result = round(state);
  EXPECT_TRUE(DeskWorld::text_of(result).starts_with("We do not know yet")) << DeskWorld::text_of(result);
  world_.services.payments_down = false;
  expect_tool_error(round(state),
                    "The approvals service does not answer. Nothing was refunded by this call. Try again in a moment.");
}

TEST_F(IssueRefund, GivesPaymentsOwnWordsWhenItRefuses) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  world_.services.refusal = {"payment.over_limit",
                             "$48.00 exceeds the $40.00 limit in POL-DOA-30. Nothing was refunded."};
  expect_tool_error(round(state), "$48.00 exceeds the $40.00 limit in POL-DOA-30. Nothing was refunded.");
  world_.services.refusal = {"payment.token_expired", "The approval's time is over."};
  expect_tool_error(round(state), "The approval's time is over. Nothing was refunded.");
  EXPECT_TRUE(world_.services.refunds.empty());
}

TEST_F(IssueRefund, RefusesADecisionAboutAnotherAction) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  for (const auto& [name, value] :
       Json::Object{{"amount_cents", 6000}, {"line_id", "LN-2"}, {"ticket_id", "T-3090"}, {"currency", "XXX"}}) {
    world_.services.changed_action = Json::object({{name, value}});
    expect_tool_error(round(state), "Approval APR-0001 is not for this refund. Nothing was refunded.");
  }
  EXPECT_EQ(payments_made(), 0);
  world_.services.changed_action = Json();
  EXPECT_TRUE(round(state).has("structuredContent"));
}

TEST_F(IssueRefund, ShowsNoTokenAndNoStateToServices) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  const Json result = round(state);
  EXPECT_EQ(result.dump().find("apt_"), std::string::npos);
  const std::string bearer = world_.token("rowan", test::kReadAndRefund);
  for (const test::Exchange& exchange : world_.services.exchanges) {
    EXPECT_EQ(exchange.body.dump().find(bearer.substr(0, 24)), std::string::npos) << exchange.where;
    EXPECT_EQ(exchange.body.dump().find(handle_), std::string::npos) << exchange.where;
    EXPECT_EQ(exchange.body.dump().find(state), std::string::npos) << exchange.where;
    EXPECT_TRUE(exchange.authorization.empty() || exchange.authorization.starts_with("Service svc_")) << exchange.where;
  }
}

TEST_F(IssueRefund, UsesTheCredentialOfEachOperation) {
  const std::string state = state_of(first_round());
  world_.services.status = "approved";
  round(state);
  for (const test::Exchange& exchange : world_.services.exchanges) {
    const std::string expected = exchange.where.starts_with("POST http://127.0.0.1:8941")   ? "approvals:request"
                                 : exchange.where.starts_with("POST http://127.0.0.1:8942") ? "payments:refund"
                                 : exchange.where.starts_with("GET http://127.0.0.1:8942")  ? "payments:read"
                                                                                            : "";
    if (!expected.empty()) {
      EXPECT_EQ(exchange.authorization, "Service " + test::credential_text(expected)) << exchange.where;
    }
  }
}

// B-096: an amount is what it is worth, however it is written; nothing is cut and nothing wraps around.
TEST_F(IssueRefund, TakesTheAmountsOfPublicCaseB096ForWhatTheyAre) {
  POSTERN_SHARED_TEXT(values, "cases/B-096/values.txt");
  std::istringstream in(values);
  int asked = 0;
  int refused = 0;
  for (std::string value, verdict; in >> value >> verdict;) {
    const auto amount = parse_json(value);
    if (!amount) {  // the whole message is no JSON of ours then (tests/unit/jsonrpc)
      EXPECT_EQ(verdict, "bad") << value;
      continue;
    }
    Json arguments = arguments_of(handle_);
    const Json result = first_round(arguments.set("amount_cents", *amount));
    if (verdict == "ok") {
      ++asked;
      EXPECT_EQ(world_.services.last_body("POST http://127.0.0.1:8941/requests").integer_at("amount_cents"), 4800);
      EXPECT_NE(link_of(result).string_at("message").find("$48.00"), std::string::npos) << value;
    } else {
      ++refused;
      EXPECT_EQ(result.boolean_at("isError"), true) << value << result.dump();
    }
  }
  EXPECT_EQ(asked, 3);
  EXPECT_EQ(refused, 9);
  EXPECT_EQ(world_.services.count("POST http://127.0.0.1:8941/requests"), asked);
}

// B-097: 200 characters are 200 code points, and what the supervisor reads is what was written.
TEST_F(IssueRefund, CountsTheReasonsOfPublicCaseB097InCodePoints) {
  const auto times = [](std::string_view unit, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += unit;
    return text;
  };
  for (const std::string& reason : {times("\u00FC", 200), times("\U0001F3D5", 200), times("e\u0301", 100)}) {
    Json arguments = arguments_of(handle_);
    const Json result = first_round(arguments.set("reason", reason));
    EXPECT_EQ(result.string_at("resultType"), "input_required") << result.dump();
    EXPECT_EQ(world_.services.last_body("POST http://127.0.0.1:8941/requests").string_at("reason"), reason);
  }
  for (const std::string& reason : {times("\u00FC", 201), times("e\u0301", 101)}) {
    Json arguments = arguments_of(handle_);
    EXPECT_EQ(first_round(arguments.set("reason", reason)).boolean_at("isError"), true);
  }
  EXPECT_EQ(world_.services.count("POST http://127.0.0.1:8941/requests"), 3);
}

}  // namespace
}  // namespace postern::desk
