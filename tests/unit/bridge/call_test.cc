// One call to its end: step-up, a link and a wait, lost answers. The clock is moved by the wait itself; nothing sleeps.
#include "bridge/call.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "bridge/failures.h"
#include "bridge/input_answers.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::bridge {
namespace {

using pretended::Bench;
using pretended::result_for;
using pretended::SeenCall;
using pretended::string_schema;
using pretended::text_result;
using test::refused;
using test::succeeded;

class Watched final : public ElicitationHandler {
 public:
  std::vector<std::string> shown;
  std::vector<std::string> refused_links;
  mcp::ElicitAction says = mcp::ElicitAction::kAccept;
  mcp::ElicitAction show_link(const LinkRequest& request, const std::stop_token&) override {
    shown.push_back(request.url.text());
    return says;
  }
  void link_refused(const std::string& url, const std::string&) override { refused_links.push_back(url); }
  void still_waiting(const std::string&) override {}
};

struct CallBench : Bench {
  Watched watched;
  std::stop_source stop;
  CallOptions options;
  ElicitationAnswers answers{watched, desk_links()};
  pins::PinnedTool open_case = pretended::pinned_tool("open_case", Json::object({{"ticket_id", string_schema()}}));
  pins::PinnedTool get_order = pretended::pinned_tool("get_order", Json::object({{"case_handle", string_schema()}}));
  pins::PinnedTool refund = pretended::pinned_tool(
      "issue_refund", Json::object({{"case_handle", string_schema()}, {"line_id", string_schema()}}));
  ResultValidator validator{{open_case, get_order, refund}};

  static ElicitationOptions desk_links() {
    ElicitationOptions options;
    options.server = {"support-desk", "127.0.0.1:8931"};
    options.links.hosts = {"127.0.0.1"};
    options.links_for_somebody_else = true;
    return options;
  }
  Call call() {
    return Call(env.env(), session, oauth, validator, answers, observed, options,
                [this](std::chrono::milliseconds how_long, const std::stop_token& token) {
                  env.clock.advance(how_long);
                  return token.stop_requested();
                });
  }
  [[nodiscard]] std::vector<Json> sent(std::string_view tool) const {
    std::vector<Json> params;
    for (const SeenCall& seen : peers.calls) {
      if (seen.body.find("params")->string_at("name") == tool && !seen.token.empty())
        params.push_back(*seen.body.find("params"));
    }
    return params;
  }
  [[nodiscard]] std::size_t distinct_ids() const {
    std::set<std::string> ids;
    for (const SeenCall& seen : peers.calls) ids.insert(seen.body.find("id")->dump());
    return ids.size();
  }
};

Json link_to(std::string url, std::string state,
             std::string message = "Approval APR-0001 is still pending. Nothing was refunded.") {
  Json params = Json::object({{"mode", "url"}, {"message", std::move(message)}, {"url", std::move(url)}});
  Json request = Json::object({{"method", "elicitation/create"}, {"params", std::move(params)}});
  Json result = Json::object(
      {{"resultType", "input_required"}, {"inputRequests", Json::object({{"approval", std::move(request)}})}});
  return result.set("requestState", std::move(state));
}

const char* const kPage = "http://127.0.0.1:8940/approvals/APR-0001";

Json line_one() {
  return Json::object({{"line_id", "LN-1"}});
}

// Answers issue_refund with a link `rounds` times, then with a receipt; each state is new.
void decide_after(CallBench& bench, int rounds) {
  auto seen_rounds = std::make_shared<int>(0);
  bench.peers.handle = [seen_rounds, rounds](const SeenCall& seen) {
    if (*seen_rounds < rounds) return result_for(seen, link_to(kPage, "state-" + std::to_string(++*seen_rounds)));
    return result_for(seen, text_result("paid"));
  };
}

TEST(Call, FillsTheHandleInAndKeepsItOutOfTheResult) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall& seen) {
    if (seen.body.find("params")->string_at("name") != "open_case") return result_for(seen, text_result("order"));
    Json result = text_result("opened");
    result.set("structuredContent",
               Json::object({{"case_handle", "ch_secret"}, {"ticket_id", "T-1042"}, {"expires_in_s", 900}}));
    return result_for(seen, std::move(result));
  };
  Call call = bench.call();
  const auto opened = call.open_case(bench.open_case, "T-1042", {}, {});
  ASSERT_TRUE(succeeded(opened));
  EXPECT_EQ(opened->ticket_id, "T-1042");
  EXPECT_EQ(opened->expires_in_s, 900);
  // The model cannot bring a handle of its own: the bound argument wins.
  ASSERT_TRUE(succeeded(call.run(bench.get_order, Json::object({{"case_handle", "ch_of_the_model"}}), {}, {})));
  EXPECT_EQ(bench.sent("get_order").front().find("arguments")->dump(), "{\"case_handle\":\"ch_secret\"}");
}

