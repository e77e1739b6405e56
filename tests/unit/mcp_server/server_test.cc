// Proves the core's checks in their order, each refusal beside the nearest request that is served, and the shape of its
// answers.
#include "services/mcp/server.h"

#include <gtest/gtest.h>

#include <functional>

#include "services/gate/bearer_gate.h"
#include "services/mcp/compiled_tool.h"
#include "tests/support/refused.h"
#include "tests/unit/mcp_server/small_server.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::kModernMeta;
using test::refused;
using test::SmallServer;
using test::succeeded;

class ServerCore : public testing::Test {
 protected:
  // A valid request: tools/call of `tool` with `arguments`.
  static JsonRpcRequest call_of(const char* tool, const char* arguments) {
    return {
        RequestId(std::int64_t{7}), "tools/call",
        Json::object({{"name", tool}, {"arguments", json_of_text(arguments)}, {"_meta", json_of_text(kModernMeta)}})};
  }
  static JsonRpcRequest request_of(const char* method) {
    return {RequestId(std::int64_t{7}), method, Json::object({{"_meta", json_of_text(kModernMeta)}})};
  }
  // Over HTTP with the headers that belong to it, unless others are given.
  Result<PreparedRequest> accept(const JsonRpcRequest& request, const char* scope = "desk:read",
                                 const HeaderList* headers = nullptr) {
    const auto token = small_.token(scope);
    const HeaderList own = request_headers(request.method, request.params);
    const RequestContext context{
        {token, &token->principal()}, &token->scopes(), headers == nullptr ? &own : headers, token->expires_at()};
    return request_in(small_.server->accept(request, context));
  }
  // These tests open no subscription.
  static Result<PreparedRequest> request_in(Result<Accepted> accepted) {
    if (!accepted) return accepted.error();
    return std::get<PreparedRequest>(*std::move(accepted));
  }
  Result<PreparedRequest> accept_stdio(const JsonRpcRequest& request) {
    const services::StdioLaunch launch("rowan");
    const RequestContext context{std::make_shared<services::Principal>(launch.principal()), nullptr, nullptr, {}};
    return request_in(small_.server->accept(request, context));
  }
  // The answer of a request that must be accepted.
  Json answer_to(const JsonRpcRequest& request, const char* scope = "desk:read") {
    const auto prepared = accept(request, scope);
    EXPECT_TRUE(succeeded(prepared));
    if (!prepared) return Json();
    const auto answer = prepared->run();
    EXPECT_EQ(answer->http_status, 200);
    return *parse_json(answer->body);
  }
  SmallServer small_;
};

