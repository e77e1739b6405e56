// Through a proxy: tunnels with TLS verified from end to end, what the proxy is told, and what it is never told. And
// guards: addresses that are held against a stranger's word.
#include <gtest/gtest.h>
#include <signal.h>

#include "tests/support/refused.h"
#include "tests/unit/transport_client/client_world.h"
#include "tests/unit/transport_client/raw_server.h"
#include "tests/unit/transport_client/tls_server.h"

namespace postern {
namespace {

using test::Certificate;
using test::RawConnection;
using test::RawServer;

constexpr std::string_view kReply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";

// A proxy that opens its tunnels to one server whatever name it is asked for, and remembers what it was told.
class ProxyDouble {
 public:
  explicit ProxyDouble(RawServer::Serve behind, std::string answer = "HTTP/1.1 200 Connection established\r\n\r\n")
      : server_([this, behind = std::move(behind), answer = std::move(answer)](RawConnection& connection) {
          std::string request = connection.read_request();
          {
            const std::lock_guard<std::mutex> lock(mutex_);
            asked_.push_back(std::move(request));
          }
          if (connection.write(answer) && answer.find(" 200 ") != std::string::npos) behind(connection);
        }) {}
  [[nodiscard]] std::string address() const { return server_.uri().authority(); }
  [[nodiscard]] std::vector<std::string> asked() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return asked_;
  }
  [[nodiscard]] int connections() const { return server_.connections(); }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> asked_;
  RawServer server_;
};

class HttpClientThroughAProxy : public testing::Test, protected test::ClientWorld {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    char path[] = "/tmp/postern-proxy-test-XXXXXX";
    const int descriptor = ::mkstemp(path);
    ASSERT_GE(descriptor, 0);
    ::close(descriptor);
    options.ca_file = path;
    certificate_.write(path);
  }
  void TearDown() override { ::unlink(options.ca_file.c_str()); }
  void use(const std::string& proxy, std::map<std::string, std::string, std::less<>> more = {}) {
    more["https_proxy"] = "http://" + proxy;
    more["http_proxy"] = "http://" + proxy;
    options.proxy = *proxy_settings_of(more);
  }
  [[nodiscard]] RawServer::Serve secure_server(int replies = 1) {
    return test::tls(certificate_, std::vector<std::string>(static_cast<std::size_t>(replies), std::string(kReply)),
                     &requests_);
  }

  const Uri uri_ = *parse_uri("https://mcp.example:8443/mcp");
  Certificate certificate_{"x", "DNS:mcp.example"};
  std::atomic<int> requests_{0};
};

TEST_F(HttpClientThroughAProxy, OpensATunnelAndVerifiesTlsThroughIt) {
  ProxyDouble proxy(secure_server(2));
  use(proxy.address());
  const auto http = client();
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(test::succeeded(http->send(uri_, post(), soon())));
  EXPECT_EQ(proxy.asked(),
            std::vector<std::string>{"CONNECT mcp.example:8443 HTTP/1.1\r\nHost: mcp.example:8443\r\n\r\n"});
  EXPECT_EQ(requests_, 2);
  // A proxy that opens the tunnel to somebody else gets nothing.
  const Uri other = *parse_uri("https://other.example:8443/mcp");
  EXPECT_TRUE(test::refused(http->send(other, post(), soon()), "transport.tls_failed"));
  EXPECT_EQ(requests_, 2);
}

TEST_F(HttpClientThroughAProxy, GivesTheProxyItsCredentialAndNobodyElse) {
  ProxyDouble proxy(secure_server());
  use("rowan:pass%20word@" + proxy.address());
  ASSERT_TRUE(test::succeeded(client()->send(uri_, post(), soon())));
  ASSERT_EQ(proxy.asked().size(), 1U);
  EXPECT_NE(proxy.asked()[0].find("\r\nProxy-Authorization: Basic cm93YW46cGFzcyB3b3Jk\r\n"), std::string::npos);
  EXPECT_EQ(proxy.asked()[0].find("secret-token"), std::string::npos);
  for (const auto& record : tap.records()) {
    EXPECT_EQ(record.bytes.find("Proxy-Authorization"), std::string::npos);
    EXPECT_EQ(record.bytes.find("cm93YW46"), std::string::npos);
  }
}

