// TokenSubject: whose tokens they are, read to be compared and for nothing else.
//
// The subject of an access token that is a JWT is read without looking at its signature: it came from the token
// endpoint over the connection that the issuer is known by, and nobody is let in by what it says here. An ID token is
// taken so too (OpenID Connect Core section 3.1.3.7, point 6). Thread-safe, without state.
#pragma once

#include <optional>
#include <string>

#include "wire/base/clock.h"
#include "wire/oauth/access_token.h"
#include "wire/oauth/token_response.h"

namespace postern::bridge {

class TokenSubject {
 public:
  // "sub" of the access token; otherwise of the ID token when it is of that issuer; empty when neither says. The access
  // token comes first, because it comes each time and a pairwise subject of an ID token may be another text.
  [[nodiscard]] static std::string of(const TokenResponse& response, const std::string& issuer);
  // "exp" of an access token that is a JWT: a hint for when the issuer does not say how long it is good.
  [[nodiscard]] static std::optional<WallTime> expiry_hint(const AccessToken& token);
};

}  // namespace postern::bridge
