// Right values of public bug reports, for the host's side of a call.
#include <gtest/gtest.h>

#include <set>

#include "bridge/call.h"
#include "bridge/failures.h"
#include "bridge/input_answers.h"
#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
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

class NobodyIsAsked final : public ElicitationHandler {
 public:
  mcp::ElicitAction show_link(const LinkRequest&, const std::stop_token&) override {
    return mcp::ElicitAction::kCancel;
  }
  void link_refused(const std::string&, const std::string&) override {}
  void still_waiting(const std::string&) override {}
};

struct CaseBench : Bench {
  NobodyIsAsked nobody;
  ElicitationAnswers answers{nobody, {}};
  pins::PinnedTool get_order = pretended::pinned_tool("get_order", Json::object({{"case_handle", string_schema()}}));
  ResultValidator validator{{get_order}};

  Call call() {
    return Call(env.env(), session, oauth, validator, answers, observed, CallOptions{},
                [this](std::chrono::milliseconds how_long, const std::stop_token& token) {
                  env.clock.advance(how_long);
                  return token.stop_requested();
                });
  }
  // The tools/call requests that carried a token, in their order.
  [[nodiscard]] std::vector<Json> sent() const {
    std::vector<Json> bodies;
    for (const SeenCall& seen : peers.calls) {
      if (!seen.token.empty() && seen.body.string_at("method") == "tools/call") bodies.push_back(seen.body);
    }
    return bodies;
  }
  // Answers the first call with that state and nothing else, the next with a result.
  void ask_once_with(const std::string& state) {
    peers.handle = [this, state](const SeenCall& seen) {
      if (sent().size() > 1) return result_for(seen, text_result("order"));
      return result_for(seen, Json::object({{"resultType", "input_required"}, {"requestState", state}}));
    };
  }
};

// B-054: a state without questions is a "come again later", bounded, and no error.
TEST(PublicCase, B054AStateWithoutQuestionsIsFollowedAndBounded) {
  for (const char* name : {"two-rounds", "forever", "empty"}) {
    POSTERN_SHARED_JSON(played, "cases/B-054/" + std::string(name) + ".json");
    CaseBench bench;
    const Json::Array& rules = played.find("rules")->elements();
    bench.peers.handle = [&bench, &rules](const SeenCall& seen) {
      const std::size_t rule = std::min(bench.sent().size(), rules.size()) - 1;
      return result_for(seen, *rules[rule].find("out")->elements()[0].find("json")->find("result"));
    };
    Call call = bench.call();
    const auto result = call.run(bench.get_order, Json::object(), {}, {});
    if (name == std::string("two-rounds")) {
      EXPECT_TRUE(succeeded(result));
      ASSERT_EQ(bench.sent().size(), 3U);
      EXPECT_EQ(bench.sent()[2].find("params")->string_at("requestState"), "st-2");
    } else if (name == std::string("forever")) {
      EXPECT_TRUE(refused(result, TooMany::kId));
      EXPECT_EQ(bench.sent().size(), 11U);
    } else {
      EXPECT_TRUE(refused(result, mcp::MalformedResult::kId)) << "neither questions nor a state";
      EXPECT_EQ(bench.sent().size(), 1U);
    }
    std::set<std::string> ids;
    for (const Json& body : bench.sent()) ids.insert(body.find("id")->dump());
    EXPECT_EQ(ids.size(), bench.sent().size());
  }
}

// B-052: a link that is not the desk's page is answered with a no, and never with "accept".
TEST(PublicCase, B052ABadLinkIsNeverAccepted) {
  POSTERN_SHARED_JSON(rows, "cases/B-052/urls.json");
  for (const Json& row : rows.elements()) {
    if (*row.elements()[1].string() == "show") continue;
    CaseBench bench;
    const Json params = Json::object({{"mode", "url"}, {"message", "m"}, {"url", row.elements()[0]}});
    bench.peers.handle = [&bench, &params](const SeenCall& seen) {
      if (bench.sent().size() > 1) return result_for(seen, text_result("told"));
      const Json request = Json::object({{"method", "elicitation/create"}, {"params", params}});
      return result_for(
          seen, Json::object({{"resultType", "input_required"}, {"inputRequests", Json::object({{"k", request}})}}));
    };
    Call call = bench.call();
    (void)call.run(bench.get_order, Json::object(), {}, {});
    for (const Json& body : bench.sent()) EXPECT_EQ(body.dump().find("\"accept\""), std::string::npos) << row.dump();
  }
}

// B-055: the state is echoed code point for code point, on the retry of that request only.
TEST(PublicCase, B055TheStateIsEchoedAsItCame) {
  const std::string odd = *parse_json(R"("a/\u00e9\u2028\\+==\"\u0000\ud83d\ude00 ")")->string();
  for (const std::string& state : {odd, std::string()}) {
    CaseBench bench;
    bench.ask_once_with(state);
    Call call = bench.call();
    ASSERT_TRUE(succeeded(call.run(bench.get_order, Json::object(), {}, {})));
    const auto sent = bench.sent();
    ASSERT_EQ(sent.size(), 2U);
    EXPECT_FALSE(sent[0].find("params")->has("requestState")) << "none was given, so none is sent";
    const Json* echoed = sent[1].find("params")->find("requestState");
    ASSERT_NE(echoed, nullptr) << "an empty string is a state";
    EXPECT_EQ(*echoed->string(), state);
    EXPECT_NE(sent[0].find("id")->dump(), sent[1].find("id")->dump());
  }
}

TEST(PublicCase, B055NoStateOfOneCallGoesIntoAnother) {
  CaseBench bench;
  bench.ask_once_with("kept");
  Call call = bench.call();
  ASSERT_TRUE(succeeded(call.run(bench.get_order, Json::object(), {}, {})));
  ASSERT_TRUE(succeeded(call.run(bench.get_order, Json::object(), {}, {})));
  ASSERT_EQ(bench.sent().size(), 3U);
  EXPECT_FALSE(bench.sent()[2].find("params")->has("requestState"));
}

// B-103: a call whose answer did not come in time is not sent again, and its late answer belongs to no other call.
TEST(PublicCase, B103ACallThatRanOutOfTimeIsSentOnce) {
  CaseBench bench;
  bench.peers.handle = [](const SeenCall&) -> Result<HttpResponse> { return TimedOut{"the answer"}; };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.get_order, Json::object(), {}, {}), RequestTimedOut::kId));
  EXPECT_EQ(bench.sent().size(), 1U);
}

TEST(PublicCase, B103ALateAnswerIsRefusedByItsId) {
  CaseBench bench;
  bench.peers.handle = [](const SeenCall& seen) {
    SeenCall earlier = seen;
    earlier.body.set("id", *seen.body.find("id")->integer() - 1);
    return result_for(earlier, text_result("the order of somebody else"));
  };
  Call call = bench.call();
  EXPECT_TRUE(refused(call.run(bench.get_order, Json::object(), {}, {}), BadResponse::kId));
}

}  // namespace
}  // namespace postern::bridge
