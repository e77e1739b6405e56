#include "issuer/revocation_endpoint.h"

#include "issuer/client_answer.h"
#include "issuer/failures.h"
#include "wire/base/uri.h"

namespace postern::issuer {

Status RevocationEndpoint::revoke_token(const HttpRequest& http) {
  POSTERN_TRY(const FormFields fields, read_client_form(http));
  POSTERN_TRY(const std::string client_id, clients_.authenticate(http, fields));
  const std::string token = value_of(fields, "token");
  if (token.empty()) return OAuthError{"invalid_request", "The parameter token is missing."};
  // token_type_hint is not needed: the two kinds look different (RFC 7009 section 2.1 lets the server ignore it).
  const auto refused = [] { return OAuthError{"invalid_grant", "The token was given to another client."}; };
  const auto revoked = refresh_tokens_.revoke(token, client_id);
  if (revoked == RefreshTokens::Revoked::kOfAnotherClient) return refused();
  if (revoked == RefreshTokens::Revoked::kDone) return {};
  const auto origin = tokens_.origin_of(token);
  if (!origin) return {};
  if (origin->client_id != client_id) return refused();
  refresh_tokens_.revoke_grant(origin->grant_id);
  return {};
}

HttpResponse RevocationEndpoint::revoke(const HttpRequest& http) {
  const Status revoked = revoke_token(http);
  if (!revoked) return client_error(revoked.error());
  return HttpResponse{200, {}, ""};
}

}  // namespace postern::issuer
