// OAuthClient: acts on the challenges of one resource server: discovery, client identity, sign-in, renewal, step-up,
// and giving a scope back (MCP 2026-07-28 basic/authorization).
//
// Discovery. Every 401, and every step-up, reads the resource's metadata and the issuer's anew, so that a server that
// moved to another issuer is noticed; what was got at the old one is never used at the new one. `resource` goes out
// byte for byte as the server published it. Metadata is fetched only from where the discovery policy allows.
//
// Scopes. The first time what the challenge names, otherwise what the resource's metadata lists, otherwise none;
// at a step-up the union of what was asked for before and what the challenge names; never more than `scopes_max`;
// offline_access only when the issuer lists it and the grant can use it. A server that refuses a token for want of what
// the token is said to have gets a new one of the same scopes, at most as often as one operation may authorize; after a
// step-up that brought what was missing it gets none. A scope that was refused once is not asked for again in this run.
//
// Tokens are kept in the store by issuer and resource. One that has run out is renewed before anybody is asked; the
// newest refresh token is kept before the access token that came with it is used, and one that may be spent is never
// sent again. A renewed token, and a new one in mid-run, must be of the same subject (sign_in.other_person).
//
// What a step-up granted is for one operation: end_operation() goes back to the narrower token, which alone is ever
// kept, and revokes the broader access token where the issuer lets it. Its refresh token is revoked too only when the
// narrower token has none: many issuers end everything that one sign-in gave when one of its refresh tokens is revoked.
//
// Thread-safe: a sign-in holds the lock, and whoever waits for it goes on with what it brought. The grant and the
// observer must not call back.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/oauth/client_identity.h"
#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/request_authorizer.h"
#include "bridge/oauth/sign_in_observer.h"
#include "bridge/oauth/token_grant.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/scope.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

class DpopKey;

struct OAuthClientOptions {
  Uri endpoint;                        // of the MCP server
  std::string issuer;                  // the only one; empty: the first that the server names and that can be used
  std::optional<ScopeSet> scopes_max;  // what may ever be asked for; absent: whatever the server names
  std::string login_hint;              // for the issuer; empty: none
  std::chrono::milliseconds request_ms_max{15'000};  // of each request
  int authorizations_max = 3;                        // for one operation
};

class OAuthClient final : public RequestAuthorizer {
 public:
  // `server_http` fetches the resource's own metadata, `issuer_http` speaks to the issuer: two, so that the wire log
  // names the peer. Both fetch at the word of strangers: give them an AdmittingHttpClient where names are resolved.
  // `dpop` is null when tokens are not to be bound to a key. References must outlive it.
  OAuthClient(Env env, HttpClient& server_http, HttpClient& issuer_http, ClientRegistrar& registrar, TokenGrant& grant,
              CredentialStore& store, SignInObserver& observer, OAuthClientOptions options, DpopKey* dpop = nullptr);
  ~OAuthClient() override;
  OAuthClient(const OAuthClient&) = delete;
  OAuthClient& operator=(const OAuthClient&) = delete;

  [[nodiscard]] Status authorize(HttpRequest& request, const Uri& url, const std::stop_token& stop) override;
  [[nodiscard]] bool take_note(const HttpResponse& response) override;
  void begin_operation() override;
  void end_operation() override;
  [[nodiscard]] Status sign_in(const HttpResponse& refusal, const std::stop_token& stop) override;
  // A scope that was refused once is not asked for again in this run.
  [[nodiscard]] Status step_up(const std::string& www_authenticate, const std::stop_token& stop) override;
  [[nodiscard]] std::string person() const override;
  [[nodiscard]] ScopeSet granted() const override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace postern::bridge
