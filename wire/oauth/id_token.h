// ID tokens (OpenID Connect Core section 2), verified by a relying party: here the approval page, which must know when
// a person signed in.
//
// Thread-safe, immutable. Nothing here fetches or reads a clock.
#pragma once

#include <optional>
#include <string>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/oauth/access_token.h"
#include "wire/oauth/jwk.h"

namespace postern {

struct VerifiedIdToken {
  std::string issuer;
  std::string subject;
  std::string name;  // made visible; empty when absent
  WallTime expires_at{};
  std::optional<WallTime> auth_time;
};

class IdTokenVerifier {
 public:
  struct Expected {
    std::string issuer;
    std::string client_id;  // aud must name it; with several audiences azp must be it
    std::string nonce;      // of this sign-in
    // When set, auth_time must be there and not older: an issuer that ignores max_age is not believed.
    std::optional<Seconds> auth_age_max;
  };
  explicit IdTokenVerifier(Expected expected) : expected_(std::move(expected)) {}

  // Failures: those of CompactJws (oauth.jws_unknown_key: fetch the keys anew and try once more), and id_token.refused.
  [[nodiscard]] Result<VerifiedIdToken> verify(const IdToken& token, const JwkSet& keys, WallTime now) const;

 private:
  Expected expected_;
};

struct IdTokenRefused {
  static constexpr std::string_view kId = "id_token.refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string_view claim;  // "nonce"
  std::string reason;
  [[nodiscard]] std::string text() const;
};
// The person signed in too long ago for what is to be done.
struct SignInNotFresh {
  static constexpr std::string_view kId = "id_token.not_fresh";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  Seconds age{};
  Seconds age_max{};
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
