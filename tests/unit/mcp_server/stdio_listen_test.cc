// Proves what a subscription over stdio is told, and that it ends in order (MCP 2026-07-28
// basic/patterns/subscriptions; basic/patterns/cancellation).
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/unit/mcp_server/stdio_client.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::StdioClient;
using test::succeeded;
using test::WorkingServer;

constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";

std::string subscription_of(const Json& message) {
  const Json* parent = message.find(message.has("params") ? "params" : "result");
  const Json* meta = parent == nullptr ? nullptr : parent->find("_meta");
  const Json* id = meta == nullptr ? nullptr : meta->find(kSubscriptionId);
  return id == nullptr ? "" : id->dump();
}

class StdioListen : public testing::Test {
 protected:
  void change_tools(WorkingServer& working) {
    ServerFeatures features = working.features();
    features.tools.pop_back();
    EXPECT_TRUE(succeeded(working.server->update(std::move(features))));
  }
  static std::vector<Json> rest(StdioClient& client) {
    std::vector<Json> all;
    for (Json message = client.next(); !message.is_null(); message = client.next()) all.push_back(message);
    EXPECT_TRUE(succeeded(client.ended()));
    return all;
  }
  WorkingServer working_;
};

TEST_F(StdioListen, IsAcknowledgedFirstWithWhatIsOffered) {
  StdioClient client(*working_.server);
  client.send(StdioClient::request("subscriptions/listen", "\"listen:0\"", json_of_text(R"({"notifications":
      {"toolsListChanged":true,"promptsListChanged":true,"resourceSubscriptions":["note://one","note://none"]}})")));
  const Json first = client.next();
  EXPECT_EQ(first.string_at("method"), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(subscription_of(first), "\"listen:0\"");
  EXPECT_EQ(*first.find("params")->find("notifications"),
            json_of_text(R"({"toolsListChanged":true,"resourceSubscriptions":["note://one"]})"));
}

TEST_F(StdioListen, IsToldOfChangesWhileRequestsAreAnswered) {
  StdioClient client(*working_.server);
  client.send(StdioClient::listen("5"));
  client.next();
  EXPECT_EQ(client.next_after_echo("6").integer_at("id"), 6);
  change_tools(working_);
  const Json changed = client.next();
  EXPECT_EQ(changed.string_at("method"), "notifications/tools/list_changed");
  EXPECT_EQ(subscription_of(changed), "5");
  working_.server->subscriptions().resource_updated("note://one");
  EXPECT_EQ(client.next().find("params")->string_at("uri"), "note://one");
  working_.server->subscriptions().resource_updated("note://other");
  working_.server->subscriptions().list_changed(ListKind::kPrompts);
  EXPECT_EQ(client.next_after_echo("7").integer_at("id"), 7);
}

TEST_F(StdioListen, EndsByCancellationWithoutAnotherWord) {
  StdioClient client(*working_.server);
  client.send(StdioClient::listen("5"));
  client.next();
  client.send(StdioClient::cancel("5"));
  EXPECT_EQ(client.next_after_echo("6").integer_at("id"), 6);
  EXPECT_EQ(working_.server->subscriptions().count(), 0U);
  change_tools(working_);
  client.send(StdioClient::listen("5"));  // the id is free
  EXPECT_EQ(client.next().string_at("method"), "notifications/subscriptions/acknowledged");
}

TEST_F(StdioListen, IsRefusedWithAnIdThatIsInFlight) {
  StdioClient client(*working_.server);
  client.send(StdioClient::listen("5"));
  client.next();
  for (const std::string& line : {StdioClient::listen("5"), StdioClient::call("echo", "5")}) {
    client.send(line);
    const Json refusal = client.next();
    EXPECT_EQ(refusal.find("error")->integer_at("code"), -32600);
    EXPECT_EQ(refusal.integer_at("id"), 5);
  }
  client.send(StdioClient::listen("\"5\""));
  EXPECT_EQ(subscription_of(client.next()), "\"5\"");
  EXPECT_EQ(working_.server->subscriptions().count(), 2U);
}

TEST_F(StdioListen, IsRefusedOverTheBoundOfItsCaller) {
  WorkingServer few(SubscriptionLimits{10, 2});
  StdioClient client(*few.server);
  for (const char* id : {"1", "2"}) {
    client.send(StdioClient::listen(id));
    EXPECT_EQ(client.next().string_at("method"), "notifications/subscriptions/acknowledged");
  }
  client.send(StdioClient::listen("3"));
  EXPECT_EQ(client.next().find("error")->integer_at("code"), -32600);
  client.send(StdioClient::cancel("1"));
  client.send(StdioClient::listen("3"));
  EXPECT_EQ(client.next().string_at("method"), "notifications/subscriptions/acknowledged");
}

// Result first, then notifications/cancelled: the TypeScript client takes a notification that comes before the result
// for a break.
TEST_F(StdioListen, EndsWithItsResultAndThenACancellationWhenTheServerEnds) {
  for (const bool by_signal : {false, true}) {
    StdioClient client(*working_.server);
    client.send(StdioClient::listen("5"));
    client.send(StdioClient::listen("\"b\""));
    client.next();
    client.next();
    if (by_signal) {
      client.stop();
    } else {
      client.close_input();
    }
    const std::vector<Json> last = rest(client);
    ASSERT_EQ(last.size(), 4U);
    std::vector<std::string> ended;
    for (std::size_t i = 0; i < 4; i += 2) {
      const std::string id = last[i].find("id")->dump();
      EXPECT_EQ(last[i].find("result")->string_at("resultType"), "complete");
      EXPECT_EQ(subscription_of(last[i]), id);
      EXPECT_EQ(last[i + 1].string_at("method"), "notifications/cancelled");
      EXPECT_EQ(last[i + 1].find("params")->find("requestId")->dump(), id);
      EXPECT_EQ(subscription_of(last[i + 1]), id);
      ended.push_back(id);
    }
    std::sort(ended.begin(), ended.end());
    EXPECT_EQ(ended, (std::vector<std::string>{"\"b\"", "5"}));
    EXPECT_EQ(working_.server->subscriptions().count(), 0U);
  }
}

// Whoever publishes does not wait for a client that does not read, and keeps nothing without bound for it.
TEST_F(StdioListen, EndsForAClientThatDoesNotTakeWhatItIsTold) {
  StdioOptions options;
  options.unread_bytes_max = 1000;
  StdioClient client(*working_.server, options);
  client.send(StdioClient::listen("5"));
  client.next();
  const SteadyTime until = test::in_time();
  while (working_.server->subscriptions().count() != 0) {
    ASSERT_LT(SystemClock().steady_now(), until);
    working_.server->subscriptions().resource_updated("note://one");
  }
  std::vector<Json> all;
  do {
    all.push_back(client.next());
    ASSERT_FALSE(all.back().is_null());
  } while (all.back().string_at("method") != "notifications/cancelled");
  ASSERT_GE(all.size(), 3U);
  EXPECT_EQ(all[all.size() - 2].integer_at("id"), 5);
  EXPECT_EQ(client.next_after_echo("5").integer_at("id"), 5);
}

}  // namespace
}  // namespace postern::mcp
