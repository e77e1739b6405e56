#include "bridge/oauth/code_grant.h"

#include <utility>

#include "wire/oauth/authorization_code_grant.h"

namespace postern::bridge {

Result<ClientNeeds> CodeGrant::needs() {
  POSTERN_TRY(redirect_uri_, user_agent_.redirect_uri());
  return ClientNeeds{{redirect_uri_}, {"authorization_code", "refresh_token"}};
}

Result<TokenResponse> CodeGrant::obtain(const TokenGrantRequest& request, const std::stop_token& stop) {
  AuthorizationCodeRequest ask;
  ask.server = request.server;
  ask.client_id = request.identity.client_id;
  ask.resource = request.resource;
  ask.scope = request.scope;
  ask.login_hint = request.login_hint;
  if (request.scope.contains("offline_access")) ask.prompt = "consent";
  ask.redirect_uri = std::exchange(redirect_uri_, std::string());
  if (ask.redirect_uri.empty()) {
    POSTERN_TRY(ask.redirect_uri, user_agent_.redirect_uri());
  }
  POSTERN_TRY(const AuthorizationCodeGrant grant, AuthorizationCodeGrant::begin(std::move(ask), env_.random));
  POSTERN_TRY(const Uri authorization, parse_uri(grant.authorization_url()));
  POSTERN_TRY(const std::string redirect, user_agent_.authorize(authorization, stop));
  const std::string expected = grant.request().redirect_uri + "?";
  if (redirect.substr(0, expected.size()) != expected)
    return MalformedAnswer{"it came to another address than the one that was asked for"};
  POSTERN_TRY(const AuthorizationCode code, grant.accept_answer(std::string_view(redirect).substr(expected.size())));
  return request.tokens.request(grant.token_fields(code), request.scope,
                                env_.clock.steady_now() + request.request_ms_max, stop);
}

}  // namespace postern::bridge
