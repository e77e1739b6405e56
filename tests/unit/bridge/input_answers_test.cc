// What a server asks during a call, and what it gets: links and forms for the person, nothing else (MCP 2026-07-28
// client/elicitation, basic/patterns/mrtr).
#include "bridge/input_answers.h"

#include <gtest/gtest.h>

#include <set>

#include "bridge/call.h"
#include "bridge/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::bridge {
namespace {

using pretended::Bench;
using pretended::result_for;
using pretended::SeenCall;
using pretended::text_result;
using test::refused;
using test::succeeded;

// Somebody at a terminal who says what a test wants.
class PersonAtDesk final : public ElicitationHandler {
 public:
  bool there = true;
  FormAnswer fills_in;
  mcp::ElicitAction says = mcp::ElicitAction::kAccept;
  std::optional<mcp::ElicitAction> says_later;
  std::stop_source* stops = nullptr;
  std::vector<FormRequest> forms;
  std::vector<LinkRequest> links;
  std::vector<std::string> refused_links;
  std::vector<std::string> repeated;

  mcp::ElicitAction show_link(const LinkRequest& request, const std::stop_token&) override {
    links.push_back(request);
    return says;
  }
  void link_refused(const std::string& url, const std::string&) override { refused_links.push_back(url); }
  void still_waiting(const std::string& message) override { repeated.push_back(message); }
  std::optional<mcp::ElicitAction> withdrawn() override { return std::exchange(says_later, std::nullopt); }
  bool can_ask() const override { return there; }
  FormAnswer fill_in(const FormRequest& request, const std::stop_token&) override {
    forms.push_back(request);
    if (stops != nullptr) stops->request_stop();
    return fills_in;
  }
};

constexpr std::string_view kNameForm =
    R"({"method":"elicitation/create","params":{"message":"Who are you?","requestedSchema":{"type":"object",
        "properties":{"name":{"type":"string","minLength":2}},"required":["name"]}}})";
constexpr std::string_view kConnectPage =
    R"({"method":"elicitation/create","params":{"mode":"url","message":"Connect.","url":"https://files.example.test/c"}})";
constexpr std::string_view kPayPage =
    R"({"method":"elicitation/create","params":{"mode":"url","message":"Pay.","url":"https://pay.example.test/c"}})";
constexpr std::string_view kSampling = R"({"method":"sampling/createMessage","params":{"messages":[],"maxTokens":9}})";
constexpr std::string_view kRoots = R"({"method":"roots/list"})";

// A call of a tool of a server without cases, by its own rules.
struct AskedBench : Bench {
  PersonAtDesk person_at_desk;
  ElicitationOptions elicitation = other_server();
  std::stop_source stop;
  CallOptions options;
  pins::PinnedTool tool = pretended::pinned_tool("create_ticket", Json::object());
  ResultValidator validator{{tool}};
  // The answers of one round after the other; then "done".
  std::vector<std::string> rounds;

  AskedBench() {
    peers.gate_open = true;
    options.bound_argument.clear();
    options.moves_money.clear();
    peers.handle = [this](const SeenCall& seen) {
      const std::size_t round = sent().size();
      if (round > rounds.size()) return result_for(seen, text_result("done"));
      return result_for(seen, *parse_json(rounds[round - 1]));
    };
  }
  static ElicitationOptions other_server() {
    ElicitationOptions options;
    options.server = {"files", "files.example.test"};
    options.links.hosts = {"files.example.test"};
    options.links.any_https = true;
    return options;
  }
  // Rounds that ask that, with a state of their own each.
  void ask(std::string_view key, std::string_view request, int times = 1) {
    for (int i = 0; i < times; ++i) {
      rounds.push_back(R"({"resultType":"input_required","requestState":"state-)" + std::to_string(rounds.size() + 1) +
                       R"(","inputRequests":{")" + std::string(key) + "\":" + std::string(request) + "}}");
    }
  }
  void ask_both(std::string_view first, std::string_view second) {
    rounds.push_back(R"({"resultType":"input_required","inputRequests":{"a":)" + std::string(first) +
                     ",\"b\":" + std::string(second) + "}}");
  }
  Result<ValidatedResult> run() {
    ElicitationAnswers answers(person_at_desk, elicitation);
    Call call(env.env(), session, oauth, validator, answers, observed, options,
              [this](std::chrono::milliseconds how_long, const std::stop_token& token) {
                env.clock.advance(how_long);
                return token.stop_requested();
              });
    Result<ValidatedResult> result = call.run(tool, Json::object({{"title", "t"}}), {}, stop.get_token());
    waited = call.waited();
    return result;
  }
  [[nodiscard]] std::vector<Json> sent() const {
    std::vector<Json> params;
    for (const SeenCall& seen : peers.calls) {
      if (seen.body.string_at("method") == "tools/call") params.push_back(*seen.body.find("params"));
    }
    return params;
  }
  [[nodiscard]] std::string answered(std::size_t call) const {
    const Json params = sent().at(call);
    const Json* responses = params.find("inputResponses");
    return responses == nullptr ? "" : responses->dump();
  }
  std::chrono::milliseconds waited{0};
};

