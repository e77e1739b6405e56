// DpopKey: the key that tokens of this process are bound to, and its proofs (RFC 9449).
//
// One ES256 key for one run of the program: it is made here, never written anywhere, and tokens that are bound to it
// are worthless to whoever takes them without it. A proof is made anew for each request, with a `jti` of its own;
// nonces are kept by origin, because each server gives its own (sections 8 and 9). Thread-safe.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "wire/base/json.h"
#include "wire/base/mutex.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"
#include "wire/signing/es256_signer.h"

namespace postern::bridge {

// base64url of the SHA-256 thumbprint of an elliptic curve's public key (RFC 7638 section 3): what "jkt" of a bound
// token says.
[[nodiscard]] std::string jwk_thumbprint(const Json& public_key);

class DpopKey {
 public:
  // Makes the key. The Env must outlive it.
  explicit DpopKey(Env env);

  // For a token or revocation endpoint: sets "DPoP". `url` is where the request goes; its query is left out of the
  // proof.
  void prove(HttpRequest& request, const Uri& url);
  // For a resource: sets "Authorization: DPoP TOKEN" and "DPoP" with the token's hash (section 7).
  void authorize(HttpRequest& request, const Uri& url, const AccessToken& token);

  // Keeps the nonce that an answer of `url` brought, on whatever status. True when the answer is a refusal for the want
  // of one (use_dpop_nonce) and brought it: then the same request may be sent again with a new proof.
  [[nodiscard]] bool take_note(const Uri& url, const HttpResponse& response);

  [[nodiscard]] std::string thumbprint() const { return jwk_thumbprint(key_.public_point()); }

 private:
  [[nodiscard]] std::string proof(const std::string& method, const Uri& url, std::string_view token_hash);

  Env env_;
  Es256Signer key_;
  Mutex mutex_;
  std::map<std::string, std::string> nonces_ POSTERN_GUARDED_BY(mutex_);  // by origin
};

}  // namespace postern::bridge
