#include "wire/signing/es256_signer.h"

#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/pem.h>

#include <algorithm>

#include "wire/base/bytes.h"
#include "wire/base/check.h"

namespace postern {
namespace {

constexpr int kCoordinateBytes = 32;
constexpr std::size_t kPemBytesMax = 64 * 1024;

const unsigned char* raw(std::string_view bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}
unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

// Big endian, padded to 32 bytes: a number with a leading zero byte keeps it.
std::string padded(const BIGNUM* number) {
  std::string bytes(kCoordinateBytes, '\0');
  POSTERN_CHECK(BN_bn2binpad(number, raw(bytes), kCoordinateBytes) == kCoordinateBytes);
  return bytes;
}

std::string coordinate(EVP_PKEY* key, const char* name) {
  BIGNUM* number = nullptr;
  POSTERN_CHECK(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  const std::unique_ptr<BIGNUM, decltype(&BN_free)> owner(number, BN_free);
  return padded(number);
}

}  // namespace

Es256Signer Es256Signer::generate() {
  std::shared_ptr<void> key(EVP_EC_gen("P-256"), [](void* p) { EVP_PKEY_free(static_cast<EVP_PKEY*>(p)); });
  POSTERN_CHECK(key != nullptr);
  return Es256Signer(std::move(key));
}

Result<Es256Signer> Es256Signer::of_pem(const PrivateKeyPem& pem) {
  const std::string_view text = pem.reveal(Passkey<Es256Signer>{});
  if (text.size() > kPemBytesMax) return UnusableKey{"the file is too long for one key"};
  constexpr std::string_view kEnd = "PRIVATE KEY-----";
  std::size_t begins = 0;
  for (std::size_t at = text.find("-----BEGIN "); at != std::string_view::npos; at = text.find("-----BEGIN ", at + 1)) {
    const std::string_view label = text.substr(at, std::min(text.find('\n', at), text.size()) - at);
    if (label.find("ENCRYPTED") != std::string_view::npos) return UnusableKey{"it is encrypted with a passphrase"};
    if (label.find(kEnd) != std::string_view::npos) ++begins;
  }
  if (begins == 0) return UnusableKey{"the file holds no private key in PEM"};
  if (begins > 1) return UnusableKey{"the file holds more than one private key"};
  const std::unique_ptr<BIO, decltype(&BIO_free)> source(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())),
                                                         BIO_free);
  POSTERN_CHECK(source != nullptr);
  // A key that is encrypted after all must not make OpenSSL ask at the terminal.
  const auto no_passphrase = [](char*, int, int, void*) { return 0; };
  std::shared_ptr<void> key(PEM_read_bio_PrivateKey(source.get(), nullptr, no_passphrase, nullptr),
                            [](void* p) { EVP_PKEY_free(static_cast<EVP_PKEY*>(p)); });
  ERR_clear_error();
  if (key == nullptr) return UnusableKey{"its text is damaged or encrypted"};
  auto* evp = static_cast<EVP_PKEY*>(key.get());
  if (EVP_PKEY_get_base_id(evp) != EVP_PKEY_EC) return UnusableKey{"it is of another kind than an elliptic curve's"};
  char group[32] = {};
  if (EVP_PKEY_get_utf8_string_param(evp, OSSL_PKEY_PARAM_GROUP_NAME, group, sizeof group, nullptr) != 1 ||
      std::string_view(group) != SN_X9_62_prime256v1) {
    ERR_clear_error();
    return UnusableKey{"it is on another curve than P-256"};
  }
  const std::unique_ptr<EVP_PKEY_CTX, decltype(&EVP_PKEY_CTX_free)> check(EVP_PKEY_CTX_new(evp, nullptr),
                                                                          EVP_PKEY_CTX_free);
  const bool consistent = check != nullptr && EVP_PKEY_check(check.get()) == 1;
  ERR_clear_error();
  if (!consistent) return UnusableKey{"its private and its public half do not belong together"};
  return Es256Signer(std::move(key));
}

std::string Es256Signer::sign(std::string_view message) const {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  POSTERN_CHECK(context != nullptr);
  auto* key = static_cast<EVP_PKEY*>(key_.get());
  POSTERN_CHECK(EVP_DigestSignInit(context.get(), nullptr, EVP_sha256(), nullptr, key) == 1);
  std::size_t size = 0;
  POSTERN_CHECK(EVP_DigestSign(context.get(), nullptr, &size, raw(message), message.size()) == 1);
  std::string der(size, '\0');
  POSTERN_CHECK(EVP_DigestSign(context.get(), raw(der), &size, raw(message), message.size()) == 1);
  const unsigned char* in = raw(std::string_view(der));
  const std::unique_ptr<ECDSA_SIG, decltype(&ECDSA_SIG_free)> pair(d2i_ECDSA_SIG(nullptr, &in, static_cast<long>(size)),
                                                                   ECDSA_SIG_free);
  POSTERN_CHECK(pair != nullptr);
  return padded(ECDSA_SIG_get0_r(pair.get())) + padded(ECDSA_SIG_get0_s(pair.get()));
}

std::string Es256Signer::compact_jws(const Json& header, const Json& payload) const {
  const std::string text = base64url(header.dump()) + "." + base64url(payload.dump());
  return text + "." + base64url(sign(text));
}

Json Es256Signer::public_point() const {
  auto* key = static_cast<EVP_PKEY*>(key_.get());
  return Json::object({{"kty", "EC"},
                       {"crv", "P-256"},
                       {"x", base64url(coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X))},
                       {"y", base64url(coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y))}});
}

Json Es256Signer::public_jwk(std::string_view kid) const {
  Json jwk = public_point();
  jwk.set("use", "sig").set("alg", "ES256").set("kid", kid);
  return jwk;
}

std::string UnusableKey::text() const {
  return "The private key cannot be used: " + reason +
         ". A P-256 key in PEM is wanted, as \"openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256\" makes "
         "it.";
}

}  // namespace postern