TEST_F(HttpClientThroughAProxy, AsksForHttpByTheWholeUrl) {
  std::string seen;
  RawServer proxy([&seen](RawConnection& connection) {
    seen = connection.read_request();
    connection.write(kReply);
  });
  use("rowan:p@" + proxy.uri().authority());
  ASSERT_TRUE(test::succeeded(client()->send(*parse_uri("http://mcp.example/a?b=c"), get(), soon())));
  EXPECT_EQ(seen,
            "GET http://mcp.example/a?b=c HTTP/1.1\r\nProxy-Authorization: Basic cm93YW46cA==\r\nHost: "
            "mcp.example\r\n\r\n");
  EXPECT_EQ(tap.records()[0].bytes, "GET /a?b=c HTTP/1.1\r\nHost: mcp.example\r\n\r\n");
}

TEST_F(HttpClientThroughAProxy, GoesStraightToWhatIsExempt) {
  ProxyDouble proxy(secure_server());
  use(proxy.address(), {{"no_proxy", "mcp.example"}});
  options.resolve = [](const std::string&) { return Result<std::vector<std::string>>({"127.0.0.1"}); };
  RawServer direct(secure_server());
  const auto response = client()->send(direct.uri("/", "https", "mcp.example"), post(), soon());
  EXPECT_TRUE(test::succeeded(response));
  EXPECT_EQ(proxy.connections(), 0);
}

TEST_F(HttpClientThroughAProxy, SaysWhatTheProxyDid) {
  const std::pair<const char*, const char*> rows[] = {
      {"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n", "it answered with status 403"},
      {"HTTP/1.1 407 Proxy Authentication Required\r\n\r\n", "it wants a name and a password (407)"},
      {"HTTP/1.1 302 Found\r\nLocation: https://evil.example/\r\n\r\n", "it answered with status 302"},
      {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "its answer is not HTTP/1.1"},
      {"", "it closed the connection"},
  };
  for (const auto& [answer, reason] : rows) {
    ProxyDouble proxy(secure_server(), answer);
    use(proxy.address());
    const auto response = client()->send(uri_, post(), soon());
    ASSERT_TRUE(test::refused(response, "transport.proxy_failed")) << answer;
    EXPECT_NE(response.error().text().find(reason), std::string::npos) << response.error().text();
    EXPECT_NE(response.error().text().find(proxy.address()), std::string::npos);
    EXPECT_NE(response.error().text().find("https://mcp.example:8443"), std::string::npos);
  }
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpClientThroughAProxy, SaysThatTheProxyIsNotThere) {
  std::string nowhere;
  {
    RawServer gone([](RawConnection&) {});
    nowhere = gone.uri().authority();
  }
  use("rowan:hidden-word@" + nowhere);
  const auto response = client()->send(uri_, post(), soon());
  ASSERT_TRUE(test::refused(response, "transport.proxy_failed"));
  EXPECT_EQ(response.error().text(), "The proxy " + nowhere +
                                         " opened no way to https://mcp.example:8443: connection refused. Nothing was "
                                         "sent.");
}

TEST_F(HttpClientThroughAProxy, WaitsForItNoLongerThanForAnybody) {
  RawServer dripping([](RawConnection& connection) {
    connection.write("HTTP/1.1 200 OK\r\nX: ");
    pollfd gone{connection.descriptor(), 0, 0};
    while (::poll(&gone, 1, 2) == 0 && connection.write("x")) {
    }
  });
  use(dripping.uri().authority());
  EXPECT_TRUE(test::refused(client()->send(uri_, post(), in(150)), "transport.timed_out"));
  std::stop_source stop;
  RawServer stopped([&stop](RawConnection& connection) {
    connection.read_request();
    stop.request_stop();
    connection.wait_for_close();
  });
  use(stopped.uri().authority());
  EXPECT_TRUE(test::refused(client()->send(uri_, post(), soon(), stop.get_token()), "transport.cancelled"));
}

