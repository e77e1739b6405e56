#include "wire/transport/http_server.h"

#include <gtest/gtest.h>

#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;
using test::statuses_in;

Routes echo_routes() {
  Routes routes;
  routes.add("GET", "/", [](const HttpRequest&) { return text_response(200, "hello"); });
  routes.add("POST", "/", [](const HttpRequest& request) { return text_response(200, request.body); });
  routes.add("GET", "/nothing", [](const HttpRequest&) { return HttpResponse{204, {}, ""}; });
  routes.add("GET", "/odd", [](const HttpRequest&) {
    return HttpResponse{
        200,
        {{"Content-Length", "999"}, {"Transfer-Encoding", "chunked"}, {"Set-Cookie", "a=1"}, {"Set-Cookie", "b=2"}},
        "body"};
  });
  routes.add("GET", "/last", [](const HttpRequest&) { return HttpResponse{200, {{"Connection", "close"}}, "last"}; });
  routes.add("GET", "/peer", [](const HttpRequest& request) { return text_response(200, request.peer_address); });
  return routes;
}

std::string get_of(std::string_view path, std::string_view headers = "") {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n" + std::string(headers) + "\r\n";
}

TEST(HttpServer, AnswersManyRequestsOnOneConnection) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  for (int i = 0; i < 100; ++i) {
    const std::string body = std::to_string(i);
    connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto reply = connection.reply();
    ASSERT_TRUE(reply);
    EXPECT_EQ(reply->body, body);
    EXPECT_EQ(reply->head.find("Connection"), std::string::npos);
  }
}

TEST(HttpServer, AnswersPipelinedRequestsInTheirOrder) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  std::string all;
  for (const char c : std::string("abc"))
    all += std::string("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\n") + c;
  connection.send(all);
  EXPECT_EQ(connection.reply()->body, "a");
  EXPECT_EQ(connection.reply()->body, "b");
  EXPECT_EQ(connection.reply()->body, "c");
}

TEST(HttpServer, AnswersAPeerThatHasClosedItsSendingSide) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  connection.send(get_of("/"));
  connection.finish_sending();
  EXPECT_EQ(statuses_in(connection.read_to_end()), std::vector<int>{200});
}

TEST(HttpServer, LeavesTheBodyOutForHead) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  connection.send("HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + get_of("/", "Connection: close\r\n"));
  const std::string all = connection.read_to_end();
  EXPECT_EQ(statuses_in(all), (std::vector<int>{200, 200}));
  EXPECT_EQ(all.find("hello"), all.rfind("hello"));
  EXPECT_NE(all.find("Content-Length: 5\r\n"), all.rfind("Content-Length: 5\r\n"));
  EXPECT_EQ(all.find("Accept-Ranges"), std::string::npos);
}

TEST(HttpServer, GivesNoLengthToAReplyWithoutContent) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  connection.send(get_of("/nothing") + get_of("/"));
  const auto nothing = connection.reply();
  EXPECT_EQ(nothing->status, 204);
  EXPECT_EQ(nothing->head.find("Content-Length"), std::string::npos);
  EXPECT_EQ(connection.reply()->body, "hello");
}

TEST(HttpServer, FramesReplyByItselfWhateverTheHandlerSays) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  connection.send(get_of("/odd"));
  const auto reply = connection.reply();
  EXPECT_EQ(reply->body, "body");
  EXPECT_EQ(reply->head.find("999"), std::string::npos);
  EXPECT_EQ(reply->head.find("Transfer-Encoding"), std::string::npos);
  EXPECT_NE(reply->head.find("Set-Cookie: a=1\r\n"), std::string::npos);
  EXPECT_NE(reply->head.find("Set-Cookie: b=2"), std::string::npos);
  EXPECT_NE(reply->head.find("\r\nDate: "), std::string::npos);
}

TEST(HttpServer, ClosesWhenEitherSideAsksForIt) {
  Served served(echo_routes());
  for (const std::string& request : {get_of("/", "Connection: keep-alive, Close\r\n"), get_of("/last")}) {
    RawConnection connection(served.port());
    connection.send(request + get_of("/"));
    const std::string all = connection.read_to_end();
    EXPECT_EQ(statuses_in(all), std::vector<int>{200});
    EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
  }
}

