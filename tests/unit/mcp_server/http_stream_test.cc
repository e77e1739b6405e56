// Proves over real connections what travels on the stream of a request and on that of a subscription, and what their
// ends mean (MCP 2026-07-28 basic/transports/streamable-http; basic/patterns/subscriptions).
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "tests/support/refused.h"
#include "tests/unit/mcp_server/http_caller.h"

namespace postern::mcp {
namespace {

using test::events_in;
using test::McpOverHttp;
using test::RawConnection;

constexpr const char* kProgress = R"({"progressToken":"p"})";
constexpr const char* kAcknowledged = "notifications/subscriptions/acknowledged";

bool has_line(const std::string& head, const std::string& line) {
  return (head + "\r\n").find("\r\n" + line + "\r\n") != std::string::npos;
}

TEST(RequestStream, CarriesItsNotificationsAndEndsWithItsResponse) {
  McpOverHttp mcp;
  RawConnection caller(mcp.port());
  caller.send(McpOverHttp::call("tell", R"({"progressToken":"p","io.modelcontextprotocol/logLevel":"info"})"));
  ASSERT_TRUE(caller.closes());
  const std::string& bytes = caller.received();
  const std::string head = bytes.substr(0, bytes.find("\r\n\r\n"));
  EXPECT_TRUE(has_line(head, "Content-Type: text/event-stream")) << head;
  EXPECT_TRUE(has_line(head, "X-Accel-Buffering: no")) << head;
  EXPECT_TRUE(bytes.ends_with("\r\n0\r\n\r\n"));
  const std::vector<Json> events = events_in(bytes);
  ASSERT_EQ(events.size(), 4U);
  EXPECT_EQ(events[0].string_at("method"), "notifications/progress");
  EXPECT_EQ(events[1].string_at("method"), "notifications/message");
  EXPECT_EQ(events[2].string_at("method"), "notifications/progress");
  EXPECT_EQ(events[3].integer_at("id"), 7);
  EXPECT_TRUE(events[3].has("result"));
}

TEST(RequestStream, IsOpenedOnlyForAClientThatAskedForIt) {
  McpOverHttp mcp;
  RawConnection caller(mcp.port());
  caller.send(McpOverHttp::call("tell"));
  const auto reply = caller.reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_TRUE(has_line(reply->head, "Content-Type: application/json")) << reply->head;
  EXPECT_TRUE(parse_json(reply->body)->has("result"));
  caller.send(McpOverHttp::call("echo", kProgress));  // this tool tells nothing
  EXPECT_TRUE(parse_json(caller.reply()->body)->has("result"));
}

TEST(RequestStream, SendsNothingMoreOnceItsClientHangsUp) {
  McpOverHttp mcp;
  RawConnection caller(mcp.port());
  caller.send(McpOverHttp::call("tell_and_wait", kProgress));
  ASSERT_TRUE(caller.read_until("notifications/progress"));
  caller.finish_sending();
  EXPECT_TRUE(mcp.working().wait_until_stopped(1));
  EXPECT_TRUE(caller.closes());
  EXPECT_EQ(events_in(caller.received()).size(), 1U);  // neither the last progress nor an answer
}

TEST(RequestStream, StopsWorkThatIsAnsweredAsJsonToo) {
  McpOverHttp mcp;
  RawConnection caller(mcp.port());
  caller.send(McpOverHttp::call("wait"));
  ASSERT_TRUE(mcp.working().wait_until_begun(1));
  caller.close_now();
  EXPECT_TRUE(mcp.working().wait_until_stopped(1));
}

TEST(RequestStream, CarriesNothingOfOthers) {
  McpOverHttp mcp;
  RawConnection caller(mcp.port());
  caller.send(McpOverHttp::call("tell_and_wait", kProgress));
  ASSERT_TRUE(caller.read_until("notifications/progress"));
  RawConnection listener(mcp.port());
  listener.send(McpOverHttp::listen());
  ASSERT_TRUE(listener.read_until(kAcknowledged));
  mcp.change_tools();
  ASSERT_TRUE(listener.read_until("tools/list_changed"));
  mcp.working().release();
  EXPECT_TRUE(caller.closes());
  EXPECT_EQ(caller.received().find("list_changed"), std::string::npos);
  const std::vector<Json> heard = events_in(listener.received());
  ASSERT_EQ(heard.size(), 2U);  // and no progress
  EXPECT_EQ(heard[1].string_at("method"), "notifications/tools/list_changed");
}

TEST(ListenStream, BeginsWithItsAcknowledgementAndIsToldOfChanges) {
  McpOverHttp mcp;
  RawConnection listener(mcp.port());
  listener.send(McpOverHttp::listen("\"listen:0\""));
  ASSERT_TRUE(listener.read_until(kAcknowledged));
  mcp.change_tools();
  ASSERT_TRUE(listener.read_until("tools/list_changed"));
  mcp.subscriptions().resource_updated("note://one");
  ASSERT_TRUE(listener.read_until("resources/updated"));
  const std::vector<Json> events = events_in(listener.received());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].string_at("method"), kAcknowledged);
  for (const Json& event : events) {
    EXPECT_EQ(event.find("params")->find("_meta")->string_at("io.modelcontextprotocol/subscriptionId"), "listen:0");
  }
}

