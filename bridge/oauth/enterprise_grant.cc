#include "bridge/oauth/enterprise_grant.h"

#include <utility>

#include "wire/oauth/discovery.h"

namespace postern::bridge {
namespace {

constexpr const char* kJwtBearer = "urn:ietf:params:oauth:grant-type:jwt-bearer";
constexpr const char* kTokenExchange = "urn:ietf:params:oauth:grant-type:token-exchange";
constexpr const char* kIdJag = "urn:ietf:params:oauth:token-type:id-jag";

}  // namespace

EnterpriseGrant::EnterpriseGrant(Env env, HttpClient& provider_http, IdentityProvider provider)
    : env_(env), provider_http_(provider_http), provider_(std::move(provider)) {}

Result<ClientNeeds> EnterpriseGrant::needs() {
  return ClientNeeds{{}, {kJwtBearer}};
}

Result<AuthorizationServerMetadata> EnterpriseGrant::provider_metadata(SteadyTime deadline,
                                                                       const std::stop_token& stop) const {
  if (provider_.token_endpoint.empty()) {
    POSTERN_TRY(Uri issuer, parse_uri(provider_.issuer));
    return fetch_authorization_server_metadata(provider_http_, provider_.issuer, DiscoveryPolicy(std::move(issuer)),
                                               deadline, stop);
  }
  AuthorizationServerMetadata metadata;
  metadata.issuer = provider_.issuer;
  metadata.token_endpoint = provider_.token_endpoint;
  return metadata;
}

Result<Assertion> EnterpriseGrant::exchange(const TokenGrantRequest& request, const std::stop_token& stop) {
  const SteadyTime deadline = env_.clock.steady_now() + request.request_ms_max;
  POSTERN_TRY(const AuthorizationServerMetadata metadata, provider_metadata(deadline, stop));
  POSTERN_TRY(const Assertion subject, provider_.subject_token());
  FormFields grant = {{"grant_type", kTokenExchange},
                      {"requested_token_type", kIdJag},
                      {"audience", request.server.issuer},
                      {"subject_token", std::string(subject.reveal(Passkey<EnterpriseGrant>{}))},
                      {"subject_token_type", provider_.subject_token_type}};
  if (!request.resource.empty()) grant.emplace_back("resource", request.resource);
  if (!request.scope.empty()) grant.emplace_back("scope", request.scope.text());
  TokenClient provider(env_, provider_http_, metadata, provider_.identity, nullptr);
  return provider.exchange(std::move(grant), kIdJag, deadline, stop);
}

Result<TokenResponse> EnterpriseGrant::obtain(const TokenGrantRequest& request, const std::stop_token& stop) {
  POSTERN_TRY(const Assertion assertion, exchange(request, stop));
  FormFields grant = {{"grant_type", kJwtBearer},
                      {"assertion", std::string(assertion.reveal(Passkey<EnterpriseGrant>{}))}};
  if (!request.resource.empty()) grant.emplace_back("resource", request.resource);
  if (!request.scope.empty()) grant.emplace_back("scope", request.scope.text());
  return request.tokens.request(std::move(grant), request.scope, env_.clock.steady_now() + request.request_ms_max,
                                stop);
}

}  // namespace postern::bridge
