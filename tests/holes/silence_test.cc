// Peers that take their time (hole 14), and a second process at the same port (hole 16).
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "tests/holes/target.h"
#include "tests/support/raw_connection.h"
#include "tests/support/refused.h"

namespace postern::holes {
namespace {

using test::RawConnection;
using test::statuses_in;

HttpLimits short_limits() {
  HttpLimits limits;
  limits.request_ms_max = std::chrono::milliseconds(200);
  limits.idle_ms_max = std::chrono::milliseconds(200);
  limits.send_ms_max = std::chrono::milliseconds(200);
  return limits;
}

TEST(SlowRequests, HoldNobodyUpAndEndAtTheirDeadline) {
  Target target(short_limits());
  std::vector<RawConnection> slow;
  for (int i = 0; i < 4; ++i) {
    slow.emplace_back(target.port());
    slow.back().send("POST /mcp HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  }
  RawConnection fifth(target.port());
  fifth.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(fifth.reply()->status, 200);
  for (RawConnection& each : slow) {
    // A byte now and then is no reason for more time: the deadline is of the whole request.
    while (!each.anything_within(10) && each.send("a")) {
    }
    EXPECT_TRUE(each.closes());
    EXPECT_EQ(statuses_in(each.received()), std::vector<int>{408});
  }
}

TEST(SlowRequests, AreServedWhenTheyComeInTime) {
  Target target;
  RawConnection connection(target.port());
  for (const char c : std::string("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello"))
    connection.send({&c, 1});
  EXPECT_EQ(connection.reply()->body, "body=5:hello");
}

TEST(SlowBodies, EndAtTheDeadlineToo) {
  Target target(short_limits());
  RawConnection connection(target.port());
  connection.send("POST /mcp HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n");
  while (!connection.anything_within(10) && connection.send("a")) {
  }
  EXPECT_TRUE(connection.closes());
  EXPECT_EQ(statuses_in(connection.received()), std::vector<int>{408});
}

TEST(IdleConnections, HoldNobodyUpAndAreClosedWithoutAWord) {
  Target target(short_limits());
  std::vector<RawConnection> idle;
  for (int i = 0; i < 4; ++i) {
    idle.emplace_back(target.port());
    idle.back().send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    EXPECT_EQ(idle.back().reply()->status, 200);
  }
  RawConnection silent(target.port());
  RawConnection fifth(target.port());
  fifth.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(fifth.reply()->status, 200);
  for (RawConnection& each : idle) {
    EXPECT_TRUE(each.closes());
    EXPECT_EQ(each.received(), "");
  }
  EXPECT_TRUE(silent.closes());
}

TEST(SlowReaders, OfAReplyAreCutAtTheSendDeadline) {
  Routes routes;
  routes.add("GET", "/huge", [](const HttpRequest&) { return text_response(200, std::string(16 * 1024 * 1024, 'h')); });
  HttpLimits limits = short_limits();
  limits.connections_max = 1;
  test::Served served(std::move(routes), limits);
  RawConnection slow(served.port(), 4096);
  slow.send("GET /huge HTTP/1.1\r\nHost: x\r\n\r\n");
  for (;;) {  // the only place is free again when the server has given the slow reader up
    RawConnection other(served.port());
    other.send("GET /none HTTP/1.1\r\nHost: x\r\n\r\n");
    const auto reply = other.reply();
    if (reply && reply->status == 404) break;
  }
  EXPECT_LT(slow.read_to_end().size(), std::size_t{16 * 1024 * 1024});
}

TEST(Port, RefusesASecondListener) {
  Target target;
  EXPECT_TRUE(test::refused(ListeningSocket::on_loopback(target.port()), "transport.address_in_use"));
  EXPECT_TRUE(test::succeeded(ListeningSocket::on_loopback(0)));
}

TEST(Port, RefusesASecondListenerThatWantsToShareIt) {
  Target target;
  const int descriptor = socket(AF_INET, SOCK_STREAM, 0);
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEPORT, &on, sizeof on);
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(target.port());
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const int bound = bind(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  EXPECT_TRUE(bound != 0 || listen(descriptor, 1) != 0);
  EXPECT_EQ(errno, EADDRINUSE);
  close(descriptor);
}

}  // namespace
}  // namespace postern::holes