TEST(HttpServer, TellsTheHandlerWhoAsks) {
  Served served(echo_routes());
  RawConnection connection(served.port());
  connection.send(get_of("/peer") + get_of("/peer"));
  EXPECT_EQ(connection.reply()->body, "127.0.0.1");
  EXPECT_EQ(connection.reply()->body, "127.0.0.1");
}

TEST(HttpServer, PutsTheHeadersOfItsRoutesOnRefusalsToo) {
  Routes routes = echo_routes();
  routes.after([](const HttpRequest&, HttpResponse& response) { response.headers.add("X-Frame-Options", "DENY"); });
  Served served(std::move(routes));
  RawConnection connection(served.port());
  connection.send("GET / HTTP/1.1\r\n\r\n");
  const auto reply = connection.reply();
  EXPECT_EQ(reply->status, 400);
  EXPECT_NE(reply->head.find("X-Frame-Options: DENY"), std::string::npos);
}

TEST(HttpServer, ServesEachListenerItsOwnRoutesAndBounds) {
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  std::vector<HttpListener> listeners;
  std::vector<std::uint16_t> ports;
  for (const std::size_t bytes_max : {std::size_t{4}, std::size_t{400}}) {
    auto socket = ListeningSocket::on_loopback(0);
    ports.push_back(socket->port());
    HttpLimits limits;
    limits.body_bytes_max = bytes_max;
    listeners.push_back(HttpListener{*std::move(socket), echo_routes(), limits, "server"});
  }
  HttpServer server(std::move(listeners), Env{clock, random, tap});
  server.start();
  for (const auto& [index, status] : std::vector<std::pair<std::size_t, int>>{{0, 413}, {1, 200}}) {
    RawConnection connection(ports[index]);
    connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello");
    EXPECT_EQ(connection.reply()->status, status);
  }
}

// Keeps what it sees, as text.
class KeepingTap final : public Tap {
 public:
  void see(const TapRecord& record) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    seen_.push_back(
        {record.direction, record.exchange, std::string(record.bytes), record.last, std::string(record.self)});
  }
  struct Seen {
    Direction direction;
    std::uint64_t exchange;
    std::string bytes;
    bool last;
    std::string self;
  };
  std::vector<Seen> seen() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return seen_;
  }

 private:
  std::mutex mutex_;
  std::vector<Seen> seen_;
};

TEST(HttpServerTap, SeesEachByteOfRequestsAndRepliesOnce) {
  KeepingTap tap;
  std::string received;
  const std::string first = get_of("/");
  const std::string second = "POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nb\r\n0\r\n\r\n";
  const std::string refused = "GET / HTTP/1.1\r\nHost: x\r\nX\r\nX-Behind: 1\r\n\r\n";
  {
    Served served(echo_routes(), {}, &tap);
    RawConnection connection(served.port());
    connection.send(first + second + refused);
    received = connection.read_to_end();
  }
  std::string in;
  std::string out;
  std::vector<std::uint64_t> exchanges;
  for (const KeepingTap::Seen& each : tap.seen()) {
    (each.direction == Direction::kIn ? in : out) += each.bytes;
    exchanges.push_back(each.exchange);
    EXPECT_TRUE(each.last);
    EXPECT_EQ(each.self, "server");
  }
  EXPECT_EQ(in, first + second + refused);
  EXPECT_EQ(out, received);
  ASSERT_EQ(exchanges.size(), 6u);
  EXPECT_EQ(exchanges[0], exchanges[1]);
  EXPECT_EQ(std::set<std::uint64_t>(exchanges.begin(), exchanges.end()).size(), 3u);
}

TEST(HttpServerTap, SeesStreamsInPieces) {
  KeepingTap tap;
  std::string received;
  {
    Routes routes;
    routes.add("GET", "/events", [](const HttpRequest&) {
      auto [stream, writer] = EventStream::open();
      writer.event("one");
      writer.finish();
      return stream;
    });
    Served served(std::move(routes), {}, &tap);
    RawConnection connection(served.port());
    connection.send(get_of("/events"));
    received = connection.read_to_end();
  }
  std::string out;
  std::vector<bool> last;
  for (const KeepingTap::Seen& each : tap.seen()) {
    if (each.direction == Direction::kIn) continue;
    out += each.bytes;
    last.push_back(each.last);
  }
  EXPECT_EQ(out, received);
  EXPECT_EQ(last, (std::vector<bool>{false, true}));
}

