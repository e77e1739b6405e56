#include "wire/oauth/id_token.h"

#include <gtest/gtest.h>

#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "wire/signing/es256_signer.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

class IdTokens : public testing::Test {
 protected:
  Json claims() const {
    const std::int64_t now = unix_seconds(clock_.now());
    return Json::object({{"iss", "http://127.0.0.1:8930"},
                         {"sub", "morgan"},
                         {"aud", "postern-approvals"},
                         {"nonce", "n-1"},
                         {"exp", now + 300},
                         {"iat", now},
                         {"auth_time", now - 10},
                         {"name", "Morgan Ellis"}});
  }
  Result<VerifiedIdToken> verify(const Json& claims, std::optional<Seconds> auth_age_max = Seconds(300),
                                 const char* typ = "JWT", const char* kid = "k1") const {
    const IdTokenVerifier verifier({"http://127.0.0.1:8930", "postern-approvals", "n-1", auth_age_max});
    const Json header = Json::object({{"alg", "ES256"}, {"typ", typ}, {"kid", kid}});
    const auto keys = JwkSet::of_json(Json::object({{"keys", Json::array({signer_.public_jwk("k1")})}}));
    return verifier.verify(IdToken::take(signer_.compact_jws(header, claims)), *keys, clock_.now());
  }
  Result<VerifiedIdToken> verify_with(const char* name, const Json& value) const {
    Json changed = claims();
    changed.set(name, value);
    return verify(changed);
  }

  test::ManualClock clock_;
  Es256Signer signer_ = Es256Signer::generate();
};

TEST_F(IdTokens, SayWhoSignedInAndWhen) {
  const auto verified = verify(claims());
  ASSERT_TRUE(succeeded(verified));
  EXPECT_EQ(verified->subject, "morgan");
  EXPECT_EQ(verified->name, "Morgan Ellis");
  EXPECT_EQ(*verified->auth_time, clock_.now() - Seconds(10));
}

TEST_F(IdTokens, RefusesClaimsOfAnotherSignIn) {
  EXPECT_TRUE(refused(verify_with("iss", "http://127.0.0.1:8930/"), "id_token.refused"));
  EXPECT_TRUE(refused(verify_with("aud", "partner-portal"), "id_token.refused"));
  EXPECT_TRUE(refused(verify_with("nonce", "n-2"), "id_token.refused"));
  EXPECT_TRUE(refused(verify_with("sub", ""), "id_token.refused"));
  for (const char* name : {"iss", "aud", "nonce", "sub", "exp"}) {
    Json without = claims();
    without.erase(name);
    EXPECT_TRUE(refused(verify(without), "id_token.refused")) << name;
  }
}

TEST_F(IdTokens, RefusesSeveralAudiencesWithoutThisClientAsTheParty) {
  Json several = claims();
  several.set("aud", Json::array({"postern-approvals", "other"}));
  EXPECT_TRUE(refused(verify(several), "id_token.refused"));
  several.set("azp", "other");
  EXPECT_TRUE(refused(verify(several), "id_token.refused"));
  several.set("azp", "postern-approvals");
  EXPECT_TRUE(succeeded(verify(several)));
}

TEST_F(IdTokens, RefusesExpiredOnes) {
  const std::int64_t now = unix_seconds(clock_.now());
  EXPECT_TRUE(succeeded(verify_with("exp", now - 4)));
  EXPECT_TRUE(refused(verify_with("exp", now - 5), "id_token.refused"));
  EXPECT_TRUE(refused(verify_with("exp", "4102444800"), "oauth.malformed_claim"));
}

// The issuer may have ignored max_age: what counts is what the token says.
TEST_F(IdTokens, RefusesASignInThatIsNotFresh) {
  const std::int64_t now = unix_seconds(clock_.now());
  EXPECT_TRUE(succeeded(verify_with("auth_time", now - 300)));
  EXPECT_TRUE(refused(verify_with("auth_time", now - 301), "id_token.not_fresh"));
  EXPECT_TRUE(succeeded(verify_with("auth_time", now + 5)));
  EXPECT_TRUE(refused(verify_with("auth_time", now + 7), "id_token.refused"));
  Json without = claims();
  without.erase("auth_time");
  EXPECT_TRUE(refused(verify(without), "id_token.refused"));
  EXPECT_TRUE(succeeded(verify(without, std::nullopt)));
}

TEST_F(IdTokens, RefusesAccessTokensAndUnknownKeys) {
  EXPECT_TRUE(refused(verify(claims(), Seconds(300), "at+jwt"), "id_token.refused"));
  EXPECT_TRUE(refused(verify(claims(), Seconds(300), "JWT", "k2"), "oauth.jws_unknown_key"));
  const Es256Signer other = Es256Signer::generate();
  const IdTokenVerifier verifier({"http://127.0.0.1:8930", "postern-approvals", "n-1", std::nullopt});
  const auto keys = JwkSet::of_json(Json::object({{"keys", Json::array({other.public_jwk("k1")})}}));
  const Json header = Json::object({{"alg", "ES256"}, {"kid", "k1"}});
  EXPECT_TRUE(refused(verifier.verify(IdToken::take(signer_.compact_jws(header, claims())), *keys, clock_.now()),
                      "oauth.jws_bad_signature"));
}

TEST_F(IdTokens, RefusesEverythingWhenNoNonceWasSent) {
  const IdTokenVerifier verifier({"http://127.0.0.1:8930", "postern-approvals", "", std::nullopt});
  Json without = claims();
  without.erase("nonce");
  const auto keys = JwkSet::of_json(Json::object({{"keys", Json::array({signer_.public_jwk("k1")})}}));
  const Json header = Json::object({{"alg", "ES256"}, {"kid", "k1"}});
  EXPECT_TRUE(refused(verifier.verify(IdToken::take(signer_.compact_jws(header, without)), *keys, clock_.now()),
                      "id_token.refused"));
}

}  // namespace
}  // namespace postern
