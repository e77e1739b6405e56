// What a run says of servers that are nothing but one answer, and what outcomes come to: refusing everybody blocks
// nothing, answering everybody lets everything through, and what could not be played is never a pass.

#include "tests/lab/attack/attack_run.h"

#include <gtest/gtest.h>

#include "tests/lab/attack/mcp_call.h"
#include "tests/support/refused.h"

namespace postern::lab {
namespace {

// Every request is answered in one way.
class OneAnswer final : public HttpClient {
 public:
  explicit OneAnswer(HttpResponse answer) : answer_(std::move(answer)) {}
  Result<HttpResponse> send(const Uri&, const HttpRequest&, SteadyTime, std::stop_token) override { return answer_; }
  Result<HttpResponse> open(const Uri&, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return answer_;
  }

 private:
  HttpResponse answer_;
};

class PlayedTarget final : public Target {
 public:
  explicit PlayedTarget(HttpResponse answer, bool decides = false)
      : answer_(answer), decides_(decides), http_(std::move(answer)) {}
  std::string name() const override { return "played"; }
  bool is_product() const override { return false; }
  const Clock& clock() const override { return clock_; }
  HttpClient& http() override { return http_; }
  Uri endpoint() const override { return *parse_uri("http://127.0.0.1:9/mcp"); }
  const ToolNames& tools() const override { return tools_; }
  Result<std::string> token(std::string_view person, std::string_view scope, std::string_view) override {
    return std::string(person) + std::string(scope);
  }
  Result<std::string> forge(const Forgery& forgery) override { return "forged-token-" + forgery.how; }
  Result<std::string> forge_state(const StateForgery&) override { return std::string("state"); }
  Result<std::string> raw(std::string_view) override {
    return "HTTP/1.1 " + std::to_string(answer_.status) + " X\r\n\r\n" + answer_.body;
  }
  Result<DecisionAttempt> decide(std::string_view, std::string_view, std::string_view) override {
    return DecisionAttempt{decides_, answer_.status, "a page"};
  }
  Result<std::vector<Json>> refunds(std::string_view) override { return NotObservable{"not seen"}; }
  Result<HttpResponse> pay(std::string_view, const Json&) override { return answer_; }
  Result<std::map<std::string, std::string>> artefacts() override {
    return std::map<std::string, std::string>{{"log", "nothing"}};
  }
  Result<std::vector<HttpResponse>> at_once(const HttpRequest&) override { return std::vector<HttpResponse>{answer_}; }
  Result<HttpResponse> after_crash(const HttpRequest&) override { return answer_; }

 private:
  HttpResponse answer_;
  bool decides_;
  SystemClock clock_;
  OneAnswer http_;
  ToolNames tools_;
};

HttpResponse refusal() {
  HttpResponse response = json_response(401, R"({"error":"invalid_token"})");
  response.headers.set("WWW-Authenticate", "Bearer error=\"invalid_token\"");
  return response;
}

std::vector<Check> attacked(const HttpResponse& answer, bool decides) {
  std::vector<std::string> all;
  for (const auto& [id, name] : attack_names()) all.push_back(id);
  return run_attacks(all, [&]() -> Result<std::shared_ptr<Target>> {
    return std::shared_ptr<Target>(std::make_shared<PlayedTarget>(answer, decides));
  });
}

TEST(AttackRun, TakesRefusingEverybodyForNoBlock) {
  for (const Check& check : attacked(refusal(), false)) {
    EXPECT_NE(check.verdict, Verdict::kPass) << check.id << ": " << check.got;
    EXPECT_NE(check.verdict, Verdict::kNotObservable) << check.id << ": " << check.got;
  }
  const std::vector<Check> first = attacked(refusal(), false);
  EXPECT_EQ(first.front().verdict, Verdict::kFail);
  EXPECT_EQ(first.front().got.find("blocks nothing"), 0U) << first.front().got;
}

TEST(AttackRun, SeesThatAnsweringEverybodyLetsThrough) {
  const HttpResponse answer =
      json_response(200, R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","content":[],
    "structuredContent":{"case_handle":"case_1"}}})");
  const std::vector<Check> checks = attacked(answer, true);
  for (const Check& check : checks) {
    EXPECT_NE(check.verdict, Verdict::kPass) << check.id << ": " << check.got;
  }
  for (const std::size_t i : {0U, 1U, 2U, 3U, 4U, 10U}) {
    EXPECT_EQ(checks[i].verdict, Verdict::kFail);
    EXPECT_EQ(checks[i].got.find("got through"), 0U) << checks[i].id << ": " << checks[i].got;
  }
}

