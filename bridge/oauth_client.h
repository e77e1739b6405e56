// OAuthClient: acts on a challenge of a resource server: discovery, sign-in, step-up (MCP 2026-07-28
// basic/authorization).
//
// Metadata is fetched only from where the discovery policy allows. Each authorization is code + PKCE S256 with
// `resource`, `state` and the issuer that was recorded before the redirect; the answer's state and iss are checked
// before anything else in it is read. Scopes are what the challenge names (the first time) or the union of what was
// asked for before and what the challenge names (step-up), and never more than `scopes_max`. At most three
// authorizations for one operation. Tokens live in memory only, by issuer and resource.
//
// Not thread-safe. References must outlive it.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/call_observer.h"
#include "bridge/user_agent.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/scope.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

struct OAuthClientOptions {
  std::string client_id;  // pre-registered at `issuer`
  std::string issuer;     // the only issuer that this client id belongs to
  Uri resource;           // the MCP endpoint; its text is the canonical resource URI
  ScopeSet scopes_max;    // what this program may ever ask for
  std::chrono::milliseconds request_ms_max{15'000};
  int authorizations_max = 3;  // for one operation
};

class OAuthClient {
 public:
  // `server_http` fetches the resource's own metadata, `issuer_http` speaks to the issuer: two, so that the wire log
  // names the peer.
  OAuthClient(Env env, HttpClient& server_http, HttpClient& issuer_http, UserAgent& user_agent, CallObserver& observer,
              OAuthClientOptions options);
  ~OAuthClient();
  OAuthClient(const OAuthClient&) = delete;
  OAuthClient& operator=(const OAuthClient&) = delete;

  // Adds the Authorization header when there is a token for this resource.
  void authorize(HttpRequest& request) const;
  // A new operation begins: the count of authorizations starts anew.
  void begin_operation();
  // Acts on a 401. Failures: sign_in.* (host: exit 4), oauth.* of discovery, transport.*.
  [[nodiscard]] Status sign_in(const HttpResponse& refusal, std::stop_token stop);
  // Acts on a 403 insufficient_scope, given its WWW-Authenticate. sign_in.scope_refused names the scope and the person;
  // a scope that was refused once is not asked for again in this run.
  [[nodiscard]] Status step_up(const std::string& www_authenticate, std::stop_token stop);

  // Display only: who signed in, and what the token may do. Empty before the first sign-in.
  [[nodiscard]] const std::string& person() const;
  [[nodiscard]] const ScopeSet& granted() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace postern::bridge
