#include "issuer/access_token_issuer.h"

#include "wire/base/check.h"
#include "wire/oauth/jws.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kAccessTokenType = "at+jwt";
constexpr char kGrantEnd = '.';  // in a jti, behind the id of the grant; not a letter of base64url

}  // namespace

AccessTokenIssuer::AccessTokenIssuer(Env env, std::string issuer, std::optional<Es256Signer> first_key)
    : env_(env), issuer_(std::move(issuer)), keys_(env, kLifetime + kClockSkew, std::move(first_key)) {}

Json AccessTokenIssuer::claims_of(const Grant& grant) const {
  const std::int64_t now = unix_seconds(env_.clock.now());
  return Json::object({{"iss", issuer_},
                       {"sub", grant.person.subject},
                       {"name", grant.person.name},
                       {"auth_time", unix_seconds(grant.auth_time)},
                       {"iat", now},
                       {"exp", now + kLifetime.count()}});
}

std::string AccessTokenIssuer::sign(std::string_view type, const Json& claims) {
  const KeyRing::Key key = keys_.signing();
  return key.signer.compact_jws(Json::object({{"alg", "ES256"}, {"typ", type}, {"kid", key.kid}}), claims);
}

std::string AccessTokenIssuer::access_token(const Grant& grant, const ScopeSet& scope) {
  POSTERN_CHECK(grant.scope.contains_all(scope));
  Json claims = claims_of(grant);
  claims.set("aud", grant.resource);
  claims.set("client_id", grant.client->client_id);
  claims.set("scope", scope.text());
  claims.set("jti", random_token(env_.random, grant.id + kGrantEnd, 16));
  return sign(kAccessTokenType, claims);
}

std::string AccessTokenIssuer::id_token(const Grant& grant) {
  POSTERN_CHECK(grant.scope.contains("openid"));
  Json claims = claims_of(grant);
  claims.set("aud", grant.client->client_id);
  if (!grant.nonce.empty()) claims.set("nonce", grant.nonce);
  return sign("JWT", claims);
}

std::optional<AccessTokenIssuer::Origin> AccessTokenIssuer::origin_of(std::string_view access_token) {
  const auto jws = CompactJws::split(access_token);
  if (!jws || !jws->has_type(kAccessTokenType)) return std::nullopt;
  const auto keys = JwkSet::of_json(jwk_set());
  if (!keys || !jws->verify(*keys)) return std::nullopt;
  const auto claims = parse_json(jws->payload());
  if (!claims || claims->string_at("iss") != issuer_) return std::nullopt;
  const std::string_view jti = claims->string_at("jti");
  return Origin{std::string(claims->string_at("client_id")), std::string(jti.substr(0, jti.find(kGrantEnd)))};
}

}  // namespace postern::issuer
