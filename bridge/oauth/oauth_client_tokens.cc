#include <algorithm>
#include <utility>

#include "bridge/oauth/failures.h"
#include "bridge/oauth/oauth_client_impl.h"
#include "bridge/oauth/token_subject.h"
#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

// A token is not used in the last tenth of its life, at most these: it would run out on its way, or the server's clock
// is ahead of ours.
constexpr Seconds kExpiryMargin{10};
constexpr std::int64_t kLifetimeMax = 10LL * 365 * 24 * 3600;  // more would not be a time any longer
constexpr Milliseconds kGiveBackMax{5'000};

// Nothing of the request can have reached the issuer.
bool never_arrived(const Failure& failure) {
  return failure.as<Unreachable>() != nullptr || failure.as<TlsFailed>() != nullptr ||
         failure.id() == "oauth.discovery_not_allowed" || failure.id() == "transport.address_refused" ||
         failure.id() == "sign_in.no_client";
}

}  // namespace

std::optional<WallTime> expiry_of(const std::optional<std::int64_t>& expires_in_s, WallTime now) {
  if (!expires_in_s) return std::nullopt;
  const Seconds life(std::clamp<std::int64_t>(*expires_in_s, 0, kLifetimeMax));
  return now + life - std::min<Seconds>(kExpiryMargin, life / 10);
}

bool client_is_unknown(const Failure& failure) {
  const auto* refused = failure.as<TokenRefused>();
  return refused != nullptr && refused->error == "invalid_client";
}

// Tokens of an earlier run are used without asking the server first, but for the very URL that they were issued for.
Status OAuthClient::Impl::look_into_store() {
  if (std::exchange(looked_into_store, true) || last) return {};
  POSTERN_TRY(const std::vector<TokenKey> keys, store.keys());
  std::vector<TokenKey> fitting;
  for (const TokenKey& key : keys) {
    const bool elsewhere = (!options.issuer.empty() && key.issuer != options.issuer) ||
                           (!registrar.registered_issuer().empty() && key.issuer != registrar.registered_issuer());
    if (!elsewhere && resource_matches(key.resource, options.endpoint.text(), ResourceMatch::kSame))
      fitting.push_back(key);
  }
  if (fitting.size() != 1) return {};  // of several issuers the server must say which
  POSTERN_TRY(auto stored, store.tokens(fitting.front()));
  if (stored && stored->token_type == "Bearer" && within_bounds(*stored)) use(*std::move(stored), fitting.front());
  return {};
}

void OAuthClient::Impl::use(StoredTokens stored, TokenKey key) {
  HeldTokens tokens;
  tokens.key = std::move(key);
  tokens.tokens = std::move(stored);
  tokens.usable_until = tokens.tokens.expires_at;
  if (!tokens.usable_until) tokens.usable_until = TokenSubject::expiry_hint(tokens.tokens.access_token);
  tokens.since = env.clock.steady_now();
  requested = tokens.tokens.requested;
  last = tokens.key;
  if (!tokens.tokens.name.empty()) person = tokens.tokens.name;
  held = std::move(tokens);
  proven = false;
  ++generation;
}

// What an earlier run or another program kept for this issuer and resource. True when there is a token to try.
Result<bool> OAuthClient::Impl::adopt(const TokenKey& key, const std::stop_token& stop) {
  POSTERN_TRY(auto stored, store.tokens(key));
  if (!stored || stored->token_type != "Bearer" || !within_bounds(*stored)) return false;
  if (!check_person(key.issuer, stored->subject, stored->name)) return false;
  use(*std::move(stored), key);
  if (held->usable(env.clock.now())) return true;
  POSTERN_TRY(const bool renewed, renew(stop));
  if (!renewed) held.reset();
  return renewed;
}

// The token in use was refused. True when there is another to try; otherwise it is forgotten.
Result<bool> OAuthClient::Impl::recover(const std::stop_token& stop) {
  // One that came by renewal and never worked would be followed by another like it.
  if (!held->renewed || proven) {
    POSTERN_TRY(const bool renewed, renew(stop));
    if (renewed) return true;
  }
  if (!narrower) POSTERN_TRY_VOID(store.forget(held->key));
  held.reset();
  return false;
}

