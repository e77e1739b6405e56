// Each end that a case may expect is told from the answer that is nearest to it, and answers are read from outside as
// any server writes them.

#include "tests/lab/attack/outlook.h"

#include <gtest/gtest.h>

#include "tests/lab/attack/mcp_call.h"

namespace postern::lab {
namespace {

Attempt answered(int status, std::string challenge, const char* body) {
  HttpResponse response = json_response(status, body);
  if (!challenge.empty()) response.headers.set("WWW-Authenticate", std::move(challenge));
  return Attempt{seen_of(response), false, {}};
}
Attempt tool(const char* result) {
  return answered(200, "", (std::string(R"({"jsonrpc":"2.0","id":7,"result":)") + result + "}").c_str());
}
Ended end_of(std::string_view id, const Attempt& attempt, bool product = true) {
  return ended(*outlook_of(id), attempt, product);
}

constexpr const char* kInvalid =
    "Bearer error=\"invalid_token\", error_description=\"The access token is for another resource\"";

TEST(Outlook, ATokenIsRefusedWith401AndItsWord) {
  EXPECT_EQ(end_of("token.wrong_audience", answered(401, kInvalid, "{}")), Ended::kAsItMust);
  EXPECT_EQ(end_of("token.wrong_audience", answered(403, kInvalid, "{}")), Ended::kRefusedOtherwise);
  EXPECT_EQ(end_of("token.wrong_audience", answered(401, "Bearer", "{}")), Ended::kRefusedOtherwise);
  EXPECT_EQ(end_of("token.wrong_audience", tool("{}")), Ended::kThrough);
}

TEST(Outlook, TheProductMustAlsoSayWhy) {
  const Attempt other = answered(401, "Bearer error=\"invalid_token\", error_description=\"no\"", "{}");
  EXPECT_EQ(end_of("token.wrong_audience", other), Ended::kRefusedOtherwise);
  EXPECT_EQ(end_of("token.wrong_audience", other, false), Ended::kAsItMust);
}

TEST(Outlook, AScopeIsAskedForWhole) {
  const std::string start = "Bearer error=\"insufficient_scope\", resource_metadata=\"http://x/\", scope=\"";
  EXPECT_EQ(end_of("token.insufficient_scope", answered(403, start + "desk:read refunds:write\"", "{}")),
            Ended::kAsItMust);
  EXPECT_EQ(end_of("token.insufficient_scope", answered(403, start + "refunds:write\"", "{}")),
            Ended::kRefusedOtherwise);
  EXPECT_EQ(end_of("token.insufficient_scope", answered(403, start + "refunds:write\"", "{}"), false),
            Ended::kAsItMust);
}

TEST(Outlook, AHandleIsRefusedInTheWordsThatModelsRead) {
  EXPECT_EQ(
      end_of(
          "case.no_such_handle",
          tool(
              R"({"isError":true,"content":[{"type":"text","text":"No open case with that handle for this caller."}]})")),
      Ended::kAsItMust);
  EXPECT_EQ(end_of("case.no_such_handle", tool(R"({"isError":true,"content":[{"type":"text","text":"No."}]})")),
            Ended::kRefusedOtherwise);
  EXPECT_EQ(end_of("case.no_such_handle", tool(R"({"content":[{"type":"text","text":"ORD-5521"}]})")), Ended::kThrough);
}

TEST(Outlook, PendingIsAToolErrorOrANewQuestion) {
  const char* asked =
      R"({"resultType":"input_required","requestState":"rs_1","inputRequests":{"approval":{"method":"elicitation/create",
    "params":{"message":"Approval APR-1 is still pending. Nothing was refunded.","url":"http://127.0.0.1:1/approvals/APR-1"}}}})";
  EXPECT_EQ(end_of("bridge.still_pending", tool(asked)), Ended::kAsItMust);
  const char* error =
      R"({"isError":true,"content":[{"type":"text","text":"APR-1 is still pending. Nothing was refunded."}]})";
  EXPECT_EQ(end_of("bridge.still_pending", tool(error), false), Ended::kAsItMust);
  EXPECT_EQ(end_of("bridge.still_pending", tool(R"({"content":[{"type":"text","text":"Refunded."}]})")),
            Ended::kThrough);
}

TEST(Outlook, ADecisionThatWasMadeIsThrough) {
  Attempt attempt;
  attempt.is_decision = true;
  attempt.decision = {false, 403, "Refused: You cannot decide your own request."};
  EXPECT_EQ(end_of("approval.own_request", attempt), Ended::kAsItMust);
  attempt.decision.seen = "Not found";
  EXPECT_EQ(end_of("approval.own_request", attempt), Ended::kRefusedOtherwise);
  EXPECT_EQ(end_of("approval.own_request", attempt, false), Ended::kAsItMust);
  attempt.decision.done = true;
  EXPECT_EQ(end_of("approval.own_request", attempt, false), Ended::kThrough);
}

TEST(Outlook, AHangUpIsARefusalBeforeAnyHandler) {
  EXPECT_EQ(end_of("lab.refused_before_handler", Attempt{seen_of(response_of_bytes("")), false, {}}, false),
            Ended::kAsItMust);
  EXPECT_EQ(end_of("lab.refused_before_handler", answered(403, "", "no")), Ended::kAsItMust);
  EXPECT_EQ(end_of("lab.refused_before_handler", answered(500, "", "no"), false), Ended::kBrokeDown);
  EXPECT_EQ(end_of("lab.refused_before_handler", tool("{}")), Ended::kThrough);
}

