// ES256 signing (RFC 7518 section 3.4) with a P-256 key that is made or read here and never leaves.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"

namespace postern {

class Es256Signer;
// The text of a private key file. Opened to be parsed.
struct PrivateKeyPemTag {
  using RevealedBy = Reveals<Es256Signer>;
};
using PrivateKeyPem = Secret<PrivateKeyPemTag>;

// Holds the private key. Thread-safe: signing does not change it.
class Es256Signer {
 public:
  // A fresh key, from OpenSSL's generator.
  [[nodiscard]] static Es256Signer generate();
  // One private key in PEM, PKCS#8 or SEC 1 ("BEGIN PRIVATE KEY", "BEGIN EC PRIVATE KEY"), not encrypted, on P-256:
  // key.unusable otherwise. Text around it is left out of account, a second key is not.
  [[nodiscard]] static Result<Es256Signer> of_pem(const PrivateKeyPem& pem);
  // R and S, 32 bytes each, padded; never DER.
  [[nodiscard]] std::string sign(std::string_view message) const;
  // A compact JWS (RFC 7515). `header` must say alg ES256; both are written as they are given.
  [[nodiscard]] std::string compact_jws(const Json& header, const Json& payload) const;
  // kty, crv, x, y of the public key, with use "sig" and alg "ES256".
  [[nodiscard]] Json public_jwk(std::string_view kid) const;
  // kty, crv, x, y alone: what a proof of possession shows (RFC 9449 section 4.2).
  [[nodiscard]] Json public_point() const;

 private:
  explicit Es256Signer(std::shared_ptr<void> key) : key_(std::move(key)) {}
  std::shared_ptr<void> key_;  // an EVP_PKEY
};

struct UnusableKey {
  static constexpr std::string_view kId = "key.unusable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;  // never a byte of the key
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