TEST(ListenStream, CarriesCommentsWhileItIsQuiet) {
  HttpLimits limits;
  limits.stream_comment_ms = std::chrono::milliseconds(10);
  McpOverHttp mcp(limits);
  RawConnection listener(mcp.port());
  listener.send(McpOverHttp::listen());
  ASSERT_TRUE(listener.read_until(kAcknowledged));
  EXPECT_TRUE(listener.read_until("\n:\n\n"));
}

// By the alarm of the core: nobody calls anything here.
TEST(ListenStream, EndsWithItsResultWhenTheTokenExpires) {
  McpOverHttp mcp({}, 1);
  RawConnection listener(mcp.port());
  listener.send(McpOverHttp::listen());
  ASSERT_TRUE(listener.closes());
  const std::vector<Json> events = events_in(listener.received());
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].integer_at("id"), 7);
  EXPECT_EQ(events[1].find("result")->string_at("resultType"), "complete");
  EXPECT_TRUE(listener.received().ends_with("\r\n0\r\n\r\n"));
}

// Over HTTP the result says it all: notifications/cancelled belongs to stdio.
TEST(ListenStream, EndsWithItsResultWhenTheServerDrains) {
  test::WorkingServer working;
  const HttpEndpoint endpoint(*working.server, "http://127.0.0.1/metadata");
  test::SmallServer tokens;
  const auto token = tokens.token();
  Routes routes;
  routes.add("POST", "/mcp", [&](const HttpRequest& request) { return endpoint.handle(request, token); });
  auto socket = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(test::succeeded(socket));
  const std::uint16_t port = socket->port();
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{*std::move(socket), std::move(routes), {}, "server"});
  HttpServer server(std::move(listeners), working.env());
  server.on_drain([&working] { working.server->subscriptions().end_all(); });
  server.start();
  RawConnection listener(port);
  listener.send(McpOverHttp::listen());
  ASSERT_TRUE(listener.read_until(kAcknowledged));
  server.drain(std::chrono::seconds(5));
  ASSERT_TRUE(listener.closes());
  const std::vector<Json> events = events_in(listener.received());
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[1].find("result")->string_at("resultType"), "complete");
  EXPECT_EQ(listener.received().find("notifications/cancelled"), std::string::npos);
}

TEST(ListenStream, OverItsBoundIsRefusedWithAStatusAndATime) {
  McpOverHttp few({}, 300, SubscriptionLimits{10, 1});
  RawConnection first(few.port());
  first.send(McpOverHttp::listen());
  ASSERT_TRUE(first.read_until(kAcknowledged));
  RawConnection second(few.port());
  second.send(McpOverHttp::listen());
  const auto reply = second.reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 429);
  EXPECT_NE(reply->head.find("\r\nRetry-After: 30"), std::string::npos) << reply->head;
  EXPECT_EQ(parse_json(reply->body)->integer_at("id"), 7);
}

TEST(ListenStream, OfAServerThatStopsIsRefusedUntilAnotherAnswers) {
  McpOverHttp mcp;
  mcp.subscriptions().end_all();
  RawConnection listener(mcp.port());
  listener.send(McpOverHttp::listen());
  const auto reply = listener.reply();
  ASSERT_TRUE(reply.has_value());
  EXPECT_EQ(reply->status, 503);
  EXPECT_NE(reply->head.find("\r\nRetry-After: 5"), std::string::npos) << reply->head;
  const Json body = *parse_json(reply->body);
  EXPECT_EQ(body.integer_at("id"), 7);
  EXPECT_NE(body.find("error")->string_at("message").find("stopping"), std::string_view::npos);
}

}  // namespace
}  // namespace postern::mcp
