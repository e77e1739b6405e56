// POST /token: a code for tokens (OAuth 2.1 section 4.1.3). Public clients only: nobody authenticates, the code
// verifier is the proof.
#pragma once

#include "issuer/access_token_issuer.h"
#include "issuer/code_store.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe.
class TokenEndpoint {
 public:
  TokenEndpoint(CodeStore& codes, const AccessTokenIssuer& tokens) : codes_(codes), tokens_(tokens) {}
  [[nodiscard]] HttpResponse redeem(const HttpRequest& request);

 private:
  [[nodiscard]] Result<Grant> grant_of(const FormFields& fields);
  CodeStore& codes_;
  const AccessTokenIssuer& tokens_;
};

}  // namespace postern::issuer
