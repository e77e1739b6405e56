// Each forged token is a genuine one with one fact changed, and would be believed by a verifier that leaves out the one
// check it is about.

#include "tests/lab/attack/forged_token.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/base/bytes.h"
#include "wire/base/digest.h"
#include "wire/oauth/jwk.h"
#include "wire/signing/es256_signer.h"

namespace postern::lab {
namespace {

constexpr std::int64_t kNow = 1'796'000'000;

struct Taken {
  Json header;
  Json claims;
  std::string input;
  std::string signature;
};

Taken taken(const std::string& token) {
  const std::size_t first = token.find('.');
  const std::size_t second = token.find('.', first + 1);
  return {*parse_json(*base64url_decode(token.substr(0, first))),
          *parse_json(*base64url_decode(token.substr(first + 1, second - first - 1))), token.substr(0, second),
          *base64url_decode(token.substr(second + 1))};
}

class ForgedToken : public testing::Test {
 protected:
  ForgedToken() {
    means.genuine = issuer.compact_jws(Json::object({{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", "k1"}}), claims);
    means.issuer_keys = Json::object({{"keys", Json::array({issuer.public_jwk("k1")})}});
    means.sign_as_issuer = [this](const Json& header, const Json& changed) -> Result<std::string> {
      return issuer.compact_jws(header, changed);
    };
    means.own_keys_url = "http://127.0.0.1:1/keys.json";
    means.now = wall_time_of_unix_seconds(kNow);
  }
  Taken forged(std::string_view how) {
    const auto token = forged_token(means, how);
    EXPECT_TRUE(test::succeeded(token));
    return token ? taken(*token) : Taken{};
  }

  Es256Signer issuer = Es256Signer::generate();
  Json claims = Json::object({{"iss", "https://issuer.test"},
                              {"sub", "rowan"},
                              {"aud", "http://127.0.0.1:1/mcp"},
                              {"exp", kNow + 300},
                              {"scope", "desk:read"}});
  ForgeryMeans means;
};

TEST_F(ForgedToken, ChangesTheLifetimeAlone) {
  const Taken expired = forged("expired");
  EXPECT_LT(*expired.claims.integer_at("exp"), kNow);
  EXPECT_EQ(expired.claims.string_at("aud"), claims.string_at("aud"));
  const Taken early = forged("not-yet-valid");
  EXPECT_GT(*early.claims.integer_at("nbf"), kNow);
  EXPECT_GT(*early.claims.integer_at("exp"), kNow);
  EXPECT_FALSE(forged("no-exp").claims.has("exp"));
}

TEST_F(ForgedToken, ChangesOneFactOfWhatTheIssuerSigns) {
  EXPECT_FALSE(forged("no-scope").claims.has("scope"));
  EXPECT_NE(forged("other-issuer").claims.string_at("iss"), claims.string_at("iss"));
  EXPECT_EQ(forged("other-issuer").header.string_at("kid"), "k1");
  EXPECT_EQ(forged("other-type").header.string_at("typ"), "JWT");
  EXPECT_EQ(forged("other-type").claims, claims);
}

TEST_F(ForgedToken, IsNotMadeWhereNobodyHasTheIssuersKey) {
  means.sign_as_issuer = [](const Json&, const Json&) -> Result<std::string> { return NotObservable{"nobody"}; };
  EXPECT_TRUE(test::refused(forged_token(means, "expired"), "lab.not_observable"));
  EXPECT_TRUE(test::succeeded(forged_token(means, "alg-none")));
}

TEST_F(ForgedToken, WithAlgNoneHasNoSignature) {
  const Taken none = forged("alg-none");
  EXPECT_EQ(none.header.string_at("alg"), "none");
  EXPECT_EQ(none.claims, claims);
  EXPECT_EQ(none.signature, "");
}

TEST_F(ForgedToken, WithHs256IsSignedWithThePublicKeyAsItIsPublished) {
  const Taken mac = forged("hs256-public-key");
  EXPECT_EQ(mac.header.string_at("alg"), "HS256");
  const Json key = issuer.public_jwk("k1");
  const std::string der = *hex_decode("3059301306072a8648ce3d020106082a8648ce3d03010703420004") +
                          *base64url_decode(key.string_at("x")) + *base64url_decode(key.string_at("y"));
  EXPECT_EQ(der.size(), 91U);  // of every P-256 key in this form (RFC 5480)
  const std::string text = base64(der);
  const std::string pem =
      "-----BEGIN PUBLIC KEY-----\n" + text.substr(0, 64) + "\n" + text.substr(64) + "\n-----END PUBLIC KEY-----\n";
  EXPECT_EQ(mac.signature, hmac_sha256(pem, mac.input));
}

TEST_F(ForgedToken, WithAKeyOfItsOwnVerifiesWithThatKey) {
  const Taken own = forged("own-jwk");
  const Json* key = own.header.find("jwk");
  ASSERT_NE(key, nullptr);
  const auto point =
      P256PublicKey::of_coordinates(*base64url_decode(key->string_at("x")), *base64url_decode(key->string_at("y")));
  ASSERT_TRUE(point.has_value());
  EXPECT_TRUE(point->verify_es256(own.input, own.signature));
  EXPECT_EQ(own.claims, claims);
  EXPECT_EQ(forged("own-jku").header.string_at("jku"), means.own_keys_url);
  EXPECT_EQ(forged("own-x5u").header.string_at("x5u"), means.own_keys_url);
  EXPECT_EQ(own_key_set().find("keys")->size(), 1U);
}

TEST_F(ForgedToken, OfAnotherIssuerSaysSo) {
  EXPECT_NE(forged("untrusted-issuer").claims.string_at("iss"), claims.string_at("iss"));
}

TEST_F(ForgedToken, IsNotMadeInAWayThatNobodyKnows) {
  EXPECT_TRUE(test::refused(forged_token(means, "upside-down"), "lab.attack_failed"));
  means.genuine = "opaque";
  EXPECT_TRUE(test::refused(forged_token(means, "alg-none"), "lab.not_observable"));
}

}  // namespace
}  // namespace postern::lab
