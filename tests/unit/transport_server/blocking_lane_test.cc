#include "wire/transport/blocking_lane.h"

#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;

std::string plain_get(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

HttpLimits narrow_lane() {
  HttpLimits limits;
  limits.blocking_threads = 2;
  limits.blocking_queue_max = 1;
  return limits;
}

// Work that waits for a gate, beside a request that does not.
struct Gate {
  std::atomic<int> waiting{0};
  std::promise<void> opened;
  std::shared_future<void> open{opened.get_future()};

  Routes routes() {
    Routes routes;
    routes.add("GET", "/wait", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](std::stop_token) {
        ++waiting;
        open.wait();
        return text_response(200, "waited");
      }};
    });
    routes.add("GET", "/quick", [](const HttpRequest&) { return text_response(200, "quick"); });
    routes.add("GET", "/throw", [](const HttpRequest&) -> HttpReply {
      return Blocking{[](std::stop_token) -> HttpReply { throw std::runtime_error("hunter2"); }};
    });
    return routes;
  }
};

TEST(BlockingLane, AnswersOneMoreThanItHolds503AndKeepsTheLoopFree) {
  Gate gate;
  Served served(gate.routes(), narrow_lane());
  std::vector<RawConnection> waiting;
  for (int i = 0; i < 3; ++i) {  // two run, one waits in the queue
    waiting.emplace_back(served.port());
    waiting.back().send(plain_get("/wait"));
    while (gate.waiting < std::min(i + 1, 2)) std::this_thread::yield();
  }
  RawConnection over(served.port());
  for (;;) {  // the third may not have reached the queue yet
    over.send(plain_get("/quick"));
    EXPECT_EQ(over.reply()->body, "quick");
    RawConnection another(served.port());
    another.send(plain_get("/wait"));
    if (another.anything_within(20)) {
      const auto refusal = another.reply();
      EXPECT_EQ(refusal->status, 503);
      EXPECT_NE(refusal->head.find("Retry-After: 1"), std::string::npos);
      break;
    }
    waiting.push_back(std::move(another));
    ASSERT_LT(waiting.size(), 6u);
  }
  gate.opened.set_value();
  int served_all = 0;
  for (RawConnection& each : waiting) {
    const auto reply = each.reply();
    if (reply && reply->status == 200) ++served_all;
  }
  EXPECT_EQ(served_all, 3);
}

TEST(BlockingLane, KeepsTheConnectionForTheNextRequest) {
  Gate gate;
  gate.opened.set_value();
  Served served(gate.routes());
  RawConnection connection(served.port());
  connection.send(plain_get("/wait") + plain_get("/quick") + plain_get("/wait"));
  EXPECT_EQ(connection.reply()->body, "waited");
  EXPECT_EQ(connection.reply()->body, "quick");
  EXPECT_EQ(connection.reply()->body, "waited");
}

TEST(BlockingLane, HidesTheTextOfAnException) {
  Gate gate;
  Served served(gate.routes());
  RawConnection connection(served.port());
  connection.send(plain_get("/throw"));
  const auto reply = connection.reply();
  EXPECT_EQ(reply->status, 500);
  EXPECT_EQ((reply->head + reply->body).find("hunter2"), std::string::npos);
}

TEST(BlockingLane, StopsWorkWhoseClientHungUp) {
  std::promise<void> started;
  std::promise<void> stopped;
  Routes routes;
  routes.add("GET", "/wait", [&](const HttpRequest&) -> HttpReply {
    return Blocking{[&](const std::stop_token& stop) {
      started.set_value();
      std::latch fired(1);
      const std::stop_callback on_stop(stop, [&fired] { fired.count_down(); });
      fired.wait();
      stopped.set_value();
      return text_response(200, "nobody reads this");
    }};
  });
  Served served(std::move(routes));
  RawConnection connection(served.port());
  connection.send(plain_get("/wait"));
  started.get_future().wait();
  connection.close_now();
  EXPECT_EQ(stopped.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(BlockingLane, DoesNotBeginWorkWhoseClientHungUpInTheQueue) {
  std::atomic<bool> ran{false};
  std::promise<void> release;
  {
    BlockingLane lane(1, 2);
    std::promise<void> busy;
    std::promise<void> last_done;
    ASSERT_TRUE(lane.submit({[&](std::stop_token) -> HttpReply {
                               busy.set_value();
                               release.get_future().wait();
                               return HttpResponse{};
                             },
                             {},
                             [](HttpReply) {}}));
    busy.get_future().wait();
    std::stop_source hung_up;
    ASSERT_TRUE(lane.submit({[&](std::stop_token) -> HttpReply {
                               ran = true;
                               return HttpResponse{};
                             },
                             hung_up.get_token(), [](HttpReply) {}}));
    ASSERT_TRUE(lane.submit(
        {[](std::stop_token) -> HttpReply { return HttpResponse{}; }, {}, [&](HttpReply) { last_done.set_value(); }}));
    EXPECT_FALSE(lane.submit({[](std::stop_token) -> HttpReply { return HttpResponse{}; }, {}, [](HttpReply) {}}));
    hung_up.request_stop();
    release.set_value();
    last_done.get_future().wait();
  }
  EXPECT_FALSE(ran);
}

TEST(BlockingLane, TakesNothingAfterItStopped) {
  BlockingLane lane(1, 1);
  EXPECT_TRUE(lane.submit({[](std::stop_token) -> HttpReply { return HttpResponse{}; }, {}, [](HttpReply) {}}));
  lane.stop();
  EXPECT_FALSE(lane.submit({[](std::stop_token) -> HttpReply { return HttpResponse{}; }, {}, [](HttpReply) {}}));
}

}  // namespace
}  // namespace postern