TEST(Call, WithholdsTheHandleThatAServerGivesBack) {
  CallBench bench;
  const std::string quoted = "No order for {\"case_handle\":\"ch_secret\"} and ch_secret.";
  bench.peers.handle = [&quoted](const SeenCall& seen) -> Result<HttpResponse> {
    const std::string_view tool = seen.body.find("params")->string_at("name");
    if (tool == "issue_refund") return result_for(seen, link_to(kPage, "s", "Pay ch_secret?"));
    Json result = text_result(quoted, tool == "get_order");
    if (tool == "open_case")
      result.set("structuredContent", Json::object({{"case_handle", "ch_secret"}, {"ticket_id", "T-1042"}}));
    return result_for(seen, std::move(result));
  };
  bench.options.wait_max = Seconds(0);
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.open_case(bench.open_case, "T-1042", {}, {})));
  const auto order = call.run(bench.get_order, Json::object(), {}, {});
  ASSERT_TRUE(succeeded(order));
  EXPECT_EQ(order->data(),
            "No order for {\"case_handle\":\"[the case handle is withheld]\"} and [the case handle is withheld].");
  const auto refund = call.run(bench.refund, line_one(), {}, {});
  ASSERT_TRUE(refused(refund, "bridge.still_pending"));
  EXPECT_EQ(refund.error().text(), "Pay [the case handle is withheld]?");
}

TEST(Call, PutsTheTicketWhereTheReviewedDefinitionHasItsOneText) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall& seen) {
    Json result = text_result("opened");
    return result_for(seen, result.set("structuredContent", Json::object({{"case_handle", "case_secret"}})));
  };
  Call call = bench.call();
  const auto opened = call.open_case(
      pretended::pinned_tool("open_case", Json::object({{"ticket", pretended::string_schema()}})), "T-1042", {}, {});
  ASSERT_TRUE(succeeded(opened));
  EXPECT_EQ(bench.sent("open_case").front().find("arguments")->dump(), "{\"ticket\":\"T-1042\"}");
  EXPECT_EQ(opened->ticket_id, "T-1042");
  EXPECT_EQ(opened->expires_in_s, 0);
  const Json two = Json::object({{"ticket", pretended::string_schema()}, {"desk", pretended::string_schema()}});
  EXPECT_TRUE(refused(call.open_case(pretended::pinned_tool("open_case", two), "T-1042", {}, {}), "case.not_opened"));
  EXPECT_EQ(bench.sent("open_case").size(), 1U);
}

TEST(Call, SaysWhyACaseWasNotOpened) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, text_result("No ticket T-3091.", true)); };
  Call call = bench.call();
  const auto opened = call.open_case(bench.open_case, "T-3091", {}, {});
  ASSERT_TRUE(refused(opened, "case.not_opened"));
  EXPECT_EQ(opened.error().text(), "No ticket T-3091. No case was opened.");
}

TEST(Call, StepsUpOnceAndSendsTheSameCallAgain) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, text_result("paid")); };
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.run(bench.refund, line_one(), {}, {})));
  ASSERT_EQ(bench.sent("issue_refund").size(), 2U);
  EXPECT_EQ(bench.sent("issue_refund")[0], bench.sent("issue_refund")[1]);
  EXPECT_EQ(bench.observed.lines, (std::vector<std::string>{"signed in Rowan Diaz: desk:read",
                                                            "step up issue_refund: desk:read refunds:write",
                                                            "signed in Rowan Diaz: desk:read refunds:write"}));
}

TEST(Call, StopsAfterTwoAuthorizationsWhenTheServerNeverHasEnough) {
  CallBench bench;
  bench.peers.refuse_scope_for_ever = true;
  bench.peers.refund_scopes = "refunds:write";
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, text_result("paid")); };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "sign_in.refused_again"));
  EXPECT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(bench.peers.token_requests.size(), 2U);
}

