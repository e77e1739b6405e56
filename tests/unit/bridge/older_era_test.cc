// The eras before 2026-07-28 over Streamable HTTP: sessions, headers, requests of the server (2025-11-25
// basic/lifecycle, basic/transports).
#include "bridge/older_era.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "bridge/session.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/played_server.h"
#include "wire/mcp/codec.h"

namespace postern::bridge {
namespace {

using played::event;
using played::HttpBench;
using played::json_answer;
using played::PlayedAnswer;
using played::result_text;
using played::SeenPost;
using played::stream_answer;
using test::refused;
using test::succeeded;

constexpr const char* kSession = "5e55-10n!";
constexpr std::string_view kInitialized =
    R"({"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"old","version":"1"}})";

TEST(OlderEra, ReadsWhatInitializeBrings) {
  const auto read = read_initialize_result(*parse_json(
      R"({"protocolVersion":"2025-03-26","capabilities":{"tools":{}},"serverInfo":{"name":"n"},"instructions":"i"})"));
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->supported_versions, std::vector<std::string>{"2025-03-26"});
  EXPECT_EQ(read->instructions, "i");
  EXPECT_EQ(read->server_info->name, "n");
  for (const char* bad : {"{}", R"({"protocolVersion":"2025-03-26"})", R"({"protocolVersion":7,"capabilities":{}})",
                          R"({"protocolVersion":"2025-03-26","capabilities":[]})"})
    EXPECT_TRUE(refused(read_initialize_result(*parse_json(bad)), mcp::MalformedResult::kId)) << bad;
}

TEST(OlderEra, LeavesOutWhatItDoesNotKnow) {
  const Json params = *parse_json(R"({"name":"a","inputResponses":{},"requestState":"s","_meta":{"x":1}})");
  EXPECT_EQ(older_params(params, Json::object()).dump(), R"({"name":"a"})");
  EXPECT_EQ(older_params(params, Json::object({{"progressToken", 1}})).dump(),
            R"({"name":"a","_meta":{"progressToken":1}})");
}

// A server of 2025-06-18 with sessions, spoken to by a session over the transport.
struct OlderBench : HttpBench {
  bool knows_session = true;
  std::function<PlayedAnswer(const SeenPost&)> answer_call = [](const SeenPost& post) {
    return json_answer(result_text(post, R"({"content":[{"type":"text","text":"done"}]})"));
  };
  std::optional<Session> session;

  OlderBench() {
    server.play = [this](const SeenPost& post) -> PlayedAnswer {
      if (post.method == "DELETE") return {200, {}, {}, std::nullopt, false};
      if (post.body.string_at("method") == "initialize") {
        PlayedAnswer answer = json_answer(result_text(post, kInitialized));
        answer.headers.add("mcp-session-id", kSession);
        knows_session = true;
        return answer;
      }
      if (!knows_session)
        return json_answer(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"x"}})", 404);
      if (post.body.string_at("method") == "tools/call") return answer_call(post);
      return {202, {}, {}, std::nullopt, false};
    };
    SessionOptions options;
    options.client = {"postern", "0.1.0"};
    options.era = EraChoice::kLegacy;
    session.emplace(env.env(), transport, options);
  }
  Result<mcp::CallToolOutcome> call() {
    mcp::CallToolParams params;
    params.name = "get_order";
    return session->call(params, {}, Json(), {});
  }
  [[nodiscard]] std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const SeenPost& post : server.seen)
      names.push_back(post.method == "POST" ? std::string(post.body.string_at("method")) : post.method);
    return names;
  }
  [[nodiscard]] const SeenPost& sent(std::size_t at) const { return server.seen.at(at); }
};
using Methods = std::vector<std::string>;

TEST(OlderEra, OpensASessionKeepsItsIdAndEndsIt) {
  OlderBench bench;
  ASSERT_TRUE(succeeded(bench.call()));
  bench.session.reset();
  EXPECT_EQ(bench.methods(), (Methods{"initialize", "notifications/initialized", "tools/call", "DELETE"}));
  EXPECT_FALSE(bench.sent(0).headers.has("MCP-Protocol-Version"));
  EXPECT_FALSE(bench.sent(0).headers.has("Mcp-Session-Id"));
  for (std::size_t at = 1; at < 4; ++at) {
    EXPECT_EQ(*bench.sent(at).headers.find("MCP-Protocol-Version"), "2025-06-18") << at;
    EXPECT_EQ(*bench.sent(at).headers.find("Mcp-Session-Id"), kSession) << at;
    EXPECT_FALSE(bench.sent(at).headers.has("Mcp-Method")) << at;
  }
  EXPECT_EQ(bench.sent(2).body.find("params")->dump(), R"({"name":"get_order"})");
  EXPECT_FALSE(bench.sent(1).body.has("id"));
}

