// Proves in which order a subscription is told of changes that several threads publish, and when it ends (MCP
// 2026-07-28 basic/patterns/subscriptions).
#include "services/mcp/subscriptions.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/unit/mcp_server/working_server.h"

namespace postern::mcp {
namespace {

using test::in_time;
using test::refused;
using test::succeeded;

// Keeps what it is told. `on_send` runs first, on the thread that sends.
class PatientSink final : public SubscriptionSink {
 public:
  bool send(const std::string& message) override {
    if (on_send) on_send(message);
    const MutexLock lock(mutex_);
    messages_.push_back(*parse_json(message));
    return reads;
  }
  void end() override { ends++; }

  [[nodiscard]] std::vector<Json> messages() const {
    const MutexLock lock(mutex_);
    return messages_;
  }
  // What each message is: its method without "notifications/", or "result".
  [[nodiscard]] std::vector<std::string> kinds() const {
    std::vector<std::string> kinds;
    for (const Json& message : messages()) {
      kinds.push_back(message.has("method") ? std::string(message.string_at("method").substr(14)) : "result");
    }
    return kinds;
  }

  std::function<void(const std::string&)> on_send;
  std::atomic<bool> reads = true;
  std::atomic<int> ends = 0;

 private:
  mutable Mutex mutex_;
  std::vector<Json> messages_;
};

using Kinds = std::vector<std::string>;

class Listening : public testing::Test {
 protected:
  static PreparedListen listen(RequestId id, const char* person = "rowan", std::optional<WallTime> until = {}) {
    SubscriptionFilter filter;
    filter.tools_list_changed = true;
    filter.resource_subscriptions = {"note://one", "note://two"};
    return {std::move(id), filter,
            std::make_shared<const services::Principal>(services::StdioLaunch(person).principal()), until};
  }
  // Opens one that must be admitted.
  std::uint64_t open(const std::shared_ptr<PatientSink>& sink, std::int64_t id = 1, const char* person = "rowan",
                     std::optional<WallTime> until = {}) {
    const auto number = subscriptions_.open(listen(RequestId(id), person, until), sink);
    EXPECT_TRUE(succeeded(number));
    return number.value_or(0);
  }

