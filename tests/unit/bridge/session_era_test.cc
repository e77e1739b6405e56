// Which era a server speaks, and how it is found out (MCP 2026-07-28 basic/versioning; public case B-007).
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include "bridge/failures.h"
#include "bridge/session.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/played_transport.h"

namespace postern::bridge {
namespace {

using played::Bench;
using played::complete;
using played::discovered;
using played::error;
using played::initialized;
using played::listed;
using played::result;
using played::tool;
using played::unsupported;
using test::refused;
using test::succeeded;
using Methods = std::vector<std::string>;

// A server of 2025-11-25 that answers server/discover with `no`.
played::Transport::Handler older_server(Result<ServerAnswer> no) {
  return [no = std::move(no)](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "server/discover") return no;
    if (request.method == "initialize") return initialized();
    if (request.method == "tools/list") return result(Json::object({{"tools", Json::array({tool("get_order")})}}));
    return result(played::text_result("done"));
  };
}

ServerExited ended(const char* how) {
  ServerExited exited;
  exited.command = "/usr/bin/old";
  exited.how = how;
  return exited;
}

// Every way in which a server says that it does not know server/discover.
std::vector<Result<ServerAnswer>> noes_of_older_servers() {
  std::vector<Result<ServerAnswer>> noes;
  for (const std::int64_t code : {-32601, -32602, -32600, -32603, -32700, -32000, -32001, 0, 7})
    noes.push_back(error(code));
  for (const int status : {400, 404, 405, 406, 415}) noes.push_back(HttpStatus{"server/discover", status});
  noes.push_back(BadResponse{"its content type is neither JSON nor an event stream"});
  noes.push_back(result(Json::object({{"ok", true}})));
  return noes;
}

TEST(SessionEra, AskedForNoOtherTheNewestIsSpokenWithoutAQuestion) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest&) { return complete(listed(Json::array())); };
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  EXPECT_EQ(bench.server.methods(), Methods{"tools/list"});
  EXPECT_EQ(bench.session().protocol_version(), "2026-07-28");
}

TEST(SessionEra, PinnedItNeverSendsInitialize) {
  for (const auto& no : noes_of_older_servers()) {
    Bench bench;
    bench.server.is_http = false;
    bench.server.handle = older_server(no);
    const bool is_result = no.has_value() && std::holds_alternative<JsonRpcResult>(*no);
    EXPECT_TRUE(refused(bench.session().connect({}), is_result ? mcp::MalformedResult::kId : VersionNotOffered::kId));
    EXPECT_EQ(bench.server.methods(), Methods{"server/discover"});
  }
}

TEST(SessionEra, FallsBackAfterWhateverAnOlderServerAnswers) {
  for (const auto& no : noes_of_older_servers()) {
    Bench bench;
    bench.options.era = EraChoice::kAuto;
    bench.server.handle = older_server(no);
    const auto connected = bench.session().connect({});
    ASSERT_TRUE(succeeded(connected)) << (no ? "an answer" : no.error().text());
    EXPECT_EQ(connected->supported_versions, std::vector<std::string>{"2025-11-25"});
    EXPECT_EQ(connected->server_info->name, "old");
    EXPECT_TRUE(bench.session().older_era());
    EXPECT_EQ(bench.server.methods(), (Methods{"server/discover", "initialize"}));
    EXPECT_EQ(bench.server.notifications, Methods{"notifications/initialized"});
    EXPECT_EQ(bench.server.eras, (Methods{"older ", "older 2025-11-25"}));
  }
}

