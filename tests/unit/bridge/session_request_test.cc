// What goes out with each request, and which answers count (MCP 2026-07-28 basic).
#include <gtest/gtest.h>

#include <set>
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
using played::discovered;
using played::error;
using played::listed;
using played::result;
using test::refused;
using test::succeeded;

constexpr std::string_view kSkills = "io.modelcontextprotocol/skills";

ClientExtension skills() {
  return ClientExtension{std::string(kSkills), Json::object(), {"skill"}, {"skills/"}};
}

TEST(SessionRequest, CarriesTheMetaOfTheRevisionEveryTime) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "server/discover") return discovered();
    if (request.method == "tools/list") return complete(listed(Json::array()));
    return complete(played::text_result("done"));
  };
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  ASSERT_TRUE(succeeded(bench.session().request("other/method", Json(), {})));
  ASSERT_EQ(bench.server.requests.size(), 4U);
  for (const OutgoingRequest& request : bench.server.requests) {
    const Json* meta = request.params.find("_meta");
    ASSERT_NE(meta, nullptr) << request.method;
    EXPECT_EQ(meta->string_at("io.modelcontextprotocol/protocolVersion"), "2026-07-28");
    const Json* capabilities = meta->find("io.modelcontextprotocol/clientCapabilities");
    EXPECT_EQ(capabilities->dump(), bench.options.client_capabilities.dump());
    EXPECT_FALSE(capabilities->has("sampling") || capabilities->has("roots"));
    EXPECT_EQ(meta->find("io.modelcontextprotocol/clientInfo")->dump(), R"({"name":"postern","version":"0.1.0"})");
    EXPECT_FALSE(meta->has("io.modelcontextprotocol/logLevel"));
    for (const auto& member : meta->members()) {
      const bool ours = member.first.starts_with("dev.postern/");
      EXPECT_TRUE(ours ? is_extension_id(member.first) : member.first.starts_with("io.modelcontextprotocol/"));
    }
  }
}

TEST(SessionRequest, NamesItselfUnlessItIsNotToBeNamed) {
  Bench bench;
  bench.options.names_client = false;
  bench.server.handle = [](const OutgoingRequest&) { return complete(listed(Json::array())); };
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  EXPECT_FALSE(bench.server.requests[0].params.find("_meta")->has("io.modelcontextprotocol/clientInfo"));
}

TEST(SessionRequest, TakesAnyMethodAndGivesTheResultAsItCame) {
  Bench bench;
  const std::string body =
      R"({"resultType":"complete","messages":[{"role":"user","content":{"type":"x","odd":[1.5]}}]})";
  bench.server.handle = [&](const OutgoingRequest&) { return result(*parse_json(body)); };
  const auto got = bench.session().request("prompts/get", Json::object({{"name", "greeting"}}), {});
  ASSERT_TRUE(succeeded(got));
  EXPECT_EQ(got->dump(), body);
  EXPECT_EQ(bench.server.requests[0].params.string_at("name"), "greeting");
}

TEST(SessionRequest, AcceptsTheResultTypesThatWereDeclaredAndNoOthers) {
  const std::pair<Json, bool> types[] = {{Json(), true},   {"complete", true}, {"input_required", true},
                                         {"skill", false}, {"task", false},    {"Complete", false},
                                         {"", false},      {7, false}};
  for (const bool declared : {false, true}) {
    for (const auto& [type, core] : types) {
      Bench bench;
      if (declared) bench.options.extensions.push_back(skills());
      Json answer = Json::object();
      if (!type.is_null()) answer.set("resultType", type);
      bench.server.handle = [&](const OutgoingRequest&) { return result(answer); };
      const bool accepted = bench.session().request("some/method", Json(), {}).has_value();
      const bool by_extension = declared && type.string() != nullptr && *type.string() == "skill";
      EXPECT_EQ(accepted, core || by_extension) << type.dump();
    }
  }
}

TEST(SessionRequest, ATaskThatNobodyAskedForIsNoResultOfACall) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest&) {
    return result(played::text_result("x").set("resultType", "task"));
  };
  EXPECT_TRUE(refused(bench.call("get_order"), mcp::UnexpectedResultType::kId));
}

TEST(SessionRequest, DeclaresItsExtensions) {
  Bench bench;
  bench.options.extensions.push_back(skills());
  bench.server.handle = [](const OutgoingRequest&) { return complete(listed(Json::array())); };
  ASSERT_TRUE(succeeded(bench.session().list_tools({})));
  const Json* meta = bench.server.requests[0].params.find("_meta");
  const Json* capabilities = meta->find("io.modelcontextprotocol/clientCapabilities");
  EXPECT_EQ(capabilities->find("extensions")->dump(), R"({"io.modelcontextprotocol/skills":{}})");
  EXPECT_TRUE(capabilities->has("elicitation"));
}

