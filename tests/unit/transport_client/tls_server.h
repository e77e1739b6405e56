// Certificates that are made for a test, and a server that shows one.
#pragma once

#include <gtest/gtest.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tests/unit/transport_client/raw_server.h"

namespace postern::test {

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
inline RawServer::Serve tls(const Certificate& certificate, std::vector<std::string> replies,
                            std::atomic<int>* requests, bool says_goodbye = true) {
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

}  // namespace postern::test