TEST_F(ServerCore, DiscoversItself) {
  const Json answer = answer_to(request_of("server/discover"));
  const auto result = read_discover_result(*answer.find("result"));
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(result->supported_versions, std::vector<std::string>{"2026-07-28"});
  EXPECT_EQ(result->capabilities, json_of_text(R"({"tools":{}})"));
  EXPECT_EQ(result->instructions, "Say something.");
  EXPECT_EQ(result->server_info->name, "small");
  EXPECT_EQ(result->ttl_ms, 60'000);
}

TEST_F(ServerCore, ListsToolsInTheOrderOfTheTableEachTimeTheSame) {
  const Json answer = answer_to(request_of("tools/list"));
  const auto result = read_list_tools_result(*answer.find("result"));
  ASSERT_TRUE(succeeded(result));
  std::vector<std::string> names;
  for (const Tool& tool : result->tools) names.push_back(tool.name);
  EXPECT_EQ(names, (std::vector<std::string>{"echo", "drift", "fail", "ask", "pay", "mirror", "slow"}));
  EXPECT_EQ(answer.dump(), answer_to(request_of("tools/list"), "desk:read refunds:write").dump());
  EXPECT_EQ(result->cache_scope, "public");
}

TEST_F(ServerCore, RefusesCursorThatItNeverGave) {
  JsonRpcRequest request = request_of("tools/list");
  request.params.set("cursor", "page-2");
  EXPECT_EQ(answer_to(request).find("error")->integer_at("code"), -32602);
}

TEST_F(ServerCore, HidesHttpOnlyToolsOverStdio) {
  const auto list = accept_stdio(request_of("tools/list"));
  ASSERT_TRUE(succeeded(list));
  EXPECT_EQ(list->run()->body.find("\"pay\""), std::string::npos);
  const auto call = accept_stdio(call_of("pay", "{}"));
  ASSERT_TRUE(succeeded(call));
  EXPECT_EQ(parse_json(call->run()->body)->find("error")->integer_at("code"), -32602);
  EXPECT_EQ(small_.runs, 0);
}

TEST_F(ServerCore, GivesStructuredContentAndTheSameAsText) {
  const Json answer = answer_to(call_of("echo", R"({"text":"hü\"\n"})"));
  const Json& result = *answer.find("result");
  EXPECT_EQ(result.string_at("resultType"), "complete");
  const Json& structured = *result.find("structuredContent");
  EXPECT_EQ(structured, json_of_text(R"({"said":"hü\"\n"})"));
  ASSERT_EQ(result.find("content")->size(), 1U);
  const Json& block = result.find("content")->elements()[0];
  EXPECT_EQ(block.string_at("type"), "text");
  EXPECT_EQ(block.string_at("text"), structured.dump());
  EXPECT_FALSE(result.has("isError"));
  EXPECT_EQ(result.find("_meta")->find(kMetaServerInfo)->string_at("name"), "small");
  EXPECT_EQ(small_.caller, "rowan");
}

TEST_F(ServerCore, RefusesRequestOfAnOlderEra) {
  JsonRpcRequest initialize{RequestId(std::string("init-1")), "initialize",
                            json_of_text(R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{}})")};
  const auto old = accept(initialize);
  ASSERT_TRUE(refused(old, "mcp.unsupported_version"));
  EXPECT_EQ(old.error().as<UnsupportedVersion>()->requested, "2025-11-25");
  EXPECT_TRUE(refused(accept_stdio(initialize), "mcp.unsupported_version"));
  // With modern _meta it is no older request, but an unknown method of this revision.
  initialize.params.set("_meta", json_of_text(kModernMeta));
  EXPECT_TRUE(refused(accept(initialize), "mcp.unknown_method"));
}

TEST_F(ServerCore, RefusesOlderVersionHeaderWithoutMeta) {
  const JsonRpcRequest request{RequestId(std::int64_t{1}), "tools/list", Json::object()};
  HeaderList headers{{"MCP-Protocol-Version", "2025-06-18"}};
  EXPECT_TRUE(refused(accept(request, "desk:read", &headers), "mcp.unsupported_version"));
  headers.set("MCP-Protocol-Version", "2026-07-28");
  EXPECT_TRUE(refused(accept(request, "desk:read", &headers), "mcp.malformed_params"));
  EXPECT_TRUE(refused(accept(request), "mcp.malformed_params"));
}

TEST_F(ServerCore, RefusesHeaderMismatchBeforeTheVersion) {
  JsonRpcRequest request = request_of("tools/list");
  request.params.find("_meta")->set(std::string(kMetaProtocolVersion), "1900-01-01");
  HeaderList headers = request_headers("tools/list", request_of("tools/list").params);
  EXPECT_TRUE(refused(accept(request, "desk:read", &headers), "mcp.header_mismatch"));
  headers.set("MCP-Protocol-Version", "1900-01-01");
  const auto unknown = accept(request, "desk:read", &headers);
  ASSERT_TRUE(refused(unknown, "mcp.unsupported_version"));
  const JsonRpcError error = error_of(unknown.error(), request.id);
  EXPECT_EQ(error.code, -32022);
  EXPECT_EQ(*error.data, json_of_text(R"({"supported":["2026-07-28"],"requested":"1900-01-01"})"));
}

TEST_F(ServerCore, RefusesVersionBeforeTheMethod) {
  JsonRpcRequest request = request_of("no/such");
  EXPECT_TRUE(refused(accept(request), "mcp.unknown_method"));
  request.params.find("_meta")->set(std::string(kMetaProtocolVersion), "1900-01-01");
  EXPECT_TRUE(refused(accept(request), "mcp.unsupported_version"));
}

TEST_F(ServerCore, RefusesMethodsOfFeaturesThatAreNotOffered) {
  for (const char* method : {"ping", "logging/setLevel", "resources/list", "prompts/get", "tasks/list", "TOOLS/LIST"}) {
    const auto prepared = accept(request_of(method));
    ASSERT_TRUE(refused(prepared, "mcp.unknown_method")) << method;
    EXPECT_EQ(http_status_of(prepared.error().disposition()), 404);
    EXPECT_EQ(error_of(prepared.error(), std::nullopt).code, -32601);
  }
}

TEST_F(ServerCore, RefusesMethodBeforeTheScope) {
  EXPECT_TRUE(refused(accept(request_of("no/such"), "other"), "mcp.unknown_method"));
  EXPECT_TRUE(refused(accept(request_of("tools/list"), "other"), "token.insufficient_scope"));
  EXPECT_TRUE(refused(accept(request_of("server/discover"), "other"), "token.insufficient_scope"));
}

TEST_F(ServerCore, AnswersUnknownToolAsInvalidParams) {
  const Json answer = answer_to(call_of("get_größe", "{}"));
  EXPECT_EQ(answer.find("error")->integer_at("code"), -32602);
  EXPECT_EQ(answer.integer_at("id"), 7);
}

TEST_F(ServerCore, RefusesTooLittleScopeNamingTheFullSet) {
  const auto prepared = accept(call_of("pay", "{}"), "desk:read");
  ASSERT_TRUE(refused(prepared, "token.insufficient_scope"));
  EXPECT_EQ(prepared.error().as<services::InsufficientScope>()->required.text(), "desk:read refunds:write");
  EXPECT_EQ(small_.runs, 0);
}

TEST_F(ServerCore, IgnoresScopeThatIsClaimedInMeta) {
  JsonRpcRequest request = call_of("pay", "{}");
  request.params.find("_meta")->set("scope", "desk:read refunds:write");
  EXPECT_TRUE(refused(accept(request, "desk:read"), "token.insufficient_scope"));
}

TEST_F(ServerCore, RefusesScopeBeforeParamHeadersAndCapability) {
  EXPECT_TRUE(refused(accept(call_of("pay", R"({"extra":1})"), "desk:read"), "token.insufficient_scope"));
  const auto capability = accept(call_of("pay", R"({"extra":1})"), "desk:read refunds:write");
  ASSERT_TRUE(refused(capability, "mcp.missing_client_capability"));
  const JsonRpcError error = error_of(capability.error(), std::nullopt);
  EXPECT_EQ(error.code, -32021);
  EXPECT_EQ(*error.data, json_of_text(R"({"requiredCapabilities":{"elicitation":{"url":{}}}})"));
}

TEST_F(ServerCore, TakesEachCapabilityFromTheRequestItself) {
  JsonRpcRequest request = call_of("pay", "{}");
  const std::string key(kMetaClientCapabilities);
  for (const char* too_little :
       {"{}", R"({"elicitation":{}})", R"({"elicitation":{"form":{}}})", R"({"sampling":{}})"}) {
    request.params.find("_meta")->set(key, json_of_text(too_little));
    EXPECT_TRUE(refused(accept(request, "desk:read refunds:write"), "mcp.missing_client_capability")) << too_little;
  }
  request.params.find("_meta")->set(key, json_of_text(R"({"elicitation":{"form":{},"url":{}},"sampling":{}})"));
  EXPECT_TRUE(succeeded(accept(request, "desk:read refunds:write")));
  EXPECT_TRUE(refused(accept(call_of("pay", "{}"), "desk:read refunds:write"), "mcp.missing_client_capability"));
}

TEST_F(ServerCore, RefusesParamHeaderThatDiffersFromTheArgument) {
  const JsonRpcRequest request = call_of("mirror", R"({"region":"eu"})");
  HeaderList headers = request_headers("tools/call", request.params, {{"Region", {"region"}, "string"}});
  EXPECT_TRUE(succeeded(accept(request, "desk:read", &headers)));
  headers.set("Mcp-Param-Region", "us");
  EXPECT_TRUE(refused(accept(request, "desk:read", &headers), "mcp.header_mismatch"));
  EXPECT_TRUE(refused(accept(request), "mcp.header_mismatch"));
  EXPECT_TRUE(succeeded(accept(call_of("mirror", "{}"))));
}

TEST_F(ServerCore, AnswersInvalidArgumentsAsToolErrorThatNamesPathAndExpectation) {
  const Json answer = answer_to(call_of("echo", R"({"text":"longer than five"})"));
  const Json& result = *answer.find("result");
  EXPECT_EQ(result.boolean_at("isError"), true);
  const std::string_view text = result.find("content")->elements()[0].string_at("text");
  EXPECT_NE(text.find("text"), text.npos);
  EXPECT_NE(text.find("5"), text.npos);
  EXPECT_FALSE(result.has("structuredContent"));
  EXPECT_EQ(small_.runs, 0);
  EXPECT_EQ(answer_to(call_of("echo", R"({"text":"five5","more":1})")).find("result")->boolean_at("isError"), true);
  EXPECT_EQ(small_.runs, 0);
  EXPECT_FALSE(answer_to(call_of("echo", R"({"text":"five5"})")).find("result")->has("isError"));
  EXPECT_EQ(small_.runs, 1);
}

TEST_F(ServerCore, RefusesArgumentsThatAreNoObject) {
  JsonRpcRequest request = call_of("echo", "{}");
  request.params.set("arguments", 5);
  const auto prepared = accept(request);
  ASSERT_TRUE(refused(prepared, "mcp.malformed_params"));
  EXPECT_EQ(http_status_of(prepared.error().disposition()), 400);
}

TEST_F(ServerCore, SendsNothingOfAResultThatBreaksItsSchema) {
  const Json answer = answer_to(call_of("drift", "{}"));
  ASSERT_FALSE(answer.has("result"));
  EXPECT_EQ(answer.find("error")->integer_at("code"), -32603);
  EXPECT_EQ(answer.find("error")->string_at("message"), "Internal error.");
}

TEST_F(ServerCore, AnswersFailuresOfHandlersByTheirDisposition) {
  const Json tool = answer_to(call_of("fail", R"({"text":"tool"})"));
  EXPECT_EQ(tool.find("result")->boolean_at("isError"), true);
  const Json param = answer_to(call_of("fail", R"({"text":"param"})"));
  EXPECT_EQ(param.find("error")->integer_at("code"), -32602);
  const Json internal = answer_to(call_of("fail", R"({"text":"own"})"));
  EXPECT_EQ(internal.find("error")->integer_at("code"), -32603);
  EXPECT_EQ(internal.dump().find("secret detail"), std::string::npos);
}

TEST_F(ServerCore, HandsRequestStateToTheHandlerAsItCame) {
  const Json first = answer_to(call_of("ask", "{}"));
  EXPECT_EQ(first.find("result")->string_at("resultType"), "input_required");
  EXPECT_FALSE(first.find("result")->has("ttlMs"));
  JsonRpcRequest again = call_of("ask", "{}");
  again.params.set("requestState", first.find("result")->string_at("requestState"));
  EXPECT_EQ(answer_to(again).find("result")->string_at("requestState"), "state-1++");
}

TEST_F(ServerCore, MovesACallToTheLaneWhenItHasToWait) {
  const auto prepared = accept(call_of("slow", "{}"));
  ASSERT_TRUE(succeeded(prepared));
  EXPECT_EQ(prepared->lane(), Lane::kLoopFirst);
  EXPECT_FALSE(prepared->run({false, {}, nullptr}).has_value());
  EXPECT_FALSE(small_.may_block);
  EXPECT_TRUE(prepared->run().has_value());
  EXPECT_TRUE(small_.may_block);
}

TEST_F(ServerCore, GivesEachCallTheTimeOfItsRow) {
  const auto prepared = accept(call_of("echo", R"({"text":"a"})"));
  ASSERT_TRUE(succeeded(prepared));
  small_.env_.clock.advance(Seconds(5));  // in a queue: the time begins when the handler does
  prepared->run();
  EXPECT_EQ(small_.time_left, std::chrono::milliseconds(10'000));
}

TEST_F(ServerCore, KeepsNothingOfOneRequestForTheNext) {
  JsonRpcRequest able = call_of("pay", "{}");
  able.params.find("_meta")->set(std::string(kMetaClientCapabilities), json_of_text(R"({"elicitation":{"url":{}}})"));
  EXPECT_TRUE(succeeded(accept(able, "desk:read refunds:write")));
  EXPECT_TRUE(refused(accept(call_of("pay", "{}"), "desk:read refunds:write"), "mcp.missing_client_capability"));
  EXPECT_TRUE(refused(accept(able, "desk:read"), "token.insufficient_scope"));
}

class ServerTables : public testing::Test {
 protected:
  // The failure of a table with one tool that was changed.
  Status made_with(const std::function<void(ServerFeatures&)>& change) {
    ServerFeatures features = small_.features(1);
    change(features);
    const auto made = Server::make(small_.env_.env(), std::move(features));
    if (!made) return made.error();
    return {};
  }
  SmallServer small_;
};

TEST_F(ServerTables, RefuseToolsThatCannotBeServed) {
  EXPECT_TRUE(succeeded(made_with([](ServerFeatures&) {})));
  EXPECT_TRUE(refused(made_with([](ServerFeatures& f) { f.tools[0].tool.name = "a b"; }), "mcp.bad_features"));
  EXPECT_TRUE(refused(made_with([](ServerFeatures& f) { f.tools.push_back(f.tools[0]); }), "mcp.bad_features"));
  EXPECT_TRUE(refused(made_with([](ServerFeatures& f) { f.tools[0].handler = nullptr; }), "mcp.bad_features"));
  EXPECT_TRUE(refused(made_with([](ServerFeatures& f) { f.tools[0].tool.input_schema.set("type", "array"); }),
                      "mcp.bad_features"));
  EXPECT_TRUE(refused(made_with([](ServerFeatures& f) { f.tools[0].tool.input_schema.set("required", 5); }),
                      "mcp.bad_features"));
  EXPECT_TRUE(
      refused(made_with([](ServerFeatures& f) { f.tools[0].tool.output_schema = json_of_text(R"({"type":"no"})"); }),
              "mcp.bad_features"));
}

}  // namespace
}  // namespace postern::mcp
