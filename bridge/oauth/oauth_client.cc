#include "bridge/oauth/oauth_client.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

#include "bridge/oauth/dpop_key.h"
#include "bridge/oauth/failures.h"
#include "bridge/oauth/oauth_client_impl.h"
#include "bridge/oauth/server_discovery.h"
#include "bridge/oauth/token_client.h"
#include "bridge/oauth/token_subject.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/authorization_code_grant.h"
#include "wire/oauth/authorization_header.h"
#include "wire/oauth/challenge.h"

namespace postern::bridge {
namespace {

// A token that lived so long and ran out is followed by another without being counted as a try.
constexpr Seconds kLifeOfAnEarnedToken{30};

BearerChallenge challenge_in(const HeaderList& headers) {
  const auto challenge = read_bearer_challenge(headers);
  // A field that cannot be read says nothing: the well-known places are tried (wire/oauth/challenge.h).
  if (!challenge || !*challenge) return {};
  return **challenge;
}

// The issuer does not give what was asked for, whoever asks again.
bool denies_the_scope(const Failure& failure) {
  const auto one_of = [](const std::string& error) { return error == "invalid_scope" || error == "access_denied"; };
  if (const auto* denied = failure.as<SignInDenied>()) return one_of(denied->error);
  if (const auto* refused = failure.as<TokenRefused>()) return one_of(refused->error);
  return false;
}

bool lists(const std::vector<std::string>& list, std::string_view entry) {
  return std::find(list.begin(), list.end(), entry) != list.end();
}

}  // namespace

// One thread at a time; whoever waited for another's sign-in tries what that brought before asking anybody.
Status OAuthClient::Impl::change(Act act, const BearerChallenge& challenge, const std::stop_token& stop) {
  const std::uint64_t before = generation;
  std::string name;
  std::string scopes;
  {
    const MutexLock lock(mutex);
    if (generation != before) return {};
    POSTERN_TRY_VOID((this->*act)(challenge, stop));
    if (std::exchange(announced, true)) return {};
    name = person;
    scopes = held->tokens.granted.text();
  }
  observer.signed_in(name, scopes);
  return {};
}

Status OAuthClient::Impl::attach(HttpRequest& request, const Uri& url, const std::stop_token& stop) {
  POSTERN_TRY_VOID(look_into_store());
  // A token goes to no other place than the one it was issued for.
  if (!held || !resource_matches(held->key.resource, url.text(), ResourceMatch::kCovering)) return {};
  if (!held->usable(env.clock.now())) {
    POSTERN_TRY(const bool renewed, renew(stop));
    if (!renewed) return {};
  }
  const StoredTokens& tokens = held->tokens;
  if (!tokens.subject.empty()) {
    subject_issuer = held->key.issuer;
    subject = tokens.subject;
    subject_name = tokens.name;
  }
  if (tokens.token_type == "DPoP" && dpop != nullptr) {
    dpop->authorize(request, url, tokens.access_token);
  } else {
    AuthorizationHeader::write(request.headers, tokens.access_token);
  }
  return {};
}

Status OAuthClient::Impl::discover(const BearerChallenge& challenge, const std::stop_token& stop) {
  POSTERN_TRY(DiscoveredServer server,
              discovery.find(challenge.resource_metadata, registrar.registered_issuer(), deadline(), stop));
  const TokenKey key{server.server.issuer, server.resource};
  found = std::move(server);
  if (last && *last != key) {
    // The server has moved to another issuer, or is another resource now: nothing of before is for it.
    held.reset();
    narrower.reset();
    last.reset();
    requested = ScopeSet();
    denied = ScopeSet();
  }
  return {};
}

Status OAuthClient::Impl::install(HeldTokens tokens) {
  const TokenKey key = tokens.key;
  use(std::move(tokens.tokens), key);
  announced = false;
  return keep();
}

Status OAuthClient::Impl::check_person(const std::string& issuer, const std::string& now,
                                       const std::string& name) const {
  if (subject.empty() || now.empty() || issuer != subject_issuer || now == subject) return {};
  return OtherPerson{visible_line(subject_name.empty() ? subject : subject_name, 100),
                     visible_line(name.empty() ? now : name, 100)};
}

Result<TokenResponse> OAuthClient::Impl::ask_grant(const ScopeSet& scope, ClientIdentity& identity, ClientNeeds needs,
                                                   const std::stop_token& stop) {
  POSTERN_TRY(identity, registrar.identity_at(found->server, needs, deadline(), stop));
  TokenClient client(env, issuer_http, found->server, identity, dpop);
  return grant.obtain(
      {found->server, identity, client, found->resource, scope, options.login_hint, options.request_ms_max}, stop);
}

// New tokens for what was found, by the grant. They are not in use yet.
Result<HeldTokens> OAuthClient::Impl::obtain(const ScopeSet& wanted, const std::string& why, bool counts,
                                             const std::stop_token& stop) {
  const AuthorizationServerMetadata& server = found->server;
  ScopeSet scope = options.scopes_max ? wanted.intersect(*options.scopes_max) : wanted;
  if (scope.empty() && !wanted.empty()) return ScopeRefused{"", wanted.text()};
  if (authorizations >= options.authorizations_max) return RefusedAfterSignIn{visible_line(why, 60)};
  POSTERN_TRY(ClientNeeds needs, grant.needs());
  // Asked for by itself it would take the place of what the issuer gives to those who name nothing.
  const bool may_stay = !options.scopes_max || options.scopes_max->contains("offline_access");
  if (!scope.empty() && may_stay && server.scopes_supported.contains("offline_access") &&
      lists(needs.grant_types, "refresh_token"))
    scope = scope.join(ScopeSet{"offline_access"});
  if (counts) ++authorizations;
  ClientIdentity identity;
  auto response = ask_grant(scope, identity, needs, stop);
  if (!response && client_is_unknown(response.error()) && registrar.forget(server.issuer) &&
      authorizations < options.authorizations_max) {
    ++authorizations;
    POSTERN_TRY(needs, grant.needs());
    response = ask_grant(scope, identity, std::move(needs), stop);
  }
  if (!response) return std::move(response).error();
  HeldTokens got;
  got.key = TokenKey{server.issuer, found->resource};
  StoredTokens& tokens = got.tokens;
  tokens.subject = TokenSubject::of(*response, server.issuer);
  tokens.access_token = std::move(response->access_token);
  tokens.token_type = response->token_type;
  tokens.refresh_token = std::move(response->refresh_token);
  tokens.expires_at = expiry_of(response->expires_in_s, env.clock.now());
  tokens.granted = response->scope;
  tokens.requested = scope;
  tokens.client_id = identity.client_id;
  tokens.name = response->name;
  if (auto same = check_person(server.issuer, tokens.subject, tokens.name); !same) {
    revoke(got, true);
    return std::move(same).error();
  }
  return got;
}

Status OAuthClient::Impl::sign_in(const BearerChallenge& challenge, const std::stop_token& stop) {
  // Anew each time: the server may name another issuer than before.
  POSTERN_TRY_VOID(discover(challenge, stop));
  const bool ran_out =
      held && !held->usable(env.clock.now()) && env.clock.steady_now() - held->since >= kLifeOfAnEarnedToken;
  const TokenKey key{found->server.issuer, found->resource};
  POSTERN_TRY(const bool back, held ? recover(stop) : adopt(key, stop));
  if (back) return {};
  // What the challenge names, or everything that the resource lists, or nothing (basic/authorization, "Scope Selection
  // Strategy"); and what this operation already had.
  const ScopeSet named = challenge.scope.value_or(found->scopes_supported);
  const ScopeSet wanted = requested.join(named).without(denied);
  POSTERN_TRY(HeldTokens tokens, obtain(wanted, challenge.error.value_or("401"), !ran_out, stop));
  // A step-up to what this person did not get now would only be asked for to be refused.
  denied = denied.join(wanted.intersect(tokens.tokens.requested).without(tokens.tokens.granted));
  return install(std::move(tokens));
}

Status OAuthClient::Impl::refuse_scopes(const ScopeSet& missing) {
  denied = denied.join(missing);
  return ScopeRefused{person.empty() ? "The person who signed in" : person, missing.text()};
}

Status OAuthClient::Impl::step_up(const BearerChallenge& challenge, const std::stop_token& stop) {
  if (!challenge.scope || challenge.scope->empty())
    return RefusedAfterSignIn{"403 insufficient_scope, which does not say what scope is missing"};
  const ScopeSet& named = *challenge.scope;
  const ScopeSet granted = held ? held->tokens.granted : ScopeSet();
  const ScopeSet missing = named.without(granted);
  // The token is said to have what the server names. Rights that the person was given a moment ago come with a new
  // token only, so it is got anew, within the bound of the operation; but one that a step-up just brought is new
  // already.
  if (held && missing.empty() && broadened) return RefusedAfterSignIn{"403 insufficient_scope"};
  if (!missing.intersect(denied).empty()) return refuse_scopes(missing);
  if (options.scopes_max && !options.scopes_max->contains_all(named))
    return ScopeRefused{"", named.without(*options.scopes_max).text()};
  // Anew each time, as after a 401: where a server sends its callers can have changed since.
  POSTERN_TRY_VOID(discover(challenge, stop));
  // "Step-Up Authorization Flow": the union of what was asked for before and what the challenge names; and what was
  // given to a request that named nothing.
  const ScopeSet wanted = requested.join(granted).join(named).without(denied);
  auto tokens = obtain(wanted, "403 insufficient_scope", true, stop);
  if (!tokens) {
    if (denies_the_scope(tokens.error())) return refuse_scopes(missing);
    return std::move(tokens).error();
  }
  const ScopeSet still_missing = named.without(tokens->tokens.granted);
  if (!still_missing.empty()) {
    // The one in use is as good.
    if (held) revoke(*tokens, false);
    return refuse_scopes(still_missing);
  }
  broadened = !missing.empty();
  if (held && !narrower && broadened) narrower = std::move(held);
  return install(*std::move(tokens));
}

OAuthClient::OAuthClient(Env env, HttpClient& server_http, HttpClient& issuer_http, ClientRegistrar& registrar,
                         TokenGrant& grant, CredentialStore& store, SignInObserver& observer,
                         OAuthClientOptions options, DpopKey* dpop)
    : impl_(std::make_unique<Impl>(env, server_http, issuer_http, registrar, grant, store, observer, std::move(options),
                                   dpop)) {}

OAuthClient::~OAuthClient() = default;

Status OAuthClient::authorize(HttpRequest& request, const Uri& url, const std::stop_token& stop) {
  const MutexLock lock(impl_->mutex);
  return impl_->attach(request, url, stop);
}

bool OAuthClient::take_note(const HttpResponse& response) {
  if (response.status < 400) impl_->proven = true;
  if (impl_->dpop == nullptr) return false;
  const bool wants_nonce = impl_->dpop->take_note(impl_->options.endpoint, response);
  // Once: a server that is never content with its own nonce is not asked for ever.
  return !impl_->nonce_asked.exchange(wants_nonce) && wants_nonce;
}

void OAuthClient::begin_operation() {
  const MutexLock lock(impl_->mutex);
  impl_->authorizations = 0;
  impl_->broadened = false;
}

void OAuthClient::end_operation() {
  const MutexLock lock(impl_->mutex);
  if (!impl_->narrower) return;
  std::optional<HeldTokens> broader = std::exchange(impl_->held, std::nullopt);
  HeldTokens narrower = *std::exchange(impl_->narrower, std::nullopt);
  const bool refresh_token_too = narrower.tokens.refresh_token.empty();
  const TokenKey key = narrower.key;
  impl_->use(std::move(narrower.tokens), key);
  if (broader) impl_->revoke(*broader, refresh_token_too);
}

Status OAuthClient::sign_in(const HttpResponse& refusal, const std::stop_token& stop) {
  const BearerChallenge challenge = challenge_in(refusal.headers);
  return impl_->change(&Impl::sign_in, challenge, stop);
}

Status OAuthClient::step_up(const std::string& www_authenticate, const std::stop_token& stop) {
  HeaderList headers;
  headers.add("WWW-Authenticate", www_authenticate);
  const BearerChallenge challenge = challenge_in(headers);
  return impl_->change(&Impl::step_up, challenge, stop);
}

std::string OAuthClient::person() const {
  const MutexLock lock(impl_->mutex);
  return impl_->person;
}

ScopeSet OAuthClient::granted() const {
  const MutexLock lock(impl_->mutex);
  return impl_->held ? impl_->held->tokens.granted : ScopeSet();
}

}  // namespace postern::bridge
