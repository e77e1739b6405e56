// Event streams that carry work: a request that tells of its progress before it is answered.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <latch>
#include <stdexcept>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"
#include "wire/transport/event_stream.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;

std::string call_of(std::string_view path, std::string_view method = "GET") {
  return std::string(method) + " " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

using Work = std::function<void(const EventStreamWriter&, std::stop_token)>;

// One stream whose work is `work`, and a quick request beside it.
class Working {
 public:
  explicit Working(Work work, HttpLimits limits = {}) : work_(std::move(work)), served_(routes(), limits) {}
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  [[nodiscard]] int gone() const { return gone_; }
  HttpServer& server() { return served_.server(); }

 private:
  EventStream stream() {
    auto [stream, writer] = EventStream::open();
    writer.on_gone([this] { ++gone_; });
    stream.work = [this, writer = writer](std::stop_token stop) { work_(writer, std::move(stop)); };
    return stream;
  }
  Routes routes() {
    Routes routes;
    routes.add("GET", "/call", [this](const HttpRequest&) { return stream(); });
    routes.add("GET", "/later", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](std::stop_token) { return stream(); }};
    });
    routes.add("GET", "/quick", [](const HttpRequest&) { return text_response(200, "quick"); });
    return routes;
  }

  Work work_;
  std::atomic<int> gone_{0};
  Served served_;
};

void wait_for_stop(const std::stop_token& stop) {
  std::latch fired(1);
  const std::stop_callback on_stop(stop, [&fired] { fired.count_down(); });
  fired.wait();
}

TEST(StreamWork, WritesProgressAndThenTheAnswer) {
  std::promise<void> release;
  Working working([&](const EventStreamWriter& writer, const std::stop_token&) {
    writer.event("progress");
    release.get_future().wait();
    std::thread other([&writer] { writer.event("from another thread"); });
    other.join();
    writer.event("answer");
  });
  RawConnection caller(working.port());
  caller.send(call_of("/call"));
  ASSERT_TRUE(caller.read_until("data: progress\n\n"));  // before the work is done
  EXPECT_TRUE(caller.received().starts_with("HTTP/1.1 200 OK\r\n"));
  release.set_value();
  EXPECT_TRUE(caller.closes());
  EXPECT_LT(caller.received().find("data: from another thread\n\n"), caller.received().find("data: answer\n\n"));
  EXPECT_TRUE(caller.received().ends_with("\r\n0\r\n\r\n"));  // the return of the work is the end of the stream
  while (working.gone() == 0) std::this_thread::yield();
}

TEST(StreamWork, MayComeFromTheLane) {
  Working working([](const EventStreamWriter& writer, const std::stop_token& stop) {
    writer.event(stop.stop_requested() ? "stopped" : "answer");
  });
  RawConnection caller(working.port());
  caller.send(call_of("/later"));
  EXPECT_TRUE(caller.closes());
  EXPECT_NE(caller.received().find("data: answer\n\n"), std::string::npos);
  EXPECT_TRUE(caller.received().ends_with("\r\n0\r\n\r\n"));
}