TEST(OlderEra, NothingOfASessionIsInRequestsOfTheNewestEra) {
  OlderBench bench;
  ASSERT_TRUE(succeeded(bench.call()));
  bench.transport.leave_older_era(bench.env.clock.steady_now());
  bench.server.seen.clear();
  bench.server.play = [](const SeenPost& post) { return json_answer(result_text(post, "{}")); };
  ASSERT_TRUE(succeeded(bench.exchange()));
  EXPECT_FALSE(bench.sent(0).headers.has("Mcp-Session-Id"));
  EXPECT_EQ(*bench.sent(0).headers.find("MCP-Protocol-Version"), "2026-07-28");
}

TEST(OlderEra, AnIdThatNoHeaderMayHaveIsNotKept) {
  OlderBench bench;
  const auto play = bench.server.play;
  bench.server.play = [&](const SeenPost& post) {
    PlayedAnswer answer = play(post);
    if (answer.headers.has("mcp-session-id")) answer.headers.set("mcp-session-id", "two words");
    return answer;
  };
  ASSERT_TRUE(succeeded(bench.call()));
  EXPECT_FALSE(bench.sent(2).headers.has("Mcp-Session-Id"));
}

TEST(OlderEra, ASessionThatIsGoneIsBegunAnewForARequestThatDidNotRun) {
  OlderBench bench;
  ASSERT_TRUE(succeeded(bench.call()));
  bench.server.seen.clear();
  bench.knows_session = false;
  ASSERT_TRUE(succeeded(bench.call()));
  EXPECT_EQ(bench.methods(), (Methods{"tools/call", "initialize", "notifications/initialized", "tools/call"}));
  EXPECT_FALSE(bench.sent(1).headers.has("Mcp-Session-Id"));
}

TEST(OlderEra, AnswersAPingAndRefusesEveryOtherRequest) {
  OlderBench bench;
  bench.answer_call = [](const SeenPost& post) {
    return stream_answer({{event(R"({"jsonrpc":"2.0","id":"p1","method":"ping"})")},
                          {event(R"({"jsonrpc":"2.0","id":2,"method":"sampling/createMessage","params":{}})")},
                          {event(R"({"jsonrpc":"2.0","id":3,"method":"roots/list"})")},
                          {event(result_text(post, R"({"content":[]})"))}});
  };
  ASSERT_TRUE(succeeded(bench.call()));
  ASSERT_EQ(bench.server.seen.size(), 6U);
  EXPECT_EQ(bench.sent(3).text, R"({"jsonrpc":"2.0","id":"p1","result":{}})");
  EXPECT_EQ(*bench.sent(3).headers.find("Mcp-Session-Id"), kSession);
  for (const std::size_t at : {4U, 5U}) {
    EXPECT_EQ(bench.sent(at).body.find("error")->integer_at("code"), -32601);
    EXPECT_EQ(bench.sent(at).body.integer_at("id"), static_cast<std::int64_t>(at) - 2);
  }
}

TEST(OlderEra, AServerThatAsksWithoutEndIsNotAnsweredWithoutEnd) {
  OlderBench bench;
  bench.answer_call = [](const SeenPost&) {
    std::vector<played::Piece> pieces(100, {event(R"({"jsonrpc":"2.0","id":1,"method":"ping"})")});
    return stream_answer(std::move(pieces));
  };
  EXPECT_TRUE(refused(bench.call(), TooMany::kId));
  EXPECT_LT(bench.server.seen.size(), 40U);
}

// There a closed stream cancels nothing.
TEST(OlderEra, TellsTheServerThatNobodyWaits) {
  OlderBench bench;
  bench.answer_call = [](const SeenPost&) {
    PlayedAnswer silent;
    silent.silent = true;
    return silent;
  };
  EXPECT_TRUE(refused(bench.call(), RequestTimedOut::kId));
  EXPECT_EQ(bench.methods().back(), "notifications/cancelled");
  EXPECT_EQ(*bench.server.seen.back().body.find("params")->find("requestId"), *bench.sent(2).body.find("id"));
  bench.server.seen.clear();
  bench.answer_call = [](const SeenPost& post) { return json_answer(result_text(post, R"({"content":[]})")); };
  ASSERT_TRUE(succeeded(bench.call()));
  EXPECT_EQ(bench.methods(), Methods{"tools/call"}) << "nothing to cancel after the answer";
}

TEST(OlderEra, InitializeIsNotCancelled) {
  OlderBench bench;
  bench.server.play = [](const SeenPost&) {
    PlayedAnswer silent;
    silent.silent = true;
    return silent;
  };
  EXPECT_TRUE(refused(bench.call(), RequestTimedOut::kId));
  EXPECT_EQ(bench.methods(), Methods{"initialize"});
}

}  // namespace
}  // namespace postern::bridge
