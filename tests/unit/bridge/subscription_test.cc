// A subscription: what it takes for its own, when it begins anew and when it does not (MCP 2026-07-28
// basic/patterns/subscriptions).
#include "bridge/subscription.h"

#include <gtest/gtest.h>

#include <atomic>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "bridge/session.h"
#include "tests/support/refused.h"
#include "tests/support/test_env.h"
#include "tests/unit/bridge/played_transport.h"

namespace postern::bridge {
namespace {

using played::complete;
using played::error;

JsonRpcNotification with_id(std::string method, const Json& id, Json params = Json::object()) {
  params.set("_meta", Json::object({{"io.modelcontextprotocol/subscriptionId", id}}));
  return {std::move(method), std::move(params)};
}
JsonRpcNotification acknowledged(const Json& id, Json granted = Json::object({{"toolsListChanged", true}})) {
  return with_id("notifications/subscriptions/acknowledged", id, Json::object({{"notifications", std::move(granted)}}));
}
constexpr const char* kToolsChanged = "notifications/tools/list_changed";

// One stream: what comes on it, and its end.
struct PlayedStream {
  std::vector<JsonRpcNotification> notifications;
  Result<ServerAnswer> ending;
};

// Plays the streams one after another, then ends in order. Everything happens on the subscription's thread; a test
// looks after it has ended.
struct SubscriptionBench {
  test::TestEnv env;
  played::Transport server;
  std::deque<PlayedStream> streams;
  SubscriptionOptions options;
  std::vector<std::string> changed;
  std::vector<bool> acknowledgements;  // again?
  mcp::SubscriptionFilter honoured;
  std::vector<std::int64_t> pauses;
  std::stop_source* stop_at_pause = nullptr;