TEST(Call, FollowsWithTheNewestStateAndANewIdUntilSomebodyDecided) {
  CallBench bench;
  decide_after(bench, 3);
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.run(bench.refund, line_one(), {}, {})));
  const std::vector<Json> sent = bench.sent("issue_refund");
  ASSERT_EQ(sent.size(), 5U);  // refused for its scope, then four rounds
  EXPECT_EQ(sent[2].string_at("requestState"), "state-1");
  EXPECT_EQ(sent[4].string_at("requestState"), "state-3");
  EXPECT_EQ(sent[4].find("inputResponses")->dump(), "{\"approval\":{\"action\":\"accept\"}}");
  EXPECT_EQ(*sent[1].find("arguments"), *sent[4].find("arguments"));
  EXPECT_EQ(bench.distinct_ids(), bench.peers.calls.size());
  EXPECT_EQ(bench.watched.shown, std::vector<std::string>{kPage});  // once
  // 2 s, 3 s, 4.5 s: backing off.
  EXPECT_EQ(call.waited(), std::chrono::milliseconds(9500));
  for (const std::string& url : bench.peers.fetched)
    EXPECT_EQ(url.find("8940"), std::string::npos) << "the link is never fetched";
}

TEST(Call, StopsWaitingWhenTheTimeIsUp) {
  CallBench bench;
  bench.options.wait_max = std::chrono::seconds(60);
  decide_after(bench, 1000);
  Call call = bench.call();
  const auto result = call.run(bench.refund, line_one(), {}, {});
  ASSERT_TRUE(refused(result, "bridge.still_pending"));
  EXPECT_EQ(result.error().text(), "Approval APR-0001 is still pending. Nothing was refunded.");
  EXPECT_EQ(call.waited(), std::chrono::seconds(60));
  EXPECT_LE(bench.sent("issue_refund").size(), 12U);
  ASSERT_TRUE(call.pending().has_value());
  EXPECT_EQ(call.pending()->url, kPage);
}

TEST(Call, ChecksOnceWhenItMayNotWait) {
  CallBench bench;
  bench.options.wait_max = std::chrono::seconds(0);
  decide_after(bench, 1);
  Call decided = bench.call();
  EXPECT_TRUE(succeeded(decided.run(bench.refund, line_one(), {}, {})));
  EXPECT_EQ(decided.waited(), std::chrono::seconds(0));
}

TEST(Call, StopsWaitingWhenThePersonSaysSo) {
  CallBench bench;
  decide_after(bench, 1000);
  Call call = bench.call();
  bench.peers.handle = [handle = bench.peers.handle, &bench](const SeenCall& seen) {
    if (seen.body.find("params")->has("requestState")) bench.stop.request_stop();
    return handle(seen);
  };
  const auto result = call.run(bench.refund, line_one(), {}, bench.stop.get_token());
  ASSERT_TRUE(refused(result, "bridge.stopped"));
  EXPECT_FALSE(result.error().as<StoppedByPerson>()->call_in_flight);
}

TEST(Call, DoesNotSendARefundAgainWhenItsAnswerWasLost) {
  for (const bool closed : {true, false}) {
    CallBench bench;
    bench.peers.handle = [closed](const SeenCall&) -> Result<HttpResponse> {
      if (closed) return PeerClosed{"http://127.0.0.1:8931"};
      return TimedOut{"http://127.0.0.1:8931"};
    };
    Call call = bench.call();
    EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "bridge.outcome_unknown"));
    EXPECT_EQ(bench.sent("issue_refund").size(), 2U);  // one was refused for its scope: it did not run
  }
}

TEST(Call, DoesNotSendARefundAgainThatWasAcceptedWithoutAnAnswer) {
  for (const int status : {202, 400}) {
    CallBench bench;
    bench.peers.handle = [status](const SeenCall&) { return text_response(status, ""); };
    Call call = bench.call();
    EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}),
                        status == 202 ? "bridge.outcome_unknown" : "bridge.http_status"));
  }
}

TEST(Call, KnowsThatARefundDidNotRunWhenNobodyWasThere) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall&) -> Result<HttpResponse> {
    return Unreachable{"http://127.0.0.1:8931", "refused"};
  };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "transport.unreachable"));
}

TEST(Call, ALostAnswerToAReadIsJustAFailure) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall&) -> Result<HttpResponse> { return TimedOut{"http://127.0.0.1:8931"}; };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.get_order, Json::object(), {}, {}), "bridge.timed_out"));
  EXPECT_EQ(bench.sent("get_order").size(), 1U);
}