TEST(StreamWork, IsToldThatItsReaderHasGone) {
  std::promise<void> stopped;
  Working working([&](const EventStreamWriter& writer, const std::stop_token& stop) {
    writer.event("begun");
    wait_for_stop(stop);
    EXPECT_FALSE(writer.event("late"));
    stopped.set_value();
  });
  RawConnection caller(working.port());
  caller.send(call_of("/call"));
  ASSERT_TRUE(caller.read_until("data: begun"));
  caller.close_now();
  EXPECT_EQ(stopped.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(working.gone(), 1);
}

TEST(StreamWork, IsToldWhenSomebodyElseEndsItsStream) {
  std::promise<void> stopped;
  Working working([&](const EventStreamWriter& writer, const std::stop_token& stop) {
    writer.event("last words");
    writer.finish();
    wait_for_stop(stop);
    stopped.set_value();
  });
  RawConnection caller(working.port());
  caller.send(call_of("/call"));
  EXPECT_TRUE(caller.closes());
  EXPECT_NE(caller.received().find("data: last words\n\n"), std::string::npos);
  EXPECT_EQ(stopped.get_future().wait_for(std::chrono::seconds(20)), std::future_status::ready);
}

TEST(StreamWork, ThatThrowsCutsTheConnectionAndSaysNothing) {
  Working working([](const EventStreamWriter& writer, const std::stop_token&) {
    writer.event("progress");
    throw std::runtime_error("the database password is hunter2");
  });
  RawConnection caller(working.port());
  caller.send(call_of("/call"));
  EXPECT_TRUE(caller.closes());
  EXPECT_FALSE(caller.received().ends_with("0\r\n\r\n"));  // a reader sees that it is not whole
  EXPECT_EQ(caller.received().find("hunter2"), std::string::npos);
  while (working.gone() == 0) std::this_thread::yield();
  RawConnection next(working.port());
  next.send(call_of("/quick"));
  EXPECT_EQ(next.reply()->body, "quick");
}

HttpLimits one_place_lane() {
  HttpLimits limits;
  limits.blocking_threads = 1;
  limits.blocking_queue_max = 0;
  return limits;
}

TEST(StreamWork, ThatTheLaneHasNoPlaceForIsRefusedBeforeTheStreamBegins) {
  std::promise<void> release;
  std::shared_future<void> released = release.get_future().share();
  Working working(
      [&](const EventStreamWriter& writer, const std::stop_token&) {
        writer.event("begun");
        released.wait();
      },
      one_place_lane());
  RawConnection first(working.port());
  first.send(call_of("/call"));
  ASSERT_TRUE(first.read_until("data: begun"));
  RawConnection second(working.port());
  second.send(call_of("/call"));
  const auto refusal = second.reply();
  EXPECT_EQ(refusal->status, 503);
  EXPECT_NE(refusal->head.find("Retry-After: 1"), std::string::npos);
  EXPECT_EQ(refusal->head.find("event-stream"), std::string::npos);
  EXPECT_EQ(working.gone(), 1);  // the writer of the one that was not opened
  second.send(call_of("/quick"));
  EXPECT_EQ(second.reply()->body, "quick");  // the connection is as good as before
  release.set_value();
  EXPECT_TRUE(first.closes());
  EXPECT_TRUE(first.received().ends_with("\r\n0\r\n\r\n"));
}

TEST(StreamWork, DoesNotRunForHead) {
  std::atomic<bool> ran{false};
  Working working([&](const EventStreamWriter&, const std::stop_token&) { ran = true; });
  RawConnection connection(working.port());
  connection.send(call_of("/call", "HEAD"));
  EXPECT_TRUE(connection.closes());
  EXPECT_TRUE(connection.received().ends_with("\r\n\r\n"));
  while (working.gone() == 0) std::this_thread::yield();
  EXPECT_FALSE(ran);
}

TEST(StreamWork, InFlightFinishesWhenTheServerDrains) {
  std::promise<void> release;
  Working working([&](const EventStreamWriter& writer, const std::stop_token& stop) {
    writer.event("begun");
    release.get_future().wait();
    writer.event(stop.stop_requested() ? "stopped" : "answer");
  });
  RawConnection caller(working.port());
  caller.send(call_of("/call"));
  ASSERT_TRUE(caller.read_until("data: begun"));
  std::thread draining([&] { working.server().drain(std::chrono::seconds(20)); });
  while (RawConnection(working.port()).connected()) std::this_thread::yield();  // until the drain has begun
  release.set_value();
  EXPECT_TRUE(caller.closes());
  draining.join();
  EXPECT_NE(caller.received().find("data: answer\n\n"), std::string::npos);
  EXPECT_TRUE(caller.received().ends_with("\r\n0\r\n\r\n"));
}

TEST(StreamWork, IsStoppedAtTheDeadlineOfADrain) {
  std::atomic<bool> stopped{false};
  Working working([&](const EventStreamWriter& writer, const std::stop_token& stop) {
    writer.event("begun");
    wait_for_stop(stop);
    stopped = true;
  });
  RawConnection caller(working.port());
  caller.send(call_of("/call"));
  ASSERT_TRUE(caller.read_until("data: begun"));
  working.server().drain(std::chrono::milliseconds(20));
  EXPECT_TRUE(stopped);
  EXPECT_TRUE(caller.closes());
  EXPECT_FALSE(caller.received().ends_with("0\r\n\r\n"));
}

}  // namespace
}  // namespace postern
