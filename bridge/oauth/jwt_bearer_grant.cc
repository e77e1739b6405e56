#include "bridge/oauth/jwt_bearer_grant.h"

#include "wire/base/digest.h"

namespace postern::bridge {
namespace {

constexpr const char* kJwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";

}  // namespace

Result<ClientNeeds> JwtBearerGrant::needs() {
  return ClientNeeds{{}, {kJwtBearer}};
}

Result<TokenResponse> JwtBearerGrant::obtain(const TokenGrantRequest& request, const std::stop_token& stop) {
  POSTERN_TRY(const Assertion assertion, source_(request.server.issuer));
  const std::string_view text = assertion.reveal(Passkey<JwtBearerGrant>{});
  const std::string digest = sha256(text);
  if (refusal_ && digest == refused_digest_) return *refusal_;
  FormFields grant = {{"grant_type", kJwtBearer}, {"assertion", std::string(text)}};
  if (!request.resource.empty()) grant.emplace_back("resource", request.resource);
  if (!request.scope.empty()) grant.emplace_back("scope", request.scope.text());
  auto tokens =
      request.tokens.request(std::move(grant), request.scope, env_.clock.steady_now() + request.request_ms_max, stop);
  if (!tokens && tokens.error().as<TokenRefused>() != nullptr) {
    refused_digest_ = digest;
    refusal_ = tokens.error();
  }
  return tokens;
}

}  // namespace postern::bridge
