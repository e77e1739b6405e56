// TLS: which certificates the client trusts, and a handshake that never ends.
#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <signal.h>

#include <cstdio>
#include <memory>

#include "tests/support/refused.h"
#include "tests/unit/transport_client/client_world.h"
#include "tests/unit/transport_client/raw_server.h"

namespace postern {
namespace {

using test::RawConnection;
using test::RawServer;

// A self-signed P-256 certificate, made for the test.
class Certificate {
 public:
  Certificate(const char* common_name, const char* alternative_names, long valid_s = 3600)
      : key_(EVP_EC_gen("P-256")), certificate_(X509_new()) {
    ASN1_INTEGER_set(X509_get_serialNumber(certificate_), 1);
    X509_set_version(certificate_, 2);
    X509_gmtime_adj(X509_getm_notBefore(certificate_), -3600);
    X509_gmtime_adj(X509_getm_notAfter(certificate_), valid_s);
    X509_set_pubkey(certificate_, key_);
    X509_NAME* const name = X509_get_subject_name(certificate_);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(common_name), -1, -1,
                               0);
    X509_set_issuer_name(certificate_, name);
    add(NID_basic_constraints, "critical,CA:TRUE");
    if (alternative_names != nullptr) add(NID_subject_alt_name, alternative_names);
    X509_sign(certificate_, key_, EVP_sha256());
  }
  ~Certificate() {
    X509_free(certificate_);
    EVP_PKEY_free(key_);
  }
  Certificate(const Certificate&) = delete;
  Certificate& operator=(const Certificate&) = delete;

  void write(const std::string& path) const {
    FILE* const file = std::fopen(path.c_str(), "w");
    ASSERT_NE(file, nullptr);
    PEM_write_X509(file, certificate_);
    std::fclose(file);
  }
  [[nodiscard]] SSL_CTX* context() const {
    SSL_CTX* const context = SSL_CTX_new(TLS_server_method());
    SSL_CTX_use_certificate(context, certificate_);
    SSL_CTX_use_PrivateKey(context, key_);
    return context;
  }

 private:
  void add(int nid, const char* value) {
    X509V3_CTX context;
    X509V3_set_ctx(&context, certificate_, certificate_, nullptr, nullptr, 0);
    X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, nid, value);
    ASSERT_NE(extension, nullptr);
    X509_add_ext(certificate_, extension, -1);
    X509_EXTENSION_free(extension);
  }
  EVP_PKEY* key_;
  X509* certificate_;
};

// Serves `replies` on each connection, one a request, then closes; says so first or not.
RawServer::Serve tls(const Certificate& certificate, std::vector<std::string> replies, std::atomic<int>* requests,
                     bool says_goodbye = true) {
  const std::shared_ptr<SSL_CTX> context(certificate.context(), SSL_CTX_free);
  return [context, replies = std::move(replies), requests, says_goodbye](RawConnection& connection) {
    const std::unique_ptr<SSL, decltype(&SSL_free)> ssl(SSL_new(context.get()), SSL_free);
    SSL_set_fd(ssl.get(), connection.descriptor());
    if (SSL_accept(ssl.get()) != 1) return;
    for (const std::string& reply : replies) {
      char bytes[16384];
      if (SSL_read(ssl.get(), bytes, sizeof bytes) <= 0) return;
      ++*requests;
      SSL_write(ssl.get(), reply.data(), static_cast<int>(reply.size()));
    }
    if (says_goodbye) SSL_shutdown(ssl.get());
  };
}

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
  ::unlink(options.ca_file.c_str());
  EXPECT_TRUE(test::refused(client()->send(server.uri("/", "https"), post(), soon()), "transport.tls_failed"));
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