TEST(AttackRun, AnEmptyAnswerToEverybodyLetsThroughToo) {
  const std::vector<Check> checks = attacked(json_response(200, "{}"), false);
  EXPECT_EQ(checks.front().verdict, Verdict::kFail);
  EXPECT_EQ(checks.front().got.find("got through"), 0U) << checks.front().got;
}

TEST(AttackRun, AsksOfOthersNoMoreThanTheBoundarySays) {
  AttackRun run([]() -> Result<std::shared_ptr<Target>> {
    return std::shared_ptr<Target>(std::make_shared<PlayedTarget>(refusal()));
  });
  for (const CaseOutcome& outcome : run.play("A3")) {
    EXPECT_NE(outcome.file, "A03-other-issuer");
    EXPECT_NE(outcome.file, "A03-other-type");
  }
  EXPECT_EQ(run.play("A3").size(), 7U);
}

TEST(AttackRun, ATargetThatCannotBeMadeIsAnError) {
  const auto checks = run_attacks({"A1"}, []() -> Result<std::shared_ptr<Target>> { return AttackFailed{"no desk"}; });
  ASSERT_EQ(checks.size(), 1U);
  EXPECT_EQ(checks[0].verdict, Verdict::kError);
  EXPECT_NE(checks[0].got.find("no desk"), std::string::npos);
  Suite suite;
  suite.checks = checks;
  EXPECT_EQ(exit_code_of(suite), 3);
}

CaseOutcome outcome(CaseEnd end) {
  return {"A06-x", "a case", "bridge.still_pending", end, "what was seen"};
}

Verdict verdict_of(const std::vector<CaseOutcome>& outcomes) {
  return AttackRun::check_of("A6", outcomes).verdict;
}

TEST(AttackVerdict, PassesWhenEveryCaseIsBlockedAndEveryNeighbourIsLetThrough) {
  EXPECT_EQ(verdict_of({outcome(CaseEnd::kBlocked), outcome(CaseEnd::kLetThrough)}), Verdict::kPass);
}

TEST(AttackVerdict, OneCaseIsEnoughForAnythingElse) {
  const CaseOutcome blocked = outcome(CaseEnd::kBlocked);
  const CaseOutcome let = outcome(CaseEnd::kLetThrough);
  EXPECT_EQ(verdict_of({blocked, let, outcome(CaseEnd::kThrough)}), Verdict::kFail);
  EXPECT_EQ(verdict_of({blocked, outcome(CaseEnd::kNeighbourRefused)}), Verdict::kFail);
  EXPECT_EQ(verdict_of({blocked, let, outcome(CaseEnd::kError)}), Verdict::kError);
  EXPECT_EQ(verdict_of({blocked, let, outcome(CaseEnd::kNotObservable)}), Verdict::kNotObservable);
  EXPECT_EQ(verdict_of({let}), Verdict::kNotObservable);
  EXPECT_EQ(verdict_of({outcome(CaseEnd::kThrough), outcome(CaseEnd::kError)}), Verdict::kFail);
}

TEST(AttackVerdict, SaysThatARefusalWasAnotherOne) {
  const Check check = AttackRun::check_of("A6", {outcome(CaseEnd::kRefusedOtherwise), outcome(CaseEnd::kLetThrough)});
  EXPECT_EQ(check.verdict, Verdict::kPass);
  EXPECT_NE(check.got.find("though A06-x expects bridge.still_pending"), std::string::npos) << check.got;
}

TEST(AttackSummary, NamesWhatGotThrough) {
  const auto check = [](std::string id, Verdict verdict, std::string got) {
    Check made;
    made.id = std::move(id);
    made.verdict = verdict;
    made.got = std::move(got);
    return made;
  };
  std::vector<Check> checks = {check("A1", Verdict::kPass, ""), check("A6", Verdict::kPass, "")};
  EXPECT_EQ(attack_summary(checks), "2 of 2 blocked.");
  checks[1] = check("A6", Verdict::kFail, "got through: x");
  EXPECT_EQ(attack_summary(checks), "1 of 2 blocked. A6 got through.");
  checks[0] = check("A1", Verdict::kFail, "blocks nothing, x");
  EXPECT_EQ(attack_summary(checks), "0 of 2 blocked. A6 got through. A1: everybody is refused.");
  checks[0] = check("A1", Verdict::kNotObservable, "x");
  checks[1] = check("A6", Verdict::kError, "x");
  EXPECT_EQ(attack_summary(checks), "0 of 2 blocked. Not observable: A1. Could not run: A6.");
}

}  // namespace
}  // namespace postern::lab
