// What OAuthClient is inside: the tokens in use and what is known of the server they are for. Private to
// oauth_client.cc (challenges, sign-in, step-up) and oauth_client_tokens.cc (renewal, the store, giving back).
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "bridge/oauth/oauth_client.h"
#include "bridge/oauth/server_discovery.h"
#include "bridge/oauth/token_client.h"
#include "wire/base/mutex.h"
#include "wire/oauth/challenge.h"

namespace postern::bridge {

struct HeldTokens {
  TokenKey key;
  StoredTokens tokens;
  std::optional<WallTime> usable_until;  // what the issuer said, or what the token itself hints at
  SteadyTime since;
  bool renewed = false;  // came by a refresh token and not by a sign-in

  [[nodiscard]] bool usable(WallTime now) const { return !usable_until || now < *usable_until; }
};

// When to stop using a token that is good for so long, and whether the issuer no longer knows the client.
[[nodiscard]] std::optional<WallTime> expiry_of(const std::optional<std::int64_t>& expires_in_s, WallTime now);
[[nodiscard]] bool client_is_unknown(const Failure& failure);

class OAuthClient::Impl {
 public:
  Impl(Env environment, HttpClient& server_http, HttpClient& issuer_http_client, ClientRegistrar& client_registrar,
       TokenGrant& token_grant, CredentialStore& credential_store, SignInObserver& sign_in_observer,
       OAuthClientOptions client_options, DpopKey* dpop_key)
      : env(environment),
        issuer_http(issuer_http_client),
        registrar(client_registrar),
        grant(token_grant),
        store(credential_store),
        observer(sign_in_observer),
        options(std::move(client_options)),
        dpop(dpop_key),
        discovery(server_http, issuer_http_client, options.endpoint, options.issuer) {}

  Env env;
  HttpClient& issuer_http;
  ClientRegistrar& registrar;
  TokenGrant& grant;
  CredentialStore& store;
  SignInObserver& observer;
  const OAuthClientOptions options;
  DpopKey* const dpop;
  ServerDiscovery discovery;

  // Of the tokens in use: whoever waited for the lock while it changed has new ones to try.
  std::atomic<std::uint64_t> generation{0};
  std::atomic<bool> proven{false};       // the token in use was taken by the server
  std::atomic<bool> nonce_asked{false};  // the answer before this one wanted a nonce

  Mutex mutex;
  bool looked_into_store POSTERN_GUARDED_BY(mutex) = false;
  std::optional<DiscoveredServer> found POSTERN_GUARDED_BY(mutex);
  std::optional<HeldTokens> held POSTERN_GUARDED_BY(mutex);
  std::optional<TokenKey> last POSTERN_GUARDED_BY(mutex);  // of the newest tokens, also when they were refused since
  // What `held` was before the step-up of this operation. Only tokens that are not above another are kept in the store.
  std::optional<HeldTokens> narrower POSTERN_GUARDED_BY(mutex);
  ScopeSet requested POSTERN_GUARDED_BY(mutex);  // so far, for the tokens in use
  ScopeSet denied POSTERN_GUARDED_BY(mutex);     // what the issuer would not give this person
  std::string person POSTERN_GUARDED_BY(mutex);
  // Whose token was used in this run, and where that text means somebody.
  std::string subject_issuer POSTERN_GUARDED_BY(mutex);
  std::string subject POSTERN_GUARDED_BY(mutex);
  std::string subject_name POSTERN_GUARDED_BY(mutex);
  int authorizations POSTERN_GUARDED_BY(mutex) = 0;  // in this operation
  bool broadened POSTERN_GUARDED_BY(mutex) = false;  // a step-up of this operation brought what was missing
  bool announced POSTERN_GUARDED_BY(mutex) = true;   // to the observer: the newest sign-in

  [[nodiscard]] SteadyTime deadline() const { return env.clock.steady_now() + options.request_ms_max; }

  using Act = Status (Impl::*)(const BearerChallenge&, const std::stop_token&);
  Status change(Act act, const BearerChallenge& challenge, const std::stop_token& stop) POSTERN_EXCLUDES(mutex);

  Status look_into_store() POSTERN_REQUIRES(mutex);
  Status attach(HttpRequest& request, const Uri& url, const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Status discover(const BearerChallenge& challenge, const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Result<bool> adopt(const TokenKey& key, const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Result<bool> recover(const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Result<bool> renew(const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Status take_renewed(TokenResponse response, TokenClient& client, const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Result<HeldTokens> obtain(const ScopeSet& wanted, const std::string& why, bool counts, const std::stop_token& stop)
      POSTERN_REQUIRES(mutex);
  Result<TokenResponse> ask_grant(const ScopeSet& scope, ClientIdentity& identity, ClientNeeds needs,
                                  const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Status install(HeldTokens tokens) POSTERN_REQUIRES(mutex);
  Status keep() POSTERN_REQUIRES(mutex);
  Status sign_in(const BearerChallenge& challenge, const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Status step_up(const BearerChallenge& challenge, const std::stop_token& stop) POSTERN_REQUIRES(mutex);
  Status refuse_scopes(const ScopeSet& missing) POSTERN_REQUIRES(mutex);
  Status check_person(const std::string& issuer, const std::string& now, const std::string& name) const
      POSTERN_REQUIRES(mutex);
  void revoke(const HeldTokens& tokens, bool refresh_token_too) POSTERN_REQUIRES(mutex);
  void use(StoredTokens stored, TokenKey key) POSTERN_REQUIRES(mutex);
  [[nodiscard]] bool within_bounds(const StoredTokens& tokens) const {
    return !options.scopes_max || options.scopes_max->contains_all(tokens.granted);
  }
};

}  // namespace postern::bridge
