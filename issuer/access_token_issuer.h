// Signs access tokens and ID tokens (RFC 9068, OpenID Connect Core section 2).
//
// The one holder of the signing keys in the whole system: a test looks for this class in the symbols of every program
// and finds it in postern-issuer only. The keys are made with the object, but for a first one that it may be given, and
// never leave it. Thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "issuer/code_store.h"
#include "issuer/key_ring.h"
#include "wire/base/json.h"
#include "wire/env/env.h"
#include "wire/signing/es256_signer.h"

namespace postern::issuer {

class AccessTokenIssuer {
 public:
  static constexpr Seconds kLifetime{300};
  static constexpr Seconds kClockSkew{60};  // what a resource server may be behind

  AccessTokenIssuer(Env env, std::string issuer, std::optional<Es256Signer> first_key = std::nullopt);
  // at+jwt with aud = the grant's resource and these scopes, which the grant holds.
  [[nodiscard]] std::string access_token(const Grant& grant, const ScopeSet& scope);
  // JWT with aud = the client. The grant's scope holds openid.
  [[nodiscard]] std::string id_token(const Grant& grant);
  // {"keys":[...]}: the public halves.
  [[nodiscard]] Json jwk_set() { return keys_.jwk_set(); }
  // A new key from now on published, and signing ten minutes later.
  void rotate_keys() { keys_.rotate(); }

  // Whose an access token of ours is.
  struct Origin {
    std::string client_id;
    std::string grant_id;
  };
  // Nothing for whatever is no access token with a signature of ours that can be checked now.
  [[nodiscard]] std::optional<Origin> origin_of(std::string_view access_token);

 private:
  [[nodiscard]] Json claims_of(const Grant& grant) const;
  [[nodiscard]] std::string sign(std::string_view type, const Json& claims);

  Env env_;
  std::string issuer_;
  KeyRing keys_;
};

}  // namespace postern::issuer
