#include "wire/oauth/id_token.h"

#include <algorithm>

#include "wire/base/visible_text.h"
#include "wire/oauth/claims.h"
#include "wire/oauth/jws.h"

namespace postern {
namespace {

Result<WallTime> required_date(const Json& claims, std::string_view name) {
  POSTERN_TRY(const auto date, numeric_date(claims, name));
  if (!date) return IdTokenRefused{name, "it is missing"};
  return *date;
}

Status check_audience(const Json& claims, const std::string& client_id) {
  const std::vector<std::string> audience = audience_of(claims);
  if (std::find(audience.begin(), audience.end(), client_id) == audience.end()) {
    return IdTokenRefused{"aud", "it does not name this client"};
  }
  // OpenID Connect Core section 3.1.3.7, points 4 and 5.
  if ((audience.size() > 1 || claims.has("azp")) && claims.string_at("azp") != client_id) {
    return IdTokenRefused{"azp", "the token was issued for another client"};
  }
  return {};
}

}  // namespace

Result<VerifiedIdToken> IdTokenVerifier::verify(const IdToken& token, const JwkSet& keys, WallTime now) const {
  POSTERN_TRY(const CompactJws jws, CompactJws::split(token.reveal(Passkey<IdTokenVerifier>{})));
  POSTERN_TRY_VOID(jws.verify(keys));
  if (jws.has_type("at+jwt")) return IdTokenRefused{"typ", "it is an access token"};
  auto claims = parse_json(jws.payload(), {8192, 16});
  if (!claims || !claims->is_object()) return IdTokenRefused{"payload", "it is not a JSON object"};
  VerifiedIdToken verified;
  verified.issuer = claims->string_at("iss");
  verified.subject = claims->string_at("sub");
  verified.name = visible_line(claims->string_at("name"), 100);
  if (verified.issuer != expected_.issuer) return IdTokenRefused{"iss", "it is another issuer's"};
  if (verified.subject.empty()) return IdTokenRefused{"sub", "it is missing"};
  POSTERN_TRY_VOID(check_audience(*claims, expected_.client_id));
  if (expected_.nonce.empty() || claims->string_at("nonce") != expected_.nonce) {
    return IdTokenRefused{"nonce", "it is not that of this sign-in"};
  }
  POSTERN_TRY(verified.expires_at, required_date(*claims, "exp"));
  if (now >= verified.expires_at + kClockSkewMax) return IdTokenRefused{"exp", "the token has expired"};
  POSTERN_TRY(verified.auth_time, numeric_date(*claims, "auth_time"));
  if (!expected_.auth_age_max) return verified;
  if (!verified.auth_time)
    return IdTokenRefused{"auth_time", "it is missing, and how fresh the sign-in is matters here"};
  const auto age = std::chrono::duration_cast<Seconds>(now - *verified.auth_time);
  if (age < -kClockSkewMax) return IdTokenRefused{"auth_time", "it is in the future"};
  if (age > *expected_.auth_age_max) return SignInNotFresh{age, *expected_.auth_age_max};
  return verified;
}

std::string IdTokenRefused::text() const {
  return "The ID token is refused at " + std::string(claim) + ": " + reason + ". Nobody was signed in.";
}
std::string SignInNotFresh::text() const {
  return "This needs a sign-in from the last " + std::to_string(age_max.count()) + " seconds; this one is " +
         std::to_string(age.count()) + " seconds old. Sign in again.";
}

}  // namespace postern
