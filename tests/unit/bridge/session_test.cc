// One client and one server: what goes out with each request, and what an answer may be.
#include "bridge/session.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

#include "bridge/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::bridge {
namespace {

using pretended::Bench;
using pretended::error_for;
using pretended::reply;
using pretended::result_for;
using pretended::SeenCall;
using test::refused;
using test::succeeded;

Json discovered(Json versions) {
  Json result = Json::object({{"supportedVersions", std::move(versions)}, {"capabilities", Json::object()}});
  return result.set("ttlMs", 0).set("cacheScope", "public");
}

TEST(Session, DiscoversAServerOfThePinnedRevision) {
  Bench bench;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, discovered(Json::array({"2026-07-28"}))); };
  ASSERT_TRUE(succeeded(bench.session.discover({})));
  // The first request had no token, the second has one, and an id of its own.
  ASSERT_EQ(bench.peers.calls.size(), 2U);
  EXPECT_EQ(bench.peers.calls[0].token, "");
  EXPECT_EQ(bench.peers.calls[1].token, "at_1");
  EXPECT_NE(*bench.peers.calls[0].body.find("id"), *bench.peers.calls[1].body.find("id"));
  const HeaderList& headers = bench.peers.calls[1].headers;
  EXPECT_EQ(*headers.find("MCP-Protocol-Version"), "2026-07-28");
  EXPECT_EQ(*headers.find("Mcp-Method"), "server/discover");
}

TEST(Session, RefusesAServerThatOffersOtherRevisionsOnly) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, discovered(Json::array({"2025-11-25"}))); };
  const auto result = bench.session.discover({});
  ASSERT_TRUE(refused(result, "bridge.version_not_offered"));
  EXPECT_EQ(
      result.error().text(),
      "Version negotiation failed: the server did not offer pinned protocol version 2026-07-28 via server/discover (no "
      "fallback in pin mode).\nIt offered: 2025-11-25. No case was opened.");
  EXPECT_EQ(bench.peers.calls.size(), 1U);  // no fallback
}

TEST(Session, RefusesAServerOfThe2025EraHoweverItSaysNo) {
  const auto answers = std::vector<std::function<HttpResponse(const SeenCall&)>>{
      [](const SeenCall& seen) { return error_for(seen, -32601, "Method not found"); },
      [](const SeenCall& seen) {
        return error_for(seen, -32000, "Unsupported protocol version (supported versions: 2025-11-25)", 400);
      },
      [](const SeenCall&) { return text_response(400, "Bad Request: Server not initialized"); },
      [](const SeenCall&) { return text_response(404, "Not Found"); },
  };
  for (std::size_t i = 0; i < answers.size(); ++i) {
    Bench bench;
    bench.peers.gate_open = true;
    bench.peers.handle = answers[i];
    const auto result = bench.session.discover({});
    EXPECT_TRUE(refused(result, "bridge.version_not_offered")) << i;
    EXPECT_EQ(bench.peers.calls.size(), 1U) << i;
    const bool says_what = result.error().text().find("It offered: 2025-11-25.") != std::string::npos;
    EXPECT_EQ(says_what, i == 1) << i;
  }
}

TEST(Session, AServersOutageIsNotAnotherEra) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall&) { return text_response(503, "later"); };
  EXPECT_TRUE(refused(bench.session.discover({}), "bridge.http_status"));
}

Json tool_named(const std::string& name) {
  return Json::object({{"name", name}, {"inputSchema", Json::object({{"type", "object"}})}});
}

TEST(Session, ListsAllPages) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) {
    const Json* cursor = seen.body.find("params")->find("cursor");
    Json result = Json::object({{"ttlMs", 0}, {"cacheScope", "private"}});
    // An empty cursor is a real one.
    if (cursor == nullptr)
      return result_for(seen, result.set("tools", Json::array({tool_named("a")})).set("nextCursor", ""));
    return result_for(seen, result.set("tools", Json::array({tool_named("b")})));
  };
  const auto tools = bench.session.list_tools({});
  ASSERT_TRUE(succeeded(tools));
  ASSERT_EQ(tools->size(), 2U);
  EXPECT_EQ((*tools)[1].name, "b");
}

TEST(Session, RefusesAListThatRunsInACircle) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) {
    Json result =
        Json::object({{"ttlMs", 0}, {"cacheScope", "private"}, {"tools", Json::array()}, {"nextCursor", "again"}});
    return result_for(seen, std::move(result));
  };
  EXPECT_TRUE(refused(bench.session.list_tools({}), "bridge.bad_response"));
  EXPECT_LE(bench.peers.calls.size(), 3U);
}

Result<mcp::CallToolOutcome> call_get_order(Bench& bench) {
  mcp::CallToolParams params;
  params.name = "get_order";
  params.arguments = Json::object();
  return bench.session.call(params, {}, Json::object({{"run_id", "r"}}), {});
}

