// Proves rules that hold for every method: what a result says of its server, what clients claim of themselves, and that
// nothing of one request is there for the next (MCP 2026-07-28 basic).
#include <gtest/gtest.h>

#include <variant>

#include "services/mcp/http_endpoint.h"
#include "tests/unit/mcp_server/small_server.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::kModernMeta;
using test::SmallServer;

constexpr const char* kServed[] = {"server/discover", "tools/list", "tools/call"};

class Envelope : public testing::Test {
 protected:
  static Json echo_params() { return Json::object({{"name", "echo"}, {"arguments", json_of_text(R"({"text":"a"})")}}); }
  static Json params_of(const std::string& method) { return method == "tools/call" ? echo_params() : Json::object(); }
  HttpResponse send(const std::string& method, Json params, const char* scope = "desk:read") {
    if (!params.has("_meta")) params.set("_meta", json_of_text(kModernMeta));
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    request.headers = request_headers(method, params);
    request.body = R"({"jsonrpc":"2.0","id":7,"method":)" + Json(method).dump() + R"(,"params":)" + params.dump() + "}";
    HttpReply reply = endpoint_.handle_blocking(request, small_.token(scope), {});
    EXPECT_TRUE(std::holds_alternative<HttpResponse>(reply));
    return std::get<HttpResponse>(std::move(reply));
  }
  Json answer(const std::string& method, Json params, const char* scope = "desk:read") {
    return parse_json(send(method, std::move(params), scope).body).value_or(Json());
  }
  // The same request, of a client that says this of itself.
  static Json with_meta(Json params, std::string_view name, Json value) {
    Json meta = json_of_text(kModernMeta);
    meta.set(std::string(name), std::move(value));
    params.set("_meta", std::move(meta));
    return params;
  }

  SmallServer small_;
  HttpEndpoint endpoint_{*small_.server, "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp"};
};

TEST_F(Envelope, NamesTheServerInEveryResultAndNothingElse) {
  for (const char* method : kServed) {
    const Json body = answer(method, params_of(method));
    const Json* meta = body.find("result")->find("_meta");
    ASSERT_NE(meta, nullptr) << method;
    ASSERT_EQ(meta->size(), 1U) << meta->dump();
    EXPECT_EQ(meta->members().front().first, "io.modelcontextprotocol/serverInfo");
    EXPECT_EQ(meta->members().front().second, json_of_text(R"({"name":"small","version":"1.0.0"})"));
  }
}

TEST_F(Envelope, CompletesWhatMayNotAskForInput) {
  for (const char* method : {"server/discover", "tools/list"}) {
    EXPECT_EQ(answer(method, Json::object()).find("result")->string_at("resultType"), "complete") << method;
  }
  EXPECT_EQ(answer("tools/call", Json::object({{"name", "ask"}})).find("result")->string_at("resultType"),
            "input_required");
}

TEST_F(Envelope, DecidesNothingByWhatAClientCallsItself) {
  const Json pay = Json::object({{"name", "pay"}});
  const HttpResponse refused = send("tools/call", pay);
  ASSERT_EQ(refused.status, 403);
  const Json claims[] = {json_of_text(R"({"name":"postern","version":"1"})"),
                         json_of_text(R"({"name":"admin","version":"9","scope":"refunds:write"})"),
                         Json(5),
                         json_of_text(R"({"name":7})"),
                         Json::array(),
                         Json()};
  for (const Json& claim : claims) {
    const HttpResponse again = send("tools/call", with_meta(pay, kMetaClientInfo, claim));
    EXPECT_EQ(again.status, 403) << claim.dump();
    EXPECT_EQ(again.body, refused.body) << claim.dump();
    for (const char* method : kServed) {
      EXPECT_EQ(send(method, with_meta(params_of(method), kMetaClientInfo, claim)).body,
                send(method, params_of(method)).body)
          << method << " " << claim.dump();
    }
  }
}

TEST_F(Envelope, LeavesReservedKeysThatItDoesNotKnowAlone) {
  for (const char* key : {"io.modelcontextprotocol/tomorrow", "mcp.dev/x", "traceparent", "baggage", "no slash"}) {
    for (const Json& value : {Json(7), Json("x"), Json(), Json::array({1}), Json::object({{"a", 1}})}) {
      EXPECT_EQ(send("tools/call", with_meta(echo_params(), key, value)).body, send("tools/call", echo_params()).body)
          << key << " " << value.dump();
    }
  }
}

TEST_F(Envelope, KeepsNothingOfAWiderTokenForTheNextRequest) {
  const Json pay = with_meta(Json::object({{"name", "pay"}}), kMetaClientCapabilities,
                             json_of_text(R"({"elicitation":{"url":{}}})"));
  EXPECT_EQ(send("tools/call", pay, "desk:read refunds:write").status, 200);
  EXPECT_EQ(send("tools/call", pay, "desk:read").status, 403);
  EXPECT_EQ(send("tools/list", Json::object(), "other").status, 403);
}

TEST_F(Envelope, TakesCapabilitiesOfThisRequestOnly) {
  const Json able = with_meta(Json::object({{"name", "pay"}}), kMetaClientCapabilities,
                              json_of_text(R"({"elicitation":{"url":{}}})"));
  EXPECT_EQ(send("tools/call", able, "desk:read refunds:write").status, 200);
  EXPECT_EQ(send("tools/call", Json::object({{"name", "pay"}}), "desk:read refunds:write").status, 400);
}

TEST_F(Envelope, ListsTheSameBeforeAndAfterCallsAndForEachToken) {
  const std::string before = send("tools/list", Json::object()).body;
  for (const char* tool : {"ask", "drift", "slow"}) send("tools/call", Json::object({{"name", tool}}));
  EXPECT_EQ(send("tools/list", Json::object()).body, before);
  EXPECT_EQ(send("tools/list", Json::object(), "desk:read refunds:write").body, before);
}

TEST_F(Envelope, ChallengesTheSameCallInTheSameWay) {
  const HttpResponse first = send("tools/call", Json::object({{"name", "pay"}}));
  const HttpResponse second = send("tools/call", Json::object({{"name", "pay"}}), "desk:read other");
  ASSERT_EQ(first.status, 403);
  EXPECT_EQ(*first.headers.find("WWW-Authenticate"), *second.headers.find("WWW-Authenticate"));
  EXPECT_NE(first.headers.find("WWW-Authenticate")->find("scope=\"desk:read refunds:write\""), std::string::npos);
}

TEST_F(Envelope, KeepsErrorTextsToOneShortLine) {
  const std::string hostile = std::string(2000, 'm') + "\nsecond line\x1b[31m";
  const Json answers[] = {
      answer(hostile, Json::object()),
      answer("tools/call", Json::object({{"name", hostile}})),
      answer("tools/list", with_meta(Json::object(), kMetaProtocolVersion, hostile)),
      answer("tools/list", Json::object({{"cursor", hostile}})),
      answer("tools/call", Json::object({{"name", "fail"}, {"arguments", json_of_text(R"({"text":"own"})")}})),
  };
  for (const Json& body : answers) {
    const Json* error = body.find("error");
    ASSERT_NE(error, nullptr) << body.dump().substr(0, 200);
    const std::string_view text = error->string_at("message");
    EXPECT_FALSE(text.empty());
    EXPECT_LE(text.size(), 250U) << text.substr(0, 100);
    EXPECT_EQ(text.find_first_of("\n\r\x1b"), text.npos);
  }
}

}  // namespace
}  // namespace postern::mcp
