// UserAgent: takes a person to the authorization endpoint and brings the redirect back. The host lends it to the OAuth
// client.
//
// Implementations: host/headless_user_agent (profile local), host/loopback_user_agent (every other). Not thread-safe.
#pragma once

#include <stop_token>
#include <string>

#include "wire/base/result.h"
#include "wire/base/uri.h"

namespace postern::bridge {

class UserAgent {
 public:
  virtual ~UserAgent() = default;
  // The redirect URI to name in the next authorization request: fixed before the request is built.
  [[nodiscard]] virtual Result<std::string> redirect_uri() = 0;
  // `authorization` is the authorization request with its parameters, already checked against the discovery policy.
  // Returns the whole redirect (redirect URI, "?", parameters), which was never fetched. Failures: sign_in.no_way,
  // sign_in.refused, transport.*.
  [[nodiscard]] virtual Result<std::string> authorize(const Uri& authorization, std::stop_token stop) = 0;
};

}  // namespace postern::bridge
