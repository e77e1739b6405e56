// The list of tools: pages, what is unusable in it, and how long it is good for (MCP 2026-07-28
// server/utilities/pagination and caching; public cases B-098, B-099, B-101).
#include <gtest/gtest.h>

#include <string>
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
using played::error;
using played::listed;
using played::tool;
using test::refused;
using test::succeeded;

std::vector<std::string> names_of(const Result<std::vector<mcp::Tool>>& tools) {
  std::vector<std::string> names;
  if (!tools) return names;
  for (const mcp::Tool& one : *tools) names.push_back(one.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(SessionTools, ReadsPagesOfEverySizeByTheirCursors) {
  Bench bench;
  const std::vector<std::pair<std::string, int>> pages = {{"", 1}, {"opaque/ü", 7}, {"3", 0}};
  bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
    const Json* cursor = request.params.find("cursor");
    std::size_t page = 0;
    for (std::size_t i = 0; cursor != nullptr && i < pages.size(); ++i) {
      if (pages[i].first == *cursor->string()) page = i + 1;
    }
    const int size = page == pages.size() ? 2 : pages[page].second;
    Json tools = Json::array();
    for (int i = 0; i < size; ++i) tools.push(tool("t" + std::to_string(page) + "_" + std::to_string(i)));
    Json result = listed(std::move(tools));
    if (page < pages.size()) result.set("nextCursor", pages[page].first);
    return complete(std::move(result));
  };
  const auto tools = bench.session().list_tools({});
  ASSERT_TRUE(succeeded(tools));
  EXPECT_EQ(tools->size(), 10U);
  ASSERT_EQ(bench.server.requests.size(), 4U);
  EXPECT_FALSE(bench.server.requests[0].params.has("cursor"));
  EXPECT_EQ(*bench.server.requests[1].params.find("cursor")->string(), "");  // an empty one is a cursor
  EXPECT_EQ(*bench.server.requests[2].params.find("cursor")->string(), "opaque/ü");
}

// B-099: the cursor never moves on.
TEST(SessionTools, PublicCaseB099ACursorThatComesAgainEndsTheList) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest&) {
    return complete(listed(Json::array({tool("get_order")})).set("nextCursor", "p2"));
  };
  EXPECT_TRUE(refused(bench.session().list_tools({}), BadResponse::kId));
  EXPECT_EQ(bench.server.requests.size(), 2U);
}

TEST(SessionTools, PublicCaseB099FreshCursorsWithoutEndStopAtTheBound) {
  Bench bench;
  int page = 0;
  bench.server.handle = [&](const OutgoingRequest&) {
    return complete(listed(Json::array({tool("t" + std::to_string(page))})).set("nextCursor", std::to_string(++page)));
  };
  EXPECT_TRUE(refused(bench.session().list_tools({}), TooMany::kId));
  EXPECT_EQ(page, bench.options.pages_max);
}

// B-101: the tools of both pages are there, or none.
TEST(SessionTools, PublicCaseB101ACursorThatIsRefusedBeginsTheListAnewOnce) {
  for (const bool for_ever : {false, true}) {
    Bench bench;
    int refusals = 0;
    bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
      if (!request.params.has("cursor"))
        return complete(listed(Json::array({tool("get_order")})).set("nextCursor", "p2"));
      if (for_ever || refusals == 0) {
        ++refusals;
        return error(-32602, "unknown cursor");
      }
      return complete(listed(Json::array({tool("get_tracking")})));
    };
    const auto tools = bench.session().list_tools({});
    EXPECT_EQ(bench.server.requests.size(), 4U);
    if (for_ever) {
      EXPECT_TRUE(refused(tools, ServerError::kId));
    } else {
      EXPECT_EQ(names_of(tools), (Names{"get_order", "get_tracking"}));
    }
  }
}

Json bad_definitions() {
  return *parse_json(R"([
    {"name": "b1", "description": "x", "inputSchema": null},
    {"name": "b2", "description": 7, "inputSchema": {"type": "object"}},
    {"description": "no name", "inputSchema": {"type": "object"}},
    {"name": "b4", "inputSchema": {"type": "object",
      "properties": {"r": {"type": "string", "x-mcp-header": "Reg ion"}}}},
    {"name": "b5", "inputSchema": {"type": "object", "properties": {
      "a": {"type": "string", "x-mcp-header": "R"}, "b": {"type": "string", "x-mcp-header": "r"}}}}
  ])");
}

// B-098: four good definitions and a bad one are four tools.
TEST(SessionTools, PublicCaseB098ABadDefinitionIsNamedAndTheOthersStay) {
  const Json bad = bad_definitions();
  for (const Json& definition : bad.elements()) {
    Bench bench;
    bench.server.handle = [&](const OutgoingRequest&) {
      return complete(listed(Json::array({tool("a"), tool("b"), definition, tool("c"), tool("d")})));
    };
    EXPECT_EQ(names_of(bench.session().list_tools({})), (Names{"a", "b", "c", "d"})) << definition.dump();
    ASSERT_EQ(bench.session().unusable_tools().size(), 1U);
    EXPECT_EQ(bench.session().unusable_tools()[0].name, definition.string_at("name"));
    EXPECT_FALSE(bench.session().unusable_tools()[0].reason.empty());
  }
}

TEST(SessionTools, AnnotationsForHeadersMeanNothingToAProcess) {
  Bench bench;
  bench.server.is_http = false;
  bench.server.handle = [](const OutgoingRequest&) { return complete(listed(bad_definitions())); };
  EXPECT_EQ(names_of(bench.session().list_tools({})), (Names{"b4", "b5"}));
}

TEST(SessionTools, NamesDifferByCase) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest&) {
    return complete(listed(Json::array({tool("Get"), tool("get")})));
  };
  EXPECT_EQ(names_of(bench.session().list_tools({})), (Names{"Get", "get"}));
}

