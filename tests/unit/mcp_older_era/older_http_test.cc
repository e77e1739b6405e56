// Proves what a client of 2025-11-25 gets over HTTP: its own words, from tools that only read, behind the same checks
// as everybody else (MCP 2025-11-25 basic/lifecycle, basic/transports; 2026-07-28 basic/versioning).
#include <gtest/gtest.h>

#include "services/mcp/http_endpoint.h"
#include "tests/unit/mcp_older_era/older_server.h"
#include "wire/mcp/headers.h"

namespace postern::mcp {
namespace {

using test::json_text;
using test::OlderServer;

constexpr const char* kMetadataUrl = "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp";
constexpr const char* kInitialize =
    R"({"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old","version":"1"}})";
constexpr const char* kModernMeta =
    R"({"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}})";

class OlderHttp : public testing::Test {
 protected:
  // As a client of that revision sends it: no Mcp-Method and no Mcp-Name. `version` null: no header.
  static HttpRequest post(const std::string& method, const std::string& params = "{}",
                          const char* version = "2025-11-25") {
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
    if (version != nullptr) request.headers.add("MCP-Protocol-Version", version);
    request.body = R"({"jsonrpc":"2.0","id":"a-1","method":")" + method + R"(","params":)" + params + "}";
    return request;
  }
  static HttpRequest call(const char* tool, const char* arguments = "{}") {
    return post("tools/call", R"({"name":")" + std::string(tool) + R"(","arguments":)" + arguments + "}");
  }
  HttpResponse send(const HttpRequest& request, const char* scope = "desk:read", std::stop_token stop = {}) {
    HttpReply reply = endpoint_.handle(request, older_.token(scope));
    if (auto* blocking = std::get_if<Blocking>(&reply)) reply = blocking->work(stop);
    return std::get<HttpResponse>(reply);
  }
  Json result(const HttpRequest& request, const char* scope = "desk:read") {
    const HttpResponse response = send(request, scope);
    EXPECT_EQ(response.status, 200);
    EXPECT_EQ(media_type(*response.headers.find("Content-Type")), "application/json");
    const Json body = parse_json(response.body).value_or(Json());
    EXPECT_EQ(body.string_at("id"), "a-1");
    const Json* found = body.find("result");
    EXPECT_NE(found, nullptr) << response.body;
    return found == nullptr ? Json::object() : *found;
  }
  // Status and JSON-RPC error code, 0 when there is none.
  using Verdict = std::pair<int, std::int64_t>;
  Verdict verdict(const HttpRequest& request, const char* scope = "desk:read") {
    const HttpResponse response = send(request, scope);
    const auto body = parse_json(response.body);
    const Json* error = body ? body->find("error") : nullptr;
    return {response.status, error == nullptr ? 0 : error->integer_at("code").value_or(0)};
  }
  static std::string text_of(const Json& result) {
    const Json* content = result.find("content");
    if (content == nullptr || content->size() == 0) return "";
    return std::string(content->elements()[0].string_at("text"));
  }
  std::vector<std::string> listed() {
    const Json list = result(post("tools/list"));
    std::vector<std::string> names;
    const Json* tools = list.find("tools");
    if (tools == nullptr) return names;
    for (const Json& tool : tools->elements()) names.emplace_back(tool.string_at("name"));
    return names;
  }

  OlderServer older_;
  HttpEndpoint endpoint_{*older_.server, kMetadataUrl, older_.block.get()};
};

TEST_F(OlderHttp, AnswersInitializeWithoutASession) {
  const HttpResponse response = send(post("initialize", kInitialize, nullptr));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(media_type(*response.headers.find("Content-Type")), "application/json");
  EXPECT_FALSE(response.headers.has("Mcp-Session-Id"));
  EXPECT_EQ(*parse_json(response.body)->find("result"),
            json_text(R"({"protocolVersion":"2025-11-25","capabilities":{"tools":{}},
                          "serverInfo":{"name":"small","version":"1.0.0"},"instructions":"Say something."})"));
}

