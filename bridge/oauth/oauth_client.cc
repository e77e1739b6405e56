#include "bridge/oauth/oauth_client.h"

#include <algorithm>
#include <map>
#include <utility>

#include "bridge/oauth/failures.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/authorization_code_grant.h"
#include "wire/oauth/authorization_header.h"
#include "wire/oauth/challenge.h"
#include "wire/oauth/discovery.h"

namespace postern::bridge {
namespace {

struct HeldToken {
  AccessToken token;
  std::optional<SteadyTime> expires_at;
  ScopeSet scope;
};

BearerChallenge challenge_in(const HeaderList& headers) {
  const auto challenge = read_bearer_challenge(headers);
  // A field that cannot be read says nothing: the well-known places are tried (wire/oauth/challenge.h).
  if (!challenge || !*challenge) return {};
  return **challenge;
}

}  // namespace

struct OAuthClient::Impl {
  Env env;
  HttpClient& server_http;
  HttpClient& issuer_http;
  ClientRegistrar& registrar;
  TokenGrant& grant;
  CredentialStore& store;
  SignInObserver& observer;
  OAuthClientOptions options;
  DpopKey* dpop;

  std::string resource;
  // By issuer and resource: a token never goes to a server that it was not issued for.
  std::map<std::pair<std::string, std::string>, HeldToken> tokens;
  std::optional<AuthorizationServerMetadata> server_metadata;
  ScopeSet requested;  // in this run so far
  ScopeSet denied;     // what the issuer would not give this person
  std::string person;
  ScopeSet granted;
  int authorizations = 0;  // in this operation

  [[nodiscard]] SteadyTime deadline() const { return env.clock.steady_now() + options.request_ms_max; }
  [[nodiscard]] std::pair<std::string, std::string> key() const { return {options.issuer, resource}; }

