// Proves what one POST is answered with: status, body and challenge, in the order of the checks (MCP 2026-07-28
// basic/transports/streamable-http).
#include "services/mcp/http_endpoint.h"

#include <gtest/gtest.h>

#include "tests/unit/mcp_server/small_server.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::kModernMeta;
using test::SmallServer;

constexpr const char* kMetadataUrl = "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp";

class McpEndpoint : public testing::Test {
 protected:
  static HttpRequest post(const std::string& method, Json params = Json::object(), const char* id = "7") {
    params.set("_meta", json_of_text(kModernMeta));
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers = request_headers(method, params);
    request.body = R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + method + R"(","params":)" +
                   params.dump() + "}";
    return request;
  }
  static HttpRequest call(const char* tool, const char* arguments = "{}") {
    return post("tools/call", Json::object({{"name", tool}, {"arguments", json_of_text(arguments)}}));
  }
  HttpResponse send(const HttpRequest& request, const char* scope = "desk:read") {
    HttpReply reply = endpoint_.handle(request, small_.token(scope));
    went_to_lane_ = std::holds_alternative<Blocking>(reply);
    if (went_to_lane_) reply = std::get<Blocking>(reply).work({});
    return std::get<HttpResponse>(reply);
  }
  // Status and JSON-RPC error code, 0 when there is none.
  std::pair<int, std::int64_t> verdict(const HttpRequest& request, const char* scope = "desk:read") {
    const HttpResponse response = send(request, scope);
    const auto body = parse_json(response.body);
    const Json* error = body ? body->find("error") : nullptr;
    return {response.status, error == nullptr ? 0 : error->integer_at("code").value_or(0)};
  }
  using Verdict = std::pair<int, std::int64_t>;

  SmallServer small_;
  HttpEndpoint endpoint_{*small_.server, kMetadataUrl};
  bool went_to_lane_ = false;
};

TEST_F(McpEndpoint, ServesOneRequestAsJson) {
  const HttpResponse response = send(post("server/discover", Json::object(), "\"init-1\""));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(media_type(*response.headers.find("Content-Type")), "application/json");
  EXPECT_EQ(parse_json(response.body)->string_at("id"), "init-1");
  EXPECT_FALSE(response.headers.has("Mcp-Session-Id"));
}

TEST_F(McpEndpoint, IgnoresSessionAndResumptionHeaders) {
  HttpRequest request = post("server/discover");
  request.headers.add("Mcp-Session-Id", "s-1");
  request.headers.add("Last-Event-ID", "9");
  EXPECT_EQ(verdict(request), Verdict(200, 0));
}

TEST_F(McpEndpoint, RefusesEveryMethodButPost) {
  HttpRequest request = post("server/discover");
  EXPECT_FALSE(HttpEndpoint::method_refusal(request).has_value());
  for (const char* method : {"GET", "DELETE", "PUT", "HEAD", "OPTIONS", "post"}) {
    request.method = method;
    const auto refusal = HttpEndpoint::method_refusal(request);
    ASSERT_TRUE(refusal.has_value()) << method;
    EXPECT_EQ(refusal->status, 405);
    EXPECT_EQ(*refusal->headers.find("Allow"), "POST");
  }
}

TEST_F(McpEndpoint, RefusesOtherContentTypes) {
  HttpRequest request = post("server/discover");
  for (const char* type : {"text/plain", "application/jsonl", "application/x-www-form-urlencoded"}) {
    request.headers.set("Content-Type", type);
    EXPECT_EQ(verdict(request).first, 415) << type;
  }
  request.headers.set("Content-Type", "Application/JSON; charset=utf-8");
  EXPECT_EQ(verdict(request), Verdict(200, 0));
}

TEST_F(McpEndpoint, RefusesAcceptThatDoesNotListBothTypes) {
  HttpRequest request = post("server/discover");
  for (const char* accept : {"application/json", "text/event-stream", "text/html", "",
                             "application/json, text/event-stream;q=0", "application/json;q=0.0, text/event-stream"}) {
    request.headers.set("Accept", accept);
    EXPECT_EQ(verdict(request).first, 406) << accept;
  }
  for (const char* accept : {"application/json, text/event-stream", "text/event-stream;q=0.5,application/json", "*/*",
                             "application/*, text/*"}) {
    request.headers.set("Accept", accept);
    EXPECT_EQ(verdict(request), Verdict(200, 0)) << accept;
  }
}

TEST_F(McpEndpoint, TakesAcceptInSeveralLines) {
  HttpRequest request = post("server/discover");
  request.headers.set("Accept", "application/json");
  request.headers.add("accept", "text/event-stream");
  EXPECT_EQ(verdict(request), Verdict(200, 0));
}