TEST_F(OlderHttp, NegotiatesItsOneVersionWhateverIsAsked) {
  for (const char* asked : {"2025-11-25", "2025-06-18", "2024-11-05", "2026-07-28", "1999-01-01", ""}) {
    const std::string params = R"({"protocolVersion":")" + std::string(asked) + R"(","capabilities":{}})";
    EXPECT_EQ(result(post("initialize", params, nullptr)).string_at("protocolVersion"), "2025-11-25") << asked;
  }
  EXPECT_EQ(verdict(post("initialize", "{}", nullptr)), Verdict(200, -32602));
  EXPECT_EQ(verdict(post("initialize", R"({"protocolVersion":20251125})", nullptr)), Verdict(200, -32602));
}

TEST_F(OlderHttp, TakesNotificationsAndAnswersPing) {
  HttpRequest initialized = post("");
  initialized.body = R"({"jsonrpc":"2.0","method":"notifications/initialized"})";
  const HttpResponse response = send(initialized);
  EXPECT_EQ(response.status, 202);
  EXPECT_EQ(response.body, "");
  EXPECT_EQ(result(post("ping")), Json::object());
}

TEST_F(OlderHttp, ListsOnlyToolsThatReadAndNeedNothingOfTheClient) {
  EXPECT_EQ(listed(), (std::vector<std::string>{"read", "rows", "ask", "extra", "mirror", "drift", "wait", "web"}));
}

TEST_F(OlderHttp, ListsToolsInTheWordsOfItsRevision) {
  const Json list = result(post("tools/list"));
  ASSERT_EQ(list.size(), 1U) << list.dump();  // neither resultType, ttlMs, cacheScope nor _meta
  const Json& read = list.find("tools")->elements()[0];
  const Json& rows = list.find("tools")->elements()[1];
  EXPECT_EQ(read.find("outputSchema")->string_at("type"), "object");
  EXPECT_TRUE(read.find("inputSchema")->find("properties")->find("any")->is_object());
  EXPECT_FALSE(rows.has("outputSchema"));
  EXPECT_EQ(verdict(post("tools/list", R"({"cursor":"x"})")), Verdict(200, -32602));
}

TEST_F(OlderHttp, CallsToolsInTheWordsOfItsRevision) {
  EXPECT_EQ(
      result(call("read", R"({"text":"a"})")),
      json_text(R"({"content":[{"type":"text","text":"{\"said\":\"hello\"}"}],"structuredContent":{"said":"hello"}})"));
  EXPECT_EQ(result(call("rows")), json_text(R"({"content":[{"type":"text","text":"[1,2]"}]})"));
  EXPECT_EQ(result(call("web")).has("content"), true);
  EXPECT_EQ(result(post("tools/call", R"({"name":"rows"})")).has("content"), true);
  EXPECT_EQ(older_.runs, 4);
}

TEST_F(OlderHttp, KnowsNoToolThatWrites) {
  for (const char* tool : {"write", "undo", "form", "nothing"}) {
    EXPECT_EQ(verdict(call(tool), "desk:read refunds:write"), Verdict(200, -32602)) << tool;
  }
  // The same words as for a tool that does not exist, and no challenge that gives away its scope.
  EXPECT_NE(send(call("undo")).body.find("Unknown tool: undo."), std::string::npos);
  EXPECT_NE(send(call("nothing")).body.find("Unknown tool: nothing."), std::string::npos);
  EXPECT_EQ(older_.runs, 0);
  EXPECT_EQ(verdict(post("tools/call", R"({"name":5})")), Verdict(200, -32602));
  EXPECT_EQ(verdict(post("tools/call", R"({"name":"read","arguments":[]})")), Verdict(200, -32602));
}