// B-007: silence and an end are answers of older processes; over HTTP they say nothing about eras.
TEST(SessionEra, ASilentProcessAndOneThatEndsAreOlderButASilentServerIsNot) {
  const Result<ServerAnswer> silences[] = {RequestTimedOut{"server/discover", 20'000, false, {}},
                                           ended("with status 1")};
  for (const auto& silence : silences) {
    Bench process;
    process.server.is_http = false;
    process.options.era = EraChoice::kAuto;
    process.server.handle = older_server(silence);
    EXPECT_TRUE(succeeded(process.session().connect({}))) << silence.error().text();
    Bench pinned;
    pinned.server.is_http = false;
    pinned.server.handle = older_server(silence);
    const auto no = pinned.session().connect({});
    ASSERT_TRUE(refused(no, VersionNotOffered::kId));
    EXPECT_NE(no.error().text().find("Version negotiation failed"), std::string::npos);
    EXPECT_EQ(pinned.server.methods(), Methods{"server/discover"});
    Bench http;
    http.options.era = EraChoice::kAuto;
    http.server.handle = older_server(silence);
    EXPECT_TRUE(refused(http.session().connect({}), silence.error().id()));
    EXPECT_EQ(http.server.methods(), Methods{"server/discover"});
  }
}

TEST(SessionEra, APinnedProcessThatEndedIsToldWithItsLastWords) {
  Bench bench;
  bench.server.is_http = false;
  ServerExited exited = ended("with status 3");
  exited.said = "cannot find module x";
  bench.server.handle = older_server(exited);
  const auto no = bench.session().connect({});
  ASSERT_TRUE(refused(no, VersionNotOffered::kId));
  const std::string text = no.error().text();
  EXPECT_TRUE(
      text.ends_with("The server process /usr/bin/old ended with status 3; its last words: \"cannot find module "
                     "x\". No case was opened."))
      << text;
  EXPECT_EQ(text.find("did not say what it offers"), std::string::npos) << text;
}

TEST(SessionEra, AProcessIsProbedForLessTimeThanARequestMayTake) {
  Bench bench;
  bench.server.is_http = false;
  bench.options.era = EraChoice::kAuto;
  bench.options.probe_ms_max = Milliseconds(5'000);
  bench.server.handle = older_server(RequestTimedOut{});
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  const SteadyTime now = bench.env.clock.steady_now();
  EXPECT_EQ(bench.server.requests[0].deadline - now, Milliseconds(5'000));
  EXPECT_EQ(bench.server.requests[1].deadline - now, bench.options.request_ms_max);
}

TEST(SessionEra, DoesNotFallBackAfterAnAnswerOfTheNewestEra) {
  const std::pair<Result<ServerAnswer>, std::string_view> answers[] = {
      {error(-32020), ServerError::kId},
      {error(-32021), ServerError::kId},
      {unsupported(Json::array({"2025-11-25", "2027-01-01"})), NoCommonVersion::kId},
      {HttpStatus{"server/discover", 401}, HttpStatus::kId},
      {HttpStatus{"server/discover", 403}, HttpStatus::kId},
      {HttpStatus{"server/discover", 429}, HttpStatus::kId},
      {HttpStatus{"server/discover", 307}, HttpStatus::kId},
      {HttpStatus{"server/discover", 500}, HttpStatus::kId},
      {HttpStatus{"server/discover", 503}, HttpStatus::kId},
      {Unreachable{"http://127.0.0.1:8931", "connection refused"}, Unreachable::kId},
  };
  for (const auto& [answer, id] : answers) {
    Bench bench;
    bench.options.era = EraChoice::kAuto;
    bench.server.handle = older_server(answer);
    EXPECT_TRUE(refused(bench.session().connect({}), id));
    EXPECT_EQ(bench.server.methods(), Methods{"server/discover"}) << id;
  }
}

TEST(SessionEra, ACommonVersionThatIsMissingIsNamed) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = [](const OutgoingRequest&) { return discovered(Json::array({"2027-01-01"})); };
  const auto no = bench.session().connect({});
  ASSERT_TRUE(refused(no, NoCommonVersion::kId));
  EXPECT_NE(no.error().text().find("It offered: 2027-01-01."), std::string::npos);
  EXPECT_EQ(bench.server.requests.size(), 1U);
}

TEST(SessionEra, AServerThatNamesAnOlderRevisionItselfIsSpokenToInIt) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = older_server(discovered(Json::array({"2025-11-25"})));
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  EXPECT_TRUE(bench.session().older_era());
}

TEST(SessionEra, WhoeverRefusesBothErasHasNoCommonVersion) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = [](const OutgoingRequest&) { return error(-32601); };
  EXPECT_TRUE(refused(bench.session().connect({}), NoCommonVersion::kId));
  EXPECT_EQ(bench.server.methods(), (Methods{"server/discover", "initialize"}));
}

TEST(SessionEra, AsksOnceAndKeepsTheAnswer) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_EQ(bench.server.methods(), (Methods{"server/discover", "initialize", "tools/list", "tools/call"}));
}