// RFC 6749 section 6. True when `held` is new. A refresh token that may be spent is dropped and never sent again: a
// server that sees it twice ends the whole sign-in (OAuth 2.1 section 4.3.1).
Result<bool> OAuthClient::Impl::renew(const std::stop_token& stop) {
  const bool kept = !narrower;
  if (kept) {
    // Another program may have renewed it: then ours is spent, and the one in the store is the newest.
    POSTERN_TRY(auto stored, store.tokens(held->key));
    if (stored && stored->token_type == "Bearer" && !stored->access_token.equal(held->tokens.access_token)) {
      POSTERN_TRY_VOID(check_person(held->key.issuer, stored->subject, stored->name));
      use(*std::move(stored), held->key);
      if (held->usable(env.clock.now())) return true;
    }
  }
  if (held->tokens.refresh_token.empty()) return false;
  if (!found || found->server.issuer != held->key.issuer) {
    auto server = discovery.metadata_of(held->key.issuer, deadline(), stop);
    if (!server) return false;
    found = DiscoveredServer{held->key.resource, {}, *std::move(server)};
  }
  const auto identity = registrar.known_at(found->server);
  if (!identity || !*identity || (*identity)->client_id != held->tokens.client_id) return false;
  TokenClient client(env, issuer_http, found->server, **identity, dpop);
  auto response = client.refresh(held->tokens.refresh_token, held->key.resource, ScopeSet(), deadline(), stop);
  if (!response) {
    if (never_arrived(response.error())) return false;
    if (client_is_unknown(response.error())) static_cast<void>(registrar.forget(held->key.issuer));
    held->tokens.refresh_token = RefreshToken();
    if (kept) POSTERN_TRY_VOID(store.forget(held->key));
    return false;
  }
  POSTERN_TRY_VOID(take_renewed(*std::move(response), client, stop));
  return true;
}

Status OAuthClient::Impl::take_renewed(TokenResponse response, TokenClient& client, const std::stop_token& stop) {
  const std::string now = TokenSubject::of(response, held->key.issuer);
  const std::string& before = held->tokens.subject;
  if (!before.empty() && !now.empty() && now != before) {
    const OtherPerson other{visible_line(held->tokens.name.empty() ? before : held->tokens.name, 100),
                            response.name.empty() ? visible_line(now, 100) : response.name};
    static_cast<void>(client.revoke(response.access_token, deadline(), stop));
    const TokenKey key = held->key;
    held.reset();
    if (!narrower) POSTERN_TRY_VOID(store.forget(key));
    return other;
  }
  StoredTokens renewed = held->tokens.duplicate();
  renewed.access_token = std::move(response.access_token);
  renewed.token_type = response.token_type;
  if (!response.refresh_token.empty()) renewed.refresh_token = std::move(response.refresh_token);
  if (!response.scope.empty()) renewed.granted = response.scope;
  if (!now.empty()) renewed.subject = now;
  if (!response.name.empty()) renewed.name = response.name;
  renewed.expires_at = expiry_of(response.expires_in_s, env.clock.now());
  use(std::move(renewed), TokenKey(held->key));
  held->renewed = true;
  return keep();
}

// In the store, before it is used: if this program ended in between, the refresh token before it would be all there is,
// and it is spent.
Status OAuthClient::Impl::keep() {
  if (narrower || held->tokens.token_type != "Bearer") return {};
  return store.keep(held->key, held->tokens);
}

// Best effort: a token that cannot be revoked runs out by itself, and nobody here has it any longer.
void OAuthClient::Impl::revoke(const HeldTokens& tokens, bool refresh_token_too) {
  if (!found || found->server.issuer != tokens.key.issuer || found->server.revocation_endpoint.empty()) return;
  const auto identity = registrar.known_at(found->server);
  if (!identity || !*identity || (*identity)->client_id != tokens.tokens.client_id) return;
  TokenClient client(env, issuer_http, found->server, **identity, dpop);
  const SteadyTime until = env.clock.steady_now() + std::min(options.request_ms_max, kGiveBackMax);
  if (refresh_token_too && !tokens.tokens.refresh_token.empty())
    static_cast<void>(client.revoke(tokens.tokens.refresh_token, until, {}));
  static_cast<void>(client.revoke(tokens.tokens.access_token, until, {}));
}

}  // namespace postern::bridge