TEST_F(HttpClientThroughAProxy, FetchesAtAStrangersWordOnlyWhereAPersonStandsIn) {
  ProxyDouble proxy(secure_server());
  SendGuard guard;
  guard.admits_address = [](std::string_view, std::string_view) { return true; };
  use(proxy.address());
  const auto refusal = client()->send_guarded(uri_, get(), guard, soon());
  ASSERT_TRUE(test::refused(refusal, "transport.address_refused"));
  EXPECT_NE(refusal.error().text().find("the proxy would look up its address"), std::string::npos);
  EXPECT_EQ(proxy.connections(), 0);
  guard.admits_unresolved = [](std::string_view host) { return host == "mcp.example"; };
  EXPECT_TRUE(test::succeeded(client()->send_guarded(uri_, get(), guard, soon())));
  use(proxy.address(), {{"POSTERN_PROXY_CHECKS_ADDRESSES", "1"}});
  guard.admits_unresolved = nullptr;
  EXPECT_TRUE(test::succeeded(client()->send_guarded(uri_, get(), guard, soon())));
}

class GuardedHttpClient : public testing::Test, protected test::ClientWorld {
 protected:
  void SetUp() override {
    guard.admits_address = [](std::string_view, std::string_view address) { return address == "127.0.0.1"; };
  }
  // The first lookup of a name tells one address, each later one another: rebinding.
  void rebind(std::vector<std::string> first, std::vector<std::string> later) {
    options.resolve = [this, first = std::move(first), later = std::move(later)](const std::string&) {
      return Result<std::vector<std::string>>(lookups_++ == 0 ? first : later);
    };
  }
  SendGuard guard;
  int lookups_ = 0;
};

RawServer::Serve replies_always() {
  return [](RawConnection& connection) {
    while (!connection.read_request().empty() && connection.write(kReply)) {
    }
  };
}

TEST_F(GuardedHttpClient, ConnectsToTheAddressThatWasChecked) {
  RawServer server(replies_always());
  rebind({"127.0.0.1"}, {"127.0.0.2"});
  const Uri uri = server.uri("/", "http", "rebound.example");
  const auto http = client();
  EXPECT_TRUE(test::succeeded(http->send_guarded(uri, get(), guard, soon())));
  EXPECT_EQ(lookups_, 1);  // what was checked is what was connected to
  options.keep_alive = false;
  const auto again = client()->send_guarded(uri, get(), guard, soon());
  ASSERT_TRUE(test::refused(again, "transport.address_refused"));
  EXPECT_NE(again.error().text().find("127.0.0.2"), std::string::npos);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(GuardedHttpClient, RefusesANameThatLeadsToTwoNetworks) {
  RawServer server(replies_always());
  rebind({"127.0.0.1", "10.0.0.1"}, {"127.0.0.1"});
  const Uri uri = server.uri("/", "http", "two.example");
  EXPECT_TRUE(test::refused(client()->send_guarded(uri, get(), guard, soon()), "transport.address_refused"));
  EXPECT_EQ(server.connections(), 0);
  EXPECT_TRUE(test::succeeded(client()->send_guarded(uri, get(), guard, soon())));
}

TEST_F(GuardedHttpClient, HoldsAKeptConnectionAgainstItsGuardToo) {
  RawServer server(replies_always());
  const auto http = client();
  ASSERT_TRUE(test::succeeded(http->send(server.uri(), get(), soon())));
  guard.admits_address = [](std::string_view, std::string_view) { return false; };
  EXPECT_TRUE(test::refused(http->send_guarded(server.uri(), get(), guard, soon()), "transport.address_refused"));
  EXPECT_TRUE(test::succeeded(http->send(server.uri(), get(), soon())));
}

TEST_F(GuardedHttpClient, ReadsNoMoreThanTheGuardAllows) {
  RawServer server([](RawConnection& connection) {
    while (!connection.read_request().empty() &&
           connection.write("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n" + std::string(100, 'x'))) {
    }
  });
  guard.response_bytes_max = 99;
  EXPECT_TRUE(
      test::refused(client()->send_guarded(server.uri(), get(), guard, soon()), "transport.response_over_bound"));
  guard.response_bytes_max = 100;
  EXPECT_TRUE(test::succeeded(client()->send_guarded(server.uri(), get(), guard, soon())));
}

}  // namespace
}  // namespace postern
