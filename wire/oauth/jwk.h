// Public keys as JSON Web Keys (RFC 7517, RFC 7518 section 6.2): P-256 only.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern {

// A P-256 public key, parsed once (parsing costs seven times what verifying does). Immutable, thread-safe.
class P256PublicKey {
 public:
  // Uncompressed coordinates, 32 raw bytes each. Nothing when they are not a point of the curve.
  [[nodiscard]] static std::optional<P256PublicKey> of_coordinates(std::string_view x, std::string_view y);
  // ECDSA with SHA-256; the signature is R and S, 32 bytes each (RFC 7518 section 3.4), never DER.
  [[nodiscard]] bool verify_es256(std::string_view message, std::string_view signature) const;
  friend bool operator==(const P256PublicKey& a, const P256PublicKey& b) { return a.point_ == b.point_; }

 private:
  P256PublicKey(std::shared_ptr<void> key, std::string point) : key_(std::move(key)), point_(std::move(point)) {}
  std::shared_ptr<void> key_;  // an EVP_PKEY
  std::string point_;          // the coordinates, for comparison
};

struct Jwk {
  std::string kid;
  P256PublicKey key;
};

// The usable keys of a set; keys of other types, uses or curves are left out, as RFC 7517 section 5 says. A set with
// two equal kids is refused.
class JwkSet {
 public:
  JwkSet() = default;
  [[nodiscard]] static Result<JwkSet> of_json(const Json& json);
  [[nodiscard]] const Jwk* find(std::string_view kid) const;
  [[nodiscard]] const std::vector<Jwk>& keys() const { return keys_; }

 private:
  std::vector<Jwk> keys_;
};

struct MalformedJwkSet {
  static constexpr std::string_view kId = "oauth.malformed_jwk_set";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
