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
  UserAgent& user_agent;
  SignInObserver& observer;
  OAuthClientOptions options;

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
  Result<TokenResponse> redeem(AuthorizationCodeRequest request, const std::stop_token& stop);
};

// Finds the issuer through the resource's metadata, once. Returns the scopes that the resource names.
Result<ScopeSet> OAuthClient::Impl::discover(const BearerChallenge& challenge, const std::stop_token& stop) {
  const DiscoveryPolicy policy(options.resource);
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

Result<TokenResponse> OAuthClient::Impl::redeem(AuthorizationCodeRequest request, const std::stop_token& stop) {
  POSTERN_TRY(const Uri issuer, parse_uri(options.issuer));
  POSTERN_TRY_VOID(DiscoveryPolicy(issuer).admit(request.server.token_endpoint));
  POSTERN_TRY(const AuthorizationCodeGrant grant, AuthorizationCodeGrant::begin(std::move(request), env.random));
  POSTERN_TRY(const Uri authorization, parse_uri(grant.authorization_url()));
  POSTERN_TRY(const std::string redirect, user_agent.authorize(authorization, stop));
  const std::string& redirect_uri = grant.request().redirect_uri;
  if (redirect.substr(0, redirect_uri.size() + 1) != redirect_uri + "?") {
    return MalformedAnswer{"it came to another address than the one that was asked for"};
  }
  POSTERN_TRY(const AuthorizationCode code,
              grant.accept_answer(std::string_view(redirect).substr(redirect_uri.size() + 1)));
  POSTERN_TRY(const HttpResponse response,
              issuer_http.send(grant.token_endpoint(), grant.token_request(code), deadline(), stop));
  return grant.accept_tokens(response);
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
  scope = scope.intersect(options.scopes_max);
  AuthorizationCodeRequest request;
  request.server = *server_metadata;
  request.client_id = options.client_id;
  request.resource = resource;
  request.scope = scope;
  POSTERN_TRY(request.redirect_uri, user_agent.redirect_uri());
  POSTERN_TRY(TokenResponse response, redeem(std::move(request), stop));
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

OAuthClient::OAuthClient(Env env, HttpClient& server_http, HttpClient& issuer_http, UserAgent& user_agent,
                         SignInObserver& observer, OAuthClientOptions options)
    : impl_(new Impl{
          env, server_http, issuer_http, user_agent, observer, std::move(options), {}, {}, {}, {}, {}, {}, {}, 0}) {
  impl_->resource = impl_->options.resource.text();
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
  if (!impl_->options.scopes_max.contains_all(named)) return refused(named.without(impl_->options.scopes_max));
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
