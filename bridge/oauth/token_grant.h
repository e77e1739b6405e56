// TokenGrant: one way to get tokens from an authorization server (RFC 6749 section 1.3). The host chooses it by
// configuration; the OAuth client decides when it is used, for which resource and with which scopes.
//
// Implementations: CodeGrant (a person with a browser), DeviceGrant (RFC 8628), ClientCredentialsGrant (RFC 6749
// section 4.4), JwtBearerGrant (RFC 7523: workload identity), EnterpriseGrant (an identity provider's assertion,
// exchanged). Not thread-safe.
#pragma once

#include <stop_token>
#include <string>

#include "bridge/oauth/client_identity.h"
#include "bridge/oauth/token_client.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/oauth/metadata.h"
#include "wire/oauth/scope.h"
#include "wire/oauth/token_response.h"

namespace postern::bridge {

struct TokenGrantRequest {
  const AuthorizationServerMetadata& server;
  const ClientIdentity& identity;
  TokenClient& tokens;
  std::string resource;  // exactly as published
  ScopeSet scope;        // empty: left out
  std::string login_hint;
  std::chrono::milliseconds request_ms_max{15'000};  // of each request; people have the user agent's time
};

class TokenGrant {
 public:
  virtual ~TokenGrant() = default;
  // What a client must be registered for. Called before obtain(): a redirect URI that is fixed then (a port that was
  // bound) is the one that obtain() uses.
  [[nodiscard]] virtual Result<ClientNeeds> needs() = 0;
  // Whether it asks a person each time: those are counted and bounded more strictly than a machine's.
  [[nodiscard]] virtual bool asks_a_person() const = 0;
  [[nodiscard]] virtual Result<TokenResponse> obtain(const TokenGrantRequest& request, const std::stop_token& stop) = 0;
};

}  // namespace postern::bridge
