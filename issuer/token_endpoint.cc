#include "issuer/token_endpoint.h"

#include "issuer/client_answer.h"
#include "issuer/failures.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"

namespace postern::issuer {
namespace {

// The scopes of one use of a refresh token: those of the grant, or fewer (RFC 6749 section 6).
Result<ScopeSet> narrowed(const Grant& grant, const std::string& text) {
  const auto scope = ScopeSet::parse(text);
  if (!scope) return OAuthError{"invalid_scope", "scope holds a character that no scope may hold."};
  if (scope->empty()) return grant.scope;
  const ScopeSet beyond = scope->without(grant.scope);
  if (!beyond.empty()) {
    return OAuthError{"invalid_scope",
                      "The grant does not hold " + *beyond.tokens().begin() + ". Sign in again for it."};
  }
  return *scope;
}

}  // namespace

TokenEndpoint::Given TokenEndpoint::first_tokens(Grant grant) {
  std::string refresh_token = RefreshTokens::belong_to(grant) ? refresh_tokens_.start(grant) : std::string();
  ScopeSet scope = grant.scope;
  return {std::move(grant), std::move(scope), std::move(refresh_token)};
}

Result<TokenEndpoint::Given> TokenEndpoint::give_for_code(const FormFields& fields, const std::string& client_id) {
  const std::string code = value_of(fields, "code");
  if (code.empty()) return OAuthError{"invalid_request", "The parameter code is missing."};
  // From here on the code is spent, whatever else is wrong: a second try with a stolen code finds nothing.
  auto taken = codes_.take(code);
  if (!taken) {
    // Somebody else may have been first, so what the code was good for ends too (RFC 6749 section 4.1.2).
    if (const auto grant_id = codes_.spent_grant(code)) refresh_tokens_.revoke_grant(*grant_id);
    return OAuthError{"invalid_grant", "The code is unknown, used already, or older than 60 seconds."};
  }
  if (client_id != taken->grant.client->client_id) {
    return OAuthError{"invalid_grant", "The code was given to another client."};
  }
  if (value_of(fields, "redirect_uri") != taken->redirect_uri) {
    return OAuthError{"invalid_grant", "redirect_uri is not the one of the authorization request."};
  }
  if (!taken->challenge.matches(value_of(fields, "code_verifier"))) {
    return OAuthError{"invalid_grant", "code_verifier does not fit the code_challenge."};
  }
  if (value_of(fields, "resource") != taken->grant.resource) {
    return OAuthError{"invalid_target", "resource is not the one of the authorization request."};
  }
  return first_tokens(std::move(taken->grant));
}

Result<TokenEndpoint::Given> TokenEndpoint::give_for_refresh_token(const FormFields& fields,
                                                                   const std::string& client_id) {
  const std::string token = value_of(fields, "refresh_token");
  if (token.empty()) return OAuthError{"invalid_request", "The parameter refresh_token is missing."};
  ScopeSet scope;
  auto used = refresh_tokens_.use(token, client_id, [&](const Grant& grant) -> Status {
    const std::string resource = value_of(fields, "resource");
    if (!resource.empty() && resource != grant.resource) {
      return OAuthError{"invalid_target", "resource is not the one of the grant."};
    }
    POSTERN_TRY(scope, narrowed(grant, value_of(fields, "scope")));
    return {};
  });
  if (!used) return used.error();
  return Given{std::move(used->grant), std::move(scope), std::move(used->next_token)};
}

Result<TokenEndpoint::Given> TokenEndpoint::give_for_device_code(const FormFields& fields,
                                                                 const std::string& client_id) {
  const std::string code = value_of(fields, "device_code");
  if (code.empty()) return OAuthError{"invalid_request", "The parameter device_code is missing."};
  POSTERN_TRY(Grant grant, devices_.poll(code, client_id));
  return first_tokens(std::move(grant));
}

Result<TokenEndpoint::Given> TokenEndpoint::give(const HttpRequest& http) {
  POSTERN_TRY(const FormFields fields, read_client_form(http));
  POSTERN_TRY(const std::string client_id, clients_.authenticate(http, fields));
  const std::string grant_type = value_of(fields, "grant_type");
  if (grant_type == "authorization_code") return give_for_code(fields, client_id);
  if (grant_type == "refresh_token") return give_for_refresh_token(fields, client_id);
  if (grant_type == kDeviceGrantType) return give_for_device_code(fields, client_id);
  return OAuthError{"unsupported_grant_type", "That grant_type is not offered here."};
}

HttpResponse TokenEndpoint::redeem(const HttpRequest& http) {
  const auto given = give(http);
  if (!given) return client_error(given.error());
  const Grant& grant = given->grant;
  clients_.note_use(grant.client->client_id);
  Json json = Json::object({{"access_token", tokens_.access_token(grant, given->scope)},
                            {"token_type", "Bearer"},
                            {"expires_in", std::int64_t{AccessTokenIssuer::kLifetime.count()}},
                            {"scope", given->scope.text()},
                            {"name", grant.person.name}});
  if (given->scope.contains("openid")) json.set("id_token", tokens_.id_token(grant));
  if (!given->refresh_token.empty()) json.set("refresh_token", given->refresh_token);
  return client_answer(200, json);
}

}  // namespace postern::issuer