TEST_F(OlderHttp, KnowsNoOtherMethod) {
  for (const char* method : {"resources/list", "prompts/list", "logging/setLevel", "tasks/list", "server/discover",
                             "subscriptions/listen", "completion/complete", "resources/subscribe"}) {
    EXPECT_EQ(verdict(post(method)), Verdict(200, -32601)) << method;
  }
}

TEST_F(OlderHttp, ServesOneVersionAndNoneUnnamed) {
  EXPECT_EQ(verdict(post("tools/list", "{}", nullptr)), Verdict(400, -32602));
  EXPECT_EQ(verdict(post("tools/list", "{}", "2026-07-28")), Verdict(400, -32602));
  EXPECT_EQ(verdict(post("tools/list", "{}", "2025-06-18")), Verdict(400, -32022));
  HttpRequest twice = post("tools/list");
  twice.headers.add("MCP-Protocol-Version", "2025-11-25");
  EXPECT_EQ(send(twice).status, 400);
  const Json refused = parse_json(send(post("ping", "{}", "2025-03-26")).body).value_or(Json());
  const Json* error = refused.find("error");
  ASSERT_NE(error, nullptr) << refused.dump();
  const Json* data = error->find("data");
  ASSERT_NE(data, nullptr) << refused.dump();
  EXPECT_EQ(*data, json_text(R"({"supported":["2026-07-28","2025-11-25"],"requested":"2025-03-26"})"));
}

TEST_F(OlderHttp, NeitherNeedsNorGivesASession) {
  HttpRequest request = post("tools/list");
  request.headers.add("Mcp-Session-Id", "s-1");
  request.headers.add("Last-Event-ID", "9");
  const HttpResponse response = send(request);
  EXPECT_EQ(response.status, 200);
  EXPECT_FALSE(response.headers.has("Mcp-Session-Id"));
  for (const char* method : {"GET", "DELETE"}) {
    request.method = method;
    const auto refusal = HttpEndpoint::method_refusal(request);
    ASSERT_TRUE(refusal.has_value());
    EXPECT_EQ(refusal->status, 405);
  }
}

TEST_F(OlderHttp, RefusesBatchesAndResponses) {
  HttpRequest batch = post("ping");
  batch.body = "[" + batch.body + "]";
  EXPECT_EQ(verdict(batch), Verdict(400, -32600));
  HttpRequest response = post("ping");
  response.body = R"({"jsonrpc":"2.0","id":1,"result":{}})";
  EXPECT_EQ(verdict(response), Verdict(400, -32600));
}

TEST_F(OlderHttp, LeavesModernRequestsToTheCore) {
  HttpRequest modern = post("tools/list", kModernMeta, "2026-07-28");
  modern.headers.add("Mcp-Method", "tools/list");
  EXPECT_EQ(result(modern).string_at("resultType"), "complete");
  EXPECT_EQ(result(modern).find("tools")->size(), 11U);
  // A header of the older era changes nothing: the two must agree.
  EXPECT_EQ(verdict(post("tools/list", kModernMeta)), Verdict(400, -32020));
  HttpRequest initialize = post("initialize", kModernMeta, "2026-07-28");
  initialize.headers.add("Mcp-Method", "initialize");
  EXPECT_EQ(verdict(initialize), Verdict(404, -32601));
  const char* broken = R"({"_meta":{"io.modelcontextprotocol/protocolVersion":7},"protocolVersion":"2025-11-25"})";
  EXPECT_EQ(verdict(post("initialize", broken)), Verdict(400, -32602));
}

TEST_F(OlderHttp, TellsOfItselfInDiscover) {
  HttpRequest discover = post("server/discover", kModernMeta, "2026-07-28");
  discover.headers.add("Mcp-Method", "server/discover");
  EXPECT_EQ(*result(discover).find("supportedVersions"), json_text(R"(["2026-07-28","2025-11-25"])"));
}