TEST(SessionEra, ANewerServerInThePlaceOfAnOlderOneIsFoundOutOnce) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  bench.server.requests.clear();
  bench.server.eras.clear();
  bench.server.handle = [](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.params.find("_meta") == nullptr || !request.params.find("_meta")->has(mcp::kMetaProtocolVersion))
      return error(-32020, "MCP-Protocol-Version is missing");
    if (request.method == "server/discover") return discovered();
    return complete(played::text_result("paid"));
  };
  ASSERT_TRUE(succeeded(bench.call("issue_refund")));
  EXPECT_EQ(bench.server.methods(), (Methods{"tools/call", "server/discover", "tools/call"}));
  EXPECT_EQ(bench.server.eras, Methods{"newest"});
  EXPECT_FALSE(bench.session().older_era());
}

TEST(SessionEra, AnOlderServerInThePlaceOfANewerOneIsFoundOutOnce) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = [](const OutgoingRequest&) { return discovered(); };
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  bench.server.requests.clear();
  const auto older = older_server(HttpStatus{"server/discover", 400});
  bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
    const Json* meta = request.params.find("_meta");
    const bool modern = meta != nullptr && meta->has(mcp::kMetaProtocolVersion);
    if (modern && request.method != "server/discover") return HttpStatus{request.method, 400};
    return older(request);
  };
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_EQ(bench.server.methods(), (Methods{"tools/call", "server/discover", "initialize", "tools/call"}));
}

// What a call did before it was answered with a number that means nothing is not known.
TEST(SessionEra, ACallIsNotSentAgainAfterANumberThatMeansNothing) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = [](const OutgoingRequest&) { return discovered(); };
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  bench.server.requests.clear();
  const auto older = older_server(error(-32601));
  bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "tools/call") return error(-32000, "Server not initialized");
    return older(request);
  };
  EXPECT_TRUE(refused(bench.call("issue_refund"), ServerError::kId));
  EXPECT_EQ(bench.server.methods(), (Methods{"tools/call", "server/discover", "initialize"}));
}

TEST(SessionEra, ConfiguredOlderItNeverAsksForTheNewest) {
  Bench bench;
  bench.options.era = EraChoice::kLegacy;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  EXPECT_EQ(bench.server.methods(), (Methods{"initialize", "tools/list"}));
  const Json& opening = bench.server.requests[0].params;
  EXPECT_EQ(opening.string_at("protocolVersion"), "2025-11-25");
  EXPECT_EQ(opening.find("capabilities")->dump(), "{}");
  EXPECT_EQ(opening.find("clientInfo")->string_at("name"), "postern");
  EXPECT_FALSE(opening.has("_meta"));
}

TEST(SessionEra, TakesTheOlderRevisionThatTheServerChooses) {
  for (const char* version : {"2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}) {
    Bench bench;
    bench.options.era = EraChoice::kLegacy;
    bench.server.handle = [&](const OutgoingRequest&) { return initialized(version); };
    ASSERT_TRUE(succeeded(bench.session().connect({})));
    EXPECT_EQ(bench.session().protocol_version(), version);
    EXPECT_EQ(bench.server.eras.back(), "older " + std::string(version));
  }
  Bench bench;
  bench.options.era = EraChoice::kLegacy;
  bench.server.handle = [&](const OutgoingRequest&) { return initialized("2024-10-07"); };
  EXPECT_TRUE(refused(bench.session().connect({}), NoCommonVersion::kId));
  EXPECT_TRUE(bench.server.notifications.empty());
}

TEST(SessionEra, ASessionThatTheServerForgotIsBegunAnewOnce) {
  Bench bench;
  bench.options.era = EraChoice::kLegacy;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  bench.server.requests.clear();
  int calls = 0;
  bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "initialize") return initialized();
    if (++calls == 1) return SessionEnded{request.method};
    return result(played::text_result("done"));
  };
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_EQ(bench.server.methods(), (Methods{"tools/call", "initialize", "tools/call"}));
  bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "initialize") return initialized();
    return SessionEnded{request.method};
  };
  EXPECT_TRUE(refused(bench.call("get_order"), SessionEnded::kId));
}

