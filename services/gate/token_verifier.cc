#include "services/gate/token_verifier.h"

#include <algorithm>

#include "wire/base/visible_text.h"
#include "wire/oauth/claims.h"
#include "wire/oauth/jws.h"

namespace postern::services {

// What a check looks at. The payload is parsed when the first check asks for a claim, so that with the product's table
// no claim is read before the signature was right.
class TokenCheckContext {
 public:
  TokenCheckContext(const CompactJws& jws, const JwkSet& keys, const std::string& issuer, const std::string& resource,
                    WallTime now)
      : jws_(jws), keys_(keys), issuer_(issuer), resource_(resource), now_(now) {}

  [[nodiscard]] const CompactJws& jws() const { return jws_; }
  [[nodiscard]] const JwkSet& keys() const { return keys_; }
  [[nodiscard]] const std::string& issuer() const { return issuer_; }
  [[nodiscard]] const std::string& resource() const { return resource_; }
  [[nodiscard]] WallTime now() const { return now_; }
  [[nodiscard]] Result<const Json*> claims() const {
    if (!claims_) {
      auto parsed = parse_json(jws_.payload(), {8192, 16});
      if (!parsed) return MalformedToken{"its payload is not JSON"};
      claims_ = *std::move(parsed);
    }
    if (!claims_->is_object()) return MalformedToken{"its payload is not a JSON object"};
    return &*claims_;
  }

 private:
  const CompactJws& jws_;
  const JwkSet& keys_;
  const std::string& issuer_;
  const std::string& resource_;
  WallTime now_;
  mutable std::optional<Json> claims_;
};

namespace {

Status check_signature(const TokenCheckContext& context) {
  const Status verified = context.jws().verify(context.keys());
  if (verified) return {};
  if (verified.error().as<JwsUnknownKey>() != nullptr) return UnknownKey{};
  return BadSignature{verified.error().text()};
}

Status check_issuer(const TokenCheckContext& context) {
  POSTERN_TRY(const Json* claims, context.claims());
  if (claims->string_at("iss") != context.issuer()) return WrongIssuer{context.issuer()};
  return {};
}

Status check_audience(const TokenCheckContext& context) {
  POSTERN_TRY(const Json* claims, context.claims());
  const std::vector<std::string> audience = audience_of(*claims);
  if (std::find(audience.begin(), audience.end(), context.resource()) == audience.end())
    return WrongAudience{context.resource()};
  return {};
}

// RFC 9068 section 4: anything but an access token, an ID token for example, is refused by its type.
Status check_type(const TokenCheckContext& context) {
  if (!context.jws().has_type("at+jwt")) return WrongType{};
  return {};
}

Result<std::optional<WallTime>> date_claim(const Json& claims, std::string_view name) {
  auto date = numeric_date(claims, name);
  if (!date) return MalformedToken{date.error().text()};
  return *date;
}

// iat is not looked at: a clock that is a little ahead is no reason to refuse (RFC 7519 section 4.1.6).
Status check_lifetime(const TokenCheckContext& context) {
  POSTERN_TRY(const Json* claims, context.claims());
  POSTERN_TRY(const auto expires_at, date_claim(*claims, "exp"));
  POSTERN_TRY(const auto not_before, date_claim(*claims, "nbf"));
  if (!expires_at) return MissingClaim{"exp"};
  if (context.now() >= *expires_at + kClockSkewMax) return ExpiredToken{};
  if (not_before && context.now() + kClockSkewMax < *not_before) return NotYetValid{};
  return {};
}

Status check_claims(const TokenCheckContext& context) {
  POSTERN_TRY(const Json* claims, context.claims());
  if (claims->string_at("sub").empty()) return MissingClaim{"sub"};
  if (!claims->has("scope")) return MissingClaim{"scope"};
  const std::string* scope = claims->find("scope")->string();
  if (scope == nullptr || !ScopeSet::parse(*scope)) return MalformedToken{"its scope is not a list of scopes"};
  return {};
}

constexpr TokenCheck kTokenChecks[] = {
    {"signature", check_signature}, {"issuer", check_issuer},     {"audience", check_audience},
    {"type", check_type},           {"lifetime", check_lifetime}, {"claims", check_claims},
};

}  // namespace

std::span<const TokenCheck> product_token_checks() {
  return kTokenChecks;
}

TokenVerifier::TokenVerifier(std::string issuer, std::string resource, std::span<const TokenCheck> checks)
    : issuer_(std::move(issuer)), resource_(std::move(resource)), checks_(checks) {}

Result<VerifiedAccessToken> TokenVerifier::verify(std::string_view token, const JwkSet& keys, WallTime now) const {
  const auto jws = CompactJws::split(token);
  if (!jws) return MalformedToken{jws.error().text()};
  const TokenCheckContext context(*jws, keys, issuer_, resource_, now);
  for (const TokenCheck& check : checks_) POSTERN_TRY_VOID(check.run(context));
  POSTERN_TRY(const Json* claims, context.claims());
  const std::string subject(claims->string_at("sub"));
  const std::string name = visible_line(claims->string_at("name"), 100);
  VerifiedAccessToken verified(VerifiedAccessToken::make_principal(std::string(claims->string_at("iss")), subject,
                                                                   name.empty() ? visible_line(subject, 100) : name));
  verified.scopes_ = ScopeSet::parse(claims->string_at("scope")).value_or(ScopeSet());
  verified.audience_ = audience_of(*claims);
  verified.client_id_ = claims->string_at("client_id");
  POSTERN_TRY(const auto expires_at, date_claim(*claims, "exp"));
  verified.expires_at_ =
      expires_at.value_or(WallTime::max());  // without a lifetime only when a table without that check let it pass
  POSTERN_TRY(verified.auth_time_, date_claim(*claims, "auth_time"));
  return verified;
}

std::string MalformedToken::text() const {
  return "The access token is malformed: " + reason;
}
std::string UnknownKey::text() const {
  return "The access token is signed with a key that the issuer does not publish.";
}
std::string BadSignature::text() const {
  return "The access token is not signed by the issuer: " + reason;
}
std::string WrongIssuer::text() const {
  return "The access token is not from the issuer " + expected + ".";
}
std::string WrongAudience::text() const {
  return "The access token was not issued for " + expected + ".";
}
std::string WrongType::text() const {
  return "The token is not an access token (typ at+jwt).";
}
std::string ExpiredToken::text() const {
  return "The access token has expired. Sign in again.";
}
std::string NotYetValid::text() const {
  return "The access token is not valid yet.";
}
std::string MissingClaim::text() const {
  return "The access token has no claim " + std::string(claim) + ".";
}

}  // namespace postern::services