TEST(Session, CarriesTheHostsClaimsInMeta) {
  Bench bench;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, pretended::text_result("ok")); };
  ASSERT_TRUE(succeeded(call_get_order(bench)));
  const Json* meta = bench.peers.calls.back().body.find("params")->find("_meta");
  EXPECT_EQ(meta->find("dev.postern/run")->string_at("run_id"), "r");
  EXPECT_EQ(meta->find("io.modelcontextprotocol/clientCapabilities")->dump(), "{\"elicitation\":{\"url\":{}}}");
  EXPECT_EQ(*bench.peers.calls.back().headers.find("Mcp-Name"), "get_order");
}

TEST(Session, WithholdsTheTokenThatAServerGivesBack) {
  Bench bench;
  bench.peers.token_prefix = "a-token-as-long-as-they-are_";
  bench.peers.handle = [](const SeenCall& seen) {
    return result_for(seen, pretended::text_result("You sent " + *seen.headers.find("Authorization") + "."));
  };
  const auto outcome = call_get_order(bench);
  ASSERT_TRUE(succeeded(outcome));
  ASSERT_EQ(bench.peers.calls.back().token, "a-token-as-long-as-they-are_1");
  EXPECT_EQ(std::get<mcp::CallToolResult>(*outcome).content.elements().front().string_at("text"),
            "You sent Bearer [the access token is withheld].");
}

TEST(Session, ReadsAnEventStreamAndSkipsItsNotifications) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) {
    HttpResponse response = result_for(seen, pretended::text_result("ok"));
    const std::string note =
        R"({"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1}})";
    response.body = ": quiet\r\n\r\ndata: " + note + "\r\n\r\ndata:" + response.body + "\r\n\r\n";
    response.headers.set("Content-Type", "text/event-stream");
    return response;
  };
  EXPECT_TRUE(succeeded(call_get_order(bench)));
}

TEST(Session, RefusesAnAnswerToAnotherRequest) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) {
    SeenCall other = seen;
    other.body.set("id", "1");  // the string is not the integer
    return result_for(other, pretended::text_result("ok"));
  };
  EXPECT_TRUE(refused(call_get_order(bench), "bridge.bad_response"));
}

TEST(Session, RefusesARedirect) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall&) { return redirect_response("http://127.0.0.1:39999/steal"); };
  EXPECT_TRUE(refused(call_get_order(bench), "bridge.http_status"));
  EXPECT_EQ(bench.peers.fetched.size(), 1U);
}

TEST(Session, RefusesAResultTypeItDoesNotKnow) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) {
    return result_for(seen, pretended::text_result("x").set("resultType", "task"));
  };
  EXPECT_TRUE(refused(call_get_order(bench), "mcp.unexpected_result_type"));
}

TEST(Session, TakesAMissingResultTypeAsComplete) {
  Bench bench;
  bench.peers.gate_open = true;
  bench.peers.handle = [](const SeenCall& seen) {
    return reply(
        200,
        Json::object({{"jsonrpc", "2.0"}, {"id", *seen.body.find("id")}, {"result", pretended::text_result("x")}}));
  };
  EXPECT_TRUE(succeeded(call_get_order(bench)));
}

// B-011 (a batch for an answer), B-013 (a result that is too deep) and B-016 (half a surrogate pair): the one call ends
// at once and by name, and the next one is answered.
TEST(Session, RefusesTheAnswersOfPublicCasesB011B013AndB016AndGoesOn) {
  const std::string start = R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","tools":[)";
  const std::pair<std::string, const char*> answers[] = {
      {"[" + start + "]}}]", "jsonrpc.malformed"},
      {start + std::string(100'000, '[') + std::string(100'000, ']') + "]}}", "json.over_bound"},
      {start + std::string(500'000, '['), "json.over_bound"},
      {start + R"("pole \ud800 snapped"]}})", "json.malformed"},
  };
  for (const auto& [answer, id] : answers) {
    Bench bench;
    bench.peers.gate_open = true;
    bool answered = false;
    bench.peers.handle = [&, text = answer](const SeenCall& seen) -> Result<HttpResponse> {
      if (std::exchange(answered, true)) return result_for(seen, Json::object({{"tools", Json::array()}}));
      return json_response(200, text);
    };
    EXPECT_TRUE(refused(bench.session.list_tools({}), id));
    EXPECT_TRUE(succeeded(bench.session.list_tools({}))) << id;
  }
}

// A 403 insufficient_scope on anything but a call has nobody else to act on it.
TEST(Session, StepsUpForAListThatNeedsMoreThanTheSignIn) {
  Bench bench;
  bench.peers.scopes_for_all = "desk:read refunds:write";
  bench.peers.handle = [](const SeenCall& seen) {
    Json result = Json::object({{"resultType", "complete"}, {"tools", Json::array()}, {"ttlMs", 0}});
    return result_for(seen, result.set("cacheScope", "private"));
  };
  ASSERT_TRUE(succeeded(bench.session.list_tools({})));
  EXPECT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read refunds:write");
}

TEST(Session, GivesUpWhenEveryTokenIsRefused) {
  Bench bench;
  bench.peers.refuse_every_token = true;
  bench.peers.handle = [](const SeenCall& seen) { return result_for(seen, pretended::text_result("ok")); };
  EXPECT_TRUE(refused(bench.session.discover({}), "sign_in.refused_again"));
  EXPECT_EQ(bench.person.asked.size(), 3U);
}

}  // namespace
}  // namespace postern::bridge
