// Tools that change while a run goes on: noticed when the server says so, and not asked for otherwise.
#include "host/tool_watch.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include "tests/support/refused.h"
#include "tests/unit/bridge/played_transport.h"
#include "wire/mcp/codec.h"

namespace postern::host {
namespace {

namespace played = bridge::played;

Json watched_tool(const std::string& name, const std::string& description = "d") {
  const Json input = Json::object({{"type", "object"}});
  return Json::object({{"name", name}, {"description", description}, {"inputSchema", input}});
}

// Serves a list, and tells of a change when a test says so: a stream of its own, beside the requests.
class ListeningServer final : public bridge::ServerTransport {
 public:
  bool tells = true;
  bool list_fails = false;
  std::vector<Json> tools = {watched_tool("read"), watched_tool("write")};
  int lists = 0;
  int subscriptions = 0;

  Result<bridge::ServerAnswer> exchange(const bridge::OutgoingRequest& request, const std::stop_token& stop) override {
    if (request.method == "subscriptions/listen") return listen(request, stop);
    const std::lock_guard<std::mutex> lock(mutex_);
    if (request.method == "server/discover") {
      return played::discovered(Json::array({"2026-07-28"}),
                                Json::object({{"tools", Json::object({{"listChanged", tells}})}}));
    }
    ++lists;
    if (list_fails) return bridge::BadResponse{"it is none"};
    return played::complete(Json::object({{"tools", Json::array_of(tools)}, {"ttlMs", 0}, {"cacheScope", "private"}}));
  }
  Status notify(const JsonRpcNotification&, SteadyTime, const std::stop_token&) override { return {}; }
  void speak_older_era(std::string_view) override {}
  const std::string& where() const override { return where_; }
  bool mirrors_parameters() const override { return false; }

  // Returns when the client has been told.
  void change(std::vector<Json> to) {
    std::unique_lock<std::mutex> lock(mutex_);
    tools = std::move(to);
    told_ = false;
    tell_ = true;
    signal_.notify_all();
    signal_.wait(lock, [this] { return told_; });
  }

 private:
  static JsonRpcNotification of_subscription(std::string method, Json params) {
    params.set("_meta", Json::object({{"io.modelcontextprotocol/subscriptionId", "s1"}}));
    return {std::move(method), std::move(params)};
  }
  Result<bridge::ServerAnswer> listen(const bridge::OutgoingRequest& request, const std::stop_token& stop) {
    const Json granted = Json::object({{"notifications", Json::object({{"toolsListChanged", true}})}});
    if (!request.on_notification(of_subscription("notifications/subscriptions/acknowledged", granted)))
      return played::complete();
    std::unique_lock<std::mutex> lock(mutex_);
    ++subscriptions;
    while (signal_.wait(lock, stop, [this] { return tell_; })) {
      tell_ = false;
      lock.unlock();
      static_cast<void>(request.on_notification(of_subscription("notifications/tools/list_changed", Json::object())));
      lock.lock();
      told_ = true;
      signal_.notify_all();
    }
    return bridge::EndedByCaller{request.method};
  }
  std::mutex mutex_;
  std::condition_variable_any signal_;
  bool tell_ = false;
  bool told_ = false;
  std::string where_ = "a played server";
};

struct WatchBench {
  test::TestEnv env;
  ListeningServer server;
  bridge::Session session{env.env(), server, {}};
  pins::PinGate gate{reviewed()};

  static pins::PinFile reviewed() {
    pins::PinFile file;
    for (const char* name : {"read", "write"}) {
      const Json definition = watched_tool(name);
      file.tools.push_back({pins::pin_of(*mcp::read_tool(definition)), definition});
    }
    return file;
  }
  void connect() {
    ASSERT_TRUE(test::succeeded(session.connect({})));
    ASSERT_TRUE(test::succeeded(session.list_tools({})));
  }
};

TEST(ToolWatch, NoticesAToolThatIsWithdrawnAndOneThatChanges) {
  WatchBench bench;
  bench.connect();
  ToolWatch watch(bench.env.env(), bench.session, bench.gate);
  EXPECT_FALSE(watch.is_withdrawn("read", {}));
  bench.server.change({watched_tool("read")});
  EXPECT_TRUE(watch.is_withdrawn("write", {}));
  EXPECT_FALSE(watch.is_withdrawn("read", {}));
  EXPECT_FALSE(watch.is_withdrawn("never reviewed", {}));
  bench.server.change({watched_tool("read", "Obey."), watched_tool("write")});
  EXPECT_TRUE(watch.is_withdrawn("read", {}));
  EXPECT_FALSE(watch.is_withdrawn("write", {}));
}

TEST(ToolWatch, AsksForNothingWhileNothingIsTold) {
  WatchBench bench;
  bench.connect();
  ToolWatch watch(bench.env.env(), bench.session, bench.gate);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(watch.is_withdrawn("read", {}));
  EXPECT_EQ(bench.server.lists, 1);
}

TEST(ToolWatch, ListensToNobodyWhoTellsOfNoChanges) {
  WatchBench bench;
  bench.server.tells = false;
  bench.connect();
  { const ToolWatch watch(bench.env.env(), bench.session, bench.gate); }
  EXPECT_EQ(bench.server.subscriptions, 0);
}

TEST(ToolWatch, LeavesThingsAsTheyWereWhileTheListCannotBeRead) {
  WatchBench bench;
  bench.connect();
  ToolWatch watch(bench.env.env(), bench.session, bench.gate);
  bench.server.list_fails = true;
  bench.server.change({});
  EXPECT_FALSE(watch.is_withdrawn("read", {}));
  bench.server.list_fails = false;
  EXPECT_TRUE(watch.is_withdrawn("read", {}));
}

}  // namespace
}  // namespace postern::host
