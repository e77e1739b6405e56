// The answer of a token endpoint (RFC 6749 section 5), whatever the grant.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"
#include "wire/oauth/scope.h"

namespace postern {

namespace bridge {
class EnterpriseGrant;
class JwtBearerGrant;
}  // namespace bridge

// A JWT that stands for a person or a workload (RFC 7521): good at the token endpoint that it was made for. Opened to
// be sent there.
struct AssertionTag {
  using RevealedBy = Reveals<bridge::EnterpriseGrant, bridge::JwtBearerGrant>;
};
using Assertion = Secret<AssertionTag>;

struct TokenResponse {
  AccessToken access_token;
  std::string token_type = "Bearer";  // or "DPoP", spelled so whatever the server's case
  // Seconds from now; 0 or less: expired already. Absent when the server did not say: then not to be kept beyond the
  // run.
  std::optional<std::int64_t> expires_in_s;
  ScopeSet scope;              // what was granted; what was asked for when the response does not say (section 5.1)
  RefreshToken refresh_token;  // empty: none came
  std::string name;            // who signed in, for display only; made visible; empty when the issuer does not say
  std::optional<IdToken> id_token;
};

// Failures: sign_in.token_refused (the issuer's error), sign_in.malformed_tokens. Takes the secrets out of the parsed
// document; the response's own body is the caller's.
[[nodiscard]] Result<TokenResponse> read_token_response(const HttpResponse& response, const ScopeSet& asked);

// The answer to a token exchange (RFC 8693 section 2.2) that asked for a token of the type `issued_token_type`, which
// is not an access token: token_type must say so ("N_A"). Failures as above.
[[nodiscard]] Result<Assertion> read_exchanged_assertion(const HttpResponse& response,
                                                         std::string_view issued_token_type);

// The token endpoint said no (section 5.2).
struct TokenRefused {
  static constexpr std::string_view kId = "sign_in.token_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  int status = 0;
  std::string error;        // "invalid_grant", made visible; empty when it did not say
  std::string description;  // made visible
  [[nodiscard]] std::string text() const;
};
struct MalformedTokens {
  static constexpr std::string_view kId = "sign_in.malformed_tokens";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
