// TokenClient: speaks to the token and revocation endpoints of one authorization server as one client.
//
// A grant writes what it has (code and verifier, refresh token, assertion); this class adds how the client
// authenticates (RFC 6749 section 2.3, RFC 7523) and, when there is a key for it, the DPoP proof (RFC 9449), sends it,
// and answers use_dpop_nonce once. Endpoints are used after the discovery policy's word only. A token request is sent
// once: it is never repeated after an answer that was lost, because its code or refresh token may be spent.
#pragma once

#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/oauth/client_identity.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"
#include "wire/oauth/device_authorization.h"
#include "wire/oauth/metadata.h"
#include "wire/oauth/scope.h"
#include "wire/oauth/token_response.h"
#include "wire/transport/http_client.h"

namespace postern::bridge {

class DpopKey;

class TokenClient {
 public:
  // `dpop` is null when tokens are not to be bound to a key. References must outlive it.
  TokenClient(Env env, HttpClient& issuer_http, const AuthorizationServerMetadata& server,
              const ClientIdentity& identity, DpopKey* dpop);

  // `grant` holds grant_type and what belongs to it. Failures: sign_in.token_refused (the server's error),
  // sign_in.malformed_tokens, sign_in.no_client (it cannot authenticate as it is registered),
  // oauth.discovery_not_allowed, transport.*.
  [[nodiscard]] Result<TokenResponse> request(FormFields grant, const ScopeSet& asked, SteadyTime deadline,
                                              const std::stop_token& stop);
  // RFC 8693, for a token of that type which is no access token.
  [[nodiscard]] Result<Assertion> exchange(FormFields grant, std::string_view issued_token_type, SteadyTime deadline,
                                           const std::stop_token& stop);
  // RFC 8628 section 3.1. REQUIRES a server with a device authorization endpoint.
  [[nodiscard]] Result<DeviceAuthorization> authorize_device(const std::string& resource, const ScopeSet& scope,
                                                             SteadyTime deadline, const std::stop_token& stop);
  // RFC 7009. Nothing to do, and no failure, when the server has no revocation endpoint.
  [[nodiscard]] Status revoke(const AccessToken& token, SteadyTime deadline, const std::stop_token& stop);
  [[nodiscard]] Status revoke(const RefreshToken& token, SteadyTime deadline, const std::stop_token& stop);
  // grant_type=refresh_token (RFC 6749 section 6), with `resource` again (RFC 8707).
  [[nodiscard]] Result<TokenResponse> refresh(const RefreshToken& token, const std::string& resource,
                                              const ScopeSet& scope, SteadyTime deadline, const std::stop_token& stop);

 private:
  // `grant` with what authenticates the client, made anew for each sending.
  [[nodiscard]] Result<HttpRequest> authenticated(const FormFields& grant) const;
  // `dpop` may be null. Wipes `fields`.
  [[nodiscard]] Result<HttpResponse> post(const std::string& endpoint, FormFields fields, DpopKey* dpop,
                                          SteadyTime deadline, const std::stop_token& stop);
  [[nodiscard]] Status revoke(FormFields fields, SteadyTime deadline, const std::stop_token& stop);

  Env env_;
  HttpClient& issuer_http_;
  const AuthorizationServerMetadata& server_;
  const ClientIdentity& identity_;
  DpopKey* dpop_;
};

}  // namespace postern::bridge