FormAnswer filled_in(Json content) {
  return {mcp::ElicitAction::kAccept, std::move(content)};
}

TEST(InputAnswers, AFormGoesToThePersonAndTheAnswersToTheServerThatAsked) {
  AskedBench bench;
  bench.ask("who", kNameForm);
  bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "Rowan"}}));
  ASSERT_TRUE(succeeded(bench.run()));
  ASSERT_EQ(bench.person_at_desk.forms.size(), 1U) << "a mode that is not there means a form";
  EXPECT_EQ(bench.person_at_desk.forms[0].server.name, "files");
  EXPECT_EQ(bench.person_at_desk.forms[0].server.where, "files.example.test");
  EXPECT_EQ(bench.person_at_desk.forms[0].tool, "create_ticket");
  EXPECT_EQ(bench.person_at_desk.forms[0].message, "Who are you?");
  ASSERT_EQ(bench.sent().size(), 2U);
  EXPECT_EQ(bench.answered(0), "");
  EXPECT_EQ(bench.answered(1), R"({"who":{"action":"accept","content":{"name":"Rowan"}}})");
  EXPECT_EQ(bench.sent()[1].string_at("requestState"), "state-1");
  EXPECT_EQ(*bench.sent()[0].find("arguments"), *bench.sent()[1].find("arguments"));
  EXPECT_NE(bench.peers.calls[0].body.find("id")->dump(), bench.peers.calls[1].body.find("id")->dump());
  EXPECT_EQ(bench.waited.count(), 0) << "an answer is sent at once";
}

TEST(InputAnswers, EveryKeyGetsItsAnswer) {
  AskedBench bench;
  bench.ask_both(kNameForm, kConnectPage);
  bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "Rowan"}}));
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_EQ(bench.answered(1), R"({"a":{"action":"accept","content":{"name":"Rowan"}},"b":{"action":"accept"}})");
  EXPECT_FALSE(bench.sent()[1].has("requestState")) << "none was given";
}

TEST(InputAnswers, NoAnswerOfOneRoundGoesIntoTheNext) {
  AskedBench bench;
  bench.ask("first", kNameForm);
  bench.ask("second", kNameForm);
  bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "Rowan"}}));
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_EQ(bench.answered(2), R"({"second":{"action":"accept","content":{"name":"Rowan"}}})");
  EXPECT_EQ(bench.sent()[2].string_at("requestState"), "state-2");
  // And none into another call.
  bench.rounds.clear();
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_EQ(bench.answered(3), "");
  EXPECT_FALSE(bench.sent()[3].has("requestState"));
}

TEST(InputAnswers, AnAnswerThatDoesNotFitTheFormIsNotSent) {
  AskedBench bench;
  bench.ask("who", kNameForm);
  bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "R"}}));
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_EQ(bench.answered(1), R"({"who":{"action":"cancel"}})");
}

TEST(InputAnswers, DecliningAndCancellingAreTwoAnswers) {
  for (const auto action : {mcp::ElicitAction::kDecline, mcp::ElicitAction::kCancel}) {
    AskedBench bench;
    bench.ask("who", kNameForm);
    // Whatever was typed before the no stays here.
    bench.person_at_desk.fills_in = {action, Json::object({{"name", "Rowan"}})};
    ASSERT_TRUE(succeeded(bench.run())) << "the server gave a result to the no";
    EXPECT_EQ(bench.answered(1), R"({"who":{"action":")" + std::string(mcp::text_of(action)) + "\"}}");
  }
}