TEST_F(OlderHttp, NeedsTheSameScopes) {
  for (const auto& [method, params] : {std::pair("initialize", kInitialize), std::pair("ping", "{}"),
                                       std::pair("tools/list", "{}"), std::pair("nothing/such", "{}")}) {
    const HttpResponse response = send(post(method, params), "other:read");
    EXPECT_EQ(response.status, 403) << method;
    ASSERT_TRUE(response.headers.has("WWW-Authenticate")) << method;
    EXPECT_NE(response.headers.find("WWW-Authenticate")->find("scope=\"desk:read\""), std::string::npos) << method;
  }
  for (const char* tool : {"read", "undo", "nothing"}) EXPECT_EQ(send(call(tool), "other:read").status, 403) << tool;
  const HttpResponse response = send(call("extra"));
  EXPECT_EQ(response.status, 403);
  EXPECT_NE(response.headers.find("WWW-Authenticate")->find("extra:read"), std::string::npos);
  EXPECT_EQ(result(call("extra"), "desk:read extra:read").has("content"), true);
}

TEST_F(OlderHttp, ChecksArgumentsAndResultsAgainstTheSchemas) {
  const Json bad = result(call("read", R"({"text":"too long"})"));
  EXPECT_EQ(bad.boolean_at("isError"), true);
  EXPECT_NE(text_of(bad).find("The arguments of read are not valid"), std::string::npos);
  EXPECT_EQ(older_.runs, 0);
  const HttpResponse drift = send(call("drift"));
  EXPECT_NE(drift.body.find("-32603"), std::string::npos);
  EXPECT_EQ(drift.body.find("output schema"), std::string::npos);
}

TEST_F(OlderHttp, NeedsNoHeadersOfArguments) {
  EXPECT_EQ(result(call("mirror", R"({"region":"über"})")).has("isError"), false);
  EXPECT_EQ(result(call("mirror")).has("isError"), false);
  const Json bad = result(call("mirror", R"({"region":{}})"));
  EXPECT_EQ(bad.boolean_at("isError"), true);
  EXPECT_NE(text_of(bad).find("The arguments of mirror are not valid"), std::string::npos);
  EXPECT_EQ(older_.runs, 2);
}

TEST_F(OlderHttp, IsHeldToTheSameLimits) {
  older_.requests_refused = services::RequestLimitReached{Seconds(7)};
  EXPECT_EQ(send(post("initialize", kInitialize)).status, 429);
  EXPECT_EQ(send(post("ping")).status, 429);
  EXPECT_EQ(send(post("tools/list")).status, 429);
  EXPECT_EQ(send(call("undo")).status, 429);
  older_.requests_refused = {};
  older_.calls_refused = ArgumentsInvalid{"read", "not now"};
  EXPECT_EQ(result(call("read", R"({"text":"a"})")).boolean_at("isError"), true);
  EXPECT_EQ(older_.runs, 0);
}

TEST_F(OlderHttp, EndsCallsAtTheirDeadlineAndNotWhenTheClientHangsUp) {
  std::stop_source hung_up;
  hung_up.request_stop();
  EXPECT_EQ(send(call("web"), "desk:read", hung_up.get_token()).status, 200);
  EXPECT_FALSE(older_.saw_stop);
  const Json late = result(call("wait"));
  EXPECT_EQ(late.boolean_at("isError"), true);
  EXPECT_NE(text_of(late).find("wait was stopped"), std::string::npos);
}

TEST_F(OlderHttp, SaysThatItCannotAskForInput) {
  const Json asks = result(call("ask"));
  EXPECT_EQ(asks.boolean_at("isError"), true);
  EXPECT_NE(text_of(asks).find("2026-07-28"), std::string::npos);
  EXPECT_FALSE(asks.has("requestState"));
}

TEST_F(OlderHttp, IsNotAnsweredWithoutTheBlock) {
  const HttpEndpoint modern(*older_.server, kMetadataUrl);
  const HttpReply reply = modern.handle(post("initialize", kInitialize, nullptr), older_.token());
  const auto& response = std::get<HttpResponse>(reply);
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("-32022"), std::string::npos);
}

}  // namespace
}  // namespace postern::mcp
