// The Authorization header of a request to a resource server (RFC 6750 section 2.1). Thread-safe, without state.
#pragma once

#include <string_view>

#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"

namespace postern {

class AuthorizationHeader {
 public:
  // "Bearer ..." with a capital B, whatever the token_type of the token response looked like. Replaces an Authorization
  // that was there.
  static void write(HeaderList& headers, const AccessToken& token);
};

// One b64token, of any length: all that can stand behind "Bearer".
[[nodiscard]] bool is_bearer_token(std::string_view text);

}  // namespace postern
