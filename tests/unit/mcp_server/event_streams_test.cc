// Proves what comes over the stream of one request and of a subscription, on real sockets: what belongs to it, the
// response last, and nothing for a client that has gone (MCP 2026-07-28 basic/transports/streamable-http).
#include <gtest/gtest.h>

#include <future>
#include <latch>
#include <thread>

#include "services/mcp/http_endpoint.h"
#include "tests/support/raw_connection.h"
#include "tests/support/served.h"
#include "tests/unit/mcp_server/small_server.h"

namespace postern::mcp {
namespace {

using test::RawConnection;

// An endpoint with one tool that notifies: it tells of its progress and then waits to be released or stopped.
class StreamedEndpoint : public testing::Test {
 protected:
  StreamedEndpoint() {
    ServerFeatures features = small_.features(1);
    ToolRow tell = test::SmallServer::row("tell", R"({"type":"object"})", nullptr,
                                          [this](const ToolCall& call) { return this->tell(call); });
    tell.lane = Lane::kBlocking;
    tell.notifies = true;
    tell.deadline = std::chrono::seconds(40);  // longer than the tests are patient: it is not what stops the work
    features.tools.push_back(std::move(tell));
    features.lists_change = true;
    server_ = *Server::make(small_.env_.env(), std::move(features));
    endpoint_ = std::make_unique<HttpEndpoint>(*server_, "http://127.0.0.1:8931/.well-known/x");
    Routes routes;
    routes.add_any("/mcp", [this](const HttpRequest& request) { return endpoint_->handle(request, token_); });
    served_ = std::make_unique<test::Served>(std::move(routes));
  }
  ~StreamedEndpoint() override { served_.reset(); }

  static std::string request_of(const std::string& method, Json params, const char* wishes) {
    Json meta = test::json_of_text(test::kModernMeta);
    const Json wished = test::json_of_text(wishes);
    for (const auto& [name, value] : wished.members()) meta.set(name, value);
    params.set("_meta", std::move(meta));
    const std::string body =
        Json::object({{"jsonrpc", "2.0"}, {"id", 7}, {"method", method}, {"params", params}}).dump();
    std::string text = "POST /mcp HTTP/1.1\r\nHost: x\r\n";
    const HeaderList headers = request_headers(method, params);
    for (const HeaderField& field : headers.fields()) {
      text += field.name + ": " + field.value + "\r\n";
    }
    return text + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  }
  static std::string call(const char* wishes) {
    return request_of("tools/call", Json::object({{"name", "tell"}}), wishes);
  }
  // The messages of the stream so far, in order.
  static std::vector<Json> messages_of(const std::string& stream) {
    std::vector<Json> messages;
    constexpr std::string_view kData = "data: ";
    for (std::size_t at = stream.find(kData); at != std::string::npos; at = stream.find(kData, at + 1)) {
      const std::size_t end = stream.find('\n', at);
      messages.push_back(parse_json(stream.substr(at + kData.size(), end - at - kData.size())).value_or(Json()));
    }
    return messages;
  }

  Result<CallToolOutcome> tell(const ToolCall& call) {
    call.notifications.progress(1, 2, "half of it");
    call.notifications.log(LogSeverity::kError, "small", "trouble");
    std::latch fired(1);
    const std::stop_callback on_stop(call.stop, [&fired] { fired.count_down(); });
    if (waits_) {
      fired.wait();
      stopped_.set_value();
      call.notifications.progress(2, 2);
    }
    return CallToolOutcome(CallToolResult{Json(), Json::object(), false});
  }

  test::SmallServer small_;
  bool waits_ = false;
  std::promise<void> stopped_;
  std::shared_ptr<const services::VerifiedAccessToken> token_ = small_.token();
  std::unique_ptr<Server> server_;
  std::unique_ptr<HttpEndpoint> endpoint_;
  std::unique_ptr<test::Served> served_;
};

TEST_F(StreamedEndpoint, AnswersBehindItsProgressAndEndsTheStream) {
  RawConnection caller(served_->port());
  caller.send(call(R"({"progressToken":"t-1"})"));
  ASSERT_TRUE(caller.closes());
  EXPECT_NE(caller.received().find("Content-Type: text/event-stream\r\n"), std::string::npos);
  EXPECT_TRUE(caller.received().ends_with("\r\n0\r\n\r\n"));
  const std::vector<Json> messages = messages_of(caller.received());
  ASSERT_EQ(messages.size(), 2U) << caller.received();
  EXPECT_EQ(messages[0].string_at("method"), "notifications/progress");
  EXPECT_FALSE(messages[0].has("id"));
  EXPECT_EQ(messages[0].find("params")->string_at("progressToken"), "t-1");
  EXPECT_EQ(messages[1].integer_at("id"), 7);
  EXPECT_TRUE(messages[1].has("result"));
}

TEST_F(StreamedEndpoint, AnswersWithoutAStreamWhereNothingWasAskedFor) {
  RawConnection caller(served_->port());
  caller.send(call("{}"));
  const auto reply = caller.reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_NE(reply->head.find("Content-Type: application/json"), std::string::npos);
  EXPECT_TRUE(parse_json(reply->body)->has("result"));
}

TEST_F(StreamedEndpoint, StopsTheWorkOfAClientThatCloses) {
  waits_ = true;
  RawConnection caller(served_->port());
  caller.send(call(R"({"progressToken":1})"));
  ASSERT_TRUE(caller.read_until("notifications/progress"));
  caller.close_now();
  EXPECT_EQ(stopped_.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST_F(StreamedEndpoint, ForgetsASubscriptionWhoseClientCloses) {
  RawConnection caller(served_->port());
  caller.send(request_of("subscriptions/listen",
                         Json::object({{"notifications", Json::object({{"toolsListChanged", true}})}}), "{}"));
  ASSERT_TRUE(caller.read_until("notifications/subscriptions/acknowledged"));
  server_->subscriptions().list_changed(ListKind::kTools);
  ASSERT_TRUE(caller.read_until("notifications/tools/list_changed"));
  EXPECT_EQ(server_->subscriptions().count(), 1U);
  caller.close_now();
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (server_->subscriptions().count() != 0 && std::chrono::steady_clock::now() < patience)
    std::this_thread::yield();
  EXPECT_EQ(server_->subscriptions().count(), 0U);
}

TEST_F(StreamedEndpoint, EndsASubscriptionWithItsResult) {
  RawConnection caller(served_->port());
  caller.send(request_of("subscriptions/listen", Json::object({{"notifications", Json::object()}}), "{}"));
  ASSERT_TRUE(caller.read_until("notifications/subscriptions/acknowledged"));
  server_->subscriptions().end_all();
  ASSERT_TRUE(caller.closes());
  const std::vector<Json> messages = messages_of(caller.received());
  ASSERT_EQ(messages.size(), 2U);
  EXPECT_EQ(messages[1].integer_at("id"), 7);
  EXPECT_EQ(messages[1].find("result")->string_at("resultType"), "complete");
  EXPECT_TRUE(caller.received().ends_with("\r\n0\r\n\r\n"));
}

}  // namespace
}  // namespace postern::mcp
