// One bearer token a request, checked by the resource server itself (MCP 2026-07-28 basic/authorization; RFC 6750, RFC
// 9728).
//
// admit() takes exactly one Authorization header with the scheme Bearer and one b64token, has it verified, and then
// compares the token's own audience with the resource a second time, independently of the verifier. The keys come from
// IssuerKeys: on a loop thread only what is cached may be used (KeyAccess::kCachedOnly); `gate.keys_needed` then asks
// the caller to repeat in the blocking lane with KeyAccess::kMayFetch. If the issuer's keys cannot be had at all the
// failure is `gate.keys_unavailable`, whose answer is 503 with Retry-After and never 401: an outage is not a bad token.
//
// A cache of verified tokens is keyed by SHA-256 of the whole token, bounded, and emptied when the keys change; expiry
// and audience are checked on every use. Thread-safe.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "services/gate/issuer_keys.h"
#include "services/gate/token_verifier.h"
#include "wire/base/result.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/access_token.h"

namespace postern::services {

// The gate's own checks of a verified token, on every request. A table for the same reason as the verifier's.
struct GateCheck {
  std::string_view name;  // "expiry", "second_audience"
  Status (*run)(const VerifiedAccessToken& token, std::string_view resource, WallTime now);
};
[[nodiscard]] std::span<const GateCheck> product_gate_checks();

class BearerGate {
 public:
  // `clock` and `keys` must outlive it; `checks` too.
  BearerGate(const Clock& clock, TokenVerifier verifier, IssuerKeys& keys,
             std::span<const GateCheck> checks = product_gate_checks());
  ~BearerGate();

  // Failures: token.missing, http.repeated_header, token.* of the verifier, gate.keys_needed, gate.keys_unavailable.
  [[nodiscard]] Result<std::shared_ptr<const VerifiedAccessToken>> admit(const HttpRequest& request, KeyAccess access);
  // The caller of a token that was verified before and is still good, by its digest alone; null for every other
  // request. For what comes before admit(), which may cost a signature: whoever has no good token cannot shut it to
  // those who do.
  [[nodiscard]] std::shared_ptr<const VerifiedAccessToken> known(const HttpRequest& request);
  // The same as admit() for a token that is not in a header (the page's session keeps it and verifies it at each
  // request).
  [[nodiscard]] Result<std::shared_ptr<const VerifiedAccessToken>> verify(const AccessToken& token, KeyAccess access);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

// Checks the scopes of one operation; the failure is token.insufficient_scope and carries `required` whole.
[[nodiscard]] Status require_scopes(const VerifiedAccessToken& token, const ScopeSet& required);

// The WWW-Authenticate value of a refusal: RFC 6750 section 3, with resource_metadata of RFC 9728 section 5.1.
// `required` is named in scope= when no token came; an InsufficientScope names its own.
[[nodiscard]] std::string challenge_of(const Failure& failure, std::string_view resource_metadata_url,
                                       const ScopeSet& required);

struct MissingToken {
  static constexpr std::string_view kId = "token.missing";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kMissingToken;
  [[nodiscard]] std::string text() const;
};
struct InsufficientScope {
  static constexpr std::string_view kId = "token.insufficient_scope";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInsufficientScope;
  ScopeSet required;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