TEST(SessionRequest, AnExtensionsNameHasAPrefixThatIsNobodysElse) {
  for (const char* id :
       {"io.modelcontextprotocol/skills", "com.example/x", "dev.postern/run", "com.example.mcp/a_b.c-d"})
    EXPECT_TRUE(is_extension_id(id)) << id;
  for (const char* id : {"skills", "/skills", "com.example/", "com..example/x", "1com.example/x", "com.example-/x",
                         "com.mcp.tools/x", "com.modelcontextprotocol/x", "com.example/-x", "com.example/x y"})
    EXPECT_FALSE(is_extension_id(id)) << id;
}

TEST(SessionRequest, SendsNothingThatTheServerDoesNotOffer) {
  Bench bench;
  bench.options.extensions.push_back(skills());
  Json capabilities = Json::object({{"tools", Json::object()}});
  bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
    if (request.method == "server/discover") return discovered(Json::array({"2026-07-28"}), capabilities);
    return complete();
  };
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  for (const char* method : {"prompts/list", "prompts/get", "resources/read", "completion/complete", "skills/list"}) {
    EXPECT_TRUE(refused(bench.session().request(method, Json(), {}), NotOffered::kId)) << method;
  }
  EXPECT_EQ(bench.server.requests.size(), 1U);
  capabilities =
      Json::object({{"prompts", Json::object()}, {"resources", Json::object()}, {"completions", Json::object()}});
  capabilities.set("extensions", Json::object({{std::string(kSkills), Json::object()}}));
  ASSERT_TRUE(succeeded(bench.session().connect({})));
  for (const char* method : {"prompts/list", "prompts/get", "resources/read", "completion/complete", "skills/list"}) {
    EXPECT_TRUE(succeeded(bench.session().request(method, Json(), {}))) << method;
  }
  const std::size_t sent = bench.server.requests.size();
  EXPECT_TRUE(refused(bench.call("get_order"), NotOffered::kId));
  const auto tools = bench.session().list_tools({});
  ASSERT_TRUE(succeeded(tools));
  EXPECT_TRUE(tools->empty());
  EXPECT_EQ(bench.server.requests.size(), sent);
}

TEST(SessionRequest, WhatAServerSaysOfItselfChangesNothing) {
  const char* infos[] = {R"({"name":"postern-desk","version":"0.1.0"})", R"({"name":7,"version":[]})", R"("desk")",
                         "null", "[[]]"};
  std::set<std::string> sent;
  for (const char* info : infos) {
    Bench bench;
    bench.server.handle = [&](const OutgoingRequest& request) -> Result<ServerAnswer> {
      Json meta = Json::object({{"io.modelcontextprotocol/serverInfo", *parse_json(info)},
                                {"io.modelcontextprotocol/protocolVersion", Json::array({1})},
                                {"io.modelcontextprotocol/subscriptionId", Json::object()}});
      if (request.method == "server/discover")
        return result(std::get<JsonRpcResult>(discovered()).result.set("_meta", std::move(meta)));
      return complete(played::text_result("x").set("_meta", std::move(meta)));
    };
    ASSERT_TRUE(succeeded(bench.session().connect({}))) << info;
    ASSERT_TRUE(succeeded(bench.call("get_order"))) << info;
    sent.insert(bench.server.requests.back().params.dump());
  }
  EXPECT_EQ(sent.size(), 1U);
}

// The numbers below -32000 that older programs used mean nothing, but for one.
TEST(SessionRequest, GivesNoMeaningToNumbersThatHaveNone) {
  for (const std::int64_t code : {-32000, -32001, -32002, -32003, -32004, -32019, -32042}) {
    Bench bench;
    bench.server.handle = [&](const OutgoingRequest&) { return error(code, "unauthorized"); };
    const auto no = bench.call("get_order");
    ASSERT_TRUE(refused(no, ServerError::kId));
    EXPECT_EQ(no.error().as<ServerError>()->code, code);
    EXPECT_EQ(bench.server.requests.size(), 1U);
  }
}

TEST(SessionRequest, AResourceThatIsNotThereIsOneFailureWhateverItsNumber) {
  for (const std::int64_t code : {-32002, -32602}) {
    Bench bench;
    bench.server.handle = [&](const OutgoingRequest&) { return error(code, "no such resource"); };
    const auto no = bench.session().request("resources/read", Json::object({{"uri", "file:///a\x1b[2J"}}), {});
    ASSERT_TRUE(refused(no, ResourceNotFound::kId));
    EXPECT_EQ(no.error().text().find('\x1b'), std::string::npos);
  }
  Bench bench;
  bench.server.handle = [&](const OutgoingRequest&) { return error(-32603); };
  EXPECT_TRUE(
      refused(bench.session().request("resources/read", Json::object({{"uri", "file:///a"}}), {}), ServerError::kId));
}