  Result<ScopeSet> discover(const BearerChallenge& challenge, const std::stop_token& stop);
  Status authorize(const BearerChallenge& challenge, const ScopeSet& wanted, const std::stop_token& stop);
};

// Finds the issuer through the resource's metadata, once. Returns the scopes that the resource names.
Result<ScopeSet> OAuthClient::Impl::discover(const BearerChallenge& challenge, const std::stop_token& stop) {
  const DiscoveryPolicy policy(options.endpoint);
  POSTERN_TRY(
      const ProtectedResourceMetadata metadata,
      fetch_protected_resource_metadata(server_http, resource, challenge.resource_metadata, policy, deadline(), stop));
  const auto& issuers = metadata.authorization_servers;
  if (std::find(issuers.begin(), issuers.end(), options.issuer) == issuers.end()) {
    return ForeignIssuer{options.issuer, visible_line(issuers.front(), 200)};
  }
  POSTERN_TRY(AuthorizationServerMetadata server,
              fetch_authorization_server_metadata(issuer_http, options.issuer, policy, deadline(), stop));
  server_metadata = std::move(server);
  return metadata.scopes_supported;
}

Status OAuthClient::Impl::authorize(const BearerChallenge& challenge, const ScopeSet& wanted,
                                    const std::stop_token& stop) {
  if (authorizations >= options.authorizations_max) {
    return RefusedAfterSignIn{challenge.error ? visible_line(*challenge.error, 60) : "401"};
  }
  ++authorizations;
  ScopeSet scope = wanted;
  if (!server_metadata) {
    POSTERN_TRY(const ScopeSet supported, discover(challenge, stop));
    if (scope.empty()) scope = supported;
  }
  if (options.scopes_max) scope = scope.intersect(*options.scopes_max);
  POSTERN_TRY(const ClientNeeds needs, grant.needs());
  POSTERN_TRY(const ClientIdentity identity, registrar.identity_at(*server_metadata, needs, deadline(), stop));
  TokenClient tokens_of(env, issuer_http, *server_metadata, identity, dpop);
  POSTERN_TRY(TokenResponse response, grant.obtain({*server_metadata, identity, tokens_of, resource, scope,
                                                    options.login_hint, options.request_ms_max},
                                                   stop));
  requested = requested.join(scope);
  granted = response.scope;
  if (!response.name.empty()) person = response.name;
  HeldToken held;
  held.token = std::move(response.access_token);
  held.scope = response.scope;
  if (response.expires_in_s)
    held.expires_at = env.clock.steady_now() + Seconds(std::max<std::int64_t>(*response.expires_in_s, 0));
  tokens.insert_or_assign(key(), std::move(held));
  observer.signed_in(person, granted.text());
  return {};
}

OAuthClient::OAuthClient(Env env, HttpClient& server_http, HttpClient& issuer_http, ClientRegistrar& registrar,
                         TokenGrant& grant, CredentialStore& store, SignInObserver& observer,
                         OAuthClientOptions options, DpopKey* dpop)
    : impl_(new Impl{env,
                     server_http,
                     issuer_http,
                     registrar,
                     grant,
                     store,
                     observer,
                     std::move(options),
                     dpop,
                     {},
                     {},
                     {},
                     {},
                     {},
                     {},
                     {},
                     0}) {
  impl_->resource = impl_->options.endpoint.text();
}

OAuthClient::~OAuthClient() = default;

Status OAuthClient::authorize(HttpRequest& request, const Uri& /*url*/, const std::stop_token& /*stop*/) {
  const auto held = impl_->tokens.find(impl_->key());
  if (held == impl_->tokens.end()) return {};
  if (held->second.expires_at && impl_->env.clock.steady_now() >= *held->second.expires_at) return {};
  AuthorizationHeader::write(request.headers, held->second.token);
  return {};
}

void OAuthClient::begin_operation() {
  impl_->authorizations = 0;
}

void OAuthClient::end_operation() {}

Status OAuthClient::sign_in(const HttpResponse& refusal, const std::stop_token& stop) {
  impl_->tokens.erase(impl_->key());
  const BearerChallenge challenge = challenge_in(refusal.headers);
  const ScopeSet named = challenge.scope.value_or(ScopeSet());
  return impl_->authorize(challenge, impl_->requested.join(named), stop);
}

Status OAuthClient::step_up(const std::string& www_authenticate, const std::stop_token& stop) {
  HeaderList headers;
  headers.add("WWW-Authenticate", www_authenticate);
  const BearerChallenge challenge = challenge_in(headers);
  const ScopeSet named = challenge.scope.value_or(ScopeSet());
  const auto refused = [&](const ScopeSet& missing) -> Status {
    impl_->denied = impl_->denied.join(missing);
    const std::string person = impl_->person.empty() ? "The person who signed in" : impl_->person;
    return ScopeRefused{person, missing.text()};
  };
  const ScopeSet missing = named.without(impl_->granted);
  // The token already has what the server names: another one like it would be refused as well.
  if (missing.empty()) return RefusedAfterSignIn{"403 insufficient_scope"};
  if (!missing.intersect(impl_->denied).empty()) return refused(missing);
  if (impl_->options.scopes_max && !impl_->options.scopes_max->contains_all(named))
    return refused(named.without(*impl_->options.scopes_max));
  // basic/authorization, "Step-Up Authorization Flow": the union of what was asked for before and what the challenge
  // names.
  Status stepped = impl_->authorize(challenge, impl_->requested.join(named), stop);
  if (!stepped) {
    const auto* denied = stepped.error().as<SignInDenied>();
    if (denied != nullptr && (denied->error == "invalid_scope" || denied->error == "access_denied"))
      return refused(missing);
    return stepped;
  }
  const ScopeSet still_missing = named.without(impl_->granted);
  if (!still_missing.empty()) return refused(still_missing);
  return {};
}

std::string OAuthClient::person() const {
  return impl_->person;
}
ScopeSet OAuthClient::granted() const {
  return impl_->granted;
}

}  // namespace postern::bridge
