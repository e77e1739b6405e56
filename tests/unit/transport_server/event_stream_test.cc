#include "wire/transport/event_stream.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <future>
#include <mutex>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;

constexpr std::string_view kListen = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";

// Opens a stream for whoever asks, and keeps the writers.
class Broadcast {
 public:
  explicit Broadcast(HttpLimits limits = {}) : served_(routes(), limits) {}
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  [[nodiscard]] int gone() const { return gone_; }
  HttpServer& server() { return served_.server(); }
  std::vector<EventStreamWriter> writers() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return writers_;
  }

 private:
  Routes routes() {
    Routes routes;
    routes.add("GET", "/events", [this](const HttpRequest&) {
      auto [stream, writer] = EventStream::open({{"X-Own", "1"}});
      writer.comment("open");
      writer.on_gone([this] { ++gone_; });
      const std::lock_guard<std::mutex> lock(mutex_);
      writers_.push_back(writer);
      return stream;
    });
    routes.add("GET", "/later", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](std::stop_token) -> HttpReply {
        auto [stream, writer] = EventStream::open();
        writer.event("from the lane");
        writer.finish();
        writer.on_gone([this] { ++gone_; });
        return stream;
      }};
    });
    routes.add("GET", "/health", [](const HttpRequest&) { return text_response(200, "ok"); });
    return routes;
  }

  std::mutex mutex_;
  std::vector<EventStreamWriter> writers_;
  std::atomic<int> gone_{0};
  Served served_;
};

TEST(EventStream, SendsEventsAsTheyAreWritten) {
  Broadcast broadcast;
  RawConnection listener(broadcast.port());
  listener.send(kListen);
  ASSERT_TRUE(listener.read_until(": open\n\n"));
  for (const std::string header : {"Content-Type: text/event-stream\r\n", "Cache-Control: no-store\r\n",
                                   "X-Accel-Buffering: no\r\n", "X-Own: 1\r\n", "Transfer-Encoding: chunked\r\n"}) {
    EXPECT_NE(listener.received().find(header), std::string::npos) << header;
  }
  EXPECT_EQ(listener.received().find("Content-Length"), std::string::npos);
  EXPECT_TRUE(broadcast.writers()[0].event(R"({"n":1})"));
  EXPECT_TRUE(listener.read_until("data: {\"n\":1}\n\n"));
  broadcast.writers()[0].finish();
  EXPECT_TRUE(listener.closes());
  EXPECT_TRUE(listener.received().ends_with("\r\n0\r\n\r\n"));
  EXPECT_FALSE(broadcast.writers()[0].event("late"));
}

TEST(EventStream, KeepsLineEndsInsideOneEvent) {
  Broadcast broadcast;
  RawConnection listener(broadcast.port());
  listener.send(kListen);
  ASSERT_TRUE(listener.read_until(": open"));
  broadcast.writers()[0].event("a\nid: 7\r\nb\rc");
  broadcast.writers()[0].comment("x\n\ndata: planted");
  broadcast.writers()[0].finish();
  ASSERT_TRUE(listener.closes());
  EXPECT_NE(listener.received().find("data: a\ndata: id: 7\ndata: b\ndata: c\n\n"), std::string::npos);
  EXPECT_NE(listener.received().find(": x\n: \n: data: planted\n\n"), std::string::npos);
}

TEST(EventStream, TellsOnceWhenTheReaderHasGone) {
  Broadcast broadcast;
  RawConnection listener(broadcast.port());
  listener.send(kListen);
  ASSERT_TRUE(listener.read_until(": open"));
  EXPECT_EQ(broadcast.gone(), 0);
  listener.close_now();
  while (broadcast.gone() == 0) std::this_thread::yield();
  EXPECT_FALSE(broadcast.writers()[0].event("late"));
  std::atomic<int> at_once{0};
  broadcast.writers()[0].on_gone([&at_once] { ++at_once; });
  EXPECT_EQ(at_once, 1);
  EXPECT_EQ(broadcast.gone(), 1);
}

TEST(EventStream, CutsAReaderThatDoesNotRead) {
  HttpLimits limits;
  limits.loop_threads = 1;
  limits.send_ms_max = std::chrono::hours(1);  // so that the bound cuts, and not the time
  Broadcast broadcast(limits);
  RawConnection slow(broadcast.port(), 4096);
  slow.send(kListen);
  ASSERT_TRUE(slow.read_until(": open"));
  RawConnection quick(broadcast.port());
  quick.send(kListen);
  ASSERT_TRUE(quick.read_until(": open"));
  const std::vector<EventStreamWriter> writers = broadcast.writers();
  const std::string kilobyte(1024, 'k');
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(writers[0].event(kilobyte));
  // When the quick reader has its event, the one loop has tried to send to the slow one, whose socket is full now.
  EXPECT_TRUE(writers[1].event("first"));
  EXPECT_TRUE(quick.read_until("data: first"));
  int written = 200;
  while (writers[0].event(kilobyte)) ++written;
  // The bound, what the two sockets hold, and no more.
  EXPECT_LT(written, 256 + 1024);
  while (broadcast.gone() == 0) std::this_thread::yield();
  EXPECT_TRUE(writers[1].event("still here"));
  EXPECT_TRUE(quick.read_until("data: still here"));
  EXPECT_EQ(broadcast.gone(), 1);
}