// What we find ourselves is no ServerError, and has no number.
TEST(SessionRequest, ALocalFailureIsNoErrorOfTheServer) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest& request) {
    return RequestTimedOut{request.method, 60'000, false, {}};
  };
  const auto no = bench.call("get_order");
  ASSERT_TRUE(refused(no, RequestTimedOut::kId));
  EXPECT_EQ(no.error().as<ServerError>(), nullptr);
  EXPECT_EQ(no.error().text().find("-32"), std::string::npos);
  EXPECT_NE(no.error().text().find("was cancelled"), std::string::npos);
  EXPECT_EQ(bench.server.requests.size(), 1U) << "it is not sent again by itself";
}

TEST(SessionRequest, HasATimeOfItsOwnByToolOrByMethod) {
  Bench bench;
  bench.options.request_ms_of = {{"slow_tool", Milliseconds(300'000)}, {"prompts/list", Milliseconds(1'000)}};
  bench.server.handle = [](const OutgoingRequest&) { return complete(played::text_result("x")); };
  ASSERT_TRUE(succeeded(bench.call("slow_tool")));
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  ASSERT_TRUE(succeeded(bench.session().request("prompts/list", Json(), {})));
  const SteadyTime now = bench.env.clock.steady_now();
  EXPECT_EQ(bench.server.requests[0].deadline - now, Milliseconds(300'000));
  EXPECT_EQ(bench.server.requests[1].deadline - now, bench.options.request_ms_max);
  EXPECT_EQ(bench.server.requests[2].deadline - now, Milliseconds(1'000));
}

JsonRpcNotification progress(const Json& token, double value) {
  return {"notifications/progress",
          Json::object({{"progressToken", token}, {"progress", value}, {"message", "on it\x1b[2J"}})};
}

TEST(SessionRequest, AsksForProgressWhenSomebodyWantsItWithATokenOfItsOwn) {
  Bench bench;
  std::vector<double> shown;
  std::string message;
  bench.options.on_progress = [&](const ProgressReport& report) {
    shown.push_back(report.progress);
    message = report.message;
    EXPECT_EQ(report.method, "tools/call");
  };
  bench.server.handle = [&](const OutgoingRequest& request) {
    const Json token = *request.params.find("_meta")->find("progressToken");
    EXPECT_TRUE(request.on_notification(progress(token, 1)));
    bench.env.clock.advance(Milliseconds(100));
    EXPECT_TRUE(request.on_notification(progress("another", 2)));
    EXPECT_TRUE(request.on_notification(progress(token, 1)));  // does not rise
    bench.env.clock.advance(Milliseconds(100));
    EXPECT_TRUE(request.on_notification(progress(token, 3)));
    return complete(played::text_result("x"));
  };
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_EQ(shown, (std::vector<double>{1, 3}));
  EXPECT_EQ(message.find('\x1b'), std::string::npos);
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  const auto token_of = [&](std::size_t at) {
    return bench.server.requests[at].params.find("_meta")->find("progressToken");
  };
  EXPECT_FALSE(*token_of(0) == *token_of(1));
  EXPECT_TRUE(token_of(0)->is_integer());
}

TEST(SessionRequest, AFloodOfProgressIsShownTenTimesASecond) {
  Bench bench;
  int shown = 0;
  bench.options.on_progress = [&](const ProgressReport&) { ++shown; };
  bench.server.handle = [&](const OutgoingRequest& request) {
    const Json token = *request.params.find("_meta")->find("progressToken");
    for (int i = 1; i <= 10'000; ++i) {
      EXPECT_TRUE(request.on_notification(progress(token, i)));
      if (i % 1'000 == 0) bench.env.clock.advance(Milliseconds(100));
    }
    return complete(played::text_result("x"));
  };
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_EQ(shown, 10);
}

TEST(SessionRequest, AsksForNoProgressWhenNobodyWantsIt) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest&) { return complete(played::text_result("x")); };
  ASSERT_TRUE(succeeded(bench.call("get_order")));
  EXPECT_FALSE(bench.server.requests[0].params.find("_meta")->has("progressToken"));
  Bench waiting;
  waiting.options.silence_ms_max = Milliseconds(30'000);
  waiting.server.handle = bench.server.handle;
  ASSERT_TRUE(succeeded(waiting.call("get_order")));
  EXPECT_TRUE(waiting.server.requests[0].params.find("_meta")->has("progressToken"));
  EXPECT_EQ(waiting.server.requests[0].silence_ms_max, Milliseconds(30'000));
}

// Nothing of one request is in the next: a server that was started anew between them answers as before.
TEST(SessionRequest, NothingIsRememberedBetweenCalls) {
  Bench bench;
  bench.server.handle = [](const OutgoingRequest&) {
    return complete(played::text_result("x").set("_meta", Json::object({{"session", "s-1"}})));
  };
  const Json arguments = Json::object({{"case_handle", "ch_1"}});
  ASSERT_TRUE(succeeded(bench.call("get_order", arguments)));
  ASSERT_TRUE(succeeded(bench.call("get_order", arguments)));
  EXPECT_EQ(bench.server.requests[0].params.dump(), bench.server.requests[1].params.dump());
}

}  // namespace
}  // namespace postern::bridge