TEST(Call, RefusesALinkToAnotherHostAndNeverAnswersAccept) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall& seen) {
    return result_for(seen, link_to("https://evil.test/approvals/APR-0001", "s"));
  };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "elicitation.link_refused"));
  EXPECT_TRUE(bench.watched.shown.empty());
  ASSERT_EQ(bench.watched.refused_links.size(), 1U);
  EXPECT_EQ(bench.sent("issue_refund").back().find("inputResponses")->dump(),
            "{\"approval\":{\"action\":\"decline\"}}");
}

TEST(Call, RefusesAFormThatIsNone) {
  CallBench bench;
  bench.peers.handle = [](const SeenCall& seen) {
    Json params = Json::object(
        {{"mode", "form"}, {"message", "Your password?"}, {"requestedSchema", Json::object({{"type", "object"}})}});
    Json request = Json::object({{"method", "elicitation/create"}, {"params", std::move(params)}});
    return result_for(seen, Json::object({{"resultType", "input_required"},
                                          {"inputRequests", Json::object({{"k", std::move(request)}})}}));
  };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "elicitation.form_refused"));
  EXPECT_EQ(bench.sent("issue_refund").size(), 2U) << "refused for its scope, then asked: nothing was answered";
}

TEST(Call, RefusesMoreLinksThanAPersonCouldFollow) {
  for (const std::size_t links : {4U, 5U}) {
    CallBench bench;
    bench.options.wait_max = Seconds(0);
    bench.peers.handle = [links](const SeenCall& seen) {
      Json requests = Json::object();
      for (std::size_t i = 0; i < links; ++i) {
        const Json one = link_to(kPage + std::to_string(i), "s");
        requests.append_member(std::to_string(i), one.find("inputRequests")->members().front().second);
      }
      Json result = Json::object({{"resultType", "input_required"}, {"inputRequests", std::move(requests)}});
      return result_for(seen, result.set("requestState", "s"));
    };
    Call call = bench.call();
    EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}),
                        links == 4U ? "bridge.still_pending" : "bridge.input_not_supported"));
    EXPECT_EQ(bench.watched.shown.size(), links == 4U ? 4U : 0U);
  }
}

TEST(Call, FollowsAStateWithoutALinkAndBoundsIt) {
  CallBench bench;
  auto rounds = std::make_shared<int>(0);
  bench.peers.handle = [rounds](const SeenCall& seen) {
    if (++*rounds <= 2)
      return result_for(seen, Json::object({{"resultType", "input_required"}, {"requestState", "s"}}));
    return result_for(seen, text_result("ok"));
  };
  Call call = bench.call();
  EXPECT_TRUE(succeeded(call.run(bench.get_order, Json::object(), {}, {})));
  CallBench endless;
  endless.peers.handle = [](const SeenCall& seen) {
    return result_for(seen, Json::object({{"resultType", "input_required"}, {"requestState", "s"}}));
  };
  Call never = endless.call();
  EXPECT_TRUE(refused(never.run(endless.get_order, Json::object(), {}, {}), "bridge.too_many"));
  EXPECT_EQ(endless.sent("get_order").size(), 11U);
}

class KeptRounds final : public RoundKeeper {
 public:
  std::map<std::string, WaitingRound, std::less<>> rounds;  // by tool and arguments
  std::optional<WaitingRound> kept(std::string_view tool, const Json& arguments) const override {
    const auto found = rounds.find(std::string(tool) + arguments.dump());
    return found == rounds.end() ? std::nullopt : std::optional(found->second);
  }
  void keep(std::string_view tool, const Json& arguments, WaitingRound round) override {
    rounds.insert_or_assign(std::string(tool) + arguments.dump(), std::move(round));
  }
  void forget(std::string_view tool, const Json& arguments) override {
    rounds.erase(std::string(tool) + arguments.dump());
  }
};

// The rounds that a call leaves behind which asked once, followed once and may not wait.
KeptRounds left_waiting() {
  KeptRounds kept;
  CallBench bench;
  bench.options.wait_max = Seconds(0);
  bench.options.rounds = &kept;
  decide_after(bench, 1000);
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "bridge.still_pending"));
  return kept;
}

TEST(Call, KeepsTheNewestStateOfACallThatWaits) {
  const KeptRounds kept = left_waiting();
  const auto round = kept.kept("issue_refund", line_one());
  ASSERT_TRUE(round.has_value());
  EXPECT_EQ(round->request_state, "state-2");
  EXPECT_EQ(round->asked, std::vector<std::string>{"approval"});
}

