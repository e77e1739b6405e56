// POST /token: tokens for a code (OAuth 2.1 section 4.1.3), a refresh token (section 4.3) or a device code (RFC 8628
// section 3.4). The client authenticates as it registered; a public one does not, its code verifier, or the rotation of
// its refresh tokens, is the proof.
#pragma once

#include <string>

#include "issuer/access_token_issuer.h"
#include "issuer/client_directory.h"
#include "issuer/code_store.h"
#include "issuer/device_codes.h"
#include "issuer/refresh_tokens.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe.
class TokenEndpoint {
 public:
  TokenEndpoint(ClientDirectory& clients, CodeStore& codes, DeviceCodes& devices, RefreshTokens& refresh_tokens,
                AccessTokenIssuer& tokens)
      : clients_(clients), codes_(codes), devices_(devices), refresh_tokens_(refresh_tokens), tokens_(tokens) {}
  [[nodiscard]] HttpResponse redeem(const HttpRequest& request);

 private:
  struct Given {
    Grant grant;
    ScopeSet scope;             // of this access token
    std::string refresh_token;  // empty: none
  };
  [[nodiscard]] Result<Given> give(const HttpRequest& http);
  [[nodiscard]] Result<Given> give_for_code(const FormFields& fields, const std::string& client_id);
  [[nodiscard]] Result<Given> give_for_refresh_token(const FormFields& fields, const std::string& client_id);
  [[nodiscard]] Result<Given> give_for_device_code(const FormFields& fields, const std::string& client_id);
  [[nodiscard]] Given first_tokens(Grant grant);

  ClientDirectory& clients_;
  CodeStore& codes_;
  DeviceCodes& devices_;
  RefreshTokens& refresh_tokens_;
  AccessTokenIssuer& tokens_;
};

}  // namespace postern::issuer
