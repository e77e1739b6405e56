// JwtBearerGrant: tokens for an assertion that somebody else made about this workload or person (RFC 7523 section 2.1).
//
// An assertion that was refused is not shown again: a token endpoint's no is final until the source gives another one.
// No other grant is tried in its stead. Not thread-safe.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "bridge/oauth/token_grant.h"
#include "wire/env/env.h"
#include "wire/oauth/token_response.h"

namespace postern::bridge {

// Gives an assertion for that issuer: a platform writes such files anew before they run out.
using AssertionSource = std::function<Result<Assertion>(const std::string& issuer)>;

class JwtBearerGrant final : public TokenGrant {
 public:
  JwtBearerGrant(Env env, AssertionSource source) : env_(env), source_(std::move(source)) {}
  [[nodiscard]] Result<ClientNeeds> needs() override;
  [[nodiscard]] bool asks_a_person() const override { return false; }
  // Failures: those of the source and of TokenClient.
  [[nodiscard]] Result<TokenResponse> obtain(const TokenGrantRequest& request, const std::stop_token& stop) override;

 private:
  Env env_;
  AssertionSource source_;
  std::string refused_digest_;      // of the assertion that was refused last; empty: none was
  std::optional<Failure> refusal_;  // what was said of it
};

}  // namespace postern::bridge