TEST(Call, BeginsWithTheStateThatAnEarlierRunKept) {
  KeptRounds kept = left_waiting();
  CallBench bench;
  bench.options.rounds = &kept;
  bench.peers.handle = [](const SeenCall& seen) {
    return result_for(seen, text_result("Approval APR-0001 was denied by Morgan Ellis. Nothing was refunded.", true));
  };
  Call call = bench.call();
  const auto result = call.run(bench.refund, line_one(), {}, {});
  ASSERT_TRUE(succeeded(result));
  EXPECT_TRUE(result->is_error());
  const std::vector<Json> sent = bench.sent("issue_refund");
  ASSERT_EQ(sent.size(), 2U);  // refused for its scope, then once
  ASSERT_EQ(sent[1].string_at("requestState"), "state-2");
  EXPECT_EQ(sent[1].find("inputResponses")->dump(), "{\"approval\":{\"action\":\"accept\"}}");
  EXPECT_TRUE(bench.watched.shown.empty());  // it was decided: there is no page to visit
  EXPECT_TRUE(kept.rounds.empty());          // the call has its answer
}

TEST(Call, WaitsOnForARequestOfAnEarlierRunThatNobodyDecided) {
  KeptRounds kept = left_waiting();
  CallBench bench;
  bench.options.rounds = &kept;
  bench.options.wait_max = Seconds(0);
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, link_to(kPage, "state-9")); };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "bridge.still_pending"));
  EXPECT_EQ(bench.sent("issue_refund").size(), 2U);  // presenting the state was the one check
  EXPECT_EQ(bench.watched.shown, std::vector<std::string>{kPage});
  EXPECT_EQ(kept.kept("issue_refund", line_one())->request_state, "state-9");
}

TEST(Call, BeginsAnewWhenTheServerRefusesTheKeptState) {
  KeptRounds kept = left_waiting();
  CallBench bench;
  bench.options.rounds = &kept;
  bench.peers.handle = [](const SeenCall& seen) {
    if (seen.body.find("params")->has("requestState")) return error_for(seen, -32602, "The request state is no good.");
    return result_for(seen, text_result("paid"));
  };
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.run(bench.refund, line_one(), {}, {})));
  const std::vector<Json> sent = bench.sent("issue_refund");
  ASSERT_EQ(sent.size(), 3U);
  EXPECT_TRUE(sent[1].has("requestState"));
  EXPECT_FALSE(sent[2].has("requestState"));
  EXPECT_FALSE(sent[2].has("inputResponses"));
  EXPECT_TRUE(kept.rounds.empty());
}

TEST(Call, RefusesToBeginAnewForAnyOtherFailureOrWithoutAKeptState) {
  for (const std::int64_t code : {-32602, -32601}) {
    KeptRounds kept;
    if (code == -32601) kept = left_waiting();
    CallBench bench;
    bench.options.rounds = &kept;
    bench.peers.handle = [code](const SeenCall& seen) { return error_for(seen, code, "No."); };
    Call call = bench.call();
    EXPECT_TRUE(refused(call.run(bench.refund, line_one(), {}, {}), "bridge.server_error"));
    EXPECT_EQ(bench.sent("issue_refund").size(), 2U);
    EXPECT_EQ(kept.rounds.size(), code == -32601 ? 1U : 0U);
  }
}

TEST(Call, PresentsAKeptStateWithItsOwnArgumentsOnly) {
  KeptRounds kept = left_waiting();
  CallBench bench;
  bench.options.rounds = &kept;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, text_result("paid")); };
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.run(bench.refund, Json::object({{"line_id", "LN-2"}}), {}, {})));
  EXPECT_FALSE(bench.sent("issue_refund").back().has("requestState"));
  EXPECT_EQ(kept.rounds.size(), 1U);  // that of LN-1
}

TEST(Call, SignsInAgainWhenTheTokenRanOutWhileItWaited) {
  CallBench bench;
  bench.options.wait_max = std::chrono::seconds(1200);
  bench.peers.handle = [&bench](const SeenCall& seen) {
    const bool late = unix_seconds(bench.env.clock.now()) > 1'796'000'000 + 400;
    return late ? result_for(seen, text_result("paid")) : result_for(seen, link_to(kPage, "s"));
  };
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.run(bench.refund, line_one(), {}, {})));
  ASSERT_EQ(bench.person.asked.size(), 3U);
  EXPECT_EQ(sole_field(bench.person.asked.back(), "scope")->value_or(""), "desk:read refunds:write");
}

}  // namespace
}  // namespace postern::bridge
