#include "wire/signing/es256_signer.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/evp.h>

#include "wire/base/bytes.h"
#include "wire/base/check.h"

namespace postern {
namespace {

constexpr int kCoordinateBytes = 32;

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

Json Es256Signer::public_jwk(std::string_view kid) const {
  auto* key = static_cast<EVP_PKEY*>(key_.get());
  return Json::object({{"kty", "EC"},
                       {"crv", "P-256"},
                       {"x", base64url(coordinate(key, OSSL_PKEY_PARAM_EC_PUB_X))},
                       {"y", base64url(coordinate(key, OSSL_PKEY_PARAM_EC_PUB_Y))},
                       {"use", "sig"},
                       {"alg", "ES256"},
                       {"kid", kid}});
}

}  // namespace postern
