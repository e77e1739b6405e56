#include "bridge/oauth/token_subject.h"

#include <string_view>

#include "wire/base/json.h"
#include "wire/oauth/claims.h"
#include "wire/oauth/jws.h"

namespace postern::bridge {
namespace {

constexpr JsonBounds kClaimBounds{16 * 1024, 8};

// Null when the token is no JWT.
Json claims_of(std::string_view token) {
  const auto jws = CompactJws::split(token);
  if (!jws) return {};
  auto claims = parse_json(jws->payload(), kClaimBounds);
  return claims ? *std::move(claims) : Json();
}

}  // namespace

std::string TokenSubject::of(const TokenResponse& response, const std::string& issuer) {
  const Json access = claims_of(response.access_token.reveal(Passkey<TokenSubject>{}));
  std::string subject(access.string_at("sub"));
  if (!subject.empty() || !response.id_token) return subject;
  const Json id = claims_of(response.id_token->reveal(Passkey<TokenSubject>{}));
  return id.string_at("iss") == issuer ? std::string(id.string_at("sub")) : std::string();
}

std::optional<WallTime> TokenSubject::expiry_hint(const AccessToken& token) {
  const auto expiry = numeric_date(claims_of(token.reveal(Passkey<TokenSubject>{})), "exp");
  return expiry ? *expiry : std::nullopt;
}

}  // namespace postern::bridge
