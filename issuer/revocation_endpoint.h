// POST /revoke (RFC 7009): the client gives a token back.
//
// A refresh token, old or current, ends its family. An access token is a signed document that resource servers check by
// themselves, so nothing here can end it before its five minutes are over; giving one back ends the refresh tokens of
// the same grant, so that none follows it.
#pragma once

#include "issuer/access_token_issuer.h"
#include "issuer/client_directory.h"
#include "issuer/refresh_tokens.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe.
class RevocationEndpoint {
 public:
  RevocationEndpoint(ClientDirectory& clients, RefreshTokens& refresh_tokens, AccessTokenIssuer& tokens)
      : clients_(clients), refresh_tokens_(refresh_tokens), tokens_(tokens) {}
  // 200 for what is revoked now, was before, or never was a token; 400 for a token of another client.
  [[nodiscard]] HttpResponse revoke(const HttpRequest& request);

 private:
  [[nodiscard]] Status revoke_token(const HttpRequest& http);

  ClientDirectory& clients_;
  RefreshTokens& refresh_tokens_;
  AccessTokenIssuer& tokens_;
};

}  // namespace postern::issuer
