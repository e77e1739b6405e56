// What one peer may hold: by itself, and behind a proxy.
#include <gtest/gtest.h>
#include <ifaddrs.h>

#include <atomic>
#include <future>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"
#include "wire/transport/peer_ledger.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;
using test::statuses_in;
using Kind = PeerLedger::Kind;

IpAddress address_of(std::string_view text) {
  return *IpAddress::parse(text);
}

TEST(PeerLedger, GivesAPlaceBackWhenItIsDestroyed) {
  PeerLedger ledger;
  std::optional<PeerLedger::Place> first = ledger.take(Kind::kRequest, address_of("192.0.2.7"), 2);
  std::optional<PeerLedger::Place> second = ledger.take(Kind::kRequest, address_of("192.0.2.7"), 2);
  EXPECT_TRUE(first && second);
  EXPECT_FALSE(ledger.take(Kind::kRequest, address_of("192.0.2.7"), 2));
  EXPECT_TRUE(ledger.take(Kind::kStream, address_of("192.0.2.7"), 2));   // another kind
  EXPECT_TRUE(ledger.take(Kind::kRequest, address_of("192.0.2.8"), 2));  // another peer
  second = std::move(first);                                             // of the two, one is left
  first.reset();
  EXPECT_TRUE(ledger.take(Kind::kRequest, address_of("192.0.2.7"), 2));
  second.reset();
  EXPECT_TRUE(ledger.take(Kind::kRequest, address_of("192.0.2.7"), 1));
  EXPECT_FALSE(ledger.take(Kind::kRequest, address_of("192.0.2.7"), 0));
}

TEST(PeerLedger, TakesANetworkOfIpv6ForOnePeer) {
  PeerLedger ledger;
  const auto first = ledger.take(Kind::kRequest, address_of("2001:db8:1:2::7"), 1);
  EXPECT_TRUE(first);
  EXPECT_FALSE(ledger.take(Kind::kRequest, address_of("2001:db8:1:2:ffff::8"), 1));
  EXPECT_TRUE(ledger.take(Kind::kRequest, address_of("2001:db8:1:3::7"), 1));
}

// A server behind a trusted proxy: this test plays the proxy, for peers of any address.
class Proxied {
 public:
  explicit Proxied(HttpLimits limits) : served_(routes(), limits, nullptr, *TrustedProxies::parse({"127.0.0.1"})) {}
  ~Proxied() { open(); }
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  [[nodiscard]] int waiting() const { return waiting_; }
  [[nodiscard]] int stopped() const { return stopped_; }
  [[nodiscard]] int gone() const { return gone_; }
  void open() {
    if (!std::exchange(is_open_, true)) open_.set_value();
  }

  [[nodiscard]] static std::string request_for(std::string_view peer, std::string_view path) {
    return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: " + std::string(peer) + "\r\n\r\n";
  }

 private:
  Routes routes() {
    Routes routes;
    routes.add("GET", "/wait", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](const std::stop_token& stop) {
        ++waiting_;
        while (!stop.stop_requested() && opened_.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
        }
        return text_response(200, "waited");
      }};
    });
    routes.add("GET", "/stubborn", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](const std::stop_token& stop) {
        const std::stop_callback on_stop(stop, [this] { ++stopped_; });
        ++waiting_;
        opened_.wait();
        return text_response(200, "nobody reads this");
      }};
    });
    routes.add("GET", "/events", [this](const HttpRequest&) {
      auto [stream, writer] = EventStream::open();
      writer.on_gone([this] { ++gone_; });
      writer.comment("open");
      return stream;
    });
    routes.add("GET", "/quick", [](const HttpRequest&) { return text_response(200, "quick"); });
    return routes;
  }

  bool is_open_ = false;
  std::promise<void> open_;
  std::shared_future<void> opened_{open_.get_future()};
  std::atomic<int> waiting_{0};
  std::atomic<int> stopped_{0};
  std::atomic<int> gone_{0};
  Served served_;
};

TEST(PeerBehindAProxy, HasItsShareOfRequestsInFlightAndNoMore) {
  HttpLimits limits;
  limits.requests_per_peer_max = 2;
  Proxied proxied(limits);
  std::vector<RawConnection> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.emplace_back(proxied.port());
    waiting.back().send(Proxied::request_for("192.0.2.7", "/wait"));
  }
  while (proxied.waiting() < 2) std::this_thread::yield();
  RawConnection connection(proxied.port());
  connection.send(Proxied::request_for("192.0.2.7", "/quick"));
  const auto refusal = connection.reply();
  EXPECT_EQ(refusal->status, 429);
  EXPECT_NE(refusal->head.find("Retry-After: 1"), std::string::npos);
  EXPECT_EQ(refusal->head.find("Connection: close"), std::string::npos);  // the proxy's connection serves others too
  connection.send(Proxied::request_for("192.0.2.8", "/quick"));
  EXPECT_EQ(connection.reply()->status, 200);
  waiting[0].close_now();
  for (;;) {  // until the server has seen that it is gone
    connection.send(Proxied::request_for("192.0.2.7", "/quick"));
    if (connection.reply()->status == 200) break;
  }
  // One that is answered is no longer in flight.
  for (int i = 0; i < 5; ++i) {
    connection.send(Proxied::request_for("192.0.2.7", "/quick"));
    EXPECT_EQ(connection.reply()->status, 200);
  }
}

