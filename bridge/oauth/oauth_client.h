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

#include "bridge/oauth/request_authorizer.h"
#include "bridge/oauth/sign_in_observer.h"
#include "bridge/oauth/user_agent.h"
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

class OAuthClient final : public RequestAuthorizer {
 public:
  // `server_http` fetches the resource's own metadata, `issuer_http` speaks to the issuer: two, so that the wire log
  // names the peer.
  OAuthClient(Env env, HttpClient& server_http, HttpClient& issuer_http, UserAgent& user_agent,
              SignInObserver& observer, OAuthClientOptions options);
  ~OAuthClient() override;
  OAuthClient(const OAuthClient&) = delete;
  OAuthClient& operator=(const OAuthClient&) = delete;

  [[nodiscard]] Status authorize(HttpRequest& request, const Uri& url, const std::stop_token& stop) override;
  void begin_operation() override;
  void end_operation() override;
  [[nodiscard]] Status sign_in(const HttpResponse& refusal, const std::stop_token& stop) override;
  // A scope that was refused once is not asked for again in this run.
  [[nodiscard]] Status step_up(const std::string& www_authenticate, const std::stop_token& stop) override;
  [[nodiscard]] std::string person() const override;
  [[nodiscard]] ScopeSet granted() const override;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace postern::bridge