TEST(EventStream, CutsAReaderThatTakesNothingForTooLong) {
  HttpLimits limits;
  limits.send_ms_max = std::chrono::milliseconds(200);
  limits.stream_buffer_bytes_max = 64 * 1024 * 1024;  // so that the time cuts, and not the bound
  Broadcast broadcast(limits);
  RawConnection slow(broadcast.port(), 4096);
  slow.send(kListen);
  ASSERT_TRUE(slow.read_until(": open"));
  const std::vector<EventStreamWriter> writers = broadcast.writers();
  const std::string kilobyte(1024, 'k');
  for (int i = 0; i < 4000; ++i) writers[0].event(kilobyte);  // more than the sockets hold
  // Trying again, as each comment does, gives no more time.
  while (broadcast.gone() == 0) {
    writers[0].comment("");
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_EQ(broadcast.gone(), 1);
}

TEST(EventStream, BoundsWhatIsWrittenBeforeTheReplyWentOut) {
  const auto [stream, writer] = EventStream::open();
  const std::string kilobyte(1024, 'k');
  int written = 0;
  while (writer.event(kilobyte)) ++written;
  EXPECT_GT(written, 200);
  EXPECT_LT(written, 257);
}

TEST(EventStream, MayComeFromTheLane) {
  Broadcast broadcast;
  RawConnection listener(broadcast.port());
  listener.send("GET /later HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(listener.closes());
  EXPECT_NE(listener.received().find("data: from the lane\n\n"), std::string::npos);
  while (broadcast.gone() == 0) std::this_thread::yield();
}

TEST(EventStream, HasNoBodyForHead) {
  Broadcast broadcast;
  RawConnection connection(broadcast.port());
  connection.send("HEAD /events HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(connection.closes());
  EXPECT_TRUE(connection.received().ends_with("\r\n\r\n"));
  EXPECT_EQ(connection.received().find("open"), std::string::npos);
  while (broadcast.gone() == 0) std::this_thread::yield();
}

TEST(EventStream, EndsWhenTheServerDrains) {
  Broadcast broadcast;
  RawConnection listener(broadcast.port());
  listener.send(kListen);
  ASSERT_TRUE(listener.read_until(": open"));
  broadcast.writers()[0].event("before the end");
  broadcast.server().drain(std::chrono::seconds(10));
  EXPECT_TRUE(listener.closes());
  EXPECT_NE(listener.received().find("data: before the end\n\n"), std::string::npos);
  EXPECT_TRUE(listener.received().ends_with("\r\n0\r\n\r\n"));
  EXPECT_EQ(broadcast.gone(), 1);
}

TEST(EventStreams, OfAThousandListenersLeaveRoomForRequests) {
  constexpr int kListeners = 1000;
  rlimit descriptors{};
  getrlimit(RLIMIT_NOFILE, &descriptors);
  descriptors.rlim_cur = descriptors.rlim_max;
  setrlimit(RLIMIT_NOFILE, &descriptors);
  if (descriptors.rlim_max < 3 * kListeners) GTEST_SKIP() << "needs 3,000 descriptors";
  Broadcast broadcast;
  std::vector<RawConnection> listeners;
  listeners.reserve(kListeners);
  for (int i = 0; i < kListeners; ++i) {
    listeners.emplace_back(broadcast.port());
    ASSERT_TRUE(listeners.back().connected());
    listeners.back().send(kListen);
  }
  for (RawConnection& listener : listeners) ASSERT_TRUE(listener.read_until(": open"));
  RawConnection asking(broadcast.port());
  for (int i = 0; i < 100; ++i) {
    asking.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_EQ(asking.reply()->status, 200);
  }
  for (const EventStreamWriter& writer : broadcast.writers()) EXPECT_TRUE(writer.event("to all"));
  for (RawConnection& listener : listeners) EXPECT_TRUE(listener.read_until("data: to all\n\n"));
  listeners.clear();
  while (broadcast.gone() < kListeners) std::this_thread::yield();
}

TEST(EventStreams, AreWrittenByManyThreadsWhileTheirReadersComeAndGo) {
  Broadcast broadcast;
  std::atomic<bool> done{false};
  std::vector<std::thread> writing;
  for (int i = 0; i < 2; ++i) {
    writing.emplace_back([&] {
      while (!done) {
        for (const EventStreamWriter& writer : broadcast.writers()) writer.event("x");
        std::this_thread::yield();
      }
    });
  }
  for (int i = 0; i < 100; ++i) {
    RawConnection listener(broadcast.port());
    listener.send(kListen);
    EXPECT_TRUE(listener.read_until("data: x"));
  }
  while (broadcast.gone() < 100) std::this_thread::yield();
  done = true;
  for (std::thread& each : writing) each.join();
}

}  // namespace
}  // namespace postern
