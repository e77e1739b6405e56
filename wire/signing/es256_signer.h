// ES256 signing (RFC 7518 section 3.4) with a P-256 key that is made here and never leaves.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/json.h"

namespace postern {

// Holds the private key. Thread-safe: signing does not change it.
class Es256Signer {
 public:
  // A fresh key, from OpenSSL's generator.
  [[nodiscard]] static Es256Signer generate();
  // R and S, 32 bytes each, padded; never DER.
  [[nodiscard]] std::string sign(std::string_view message) const;
  // A compact JWS (RFC 7515). `header` must say alg ES256 and kid; both are written as they are given.
  [[nodiscard]] std::string compact_jws(const Json& header, const Json& payload) const;
  // kty, crv, x, y of the public key, with use "sig" and alg "ES256".
  [[nodiscard]] Json public_jwk(std::string_view kid) const;

 private:
  explicit Es256Signer(std::shared_ptr<void> key) : key_(std::move(key)) {}
  std::shared_ptr<void> key_;  // an EVP_PKEY
};

}  // namespace postern