  SubscriptionBench() {
    options.filter.tools_list_changed = true;
    options.request_meta = Json::object({{"x", 1}});
    server.handle = [this](const OutgoingRequest& request) -> Result<ServerAnswer> {
      if (streams.empty()) return complete();
      const PlayedStream stream = std::move(streams.front());
      streams.pop_front();
      for (const JsonRpcNotification& notification : stream.notifications) {
        if (!request.on_notification(notification)) return EndedByCaller{request.method};
      }
      return stream.ending;
    };
  }
  Subscription::State run() {
    Subscription subscription(
        env.env(), server, options,
        {[this](const JsonRpcNotification& notification) { changed.push_back(notification.method); },
         [this](const mcp::SubscriptionFilter& filter, bool again) {
           honoured = filter;
           acknowledgements.push_back(again);
         }},
        [this](std::chrono::milliseconds how_long, const std::stop_token&) {
          pauses.push_back(how_long.count());
          return false;
        });
    subscription.join();
    return subscription.state();
  }
};
using State = Subscription::State;

TEST(Subscription, AsksForWhatItWantsAndHandsOnWhatIsItsOwn) {
  SubscriptionBench bench;
  bench.streams.push_back({{with_id(kToolsChanged, 5),  // before the acknowledgement
                            acknowledged(5),
                            with_id(kToolsChanged, 5),
                            with_id(kToolsChanged, 6),    // of another
                            with_id(kToolsChanged, "5"),  // the string is not the integer
                            {kToolsChanged, Json()},
                            with_id("notifications/prompts/list_changed", 5)},  // nobody asked
                           complete()});
  EXPECT_EQ(bench.run(), State::kEnded);
  ASSERT_EQ(bench.server.requests.size(), 1U);
  const OutgoingRequest& request = bench.server.requests[0];
  EXPECT_EQ(request.method, "subscriptions/listen");
  EXPECT_EQ(request.params.dump(), R"({"notifications":{"toolsListChanged":true},"_meta":{"x":1}})");
  EXPECT_FALSE(request.may_sign_in);
  EXPECT_EQ(bench.changed, std::vector<std::string>{kToolsChanged});
  EXPECT_EQ(bench.acknowledgements, std::vector<bool>{false});
  EXPECT_TRUE(bench.honoured.tools_list_changed);
}

TEST(Subscription, NoticesWhatTheServerDoesNotGrant) {
  SubscriptionBench bench;
  bench.options.filter.prompts_list_changed = true;
  bench.options.filter.resource_subscriptions = {"file:///a", "file:///b"};
  Json granted = Json::object({{"toolsListChanged", true}, {"resourcesListChanged", true}});
  granted.set("resourceSubscriptions", Json::array({"file:///b", "file:///c"}));
  bench.streams.push_back({{acknowledged("s", granted), with_id("notifications/resources/updated", "s")}, complete()});
  EXPECT_EQ(bench.run(), State::kEnded);
  EXPECT_TRUE(bench.honoured.tools_list_changed);
  EXPECT_FALSE(bench.honoured.prompts_list_changed);
  EXPECT_FALSE(bench.honoured.resources_list_changed) << "nobody asked for it";
  EXPECT_EQ(bench.honoured.resource_subscriptions, std::vector<std::string>{"file:///b"});
  EXPECT_EQ(bench.changed.size(), 1U);
}

TEST(Subscription, IsRefusedWhenNothingIsGranted) {
  SubscriptionBench bench;
  bench.streams.push_back({{acknowledged(5, Json::object({{"promptsListChanged", true}}))}, complete()});
  EXPECT_EQ(bench.run(), State::kRefused);
  EXPECT_TRUE(bench.acknowledgements.empty());
}

TEST(Subscription, BeginsAnewAfterAnAbruptEndAndSaysSo) {
  const Result<ServerAnswer> ends[] = {
      BadResponse{"it ended without a response"},  PeerClosed{"server"}, ServerExited{},       RequestTimedOut{},
      Unreachable{"server", "connection refused"}, HttpStatus{"m", 503}, HttpStatus{"m", 429}, error(-32603)};
  for (const auto& end : ends) {
    SubscriptionBench bench;
    bench.streams.push_back({{acknowledged(1)}, end});
    bench.streams.push_back({{acknowledged(2), with_id(kToolsChanged, 1), with_id(kToolsChanged, 2)}, complete()});
    EXPECT_EQ(bench.run(), State::kEnded);
    EXPECT_EQ(bench.server.requests.size(), 2U);
    EXPECT_EQ(bench.acknowledgements, (std::vector<bool>{false, true}));
    EXPECT_EQ(bench.changed.size(), 1U) << "the id of the first stream means nothing in the second";
    EXPECT_EQ(bench.pauses.size(), 1U);
  }
}

TEST(Subscription, DoesNotBeginAnewAfterAnEndInOrder) {
  const PlayedStream ends[] = {
      {{acknowledged(1)}, complete()},
      {{}, complete()},
      {{acknowledged(1), {"notifications/cancelled", Json::object({{"requestId", 1}})}}, complete()}};
  for (const PlayedStream& end : ends) {
    SubscriptionBench bench;
    bench.streams = {end, {{acknowledged(2)}, complete()}};
    EXPECT_EQ(bench.run(), State::kEnded);
    EXPECT_EQ(bench.server.requests.size(), 1U);
    EXPECT_TRUE(bench.pauses.empty());
  }
  // The end of something else is not ours.
  SubscriptionBench bench;
  bench.streams.push_back({{acknowledged(1),
                            {"notifications/cancelled", Json::object({{"requestId", 7}})},
                            {"notifications/cancelled", Json::object()},
                            with_id(kToolsChanged, 1)},
                           complete()});
  EXPECT_EQ(bench.run(), State::kEnded);
  EXPECT_EQ(bench.changed.size(), 1U);
}

TEST(Subscription, DoesNotComeBackToAServerThatDoesNotHaveIt) {
  const Result<ServerAnswer> ends[] = {error(-32601),        error(-32602),        HttpStatus{"m", 401},
                                       HttpStatus{"m", 404}, HttpStatus{"m", 405}, ScopeNeeded{"a", ""}};
  for (const auto& end : ends) {
    SubscriptionBench bench;
    bench.streams.push_back({{}, end});
    EXPECT_EQ(bench.run(), State::kRefused);
    EXPECT_EQ(bench.server.requests.size(), 1U);
  }
}

TEST(Subscription, WaitsLongerEachTimeWithAPartLeftToChanceAndGivesUp) {
  SubscriptionBench bench;
  bench.options.failures_max = 9;
  for (int i = 0; i < 20; ++i) bench.streams.push_back({{}, PeerClosed{"server"}});
  EXPECT_EQ(bench.run(), State::kGivenUp);
  EXPECT_EQ(bench.server.requests.size(), 10U);
  ASSERT_EQ(bench.pauses.size(), 9U);
  std::int64_t full = 1'000;
  bool by_chance = false;
  for (const std::int64_t pause : bench.pauses) {
    EXPECT_GE(pause, full / 2);
    EXPECT_LE(pause, full);
    by_chance = by_chance || (pause != full && pause != full / 2);
    full = std::min<std::int64_t>(full * 2, 60'000);
  }
  EXPECT_TRUE(by_chance);
}

TEST(Subscription, AnAcknowledgementMakesThePausesShortAgain) {
  SubscriptionBench bench;
  bench.options.failures_max = 3;
  for (int i = 0; i < 4; ++i) {
    bench.streams.push_back({{}, PeerClosed{"server"}});
    bench.streams.push_back({{}, PeerClosed{"server"}});
    bench.streams.push_back({{acknowledged(i)}, PeerClosed{"server"}});
  }
  EXPECT_EQ(bench.run(), State::kEnded);
  EXPECT_EQ(bench.pauses.size(), 12U);
  EXPECT_LE(bench.pauses.back(), 1'000);
}

// Two at once over one transport, and the thread ends with its owner.
TEST(Subscription, EndsWithItsOwner) {
  class Holding final : public ServerTransport {
   public:
    std::atomic<int> open{0};
    Result<ServerAnswer> exchange(const OutgoingRequest& request, const std::stop_token& stop) override {
      ++open;
      EXPECT_TRUE(request.on_notification(acknowledged(open.load())));
      while (!sleep_until_stopped(std::chrono::hours(1), stop)) {
      }
      return Cancelled{};
    }
    Status notify(const JsonRpcNotification&, SteadyTime, const std::stop_token&) override { return {}; }
    void speak_older_era(std::string_view) override {}
    const std::string& where() const override { return where_; }
    bool mirrors_parameters() const override { return true; }

   private:
    std::string where_;
  };
  test::TestEnv env;
  Holding server;
  SubscriptionOptions options;
  options.filter.tools_list_changed = true;
  {
    Subscription first(env.env(), server, options, {}, sleep_until_stopped);
    Subscription second(env.env(), server, options, {}, sleep_until_stopped);
    while (server.open < 2) std::this_thread::yield();
  }
  EXPECT_EQ(server.open, 2);
}

// How a session learns of it.
TEST(Subscription, MakesASessionsListStale) {
  played::Bench bench;
  bench.server.handle = [](const OutgoingRequest&) {
    return complete(Json::object({{"tools", Json::array()}, {"ttlMs", 60'000}, {"cacheScope", "public"}}));
  };
  ASSERT_TRUE(test::succeeded(bench.session().list_tools({})));
  ASSERT_TRUE(test::succeeded(bench.session().list_tools({})));
  EXPECT_EQ(bench.server.requests.size(), 1U);
  SubscriptionBench watched;
  watched.streams.push_back({{acknowledged(1), with_id(kToolsChanged, 1)}, complete()});
  EXPECT_EQ(watched.run(), State::kEnded);
  for (std::size_t i = 0; i < watched.changed.size(); ++i) bench.session().tools_changed();
  ASSERT_TRUE(test::succeeded(bench.session().list_tools({})));
  EXPECT_EQ(bench.server.requests.size(), 2U);
}

}  // namespace
}  // namespace postern::bridge
