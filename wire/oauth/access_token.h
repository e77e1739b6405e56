// The secrets of a sign-in, each with the classes that may open it.
#pragma once

#include "wire/base/secret.h"

namespace postern {

class AuthorizationHeader;
class AuthorizationCodeGrant;
class CodeChallenge;
class IdTokenVerifier;
namespace bridge {
class CredentialsWriter;
class DpopKey;
class TokenClient;
class TokenSubject;
}  // namespace bridge
namespace services {
class BearerGate;
}

// A bearer token that an issuer gave to this program, or that this program keeps for a signed-in browser. Opened only
// to be sent to the server it was issued for (AuthorizationHeader), to be hashed into a proof of possession, revoked,
// compared by its subject with the one before it, or kept for a later run, and by a resource server's gate to be
// verified.
struct AccessTokenTag {
  using RevealedBy = Reveals<AuthorizationHeader, services::BearerGate, bridge::DpopKey, bridge::TokenClient,
                             bridge::TokenSubject, bridge::CredentialsWriter>;
};
using AccessToken = Secret<AccessTokenTag>;

// Opened to be sent to the token endpoint of its issuer, and to be kept for a later run.
struct RefreshTokenTag {
  using RevealedBy = Reveals<bridge::TokenClient, bridge::CredentialsWriter>;
};
using RefreshToken = Secret<RefreshTokenTag>;

// Never sent anywhere: opened to be verified, or to be read for its subject.
struct IdTokenTag {
  using RevealedBy = Reveals<IdTokenVerifier, bridge::TokenSubject>;
};
using IdToken = Secret<IdTokenTag>;

// Good once, for a minute: opened to be redeemed at the token endpoint.
struct AuthorizationCodeTag {
  using RevealedBy = Reveals<AuthorizationCodeGrant>;
};
using AuthorizationCode = Secret<AuthorizationCodeTag>;

}  // namespace postern
