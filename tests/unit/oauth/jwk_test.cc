#include "wire/oauth/jwk.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "wire/base/bytes.h"
#include "wire/signing/es256_signer.h"

namespace postern {
namespace {

Json set_of(std::initializer_list<Json> keys) {
  return Json::object({{"keys", Json::array(keys)}});
}

TEST(JwkSet, KeepsTheKeysThatMayVerify) {
  const Json good = Es256Signer::generate().public_jwk("k1");
  Json encrypting = Es256Signer::generate().public_jwk("k2");
  encrypting.set("use", "enc");
  Json other_algorithm = Es256Signer::generate().public_jwk("k3");
  other_algorithm.set("alg", "ES384");
  Json other_curve = Es256Signer::generate().public_jwk("k4");
  other_curve.set("crv", "P-384");
  Json nameless = Es256Signer::generate().public_jwk("");
  Json signing_only = Es256Signer::generate().public_jwk("k5");
  signing_only.set("key_ops", Json::array({"sign"}));
  const Json octets = Json::object({{"kty", "oct"}, {"kid", "k6"}, {"k", "c2VjcmV0"}});
  const auto set =
      JwkSet::of_json(set_of({encrypting, good, other_algorithm, other_curve, nameless, signing_only, octets}));
  ASSERT_TRUE(test::succeeded(set));
  ASSERT_EQ(set->keys().size(), 1U);
  EXPECT_NE(set->find("k1"), nullptr);
  EXPECT_EQ(set->find("k2"), nullptr);
}

TEST(JwkSet, RefusesTwoKeysOfOneName) {
  const Json one = Es256Signer::generate().public_jwk("k1");
  const Json two = Es256Signer::generate().public_jwk("k1");
  EXPECT_TRUE(test::refused(JwkSet::of_json(set_of({one, two})), "oauth.malformed_jwk_set"));
  EXPECT_TRUE(test::succeeded(JwkSet::of_json(set_of({one}))));
}

TEST(JwkSet, RefusesDocumentsWithoutKeys) {
  EXPECT_TRUE(test::refused(JwkSet::of_json(Json::object()), "oauth.malformed_jwk_set"));
  EXPECT_TRUE(test::refused(JwkSet::of_json(Json::array()), "oauth.malformed_jwk_set"));
  EXPECT_TRUE(test::succeeded(JwkSet::of_json(set_of({}))));
}

TEST(P256PublicKey, RefusesCoordinatesThatAreNoPoint) {
  const Json jwk = Es256Signer::generate().public_jwk("k1");
  const auto x = base64url_decode(jwk.string_at("x"));
  auto y = base64url_decode(jwk.string_at("y"));
  ASSERT_TRUE(P256PublicKey::of_coordinates(*x, *y).has_value());
  y->back() = static_cast<char>(y->back() ^ 1);
  EXPECT_FALSE(P256PublicKey::of_coordinates(*x, *y).has_value());
  EXPECT_FALSE(P256PublicKey::of_coordinates(std::string(32, '\0'), std::string(32, '\0')).has_value());
  EXPECT_FALSE(P256PublicKey::of_coordinates("", "").has_value());
}

TEST(P256PublicKey, AgreesWithWycheproof) {
  POSTERN_SHARED_JSON(vectors, "vectors/wycheproof/ecdsa_secp256r1_sha256_p1363_test.json");
  int checked = 0;
  for (const Json& group : vectors.find("testGroups")->elements()) {
    const std::string point = hex_decode(group.find("publicKey")->string_at("uncompressed")).value();
    const auto key = P256PublicKey::of_coordinates(point.substr(1, 32), point.substr(33));
    ASSERT_TRUE(key.has_value());
    for (const Json& vector : group.find("tests")->elements()) {
      const auto message = hex_decode(vector.string_at("msg"));
      const auto signature = hex_decode(vector.string_at("sig"));
      ASSERT_TRUE(message && signature);
      EXPECT_EQ(key->verify_es256(*message, *signature), vector.string_at("result") == "valid")
          << *vector.integer_at("tcId") << " " << vector.string_at("comment");
      ++checked;
    }
  }
  EXPECT_EQ(checked, vectors.integer_at("numberOfTests"));
}

}  // namespace
}  // namespace postern
