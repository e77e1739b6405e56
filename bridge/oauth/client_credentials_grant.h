// ClientCredentialsGrant: the program itself is who signs in, with its own secret or key; no person stands behind the
// tokens (RFC 6749 section 4.4).
#pragma once

#include "bridge/oauth/token_grant.h"
#include "wire/env/env.h"

namespace postern::bridge {

class ClientCredentialsGrant final : public TokenGrant {
 public:
  explicit ClientCredentialsGrant(Env env) : env_(env) {}
  [[nodiscard]] Result<ClientNeeds> needs() override;
  [[nodiscard]] bool asks_a_person() const override { return false; }
  // sign_in.no_client for a client without credentials: the grant is for confidential clients only. Otherwise the
  // failures of TokenClient.
  [[nodiscard]] Result<TokenResponse> obtain(const TokenGrantRequest& request, const std::stop_token& stop) override;

 private:
  Env env_;
};

}  // namespace postern::bridge