TEST(InputAnswers, AServerThatAsksAgainAfterANoGetsNothingMore) {
  AskedBench bench;
  bench.ask("who", kNameForm, 2);
  bench.person_at_desk.fills_in = {mcp::ElicitAction::kDecline, {}};
  const auto result = bench.run();
  ASSERT_TRUE(refused(result, "elicitation.asked_again"));
  EXPECT_NE(result.error().text().find("You declined"), std::string::npos);
  EXPECT_EQ(bench.sent().size(), 2U);
  EXPECT_EQ(bench.person_at_desk.forms.size(), 1U);
}

TEST(InputAnswers, WithoutAnybodyThereTheServerIsToldSo) {
  for (const std::string_view request : {kNameForm, kConnectPage}) {
    AskedBench bench;
    bench.person_at_desk.there = false;
    bench.ask("who", request, 2);
    const auto result = bench.run();
    ASSERT_TRUE(refused(result, "elicitation.nobody_to_ask"));
    EXPECT_EQ(bench.answered(1), R"({"who":{"action":"cancel"}})");
    EXPECT_TRUE(bench.person_at_desk.forms.empty());
    EXPECT_TRUE(bench.person_at_desk.links.empty());
  }
}

TEST(InputAnswers, SamplingAndRootsAreNeverAnswered) {
  for (const std::string_view request : {kSampling, kRoots}) {
    AskedBench bench;
    bench.ask("x", request);
    EXPECT_TRUE(refused(bench.run(), "bridge.input_not_supported"));
    EXPECT_EQ(bench.sent().size(), 1U) << "nothing is answered";
  }
  EXPECT_EQ(ElicitationAnswers::capabilities(true).dump(), R"({"elicitation":{"form":{},"url":{}}})");
  EXPECT_EQ(ElicitationAnswers::capabilities(false).dump(), R"({"elicitation":{"url":{}}})");
}

TEST(InputAnswers, NobodyIsAskedWhenOneQuestionOfARoundCannotBeAnswered) {
  AskedBench bench;
  bench.ask_both(kNameForm, kSampling);
  bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "Rowan"}}));
  EXPECT_TRUE(refused(bench.run(), "bridge.input_not_supported"));
  EXPECT_TRUE(bench.person_at_desk.forms.empty());
  EXPECT_EQ(bench.sent().size(), 1U);
}

TEST(InputAnswers, RefusesQuestionsThatAreNone) {
  for (const char* request : {
           R"({"method":"elicitation/create","params":{"mode":"voice","message":"m"}})",
           R"({"method":"elicitation/create","params":{"mode":7,"message":"m"}})",
           R"({"method":"elicitation/create","params":{"mode":"form","message":"m"}})",
           R"({"method":"elicitation/create","params":{"requestedSchema":{"type":"object","properties":{}}}})",
           R"({"method":"elicitation/create","params":{"mode":"url","message":"m"}})",
           R"({"method":"elicitation/create"})",
       }) {
    AskedBench bench;
    bench.ask("x", request);
    EXPECT_TRUE(refused(bench.run(), "bridge.input_not_supported")) << request;
  }
}

TEST(InputAnswers, QuestionsOfOneCallAreBounded) {
  for (const int rounds : {10, 11}) {
    AskedBench bench;
    bench.ask("who", kNameForm, rounds);
    bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "Rowan"}}));
    const auto result = bench.run();
    EXPECT_TRUE(rounds == 10 ? succeeded(result) : refused(result, "bridge.too_many"));
    EXPECT_EQ(bench.person_at_desk.forms.size(), 10U);
  }
}

TEST(InputAnswers, TheTimeThatAPersonTakesIsNotTheTimeOfTheWait) {
  AskedBench bench;
  bench.options.wait_max = std::chrono::seconds(1);
  bench.ask("who", kNameForm);
  bench.ask("page", kConnectPage, 2);
  bench.person_at_desk.fills_in = filled_in(Json::object({{"name", "Rowan"}}));
  EXPECT_TRUE(refused(bench.run(), "bridge.still_pending"));
  EXPECT_EQ(bench.waited, std::chrono::seconds(1));
}

TEST(InputAnswers, CtrlCTellsTheServerThatThereIsNoAnswer) {
  AskedBench bench;
  bench.ask("who", kNameForm, 2);
  bench.person_at_desk.stops = &bench.stop;
  EXPECT_TRUE(refused(bench.run(), "bridge.stopped"));
  EXPECT_EQ(bench.sent().size(), 2U);
  EXPECT_EQ(bench.answered(1), R"({"who":{"action":"cancel"}})");
}

