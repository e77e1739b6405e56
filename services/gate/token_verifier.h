// Verification of access tokens (RFC 9068, RFC 8725) for resource servers: the desk and the approval page.
//
// The checks are a table, in the order in which they run: signature (ES256 only, key by kid, no header parameter that
// brings a key), iss, aud, typ at+jwt, exp and nbf (skew at most 5 s; a future iat alone is no refusal), then the
// claims that must be there (sub, scope). The first that objects decides the failure. The product passes kTokenChecks
// whole; the lab passes it minus a row to see which attack that row stops.
//
// Thread-safe, immutable. Nothing here fetches or reads a clock.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/gate/principal.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/oauth/jwk.h"
#include "wire/oauth/scope.h"

namespace postern::services {

class VerifiedAccessToken {
 public:
  [[nodiscard]] const Principal& principal() const { return principal_; }
  [[nodiscard]] const ScopeSet& scopes() const { return scopes_; }
  [[nodiscard]] const std::vector<std::string>& audience() const { return audience_; }
  [[nodiscard]] WallTime expires_at() const { return expires_at_; }
  [[nodiscard]] std::optional<WallTime> auth_time() const { return auth_time_; }
  [[nodiscard]] const std::string& client_id() const { return client_id_; }

 private:
  friend class TokenVerifier;
  explicit VerifiedAccessToken(Principal principal) : principal_(std::move(principal)) {}
  static Principal make_principal(std::string issuer, std::string subject, std::string display_name) {
    return {std::move(issuer), std::move(subject), std::move(display_name)};
  }
  Principal principal_;
  ScopeSet scopes_;
  std::vector<std::string> audience_;
  WallTime expires_at_{};
  std::optional<WallTime> auth_time_;
  std::string client_id_;
};

class TokenCheckContext;  // token_verifier.cc: the token's parts, the keys, what is expected, the time
struct TokenCheck {
  std::string_view name;  // "signature", "issuer", "audience", "type", "lifetime", "claims"
  Status (*run)(const TokenCheckContext& context);
};
[[nodiscard]] std::span<const TokenCheck> product_token_checks();

class TokenVerifier {
 public:
  // `issuer` and `resource` are compared as the strings they are.
  TokenVerifier(std::string issuer, std::string resource, std::span<const TokenCheck> checks = product_token_checks());

  // Failures: token.malformed, token.unknown_key (the caller may fetch keys and try once more), token.bad_signature,
  // token.wrong_issuer, token.wrong_audience, token.wrong_type, token.expired, token.not_yet_valid,
  // token.missing_claim.
  [[nodiscard]] Result<VerifiedAccessToken> verify(std::string_view token, const JwkSet& keys, WallTime now) const;
  [[nodiscard]] const std::string& issuer() const { return issuer_; }
  [[nodiscard]] const std::string& resource() const { return resource_; }

 private:
  std::string issuer_;
  std::string resource_;
  std::span<const TokenCheck> checks_;
};

// No compact JWS, or a claim of a wrong type.
struct MalformedToken {
  static constexpr std::string_view kId = "token.malformed";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct UnknownKey {
  static constexpr std::string_view kId = "token.unknown_key";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  [[nodiscard]] std::string text() const;
};
// The signature is wrong, or the header asks for another way of checking it: alg none, a key of its own.
struct BadSignature {
  static constexpr std::string_view kId = "token.bad_signature";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string reason;
  [[nodiscard]] std::string text() const;
};
struct WrongIssuer {
  static constexpr std::string_view kId = "token.wrong_issuer";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string expected;
  [[nodiscard]] std::string text() const;
};
// A token for another resource (RFC 9068 section 4).
struct WrongAudience {
  static constexpr std::string_view kId = "token.wrong_audience";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string expected;
  [[nodiscard]] std::string text() const;
};
struct WrongType {
  static constexpr std::string_view kId = "token.wrong_type";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  [[nodiscard]] std::string text() const;
};
struct ExpiredToken {
  static constexpr std::string_view kId = "token.expired";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  [[nodiscard]] std::string text() const;
};
struct NotYetValid {
  static constexpr std::string_view kId = "token.not_yet_valid";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  [[nodiscard]] std::string text() const;
};
struct MissingClaim {
  static constexpr std::string_view kId = "token.missing_claim";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kInvalidToken;
  std::string_view claim;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::services
