#include "issuer/access_token_issuer.h"

#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"
#include "wire/base/check.h"
#include "wire/base/digest.h"

namespace postern::issuer {
namespace {

// RFC 7638: the key names itself.
std::string thumbprint(const Json& jwk) {
  Json required = Json::object();
  for (const char* name : {"crv", "kty", "x", "y"}) required.set(name, jwk.string_at(name));
  return base64url(sha256(canonical_json(required)));
}

}  // namespace

AccessTokenIssuer::AccessTokenIssuer(Env env, std::string issuer)
    : env_(env), issuer_(std::move(issuer)), signer_(Es256Signer::generate()) {
  kid_ = thumbprint(signer_.public_jwk(""));
}

Json AccessTokenIssuer::claims_of(const Grant& grant) const {
  const std::int64_t now = unix_seconds(env_.clock.now());
  return Json::object({{"iss", issuer_},
                       {"sub", grant.person.subject},
                       {"name", grant.person.name},
                       {"auth_time", unix_seconds(grant.auth_time)},
                       {"iat", now},
                       {"exp", now + kLifetime.count()}});
}

std::string AccessTokenIssuer::sign(std::string_view type, const Json& claims) const {
  return signer_.compact_jws(Json::object({{"alg", "ES256"}, {"typ", type}, {"kid", kid_}}), claims);
}

std::string AccessTokenIssuer::access_token(const Grant& grant) const {
  Json claims = claims_of(grant);
  claims.set("aud", grant.request.resource);
  claims.set("client_id", grant.request.address.client->client_id);
  claims.set("scope", grant.request.scope.text());
  claims.set("jti", random_token(env_.random, "", 16));
  return sign("at+jwt", claims);
}

std::string AccessTokenIssuer::id_token(const Grant& grant) const {
  POSTERN_CHECK(grant.request.scope.contains("openid"));
  Json claims = claims_of(grant);
  claims.set("aud", grant.request.address.client->client_id);
  if (!grant.request.nonce.empty()) claims.set("nonce", grant.request.nonce);
  return sign("JWT", claims);
}

Json AccessTokenIssuer::jwk_set() const {
  return Json::object({{"keys", Json::array({signer_.public_jwk(kid_)})}});
}

}  // namespace postern::issuer
