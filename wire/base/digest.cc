#include "wire/base/digest.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/kdf.h>
#include <openssl/params.h>

#include <memory>

#include "wire/base/bytes.h"
#include "wire/base/check.h"

namespace postern {
namespace {

// Fetched once: an implicit fetch costs more than hashing a token does.
const EVP_MD* sha256_method() {
  static const EVP_MD* const method = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return method;
}

unsigned char* raw(std::string& bytes) {
  return reinterpret_cast<unsigned char*>(bytes.data());
}

}  // namespace

std::string sha256(std::string_view bytes) {
  std::string out(32, '\0');
  unsigned int size = 0;
  POSTERN_CHECK(EVP_Digest(bytes.data(), bytes.size(), raw(out), &size, sha256_method(), nullptr) == 1 && size == 32);
  return out;
}

std::string sha256_hex(std::string_view bytes) {
  return hex(sha256(bytes));
}

std::string hmac_sha256(std::string_view key, std::string_view bytes) {
  std::string out(32, '\0');
  unsigned int size = 0;
  POSTERN_CHECK(HMAC(sha256_method(), key.data(), static_cast<int>(key.size()),
                     reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), raw(out), &size) != nullptr);
  return out;
}

std::string hkdf_sha256(std::string_view key, std::string_view salt, std::string_view info, std::size_t length) {
  const std::unique_ptr<EVP_KDF, decltype(&EVP_KDF_free)> kdf(EVP_KDF_fetch(nullptr, "HKDF", nullptr), EVP_KDF_free);
  POSTERN_CHECK(kdf != nullptr);
  const std::unique_ptr<EVP_KDF_CTX, decltype(&EVP_KDF_CTX_free)> context(EVP_KDF_CTX_new(kdf.get()), EVP_KDF_CTX_free);
  POSTERN_CHECK(context != nullptr);
  char digest_name[] = "SHA256";
  auto octets = [](const char* name, std::string_view value) {
    return OSSL_PARAM_construct_octet_string(name, const_cast<char*>(value.data()), value.size());
  };
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST, digest_name, 0),
                                   octets(OSSL_KDF_PARAM_KEY, key), octets(OSSL_KDF_PARAM_SALT, salt),
                                   octets(OSSL_KDF_PARAM_INFO, info), OSSL_PARAM_construct_end()};
  std::string out(length, '\0');
  POSTERN_CHECK(EVP_KDF_derive(context.get(), raw(out), out.size(), parameters) == 1);
  return out;
}

}  // namespace postern