TEST_F(McpEndpoint, RefusesBodiesThatAreNotOneRequest) {
  HttpRequest request = post("server/discover");
  const std::string valid = request.body;
  const std::pair<std::string, Verdict> rows[] = {
      {"{", {400, -32700}},
      {"", {400, -32700}},
      {valid + valid, {400, -32700}},
      {"[" + valid + "]", {400, -32600}},
      {"[]", {400, -32600}},
      {R"({"jsonrpc":"2.0","id":1,"result":{}})", {400, -32600}},
      {R"({"jsonrpc":"2.0","id":null,"method":"server/discover","params":{}})", {400, -32600}},
      {R"({"jsonrpc":"2.0","id":1,"method":5})", {400, -32600}},
      {R"({"jsonrpc":"2.0","id":1,"method":"tools/call","params":[]})", {400, -32602}},
      {R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})", {400, -32602}},
  };
  for (const auto& [body, expected] : rows) {
    request.body = body;
    EXPECT_EQ(verdict(request), expected) << body;
  }
  request.body = valid;
  EXPECT_EQ(verdict(request), Verdict(200, 0));
}

TEST_F(McpEndpoint, AnswersDeepNestingAsParseErrorWithoutId) {
  HttpRequest request = post("server/discover");
  request.body = std::string(100'000, '[');
  const HttpResponse response = send(request);
  EXPECT_EQ(response.status, 400);
  EXPECT_FALSE(parse_json(response.body)->has("id"));
  EXPECT_EQ(verdict(post("server/discover")), Verdict(200, 0));
}

TEST_F(McpEndpoint, TakesNotificationsWithoutAnswer) {
  HttpRequest request = post("server/discover");
  request.body = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
  request.headers = HeaderList{{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}};
  const HttpResponse response = send(request);
  EXPECT_EQ(response.status, 202);
  EXPECT_TRUE(response.body.empty());
}

TEST_F(McpEndpoint, RefusesNotificationsOfAVersionThatIsNotSpoken) {
  HttpRequest request = post("server/discover");
  request.body = R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})";
  EXPECT_EQ(send(request).status, 202);
  request.headers.set("MCP-Protocol-Version", "2025-06-18");
  const HttpResponse refusal = send(request);
  EXPECT_EQ(refusal.status, 400);
  const Json body = *parse_json(refusal.body);
  EXPECT_FALSE(body.has("id"));
  EXPECT_EQ(body.find("error")->integer_at("code"), -32022);
  request.headers.add("MCP-Protocol-Version", "2026-07-28");
  EXPECT_EQ(verdict(request), Verdict(400, -32600));
}

TEST_F(McpEndpoint, AnswersEachFailureWithTheStatusOfTheRevision) {
  HttpRequest request = call("echo", R"({"text":"a"})");
  EXPECT_EQ(verdict(request), Verdict(200, 0));
  HttpRequest mismatch = request;
  mismatch.headers.set("Mcp-Name", "pay");
  EXPECT_EQ(verdict(mismatch), Verdict(400, -32020));
  EXPECT_EQ(verdict(post("ping")), Verdict(404, -32601));
  EXPECT_EQ(verdict(call("nobody")), Verdict(200, -32602));
  EXPECT_EQ(verdict(call("pay"), "desk:read refunds:write"), Verdict(400, -32021));
}

TEST_F(McpEndpoint, EchoesTheIdInEveryError) {
  HttpRequest request = call("pay");
  EXPECT_EQ(parse_json(send(request, "desk:read refunds:write").body)->integer_at("id"), 7);
  EXPECT_EQ(parse_json(send(post("ping", Json::object(), "\"\"")).body)->string_at("id"), "");
}

TEST_F(McpEndpoint, ChallengesForTheFullScopeAndShowsNothingElse) {
  const HttpResponse response = send(call("pay"));
  ASSERT_EQ(response.status, 403);
  const std::string& challenge = *response.headers.find("WWW-Authenticate");
  EXPECT_NE(challenge.find("error=\"insufficient_scope\""), std::string::npos);
  EXPECT_NE(challenge.find("scope=\"desk:read refunds:write\""), std::string::npos);
  EXPECT_NE(challenge.find(std::string("resource_metadata=\"") + kMetadataUrl + "\""), std::string::npos);
  EXPECT_EQ(response.body, R"({"error":"insufficient_scope"})");
  EXPECT_EQ(small_.runs, 0);
}

TEST_F(McpEndpoint, RunsInTheLaneOnlyWhatMayWait) {
  send(call("echo", R"({"text":"a"})"));
  EXPECT_FALSE(went_to_lane_);
  send(call("slow"));
  EXPECT_TRUE(went_to_lane_);
  EXPECT_EQ(small_.runs, 3);  // echo once, slow on the loop and again in the lane
  HttpRequest pay = call("pay");
  Json body = *parse_json(pay.body);
  body.find("params")->find("_meta")->set(std::string(kMetaClientCapabilities),
                                          json_of_text(R"({"elicitation":{"url":{}}})"));
  pay.body = body.dump();
  EXPECT_EQ(verdict(pay, "desk:read refunds:write"), Verdict(200, 0));
  EXPECT_TRUE(went_to_lane_);
}

TEST_F(McpEndpoint, AnswersAtOnceInTheLane) {
  const HttpResponse response = std::get<HttpResponse>(endpoint_.handle_blocking(call("slow"), small_.token(), {}));
  EXPECT_EQ(response.status, 200);
  EXPECT_EQ(small_.runs, 1);
  EXPECT_TRUE(small_.may_block);
}

}  // namespace
}  // namespace postern::mcp
