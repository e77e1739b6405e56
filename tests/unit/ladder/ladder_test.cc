// The ladder in its exact words: a run without a fault, a stray line on stdout, a refusal on each rung.
#include "host/ladder/ladder.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/ladder/log_lines.h"

namespace postern {
namespace {

using host::climb;
using host::ladder_listing;
using host::ladder_summary;
using test::header;
using test::LogLines;

constexpr std::string_view kCall = R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"issue_refund"}})";
constexpr std::string_view kResult = R"({"jsonrpc":"2.0","id":5,"result":{"resultType":"complete"}})";
constexpr std::string_view kDiscovery =
    R"(Bearer resource_metadata="http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp")";
constexpr std::string_view kStepUp = R"(Bearer error="insufficient_scope", scope="desk:read refunds:write")";

Json of_call(std::string_view token = "") {
  Json headers = Json::array({header("mcp-method", "tools/call"), header("mcp-name", "issue_refund")});
  if (!token.empty()) headers.push(header("authorization", token));
  return headers;
}

// One ticket: discovery, a token, a call that steps up, a person who takes his time.
LogLines good_run() {
  LogLines log;
  log.request(1, "server", "POST /mcp HTTP/1.1", Json::array({header("mcp-method", "server/discover")}));
  log.response(1, "server", "HTTP/1.1 401 Unauthorized", Json::array({header("www-authenticate", kDiscovery)}),
               R"({"jsonrpc":"2.0","error":{"code":-32001,"message":"x"}})");
  log.request(2, "server", "GET /.well-known/oauth-protected-resource/mcp HTTP/1.1")
      .response(2, "server", "HTTP/1.1 200 OK");
  log.after(100)
      .request(3, "issuer", "GET /.well-known/oauth-authorization-server HTTP/1.1")
      .response(3, "issuer", "HTTP/1.1 404 Not Found");
  log.request(4, "issuer", "GET /.well-known/openid-configuration HTTP/1.1").response(4, "issuer", "HTTP/1.1 200 OK");
  log.request(5, "server", "POST /mcp HTTP/1.1", Json::array({header("mcp-method", "server/discover")}),
              R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})");
  log.response(5, "server", "HTTP/1.1 200 OK", {}, kResult);
  log.request(6, "model", "POST /v1/messages HTTP/1.1").response(6, "model", "HTTP/1.1 200 OK");
  log.note("schema", "issue_refund", false, Json::object({{"text", "arguments fit"}}));
  log.request(7, "server", "POST /mcp HTTP/1.1", of_call("<token:a1b2c3>"), kCall);
  log.response(7, "server", "HTTP/1.1 403 Forbidden", Json::array({header("www-authenticate", kStepUp)}));
  log.request(8, "server", "POST /mcp HTTP/1.1", of_call("<token:d4e5f6>"), kCall).after(41'200);
  log.response(8, "server", "HTTP/1.1 200 OK", {}, kResult);
  log.note("own", "issue_refund", false, Json::object({{"text", "waited for a person"}, {"waited_ms", 41'200}}));
  log.after(2'800).note("model", "issue_refund", false, Json::object({{"text", "labeled as untrusted data"}}));
  return log;
}

TEST(Ladder, SummaryOfARunWithoutAFault) {
  const host::LadderText text = ladder_summary(good_run().run());
  EXPECT_EQ(text.text,
            "http-20261130T024512-7c1e   T-1042   19 entries   2.9 s working, 41.2 s waiting for a person\n"
            "\n"
            "  1 bytes       16   0 to read\n"
            "  2 envelope     6   0\n"
            "  3 http        16   0     2 challenges answered: 401 discovery (#2), 403 step-up (#15)\n"
            "  4 schema       1   0\n"
            "  5 model        3   0\n"
            "\n"
            "Nothing to read. All entries: postern wire show http-20261130T024512-7c1e --all\n");
  EXPECT_FALSE(text.something_to_read);
}

TEST(Ladder, ListsTheRungOfHttp) {
  const host::LadderText text = ladder_listing(good_run().run(), Layer::kHttp, true);
  EXPECT_NE(text.text.find("  2 http     server->host 401 /mcp | www-authenticate: " + std::string(kDiscovery) + "\n"),
            std::string::npos)
      << text.text;
  EXPECT_NE(text.text.find(" 14 http     host->server POST /mcp | mcp-method: tools/call | mcp-name: issue_refund | "
                           "authorization: <token:a1b2c3>\n"),
            std::string::npos)
      << text.text;
  EXPECT_NE(text.text.find(" 15 http     server->host 403 /mcp | www-authenticate: " + std::string(kStepUp) + "\n"),
            std::string::npos)
      << text.text;
  EXPECT_EQ(ladder_listing(good_run().run(), Layer::kHttp, false).text,
            "Nothing to read on this rung. With --all every entry is shown.\n");
}

TEST(Ladder, ListsTheOtherRungs) {
  const host::WireRun run = good_run().run();
  EXPECT_NE(
      ladder_listing(run, Layer::kEnvelope, true).text.find(" 14 envelope host->server tools/call issue_refund id 5\n"),
      std::string::npos);
  EXPECT_NE(ladder_listing(run, Layer::kEnvelope, true).text.find(" 17 envelope server->host result id 5\n"),
            std::string::npos);
  EXPECT_EQ(ladder_listing(run, Layer::kSchema, true).text, " 13 schema   issue_refund: arguments fit\n");
  EXPECT_NE(ladder_listing(run, Layer::kModel, true).text.find(" 11 model    host->model POST /v1/messages\n"),
            std::string::npos);
  EXPECT_NE(ladder_listing(run, true).text.find(" 18 own      issue_refund: waited for a person\n"), std::string::npos);
  EXPECT_EQ(ladder_listing(run, false).text, "Nothing to read. With --all every entry is shown.\n");
}

// cli.md H.6: text fused to the response, so that the call times out.
LogLines noisy_run() {
  LogLines log;
  log.stdio("host", "server", R"({"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"get_tracking"}})");
  log.stdio("server", "host",
            R"(fetching https://track.parcelpath.test/p/PP-77001 ... {"jsonrpc":"2.0","id":5,"result":{}})");
  log.note("envelope", "get_tracking", true, Json::object({{"text", "REQUEST_TIMEOUT for get_tracking"}}));
  log.note("schema", "get_order")
      .note("model", "get_tracking", true, Json::object({{"text", "the model was told the call timed out"}}));
  return log;
}

TEST(Ladder, SummaryOfAStrayLineOnStdout) {
  const host::LadderText text = ladder_summary(noisy_run().run());
  EXPECT_EQ(text.text,
            "http-20261130T024512-7c1e   T-1042   5 entries   0.0 s working\n"
            "\n"
            "  1 bytes        2   1 to read   <- start here\n"
            "    # 2 server->host  54 bytes that are not JSON-RPC, then a message, on one line\n"
            "        \"fetching https://track.parcelpath.test/p/PP-77001 ... \" | {\"jsonrpc\":\"2.0\",\"id\":5,\"…\n"
            "  2 envelope     2   1           REQUEST_TIMEOUT for get_tracking, follows from # 2\n"
            "  3 http         0   0           stdio run\n"
            "  4 schema       1   0\n"
            "  5 model        1   1           the model was told the call timed out\n"
            "Cause: the server writes to stdout. Its log belongs on stderr.\n"
            "Read on: postern wire show http-20261130T024512-7c1e 2\n");
  EXPECT_TRUE(text.something_to_read);
}

TEST(Ladder, QuotesAWholeStrayLineOnce) {
  LogLines log;
  log.stdio("server", "host", "starting up").stdio("server", "host", R"({"jsonrpc":"2.0","id":1,"result":{}})");
  const host::Ladder ladder = climb(log.run());
  ASSERT_EQ(ladder.rungs[0].to_read.size(), 1U);
  EXPECT_EQ(ladder.rungs[0].to_read[0].text, "server->host  11 bytes that are not JSON-RPC");
  EXPECT_EQ(ladder.rungs[0].to_read[0].detail, "\"starting up\"");
  EXPECT_EQ(ladder.rungs[1].entries.size(), 1U);
}

TEST(Ladder, RefusesToCallAnUnansweredChallengeAnswered) {
  LogLines log;
  log.request(1, "server", "POST /mcp HTTP/1.1")
      .response(1, "server", "HTTP/1.1 401 Unauthorized", Json::array({header("www-authenticate", kDiscovery)}));
  log.request(2, "server", "POST /mcp HTTP/1.1")
      .response(2, "server", "HTTP/1.1 401 Unauthorized",
                Json::array({header("www-authenticate", "Bearer error=\"invalid_token\"")}));
  const host::LadderText text = ladder_summary(log.run());
  EXPECT_TRUE(text.something_to_read);
  EXPECT_EQ(text.text,
            "http-20261130T024512-7c1e   T-1042   4 entries   0.0 s working\n"
            "\n"
            "  1 bytes        4   0 to read\n"
            "  2 envelope     0   0\n"
            "  3 http         4   2           <- start here\n"
            "    # 2 server->host  401 /mcp | www-authenticate: " +
                std::string(kDiscovery) +
                "\n"
                "    # 4 server->host  401 /mcp | www-authenticate: Bearer error=\"invalid_token\"\n"
                "  4 schema       0   0\n"
                "  5 model        0   0\n"
                "Read on: postern wire show http-20261130T024512-7c1e 2\n");
}

TEST(Ladder, RefusesToTakeAnEarlierSuccessForAnAnswer) {
  LogLines log;
  log.request(1, "server", "POST /mcp HTTP/1.1").response(1, "server", "HTTP/1.1 200 OK");
  log.request(2, "server", "POST /mcp HTTP/1.1")
      .response(2, "server", "HTTP/1.1 401 Unauthorized", Json::array({header("www-authenticate", kDiscovery)}));
  EXPECT_TRUE(climb(log.run()).challenges.empty());
  EXPECT_EQ(climb(log.run()).rungs[2].to_read.size(), 1U);
  log.request(3, "server", "POST /mcp HTTP/1.1").response(3, "server", "HTTP/1.1 200 OK");
  EXPECT_EQ(climb(log.run()).challenges.size(), 1U);
}

TEST(Ladder, FindsErrorsOfEachKindAndNothingBesideThem) {
  const auto first_finding = [](const LogLines& log, std::size_t rung) {
    const host::Ladder ladder = climb(log.run());
    for (std::size_t i = 0; i < ladder.rungs.size(); ++i) {
      EXPECT_TRUE(i == rung || ladder.rungs[i].to_read.empty()) << i;
    }
    return ladder.rungs[rung].to_read.empty() ? std::string() : ladder.rungs[rung].to_read[0].text;
  };
  EXPECT_EQ(first_finding(LogLines().request(1, "server", "POST /mcp HTTP/1.1"), 0),
            "host->server  no answer came to POST /mcp");
  EXPECT_EQ(first_finding(LogLines().request(1, "server", "POST /mcp HTTP/1.1").raw(1, "server", "garbage"), 0),
            "server->host  7 bytes that are no HTTP");
  EXPECT_EQ(
      first_finding(LogLines()
                        .request(1, "server", "POST /mcp HTTP/1.1", {}, kCall)
                        .response(1, "server", "HTTP/1.1 200 OK", {},
                                  R"({"jsonrpc":"2.0","id":5,"error":{"code":-32602,"message":"Invalid params"}})"),
                    1),
      "server->host  error -32602 Invalid params id 5");
  EXPECT_EQ(
      first_finding(
          LogLines().request(1, "model", "POST /v1/messages HTTP/1.1").response(1, "model", "HTTP/1.1 529 Overloaded"),
          2),
      "model->host  529 /v1/messages");
  EXPECT_EQ(first_finding(LogLines().note("schema", "get_tracking", true), 3), "get_tracking");
  EXPECT_EQ(first_finding(
                LogLines().request(1, "server", "GET /x HTTP/1.1").response(1, "server", "HTTP/1.1 303 See Other"), 2),
            "");
}

TEST(Ladder, ReadsAMessageOutOfAnEventStream) {
  LogLines log;
  log.request(1, "server", "POST /mcp HTTP/1.1", {}, kCall);
  log.response(1, "server", "HTTP/1.1 200 OK", {}, ": x\n\nevent: message\ndata: " + std::string(kResult) + "\n\n");
  EXPECT_EQ(climb(log.run()).rungs[1].entries.size(), 2U);
}

TEST(Ladder, SaysThatALogIsNotWhole) {
  LogLines log;
  log.note("schema", "a").skip_a_number().note("schema", "b").text("{\"seq\":");
  log.skip_a_number().skip_a_number().note("schema", "c");
  const host::LadderText text = ladder_summary(log.run());
  EXPECT_TRUE(text.something_to_read);
  EXPECT_NE(text.text.find(
                "1 line(s) of the log cannot be read.\n2 entries are missing from the log.\nNothing else to read."),
            std::string::npos)
      << text.text;
}

TEST(Ladder, ShowsTextOfPeersVisibly) {
  LogLines log;
  log.stdio("server", "host", "\x1b[2J\xE2\x80\xAEpwned");
  for (const std::string& text :
       {ladder_summary(log.run()).text, ladder_listing(log.run(), true).text, *host::show_entry(log.run(), 1, {})}) {
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_NE(text.find("[U+202E]"), std::string::npos) << text;
  }
}

TEST(Ladder, ShowsOneEntry) {
  const host::WireRun run = good_run().run();
  EXPECT_EQ(*host::show_entry(run, 14, {}),
            "# 14   " + rfc3339(WallTime(Milliseconds(1'796'000'000'100))) +
                "   host->server   101 bytes   exchange 7\n"
                "POST /mcp HTTP/1.1\nmcp-method: tools/call\nmcp-name: issue_refund\nauthorization: <token:a1b2c3>\n\n"
                "{\n  \"jsonrpc\": \"2.0\",\n  \"id\": 5,\n  \"method\": \"tools/call\",\n  \"params\": {\n    "
                "\"name\": \"issue_refund\"\n  }\n}\n");
  EXPECT_EQ(host::show_entry(run, 14, {false, true, false})->find("mcp-method"), std::string::npos);
  EXPECT_EQ(host::show_entry(run, 14, {true, false, false})->find("jsonrpc"), std::string::npos);
  EXPECT_NE(host::show_entry(run, 14, {false, true, true})
                ->find("00000000  7b 22 6a 73 6f 6e 72 70 63 22 3a 22 32 2e 30 22  {\"jsonrpc\":\"2.0\"\n"),
            std::string::npos);
  EXPECT_TRUE(test::refused(host::show_entry(run, 99, {}), "wire.no_such_entry"));
}

TEST(Ladder, KnowsItsRungsByName) {
  EXPECT_EQ(host::ladder_layer("envelope"), Layer::kEnvelope);
  EXPECT_EQ(host::ladder_layer("own"), std::nullopt);
}

}  // namespace
}  // namespace postern
