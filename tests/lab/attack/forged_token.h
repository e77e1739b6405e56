// Tokens that no honest issuer gives: a genuine one, with one fact changed.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "tests/lab/attack/target.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

struct ForgeryMeans {
  std::string genuine;  // an access token, as the issuer gave it
  Json issuer_keys;     // its JWK set
  // Signs as the issuer would; lab.not_observable where nobody has its key.
  std::function<Result<std::string>(const Json& header, const Json& claims)> sign_as_issuer;
  // Where the attacker's own key set stands, for jku and x5u.
  std::string own_keys_url;
  WallTime now;
};

// lab.not_observable for a token that needs the issuer's key where there is none, and for a genuine token that is no
// JWS; lab.attack_failed for a way that is not known.
[[nodiscard]] Result<std::string> forged_token(const ForgeryMeans& means, std::string_view how);
// The key set that stands at `own_keys_url`.
[[nodiscard]] Json own_key_set();
// Every way there is.
[[nodiscard]] const std::vector<std::string>& forgery_ways();

}  // namespace postern::lab
