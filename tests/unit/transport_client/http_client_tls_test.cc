// TLS: which certificates the client trusts, and a handshake that never ends.
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
using test::tls;

class HttpClientOverTls : public testing::Test, protected test::ClientWorld {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    char path[] = "/tmp/postern-tls-test-XXXXXX";
    const int descriptor = ::mkstemp(path);
    ASSERT_GE(descriptor, 0);
    ::close(descriptor);
    options.ca_file = path;
  }
  void TearDown() override { ::unlink(options.ca_file.c_str()); }

  // Sends one request to `host` at a server that shows the certificate, which is itself trusted.
  Result<HttpResponse> ask(const Certificate& certificate, const std::string& host) {
    certificate.write(options.ca_file);
    RawServer server(tls(certificate, {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"}, &requests_));
    return client()->send(server.uri("/", "https", host), post(), soon());
  }

  std::atomic<int> requests_{0};
};

TEST_F(HttpClientOverTls, TrustsTheAlternativeNames) {
  EXPECT_TRUE(test::succeeded(ask(Certificate("x", "IP:127.0.0.1"), "127.0.0.1")));
  EXPECT_TRUE(test::succeeded(ask(Certificate("x", "DNS:localhost"), "localhost")));
  EXPECT_EQ(requests_, 2);
}

TEST_F(HttpClientOverTls, RefusesOtherNamesAndSendsNothing) {
  EXPECT_TRUE(test::refused(ask(Certificate("localhost", "DNS:other.example"), "localhost"), "transport.tls_failed"));
  EXPECT_TRUE(test::refused(ask(Certificate("localhost", nullptr), "localhost"), "transport.tls_failed"));
  EXPECT_TRUE(test::refused(ask(Certificate("127.0.0.1", "IP:127.0.0.2"), "127.0.0.1"), "transport.tls_failed"));
  EXPECT_TRUE(test::refused(ask(Certificate("x", "DNS:127.0.0.1"), "127.0.0.1"), "transport.tls_failed"));
  EXPECT_TRUE(test::refused(ask(Certificate("x", "DNS:local*"), "localhost"), "transport.tls_failed"));
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpClientOverTls, RefusesACertificateThatIsOver) {
  const auto response = ask(Certificate("x", "IP:127.0.0.1", -60), "127.0.0.1");
  EXPECT_TRUE(test::refused(response, "transport.tls_failed"));
  EXPECT_NE(response.error().text().find("expired"), std::string::npos) << response.error().text();
}

TEST_F(HttpClientOverTls, RefusesAnIssuerThatIsNotTrusted) {
  const Certificate trusted("x", "IP:127.0.0.1");
  trusted.write(options.ca_file);
  const Certificate shown("x", "IP:127.0.0.1");
  RawServer server(tls(shown, {"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"}, &requests_));
  EXPECT_TRUE(test::refused(client()->send(server.uri("/", "https"), post(), soon()), "transport.tls_failed"));
  options.ca_file.clear();  // the system's roots do not know it either
  EXPECT_TRUE(test::refused(client()->send(server.uri("/", "https"), post(), soon()), "transport.tls_failed"));
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpClientOverTls, RefusesAServerWithoutTls) {
  RawServer server([](RawConnection& connection) { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"); });
  EXPECT_TRUE(test::refused(client()->send(server.uri("/", "https"), post(), soon()), "transport.tls_failed"));
}

TEST_F(HttpClientOverTls, RefusesAFileOfRootsThatIsNotThere) {
  const Certificate certificate("x", "IP:127.0.0.1");
  RawServer server(tls(certificate, {}, &requests_));
  const auto ask = [&] { return client()->send(server.uri("/", "https"), post(), soon()); };
  const auto says_which = [&](const Result<HttpResponse>& response) {
    return test::refused(response, "transport.tls_failed") &&
           response.error().text().find("trust, " + options.ca_file + ", cannot be read") != std::string::npos;
  };
  EXPECT_TRUE(says_which(ask()));  // it is empty
  ::unlink(options.ca_file.c_str());
  EXPECT_TRUE(says_which(ask()));  // it is not there
  EXPECT_EQ(requests_, 0);
}

TEST_F(HttpClientOverTls, KeepsAConnection) {
  const Certificate certificate("x", "IP:127.0.0.1");
  certificate.write(options.ca_file);
  const std::string reply = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  RawServer server(tls(certificate, {reply, reply, reply}, &requests_));
  const auto http = client();
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(test::succeeded(http->send(server.uri("/", "https"), post(), soon())));
  EXPECT_EQ(requests_, 2);
  EXPECT_EQ(server.connections(), 1);
}

TEST_F(HttpClientOverTls, RefusesABodyThatSomebodyCutOff) {
  const Certificate certificate("x", "IP:127.0.0.1");
  certificate.write(options.ca_file);
  RawServer cut(tls(certificate, {"HTTP/1.1 200 OK\r\n\r\nuntil close"}, &requests_, false));
  EXPECT_TRUE(test::refused(client()->send(cut.uri("/", "https"), post(), soon()), "transport.closed"));
  RawServer whole(tls(certificate, {"HTTP/1.1 200 OK\r\n\r\nuntil close"}, &requests_, true));
  const auto response = client()->send(whole.uri("/", "https"), post(), soon());
  ASSERT_TRUE(test::succeeded(response));
  EXPECT_EQ(response->body, "until close");
}

TEST_F(HttpClientOverTls, RefusesAHandshakeThatNeverEnds) {
  Certificate("x", "IP:127.0.0.1").write(options.ca_file);
  // The head of a handshake record of 16 KB, then a byte now and then.
  RawServer dripping([](RawConnection& connection) {
    connection.write(std::string("\x16\x03\x03\x3f\xff", 5));
    pollfd gone{connection.descriptor(), 0, 0};
    while (::poll(&gone, 1, 2) == 0 && connection.write("x")) {
    }
  });
  EXPECT_TRUE(test::refused(client()->send(dripping.uri("/", "https"), post(), in(150)), "transport.timed_out"));
  RawServer silent([](RawConnection& connection) { connection.wait_for_close(); });
  EXPECT_TRUE(test::refused(client()->send(silent.uri("/", "https"), post(), in(150)), "transport.timed_out"));
  std::stop_source stop;
  RawServer stopped([&stop](RawConnection& connection) {
    stop.request_stop();
    connection.wait_for_close();
  });
  EXPECT_TRUE(test::refused(client()->send(stopped.uri("/", "https"), post(), soon(), stop.get_token()),
                            "transport.cancelled"));
}

}  // namespace
}  // namespace postern
