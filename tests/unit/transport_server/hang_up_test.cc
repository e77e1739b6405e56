// Peers that leave: at every stage of an exchange, with an orderly end and with a reset. The server lets go of what it
// had for them, and serves the next one.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;
using test::statuses_in;

// A server of one connection: the next one is served only when the one before it is let go of.
class OneByOne {
 public:
  OneByOne() : served_(routes(), limits()) {}
  [[nodiscard]] int begun() const { return begun_; }
  [[nodiscard]] int stopped() const { return stopped_; }
  [[nodiscard]] int gone() const { return gone_; }

  // A connection that is served, as soon as there is a place for one.
  [[nodiscard]] RawConnection enter(int receive_buffer = 0) const {
    for (;;) {
      RawConnection next(served_.port(), receive_buffer);
      next.send("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n");
      const auto reply = next.reply();
      if (reply && reply->status == 200) return next;
    }
  }
  void serves_the_next() const { EXPECT_TRUE(enter().connected()); }

 private:
  static HttpLimits limits() {
    HttpLimits limits;
    limits.connections_max = 1;
    for (auto* time : {&limits.request_ms_max, &limits.idle_ms_max, &limits.send_ms_max}) *time = std::chrono::hours(1);
    return limits;
  }
  void wait(const std::stop_token& stop) {
    ++begun_;
    while (!stop.stop_requested()) std::this_thread::yield();
    ++stopped_;
  }
  Routes routes() {
    Routes routes;
    routes.add("GET", "/quick", [](const HttpRequest&) { return text_response(200, "quick"); });
    routes.add("GET", "/wait", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](const std::stop_token& stop) {
        wait(stop);
        return text_response(200, "nobody reads this");
      }};
    });
    routes.add("GET", "/events", [this](const HttpRequest&) {
      auto [stream, writer] = EventStream::open();
      writer.on_gone([this] { ++gone_; });
      writer.comment("open");
      return stream;
    });
    routes.add("GET", "/call", [this](const HttpRequest&) {
      auto [stream, writer] = EventStream::open();
      writer.on_gone([this] { ++gone_; });
      stream.work = [this, writer = writer](const std::stop_token& stop) {
        writer.event("begun");
        wait(stop);
      };
      return stream;
    });
    routes.add("GET", "/huge", [](const HttpRequest&) { return text_response(200, std::string(8 << 20, 'h')); });
    return routes;
  }

  std::atomic<int> begun_{0};
  std::atomic<int> stopped_{0};
  std::atomic<int> gone_{0};
  Served served_;
};

enum class Leaving { kHalf, kClose, kReset };

class HangUp : public testing::TestWithParam<Leaving> {
 protected:
  static void leave(RawConnection& connection) {
    switch (GetParam()) {
      case Leaving::kHalf:
        return connection.finish_sending();
      case Leaving::kClose:
        return connection.close_now();
      case Leaving::kReset:
        return connection.reset_now();
    }
  }
  // After half a close the peer may read: it gets nothing more, and an end.
  static void expect_end(RawConnection& connection) {
    if (GetParam() != Leaving::kHalf) return;
    const std::size_t before = connection.received().size();
    EXPECT_TRUE(connection.closes());
    EXPECT_EQ(connection.received().size(), before);
  }

  OneByOne server_;
};

TEST_P(HangUp, BeforeAndInsideARequest) {
  for (const std::string_view sent :
       {"", "\r", "\r\n", "G", "GET /quick HTTP/1.1", "GET /quick HTTP/1.1\r\nHost: x\r\n",
        "POST /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n",
        "POST /quick HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhell",
        "POST /quick HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
        "POST /quick HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
        "POST /quick HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"}) {
    SCOPED_TRACE(sent);
    RawConnection connection = server_.enter();
    connection.send(sent);
    leave(connection);
    expect_end(connection);
    server_.serves_the_next();
  }
}

TEST_P(HangUp, BetweenTwoRequests) {
  RawConnection connection = server_.enter();
  connection.send("GET /quick HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(connection.reply()->status, 200);
  leave(connection);
  expect_end(connection);
  server_.serves_the_next();
}

TEST_P(HangUp, WhileItsWorkRuns) {
  RawConnection connection = server_.enter();
  connection.send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  while (server_.begun() == 0) std::this_thread::yield();
  leave(connection);
  expect_end(connection);
  while (server_.stopped() == 0) std::this_thread::yield();
  server_.serves_the_next();
}

TEST_P(HangUp, WhileItReadsAStream) {
  RawConnection connection = server_.enter();
  connection.send("GET /events HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(connection.read_until(": open\n\n\r\n"));
  leave(connection);
  expect_end(connection);
  while (server_.gone() == 0) std::this_thread::yield();
  server_.serves_the_next();
}

TEST_P(HangUp, WhileTheWorkOfItsStreamRuns) {
  RawConnection connection = server_.enter();
  connection.send("GET /call HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(connection.read_until("data: begun\n\n\r\n"));
  leave(connection);
  expect_end(connection);
  while (server_.stopped() == 0) std::this_thread::yield();
  EXPECT_EQ(server_.gone(), 1);
  server_.serves_the_next();
}

TEST_P(HangUp, WhileAResponseIsSent) {
  RawConnection connection = server_.enter(4096);
  connection.send("GET /huge HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  ASSERT_TRUE(connection.read_until("hhhh"));
  leave(connection);
  if (GetParam() == Leaving::kHalf) {
    // It said that it has no more to ask, and not that it does not want the answer.
    EXPECT_TRUE(connection.closes());
    EXPECT_GT(connection.received().size(), std::size_t{8} << 20);
  }
  server_.serves_the_next();
}

TEST_P(HangUp, AfterARefusal) {
  RawConnection connection = server_.enter();
  connection.send("BREW /pot HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_TRUE(connection.read_until("implemented.\n"));
  leave(connection);
  expect_end(connection);
  server_.serves_the_next();
}

TEST_P(HangUp, BehindRequestsThatItDidNotWaitFor) {
  RawConnection connection = server_.enter();
  connection.send("GET /quick HTTP/1.1\r\nHost: x\r\n\r\nGET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  while (server_.begun() == 0) std::this_thread::yield();
  leave(connection);
  while (server_.stopped() == 0) std::this_thread::yield();
  if (GetParam() == Leaving::kHalf) {
    EXPECT_EQ(statuses_in(connection.read_to_end()), std::vector<int>{200});
  }
  server_.serves_the_next();
}

INSTANTIATE_TEST_SUITE_P(Peers, HangUp, testing::Values(Leaving::kHalf, Leaving::kClose, Leaving::kReset),
                         [](const auto& chosen) {
                           return std::string(chosen.param == Leaving::kHalf    ? "HalfClosed"
                                              : chosen.param == Leaving::kClose ? "Closed"
                                                                                : "Reset");
                         });

}  // namespace
}  // namespace postern
