// CodeGrant: a person with a browser (RFC 6749 section 4.1, OAuth 2.1): code, PKCE S256, state, and the issuer that was
// recorded before the redirect.
//
// Not thread-safe. References must outlive it.
#pragma once

#include <string>

#include "bridge/oauth/token_grant.h"
#include "bridge/oauth/user_agent.h"
#include "wire/env/env.h"

namespace postern::bridge {

class CodeGrant final : public TokenGrant {
 public:
  CodeGrant(Env env, UserAgent& user_agent) : env_(env), user_agent_(user_agent) {}

  // The redirect URI of the next sign-in, and codes and refresh tokens.
  [[nodiscard]] Result<ClientNeeds> needs() override;
  [[nodiscard]] bool asks_a_person() const override { return true; }
  // A request for offline_access says prompt=consent too: without it OpenID Connect Core section 11 has a server ignore
  // the scope, and some do. Failures: oauth.no_pkce, oauth.discovery_not_allowed, those of the user agent,
  // sign_in.malformed_answer, sign_in.state_mismatch, sign_in.issuer_mismatch, sign_in.denied, and those of
  // TokenClient::request().
  [[nodiscard]] Result<TokenResponse> obtain(const TokenGrantRequest& request, const std::stop_token& stop) override;

 private:
  Env env_;
  UserAgent& user_agent_;
  std::string redirect_uri_;  // of the next sign-in; empty: not fixed yet
};

}  // namespace postern::bridge
