// Ed25519 (RFC 8032) signing. Deterministic: the same key and message give the same signature.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/ed25519.h"
#include "wire/base/secret.h"

namespace postern {

class Ed25519Signer;
struct SigningSeedTag {
  using RevealedBy = Reveals<Ed25519Signer>;
};
// 32 raw bytes.
using SigningSeed = Secret<SigningSeedTag>;

// Holds the private key. Thread-safe: signing does not change it.
class Ed25519Signer {
 public:
  // Nothing unless the seed has exactly 32 bytes.
  [[nodiscard]] static std::optional<Ed25519Signer> of_seed(const SigningSeed& seed);
  [[nodiscard]] std::string sign(std::string_view message) const;  // 64 raw bytes
  [[nodiscard]] Ed25519PublicKey public_key() const;

 private:
  explicit Ed25519Signer(std::shared_ptr<void> key) : key_(std::move(key)) {}
  std::shared_ptr<void> key_;  // an EVP_PKEY
};

}  // namespace postern