TEST(Outlook, OfAnotherServerOnlyTheRefusalOfThatAttackCounts) {
  const auto end = [](std::string_view id, const Attempt& attempt) { return end_of(id, attempt, false); };
  EXPECT_EQ(end("token.wrong_audience", answered(403, "Bearer", "")), Ended::kRefusedOtherwise);
  EXPECT_EQ(end("token.wrong_audience", answered(403, "", "")), Ended::kUnclear);
  EXPECT_EQ(end("token.wrong_audience", answered(302, "", "")), Ended::kUnclear);
  EXPECT_EQ(end("token.wrong_audience", answered(500, "", "")), Ended::kBrokeDown);
  EXPECT_EQ(end("token.wrong_audience", tool(R"({"isError":true})")), Ended::kUnclear);
  EXPECT_EQ(end("case.no_such_handle", tool(R"({"isError":true})")), Ended::kRefusedOtherwise);
  EXPECT_EQ(end("case.request_state_refused", answered(400, "", "")), Ended::kAsItMust);
  EXPECT_EQ(end("case.request_state_refused", answered(500, "", "")), Ended::kBrokeDown);
  const char* both = R"({"jsonrpc":"2.0","id":7,"result":{},"error":{"code":1,"message":"x"}})";
  EXPECT_EQ(end("token.wrong_audience", answered(200, "", both)), Ended::kThrough);
  EXPECT_EQ(end("bridge.still_pending", answered(400, "", "")), Ended::kRefusedOtherwise);
  EXPECT_EQ(end("bridge.still_pending",
                tool(R"({"isError":true,"content":[{"type":"text","text":"Refunded, but no mail."}]})")),
            Ended::kUnclear);
}

TEST(Outlook, KnowsNoOtherEnd) {
  EXPECT_EQ(outlook_of("token.something"), nullptr);
  EXPECT_NE(outlook_of("token.expired"), nullptr);
}

TEST(AnswerFromOutside, IsTheLastMessageOfAStream) {
  HttpResponse response;
  response.headers.set("Content-Type", "text/event-stream");
  response.body =
      "event: message\ndata: {\"jsonrpc\":\"2.0\",\"method\":\"notifications/message\"}\n\n"
      "data: {\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{\"content\":[{\"type\":\"text\",\"text\":\"done\"}]}}\n\n";
  EXPECT_EQ(seen_of(response).text(), "done");
}

TEST(AnswerFromOutside, IsReadFromTheBytesOfAConnection) {
  const HttpResponse response =
      response_of_bytes("HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer error=\"invalid_token\"\r\n\r\n{}");
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(challenge_parameter(seen_of(response).challenge, "error"), "invalid_token");
  EXPECT_EQ(response_of_bytes("SSH-2.0").status, 0);
  EXPECT_EQ(response_of_bytes("HTTP/1.0 200 OK\nA: b\n\nbody").body, "body");
  EXPECT_EQ(response_of_bytes("HTTP/1.1  200 OK\r\n\r\n").status, 200);
  EXPECT_EQ(response_of_bytes("HTTP/1.1 20 OK\r\n\r\n").status, 0);
  EXPECT_TRUE(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"));
  EXPECT_FALSE(is_whole_response("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nok"));
}

TEST(AnswerFromOutside, IsPutTogetherOfItsChunks) {
  const HttpResponse response = response_of_bytes(
      "HTTP/1.1 200 OK\r\nTransfer-Encoding: "
      "chunked\r\n\r\n1b\r\n{\"jsonrpc\":\"2.0\",\"result\":{\r\n10\r\n\"isError\":true}}\r\n0\r\n\r\n");
  EXPECT_TRUE(seen_of(response).tool_error()) << response.body;
  EXPECT_EQ(response_of_bytes("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nff\r\n{").body, "");
}

TEST(AnswerFromOutside, AParameterIsNoPartOfAnotherName) {
  const std::string challenge = "Bearer other_error=\"a\", error=\"b\"";
  EXPECT_EQ(challenge_parameter(challenge, "error"), "b");
  EXPECT_EQ(challenge_parameter(challenge, "scope"), "");
}

TEST(CallOfAnAttacker, HasTheHeadersThatRepeatItsBody) {
  McpCall call;
  call.tool = "get_order";
  call.token = "t";
  call.state = "rs_1";
  call.accept = true;
  const HttpRequest request = http_request_of(call, "/mcp", "approval");
  EXPECT_EQ(*request.headers.find("Mcp-Name"), "get_order");
  EXPECT_EQ(*request.headers.find("Authorization"), "Bearer t");
  const auto body = parse_json(request.body);
  ASSERT_TRUE(body.has_value());
  EXPECT_EQ(body->find("params")->string_at("requestState"), "rs_1");
  EXPECT_TRUE(body->find("params")->has("inputResponses"));
  const std::string bytes = bytes_of(request, "127.0.0.1:1", {{"Host", "other.test"}}, {{"Content-Length", "4"}});
  EXPECT_NE(bytes.find("Host: other.test\r\n"), std::string::npos);
  EXPECT_NE(bytes.find("\r\nContent-Length: 4\r\n\r\n{"), std::string::npos);
}

}  // namespace
}  // namespace postern::lab