TEST(SessionTools, TooManyAreNotTaken) {
  Bench bench;
  bench.options.tools_max = 2;
  Json tools = Json::array({tool("a"), tool("b")});
  bench.server.handle = [&](const OutgoingRequest&) { return complete(listed(tools)); };
  EXPECT_TRUE(succeeded(bench.session().list_tools({})));
  tools.push(tool("c"));
  EXPECT_TRUE(refused(bench.session().list_tools({}), TooMany::kId));
}

struct CachingBench : Bench {
  Json ttl_ms = 60'000;
  std::string scope = "private";
  CachingBench() {
    server.handle = [this](const OutgoingRequest&) {
      Json result = Json::object({{"tools", Json::array({tool("a")})}, {"cacheScope", scope}});
      if (!ttl_ms.is_null()) result.set("ttlMs", ttl_ms);
      return complete(std::move(result));
    };
  }
  std::size_t asked_after(Milliseconds pause) {
    EXPECT_TRUE(succeeded(session().list_tools({})));
    env.clock.advance(pause);
    EXPECT_EQ(names_of(session().list_tools({})), Names{"a"});
    return server.requests.size();
  }
};

TEST(SessionTools, AreAskedForAnewWhenTheirTimeIsOver) {
  const std::pair<Json, std::size_t> times[] = {{Json(60'000), 1}, {Json(0), 2}, {Json(-5), 2}, {Json(), 2}};
  for (const auto& [ttl_ms, requests] : times) {
    CachingBench bench;
    bench.ttl_ms = ttl_ms;
    EXPECT_EQ(bench.asked_after(Milliseconds(59'999)), requests) << ttl_ms.dump();
  }
  CachingBench bench;
  EXPECT_EQ(bench.asked_after(Milliseconds(60'000)), 2U);
}

TEST(SessionTools, ATimeWithoutEndIsADay) {
  CachingBench bench;
  bench.ttl_ms = kSafeIntegerMax;
  EXPECT_EQ(bench.asked_after(std::chrono::hours(25)), 2U);
}

TEST(SessionTools, OfOneAuthorizationAreNotShownToAnother) {
  for (const bool is_public : {false, true}) {
    CachingBench bench;
    bench.scope = is_public ? "public" : "private";
    ASSERT_TRUE(succeeded(bench.session().list_tools({})));
    ++bench.server.authorization;
    EXPECT_EQ(bench.asked_after(Milliseconds(1)), is_public ? 1U : 2U);
  }
}

TEST(SessionTools, AreAskedForAnewOnceTheyChanged) {
  CachingBench bench;
  EXPECT_EQ(bench.asked_after(Milliseconds(1)), 1U);
  bench.session().tools_changed();
  EXPECT_EQ(bench.asked_after(Milliseconds(1)), 2U);
}

TEST(SessionTools, OnlyTheWholeListIsAnsweredFromMemory) {
  CachingBench bench;
  EXPECT_EQ(bench.asked_after(Milliseconds(1)), 1U);
  ASSERT_TRUE(succeeded(bench.session().request("tools/list", Json::object({{"cursor", "2"}}), {})));
  ASSERT_TRUE(succeeded(bench.session().request("resources/list", Json(), {})));
  EXPECT_EQ(bench.server.methods(), (Names{"tools/list", "tools/list", "resources/list"}));
}

TEST(SessionTools, APageThatIsStaleMakesTheListStale) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest& request) {
    const bool first = !request.params.has("cursor");
    Json result = Json::object({{"tools", Json::array({tool(first ? "a" : "b")})}, {"cacheScope", "public"}});
    result.set("ttlMs", first ? 60'000 : 1'000);
    if (first) result.set("nextCursor", "2");
    return complete(std::move(result));
  };
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  bench.env.clock.advance(Milliseconds(2'000));
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  EXPECT_EQ(bench.server.requests.size(), 4U);
  EXPECT_FALSE(bench.server.requests[2].params.has("cursor"));  // from the beginning: one state, not two halves
}

Json annotated(const char* header) {
  Json property = Json::object({{"type", "string"}});
  if (header != nullptr) property.set("x-mcp-header", header);
  Json schema = Json::object({{"type", "object"}, {"properties", Json::object({{"region", std::move(property)}})}});
  return Json::object({{"name", "search"}, {"inputSchema", std::move(schema)}});
}

// The server got a new annotation after the list was read.
TEST(SessionTools, AHeaderThatTheServerMissesIsReadFromTheNewestListAndSentOnce) {
  for (const bool helps : {true, false}) {
    Bench bench;
    bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
      if (request.method == "tools/list") return complete(listed(Json::array({annotated("Region")})));
      if (helps && request.param_headers.size() == 1) return complete(played::text_result("found"));
      return error(-32020, "Mcp-Param-Region is missing");
    };
    const auto outcome = bench.call("search", Json::object({{"region", "north"}}));
    EXPECT_EQ(outcome.has_value(), helps);
    EXPECT_EQ(bench.server.methods(), (Names{"tools/call", "tools/list", "tools/call"}));
    EXPECT_EQ(bench.server.requests.back().param_headers[0].suffix, "Region");
  }
}

TEST(SessionTools, AHeaderMismatchThatTheNewestListDoesNotExplainIsNotSentAgain) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "tools/list")
      return complete(listed(Json::array({annotated("Region").set("name", "Search"), annotated(nullptr)})));
    return error(-32020, "Mcp-Name is not what the body says");
  };
  EXPECT_TRUE(refused(bench.call("search"), ServerError::kId));
  EXPECT_EQ(bench.server.methods(), (Names{"tools/call", "tools/list"}));
}

}  // namespace
}  // namespace postern::bridge
