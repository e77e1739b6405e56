#include "bridge/oauth/client_assertion.h"

#include "wire/base/check.h"

namespace postern::bridge {

FormFields client_assertion_fields(const ClientIdentity& identity, const std::string& issuer, const Env& env) {
  POSTERN_CHECK(identity.key != nullptr);
  Json header = Json::object({{"alg", "ES256"}, {"typ", "JWT"}});
  if (!identity.key_id.empty()) header.set("kid", identity.key_id);
  const std::int64_t now = unix_seconds(env.clock.now());
  const Json claims = Json::object({{"iss", identity.client_id},
                                    {"sub", identity.client_id},
                                    {"aud", issuer},
                                    {"jti", random_token(env.random, "", 16)},
                                    {"iat", now},
                                    {"exp", now + kClientAssertionAge.count()}});
  return {{"client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer"},
          {"client_assertion", identity.key->compact_jws(header, claims)}};
}

}  // namespace postern::bridge