  test::ManualClock clock_;
  std::vector<Milliseconds> alarms_;
  Subscriptions subscriptions_{clock_, {3, 2}, [this](Milliseconds after) { alarms_.push_back(after); }};
  std::shared_ptr<PatientSink> sink_ = std::make_shared<PatientSink>();
};

// A lock that is held while the sink is called would stand still here.
TEST_F(Listening, MayBeCalledFromItsOwnSink) {
  std::uint64_t other = open(std::make_shared<PatientSink>(), 2, "quinn");
  sink_->on_send = [&](const std::string& message) {
    if (message.find("acknowledged") == message.npos) return;
    subscriptions_.list_changed(ListKind::kTools);  // a change at the moment of the acknowledgement
    subscriptions_.close(other);
    EXPECT_EQ(subscriptions_.count(), 1U);
  };
  open(sink_);
  EXPECT_EQ(sink_->kinds(), (Kinds{"subscriptions/acknowledged", "tools/list_changed"}));
}

TEST_F(Listening, NeverHearsOfAChangeBeforeItsAcknowledgement) {
  Subscriptions many(clock_);
  std::atomic<bool> over = false;
  std::thread publisher([&] {
    while (!over) many.list_changed(ListKind::kTools);
  });
  std::vector<std::shared_ptr<PatientSink>> sinks;
  for (std::int64_t i = 0; i < 200; ++i) {
    sinks.push_back(std::make_shared<PatientSink>());
    EXPECT_TRUE(succeeded(many.open(listen(RequestId(i)), sinks.back())));
  }
  over = true;
  publisher.join();
  for (const auto& sink : sinks) {
    ASSERT_FALSE(sink->kinds().empty());
    EXPECT_EQ(sink->kinds().front(), "subscriptions/acknowledged");
  }
}

TEST_F(Listening, KeepsTheOrderOfEachPublisher) {
  // Each resource changes once: a change that is told of while the same one waits would be told once for both.
  std::vector<std::string> published;
  for (int i = 0; i < 200; ++i) published.push_back("note://" + std::to_string(i));
  PreparedListen everything = listen(RequestId(std::int64_t{1}), "rowan");
  everything.honoured.resource_subscriptions = published;
  ASSERT_TRUE(succeeded(subscriptions_.open(std::move(everything), sink_)));
  std::thread other([&] {
    for (int i = 0; i < 200; ++i) subscriptions_.list_changed(ListKind::kTools);
  });
  for (const std::string& uri : published) subscriptions_.resource_updated(uri);
  other.join();
  std::vector<std::string> told;
  for (const Json& message : sink_->messages()) {
    const std::string uri(message.find("params")->string_at("uri"));
    if (!uri.empty()) told.push_back(uri);
  }
  EXPECT_EQ(told, published);
}

TEST_F(Listening, IsToldOnceOfAChangeThatStillWaits) {
  std::stop_source go_on;
  std::atomic<bool> waits = false;
  open(sink_);
  sink_->on_send = [&](const std::string&) {
    waits = true;
    wait_for_either(go_on.get_token(), {}, in_time());
  };
  std::thread slow([&] { subscriptions_.resource_updated("note://one"); });
  while (!waits) std::this_thread::yield();
  for (int i = 0; i < 1000; ++i) subscriptions_.list_changed(ListKind::kTools);  // does not wait for the sink
  go_on.request_stop();
  slow.join();
  EXPECT_EQ(sink_->kinds(), (Kinds{"subscriptions/acknowledged", "resources/updated", "tools/list_changed"}));
}

TEST_F(Listening, HearsNothingAfterItWasClosed) {
  const std::uint64_t number = open(sink_);
  subscriptions_.close(number);
  subscriptions_.close(number);
  subscriptions_.list_changed(ListKind::kTools);
  subscriptions_.end_all();
  EXPECT_EQ(sink_->kinds(), Kinds{"subscriptions/acknowledged"});
  EXPECT_EQ(sink_->ends, 0);
}

TEST_F(Listening, MakesRoomWhenItIsClosed) {
  const std::uint64_t first = open(sink_, 1, "rowan");
  open(sink_, 2, "rowan");
  EXPECT_TRUE(
      refused(subscriptions_.open(listen(RequestId(std::int64_t{3}), "rowan"), sink_), "mcp.too_many_subscriptions"));
  open(sink_, 4, "quinn");
  EXPECT_TRUE(
      refused(subscriptions_.open(listen(RequestId(std::int64_t{5}), "alex"), sink_), "mcp.too_many_subscriptions"));
  subscriptions_.close(first);
  open(sink_, 6, "rowan");
  EXPECT_EQ(subscriptions_.count(), 3U);
}

TEST_F(Listening, EndsWithItsResultWhenTheTokenExpires) {
  const auto other = std::make_shared<PatientSink>();
  open(sink_, 1, "rowan", clock_.now() + Seconds(30));
  open(other, 2, "rowan", clock_.now() + Seconds(40));
  clock_.advance(Milliseconds(29'999));
  subscriptions_.end_expired();
  EXPECT_EQ(subscriptions_.count(), 2U);
  clock_.advance(Milliseconds(1));
  subscriptions_.end_expired();
  EXPECT_EQ(sink_->kinds(), (Kinds{"subscriptions/acknowledged", "result"}));
  EXPECT_EQ(sink_->messages()[1].find("result")->string_at("resultType"), "complete");
  EXPECT_EQ(sink_->ends, 1);
  EXPECT_EQ(other->kinds().size(), 1U);
  EXPECT_EQ(subscriptions_.count(), 1U);
}

TEST_F(Listening, AsksToBeWokenForTheNextTokenThatExpires) {
  open(sink_, 1, "rowan", clock_.now() + Seconds(30));
  open(sink_, 2, "rowan", clock_.now() + Seconds(40));  // later: the first alarm sees to it
  EXPECT_EQ(alarms_, std::vector<Milliseconds>{Seconds(30)});
  open(sink_, 3, "quinn", clock_.now() + Seconds(10));
  EXPECT_EQ(alarms_, (std::vector<Milliseconds>{Seconds(30), Seconds(10)}));
  clock_.advance(Seconds(10));
  subscriptions_.end_expired();
  EXPECT_EQ(alarms_.back(), Milliseconds(Seconds(20)));
  clock_.advance(Seconds(30));
  subscriptions_.end_expired();
  EXPECT_EQ(alarms_.size(), 3U);  // nobody is left to wait for
}

// A wall clock may be set, and a machine may sleep: it is looked at every minute.
TEST_F(Listening, AsksToBeWokenWithinAMinute) {
  open(sink_, 1, "rowan", clock_.now() + Seconds(3600));
  EXPECT_EQ(alarms_, std::vector<Milliseconds>{Seconds(60)});
}

TEST_F(Listening, EndsAlone) {
  const auto other = std::make_shared<PatientSink>();
  const std::uint64_t number = open(sink_);
  open(other, 2);
  subscriptions_.end(number);
  subscriptions_.end(number);
  EXPECT_EQ(sink_->kinds(), (Kinds{"subscriptions/acknowledged", "result"}));
  EXPECT_EQ(sink_->ends, 1);
  EXPECT_EQ(other->kinds().size(), 1U);
}

}  // namespace
}  // namespace postern::mcp