TEST(SessionEra, AProcessThatEndedIsOpenedAnewForTheNextRequestAndNothingIsSentAgain) {
  Bench bench;
  bench.server.is_http = false;
  bench.options.era = EraChoice::kLegacy;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  bench.server.requests.clear();
  const auto works = bench.server.handle;
  bench.server.handle = [](const OutgoingRequest&) { return ended("by signal 9"); };
  EXPECT_TRUE(refused(bench.call("issue_refund"), ServerExited::kId));
  EXPECT_EQ(bench.server.methods(), Methods{"tools/call"});
  bench.server.handle = works;
  EXPECT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_EQ(bench.server.methods(), (Methods{"tools/call", "initialize", "tools/call"}));
}

TEST(SessionEra, EndsTheOlderSessionWithItself) {
  Bench bench;
  bench.options.era = EraChoice::kLegacy;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  bench.made.reset();
  EXPECT_EQ(bench.server.eras.back(), "newest");
  Bench newest;
  newest.server.handle = [](const OutgoingRequest&) { return discovered(); };
  ASSERT_TRUE(succeeded(newest.session().connect({})));
  newest.made.reset();
  EXPECT_TRUE(newest.server.eras.empty());
}

TEST(SessionEra, RequestsOfAnOlderEraAreInItsWords) {
  Bench bench;
  bench.options.era = EraChoice::kLegacy;
  bench.server.handle = older_server(error(-32601));
  ASSERT_TRUE(succeeded(bench.call("get_order", Json::object({{"order_id", "ORD-9001"}}))));
  const Json& params = bench.server.requests.back().params;
  EXPECT_EQ(params.dump(),
            R"({"name":"get_order","arguments":{"order_id":"ORD-9001"},"_meta":{"dev.postern/run":{"run_id":"r"}}})");
}

// request-metadata of the conformance suite: the first request is refused with our own revision in the list.
TEST(SessionEra, AVersionThatIsRefusedAndOfferedIsSentOnceMore) {
  for (const bool for_ever : {false, true}) {
    Bench bench;
    int sent = 0;
    bench.server.handle = [&](const OutgoingRequest&) -> Result<ServerAnswer> {
      if (++sent == 1 || for_ever) return unsupported(Json::array({"2025-11-25", "2026-07-28"}));
      return complete(listed(Json::array()));
    };
    const auto tools = bench.session().list_tools({});
    EXPECT_EQ(tools.has_value(), !for_ever);
    EXPECT_EQ(sent, 2);
    if (for_ever) {
      EXPECT_TRUE(refused(tools, VersionNotOffered::kId));
    }
  }
}

TEST(SessionEra, AVersionThatIsRefusedAndNotOfferedIsNotSentAgain) {
  Bench bench;
  bench.server.handle = [&](const OutgoingRequest&) { return unsupported(Json::array({"2027-01-01"})); };
  const auto no = bench.session().connect({});
  ASSERT_TRUE(refused(no, VersionNotOffered::kId));
  EXPECT_NE(no.error().text().find("It offered: 2027-01-01."), std::string::npos);
  EXPECT_TRUE(refused(bench.session().list_tools({}), VersionNotOffered::kId));
  EXPECT_EQ(bench.server.requests.size(), 2U);
}

TEST(SessionEra, AVersionThatIsRefusedLaterIsNoWordAboutPins) {
  Bench bench;
  bench.options.era = EraChoice::kAuto;
  bench.server.handle = [](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "server/discover") return discovered();
    return unsupported(Json::array({"2027-01-01"}));
  };
  EXPECT_TRUE(refused(bench.session().list_tools({}), NoCommonVersion::kId));
}

}  // namespace
}  // namespace postern::bridge
