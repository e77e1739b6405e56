// EnterpriseGrant: a company's identity provider decides where its people's programs may go. What it said about the
// person is exchanged there for an assertion for one authorization server (RFC 8693, requested type id-jag), and that
// assertion for tokens (RFC 7523 section 2.1; draft-ietf-oauth-identity-assertion-authz-grant).
//
// Two clients, two identities: one at the identity provider, one at the server, and neither is shown to the other. Each
// assertion is fetched anew and used once. Not thread-safe.
#pragma once

#include <functional>
#include <string>

#include "bridge/oauth/client_identity.h"
#include "bridge/oauth/token_grant.h"
#include "wire/env/env.h"
#include "wire/oauth/token_response.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

struct IdentityProvider {
  std::string issuer;
  std::string token_endpoint;  // empty: the one of the issuer's metadata
  ClientIdentity identity;     // ours there
  std::string subject_token_type = "urn:ietf:params:oauth:token-type:id_token";
  // What the provider gave about the person who signed in there.
  std::function<Result<Assertion>()> subject_token;
};

class EnterpriseGrant final : public TokenGrant {
 public:
  // `provider_http` speaks to the identity provider and must outlive it.
  EnterpriseGrant(Env env, HttpClient& provider_http, IdentityProvider provider);
  [[nodiscard]] Result<ClientNeeds> needs() override;
  [[nodiscard]] bool asks_a_person() const override { return false; }
  // Failures: those of discovery at the provider, of subject_token and, for either endpoint, of TokenClient.
  [[nodiscard]] Result<TokenResponse> obtain(const TokenGrantRequest& request, const std::stop_token& stop) override;

 private:
  [[nodiscard]] Result<AuthorizationServerMetadata> provider_metadata(SteadyTime deadline,
                                                                      const std::stop_token& stop) const;
  [[nodiscard]] Result<Assertion> exchange(const TokenGrantRequest& request, const std::stop_token& stop);
  Env env_;
  HttpClient& provider_http_;
  IdentityProvider provider_;
};

}  // namespace postern::bridge
