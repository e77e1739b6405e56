#include "bridge/oauth/client_credentials_grant.h"

#include "bridge/oauth/failures.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {

Result<ClientNeeds> ClientCredentialsGrant::needs() {
  return ClientNeeds{{}, {"client_credentials"}};
}

Result<TokenResponse> ClientCredentialsGrant::obtain(const TokenGrantRequest& request, const std::stop_token& stop) {
  const ClientIdentity& identity = request.identity;
  if (identity.secret.empty() && identity.key == nullptr) {
    return NoClient{visible_line(request.server.issuer, 200),
                    "it is to sign in as itself and has neither a secret nor a key there"};
  }
  FormFields grant = {{"grant_type", "client_credentials"}};
  if (!request.resource.empty()) grant.emplace_back("resource", request.resource);
  if (!request.scope.empty()) grant.emplace_back("scope", request.scope.text());
  return request.tokens.request(std::move(grant), request.scope, env_.clock.steady_now() + request.request_ms_max,
                                stop);
}

}  // namespace postern::bridge