TEST(InputAnswers, ALinkOfAnotherServerNeedsAYes) {
  AskedBench bench;
  bench.ask("page", kConnectPage, 2);
  ASSERT_TRUE(succeeded(bench.run()));
  ASSERT_EQ(bench.person_at_desk.links.size(), 1U) << "shown once";
  const LinkRequest& link = bench.person_at_desk.links[0];
  EXPECT_EQ(link.server.name, "files");
  EXPECT_EQ(link.url.text(), "https://files.example.test/c");
  EXPECT_FALSE(link.foreign_host);
  EXPECT_FALSE(link.for_somebody_else);
  for (const std::string& url : bench.peers.fetched)
    EXPECT_EQ(url.find("files.example.test"), std::string::npos) << "never fetched";
  for (const auto action : {mcp::ElicitAction::kDecline, mcp::ElicitAction::kCancel}) {
    AskedBench no;
    no.ask("page", kConnectPage, 2);
    no.person_at_desk.says = action;
    EXPECT_TRUE(refused(no.run(), "elicitation.asked_again"));
    EXPECT_EQ(no.answered(1), R"({"page":{"action":")" + std::string(mcp::text_of(action)) + "\"}}");
  }
}

TEST(InputAnswers, AForeignHostIsSaidAndTheDesksRuleRefusesIt) {
  AskedBench bench;
  bench.ask("page", kPayPage);
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_TRUE(bench.person_at_desk.links[0].foreign_host);
  AskedBench strict;
  strict.elicitation.links.any_https = false;
  strict.ask("page", kPayPage, 2);
  EXPECT_TRUE(refused(strict.run(), "elicitation.link_refused"));
  EXPECT_EQ(strict.answered(1), R"({"page":{"action":"decline"}})");
  EXPECT_TRUE(strict.person_at_desk.links.empty());
}

TEST(InputAnswers, ANoThatComesDuringTheWaitIsSentAtOnce) {
  AskedBench bench;
  bench.elicitation.links_for_somebody_else = true;
  bench.ask("page", kConnectPage, 20);
  bench.person_at_desk.says_later = mcp::ElicitAction::kDecline;
  EXPECT_TRUE(refused(bench.run(), "elicitation.asked_again"));
  EXPECT_EQ(bench.sent().size(), 2U);
  EXPECT_EQ(bench.answered(1), R"({"page":{"action":"decline"}})");
  EXPECT_LE(bench.waited, std::chrono::seconds(1)) << "not the whole pause";
}

TEST(InputAnswers, ALinkIsShownAgainAfterItWasTakenBack) {
  AskedBench bench;
  ElicitationAnswers answers(bench.person_at_desk, bench.elicitation);
  const mcp::InputRequest request{"page", "elicitation/create", *parse_json(kConnectPage)->find("params")};
  EXPECT_FALSE(answers.answer("t", request, {}).ending.has_value());
  EXPECT_FALSE(answers.answer("t", request, {}).ending.has_value());
  EXPECT_EQ(bench.person_at_desk.links.size(), 1U);
  bench.person_at_desk.says_later = mcp::ElicitAction::kCancel;
  EXPECT_EQ(answers.withdrawn(), mcp::ElicitAction::kCancel);
  EXPECT_EQ(answers.withdrawn(), std::nullopt);
  EXPECT_FALSE(answers.answer("t", request, {}).ending.has_value());
  EXPECT_EQ(bench.person_at_desk.links.size(), 2U);
}

TEST(InputAnswers, ALaterMessageOfTheSameLinkIsTold) {
  AskedBench bench;
  bench.ask("page", kConnectPage);
  bench.ask("page", R"({"method":"elicitation/create","params":{"mode":"url","message":"Still \u001b[2J waiting.",)"
                    R"("url":"https://files.example.test/c"}})");
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_EQ(bench.person_at_desk.repeated, std::vector<std::string>{"Still [U+001B][2J waiting."});
}

TEST(InputAnswers, WhatAServerWritesAboveAFormIsVisible) {
  AskedBench bench;
  bench.ask("who", R"({"method":"elicitation/create","params":{"message":"a\u001b[2J\n\n\nb\u202e","requestedSchema":)"
                   R"({"type":"object","properties":{}}}})");
  bench.person_at_desk.fills_in = filled_in(Json::object());
  ASSERT_TRUE(succeeded(bench.run()));
  EXPECT_EQ(bench.person_at_desk.forms[0].message, "a[U+001B][2J\nb[U+202E]");
}

}  // namespace
}  // namespace postern::bridge