TEST(HttpServerDrain, ClosesIdleConnectionsAndItsPort) {
  Served served(echo_routes());
  RawConnection idle(served.port());
  idle.send(get_of("/"));
  EXPECT_EQ(idle.reply()->status, 200);
  served.server().drain(std::chrono::seconds(10));
  EXPECT_TRUE(idle.closes());
  EXPECT_FALSE(RawConnection(served.port()).connected());
  EXPECT_TRUE(ListeningSocket::on_loopback(served.port()).has_value());
  served.server().drain(std::chrono::seconds(10));  // the second call does nothing
}

TEST(HttpServerDrain, ServesWhatHasArrived) {
  // The one loop is held in a handler while a second request arrives and the drain begins.
  std::promise<void> held;
  std::promise<void> release;
  Routes routes = echo_routes();
  routes.add("GET", "/hold", [&](const HttpRequest&) {
    held.set_value();
    release.get_future().wait();
    return text_response(200, "held");
  });
  HttpLimits limits;
  limits.loop_threads = 1;
  Served served(std::move(routes), limits);
  RawConnection arrived(served.port());
  arrived.send(get_of("/"));
  EXPECT_EQ(arrived.reply()->body, "hello");
  RawConnection holding(served.port());
  holding.send(get_of("/hold"));
  held.get_future().wait();
  std::thread draining([&] { served.server().drain(std::chrono::seconds(20)); });
  arrived.send(get_of("/"));
  release.set_value();
  EXPECT_EQ(holding.reply()->body, "held");
  const auto reply = arrived.reply();
  draining.join();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "hello");
}

TEST(HttpServerDrain, LetsWorkInFlightFinish) {
  std::promise<void> started;
  std::promise<void> release;
  Routes routes;
  routes.add("GET", "/work", [&](const HttpRequest&) -> HttpReply {
    return Blocking{[&](std::stop_token) {
      started.set_value();
      release.get_future().wait();
      return text_response(200, "finished");
    }};
  });
  Served served(std::move(routes));
  RawConnection connection(served.port());
  connection.send(get_of("/work"));
  started.get_future().wait();
  std::thread draining([&] { served.server().drain(std::chrono::seconds(20)); });
  while (RawConnection(served.port()).connected()) std::this_thread::yield();  // until the drain has begun
  release.set_value();
  const auto reply = connection.reply();
  draining.join();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->body, "finished");
  EXPECT_NE(reply->head.find("Connection: close"), std::string::npos);
}

TEST(HttpServerDrain, StopsWorkThatIsNotDoneAtTheDeadline) {
  std::promise<void> started;
  std::atomic<bool> stopped{false};
  Routes routes;
  routes.add("GET", "/work", [&](const HttpRequest&) -> HttpReply {
    return Blocking{[&](const std::stop_token& stop) {
      started.set_value();
      while (!stop.stop_requested()) std::this_thread::yield();
      stopped = true;
      return text_response(200, "late");
    }};
  });
  Served served(std::move(routes));
  RawConnection connection(served.port());
  connection.send(get_of("/work"));
  started.get_future().wait();
  served.server().drain(std::chrono::milliseconds(20));
  EXPECT_TRUE(stopped);
  EXPECT_EQ(connection.read_to_end(), "");
}

TEST(HttpServer, StopsWithoutHavingStarted) {
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{*ListeningSocket::on_loopback(0), echo_routes(), {}, "server"});
  HttpServer server(std::move(listeners), Env{clock, random, tap});
  server.drain(std::chrono::seconds(1));
}

TEST(HttpServer, ServesManyClientsAtOnce) {
  Served served(echo_routes());
  std::vector<std::thread> clients;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i) {
    clients.emplace_back([&, i] {
      for (int round = 0; round < 20; ++round) {
        RawConnection connection(served.port());
        for (int each = 0; each < 10; ++each) {
          const std::string body(static_cast<std::size_t>(i + 1) * 1000, static_cast<char>('a' + i));
          connection.send("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                          body);
          const auto reply = connection.reply();
          if (reply && reply->body == body) ++right;
        }
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_EQ(right, 8 * 20 * 10);
}

}  // namespace
}  // namespace postern