TEST(PeerBehindAProxy, HasNoMoreByHangingUpWhileItsWorkStillRuns) {
  HttpLimits limits;
  limits.requests_per_peer_max = 1;
  Proxied proxied(limits);
  RawConnection leaving(proxied.port());
  leaving.send(Proxied::request_for("192.0.2.7", "/stubborn"));
  while (proxied.waiting() < 1) std::this_thread::yield();
  leaving.close_now();
  while (proxied.stopped() < 1) std::this_thread::yield();  // the server knows, and the work does not heed it
  RawConnection connection(proxied.port());
  connection.send(Proxied::request_for("192.0.2.7", "/quick"));
  EXPECT_EQ(connection.reply()->status, 429);
  proxied.open();
  for (;;) {
    connection.send(Proxied::request_for("192.0.2.7", "/quick"));
    if (connection.reply()->status == 200) break;
  }
}

TEST(PeerBehindAProxy, HasItsShareOfStreamsAndNoMore) {
  HttpLimits limits;
  limits.streams_per_peer_max = 2;
  limits.requests_per_peer_max = 1;  // an open stream is no request in flight
  Proxied proxied(limits);
  std::vector<RawConnection> open;
  for (int i = 0; i < 2; ++i) {
    open.emplace_back(proxied.port());
    open.back().send(Proxied::request_for("192.0.2.7", "/events"));
    ASSERT_TRUE(open.back().read_until(": open"));
  }
  RawConnection third(proxied.port());
  third.send(Proxied::request_for("192.0.2.7", "/events"));
  const auto refusal = third.reply();
  EXPECT_EQ(refusal->status, 429);
  EXPECT_NE(refusal->head.find("Retry-After: 1"), std::string::npos);
  EXPECT_EQ(proxied.gone(), 1);  // its writer knows
  third.send(Proxied::request_for("192.0.2.7", "/quick"));
  EXPECT_EQ(third.reply()->status, 200);
  open[0].close_now();
  while (proxied.gone() < 2) std::this_thread::yield();
  for (;;) {
    RawConnection another(proxied.port());
    another.send(Proxied::request_for("192.0.2.7", "/events"));
    if (another.read_until(": open")) break;
  }
  RawConnection other(proxied.port());
  other.send(Proxied::request_for("192.0.2.9", "/events"));
  EXPECT_TRUE(other.read_until(": open"));
}

TEST(PeerBehindAProxy, IsNotCountedByItsConnections) {
  HttpLimits limits;
  limits.connections_per_peer_max = 1;
  Proxied proxied(limits);
  std::vector<RawConnection> connections;
  for (int i = 0; i < 5; ++i) {
    connections.emplace_back(proxied.port());
    connections.back().send(Proxied::request_for("192.0.2.7", "/quick"));
    EXPECT_EQ(connections.back().reply()->status, 200);
  }
}

// An address of this machine that is no loopback address, or 0.
in_addr_t own_address() {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return 0;
  in_addr_t found = 0;
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || each->ifa_addr->sa_family != AF_INET) continue;
    const in_addr_t address = reinterpret_cast<const sockaddr_in*>(each->ifa_addr)->sin_addr.s_addr;
    if ((ntohl(address) >> 24) != 127) found = address;
  }
  freeifaddrs(all);
  return found;
}

TEST(PeerByItself, HasItsShareOfConnectionsAndNoMore) {
  const in_addr_t own = own_address();
  if (own == 0) GTEST_SKIP() << "needs an address that is not loopback";
  Routes routes;
  routes.add("GET", "/quick", [](const HttpRequest& request) { return text_response(200, request.peer_address); });
  HttpLimits limits;
  limits.connections_per_peer_max = 2;
  Served served(std::move(routes), limits);
  const std::string quick = "GET /quick HTTP/1.1\r\nHost: x\r\n\r\n";
  std::vector<RawConnection> connections;
  for (int i = 0; i < 2; ++i) {
    connections.emplace_back(served.port(), 0, own);
    connections.back().send(quick);
    const auto reply = connections.back().reply();
    ASSERT_TRUE(reply);
    EXPECT_NE(reply->body, "127.0.0.1");
  }
  RawConnection third(served.port(), 0, own);
  const std::string refusal = third.read_to_end();
  EXPECT_EQ(statuses_in(refusal), std::vector<int>{429});
  EXPECT_NE(refusal.find("Retry-After: 1\r\n"), std::string::npos);
  std::vector<RawConnection> local;
  for (int i = 0; i < 4; ++i) {  // loopback is everybody here: not counted
    local.emplace_back(served.port());
    local.back().send(quick);
    EXPECT_EQ(local.back().reply()->status, 200);
  }
  connections[0].close_now();
  for (;;) {
    RawConnection another(served.port(), 0, own);
    another.send(quick);
    const auto reply = another.reply();
    if (reply && reply->status == 200) break;
  }
}

}  // namespace
}  // namespace postern
