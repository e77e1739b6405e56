// What the server itself does for open streams: comments while they are quiet, and last words before they end.
#include <gtest/gtest.h>

#include <atomic>
#include <mutex>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"
#include "wire/transport/event_stream.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;

constexpr std::string_view kSubscribe = "GET /events HTTP/1.1\r\nHost: x\r\n\r\n";

// Streams that nobody writes to unless the test does.
class Quiet {
 public:
  explicit Quiet(HttpLimits limits) : served_(routes(), limits) {}
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
      auto [stream, writer] = EventStream::open();
      writer.on_gone([this] { ++gone_; });
      const std::lock_guard<std::mutex> lock(mutex_);
      writers_.push_back(writer);
      return stream;
    });
    return routes;
  }

  std::mutex mutex_;
  std::vector<EventStreamWriter> writers_;
  std::atomic<int> gone_{0};
  Served served_;
};

HttpLimits comments_every(std::chrono::milliseconds time) {
  HttpLimits limits;
  limits.stream_comment_ms = time;
  return limits;
}

TEST(QuietStream, CarriesCommentsThatNobodyWrote) {
  Quiet quiet(comments_every(std::chrono::milliseconds(10)));
  RawConnection listener(quiet.port());
  listener.send(kSubscribe);
  // One after the other, each a chunk of its own, and not only the first.
  ASSERT_TRUE(listener.read_until("\r\n\r\n3\r\n:\n\n\r\n3\r\n:\n\n\r\n3\r\n:\n\n\r\n"));
  quiet.writers()[0].event("after the silence");
  EXPECT_TRUE(listener.read_until("data: after the silence\n\n"));
  EXPECT_EQ(quiet.gone(), 0);
}

TEST(QuietStream, CarriesNoneBeforeItsTime) {
  HttpLimits limits = comments_every(std::chrono::hours(1));
  limits.idle_ms_max = std::chrono::milliseconds(5);
  limits.loop_threads = 1;
  Quiet quiet(limits);
  RawConnection listener(quiet.port());
  listener.send(kSubscribe);
  ASSERT_TRUE(listener.read_until("\r\n\r\n"));
  // Each of these is closed when the loop looks at its deadlines: it has looked at the stream's ten times.
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(RawConnection(quiet.port()).closes());
  quiet.writers()[0].event("first");
  ASSERT_TRUE(listener.read_until("data: first\n\n"));
  EXPECT_EQ(listener.received().find(":\n\n"), std::string::npos);
}

TEST(LastWords, AreHeardByEveryOpenStreamAndSpokenOnce) {
  int spoken = 0;
  Quiet quiet(HttpLimits{});
  HttpServer& server = quiet.server();
  RawConnection first(quiet.port());
  RawConnection second(quiet.port());
  for (RawConnection* each : {&first, &second}) {
    each->send(kSubscribe);
    ASSERT_TRUE(each->read_until("\r\n\r\n"));
  }
  server.on_drain([&] {
    ++spoken;
    EXPECT_EQ(quiet.gone(), 0);
    for (const EventStreamWriter& writer : quiet.writers()) EXPECT_TRUE(writer.event("farewell"));
  });
  server.drain(std::chrono::seconds(20));
  server.drain(std::chrono::seconds(20));
  EXPECT_EQ(spoken, 1);
  for (RawConnection* each : {&first, &second}) {
    EXPECT_TRUE(each->closes());
    EXPECT_TRUE(each->received().ends_with("data: farewell\n\n\r\n0\r\n\r\n"));
  }
  EXPECT_EQ(quiet.gone(), 2);
}

TEST(LastWords, ComeBeforeConnectionsAreRefused) {
  Quiet quiet(HttpLimits{});
  quiet.server().on_drain([&] {
    RawConnection late(quiet.port());
    EXPECT_TRUE(late.connected());
    late.send("GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(late.reply()->status, 404);
    // But a stream that is opened now would end without last words.
    late.send(kSubscribe);
    const auto refusal = late.reply();
    EXPECT_EQ(refusal->status, 503);
    EXPECT_NE(refusal->head.find("Retry-After: 1"), std::string::npos);
  });
  quiet.server().drain(std::chrono::seconds(20));
  EXPECT_FALSE(RawConnection(quiet.port()).connected());
}

TEST(LastWords, AreNotSpokenByAServerThatNeverStarted) {
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{*ListeningSocket::on_loopback(0), Routes{}, {}, "server"});
  HttpServer server(std::move(listeners), Env{clock, random, tap});
  bool spoken = false;
  server.on_drain([&spoken] { spoken = true; });
  server.drain(std::chrono::seconds(1));
  EXPECT_FALSE(spoken);
}

}  // namespace
}  // namespace postern
