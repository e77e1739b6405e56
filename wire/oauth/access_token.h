// The secrets of a sign-in, each with the classes that may open it.
#pragma once

#include "wire/base/secret.h"

namespace postern {

class AuthorizationHeader;
class AuthorizationCodeGrant;
class CodeChallenge;
class IdTokenVerifier;
namespace services {
class BearerGate;
}

// A bearer token that an issuer gave to this program, or that this program keeps for a signed-in browser. Opened only
// to be sent to the server it was issued for (AuthorizationHeader), and by a resource server's gate to be verified.
struct AccessTokenTag {
  using RevealedBy = Reveals<AuthorizationHeader, services::BearerGate>;
};
using AccessToken = Secret<AccessTokenTag>;

// Never sent anywhere: opened to be verified.
struct IdTokenTag {
  using RevealedBy = Reveals<IdTokenVerifier>;
};
using IdToken = Secret<IdTokenTag>;

// Good once, for a minute: opened to be redeemed at the token endpoint.
struct AuthorizationCodeTag {
  using RevealedBy = Reveals<AuthorizationCodeGrant>;
};
using AuthorizationCode = Secret<AuthorizationCodeTag>;

}  // namespace postern
