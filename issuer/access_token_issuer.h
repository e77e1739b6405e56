// Signs access tokens and ID tokens (RFC 9068, OpenID Connect Core section 2).
//
// The one holder of the signing key in the whole system: a test looks for this class in the symbols of every program
// and finds it in postern-issuer only. The key is made with the object and never leaves it. Thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "issuer/code_store.h"
#include "wire/base/json.h"
#include "wire/env/env.h"
#include "wire/signing/es256_signer.h"

namespace postern::issuer {

class AccessTokenIssuer {
 public:
  static constexpr Seconds kLifetime{300};

  AccessTokenIssuer(Env env, std::string issuer);
  // at+jwt with aud = the grant's resource.
  [[nodiscard]] std::string access_token(const Grant& grant) const;
  // JWT with aud = the client. The grant's scope holds openid.
  [[nodiscard]] std::string id_token(const Grant& grant) const;
  // {"keys":[...]}: the public half.
  [[nodiscard]] Json jwk_set() const;

 private:
  [[nodiscard]] Json claims_of(const Grant& grant) const;
  [[nodiscard]] std::string sign(std::string_view type, const Json& claims) const;

  Env env_;
  std::string issuer_;
  std::string kid_;
  Es256Signer signer_;
};

}  // namespace postern::issuer
