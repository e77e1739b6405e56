#include "wire/oauth/jws.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "wire/base/bytes.h"
#include "wire/oauth/claims.h"
#include "wire/signing/es256_signer.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

JwkSet jws_keys(const Json& jwk) {
  auto set = JwkSet::of_json(Json::object({{"keys", Json::array({jwk})}}));
  EXPECT_TRUE(succeeded(set));
  return *set;
}

Status split_and_verify(std::string_view token, const JwkSet& keys) {
  POSTERN_TRY(const auto jws, CompactJws::split(token));
  return jws.verify(keys);
}

class JwsOfOneSigner : public testing::Test {
 protected:
  Json header(std::initializer_list<Json::Member> more = {}) const {
    Json json = Json::object({{"alg", "ES256"}, {"kid", "k1"}});
    for (const auto& [name, value] : more) json.set(name, value);
    return json;
  }
  Status verify(const Json& head) const { return split_and_verify(signer_.compact_jws(head, payload_), keys_); }

  Es256Signer signer_ = Es256Signer::generate();
  JwkSet keys_ = jws_keys(signer_.public_jwk("k1"));
  Json payload_ = Json::object({{"sub", "rowan"}});
};

TEST_F(JwsOfOneSigner, VerifiesWhatItsKeySigned) {
  const std::string token = signer_.compact_jws(header({{"typ", "at+jwt"}}), payload_);
  const auto jws = CompactJws::split(token);
  ASSERT_TRUE(succeeded(jws));
  EXPECT_TRUE(succeeded(jws->verify(keys_)));
  EXPECT_EQ(jws->payload(), R"({"sub":"rowan"})");
  EXPECT_EQ(jws->key_id(), "k1");
}

TEST_F(JwsOfOneSigner, RefusesOtherAlgorithms) {
  EXPECT_TRUE(succeeded(verify(header())));
  for (const char* alg : {"none", "None", "HS256", "RS256", "ES384", "es256", ""}) {
    EXPECT_TRUE(refused(verify(header({{"alg", alg}})), "oauth.jws_header_refused")) << alg;
  }
  Json without = header();
  without.erase("alg");
  EXPECT_TRUE(refused(verify(without), "oauth.jws_header_refused"));
}

TEST_F(JwsOfOneSigner, RefusesHeadersThatBringAKey) {
  const Json own = signer_.public_jwk("k1");
  EXPECT_TRUE(refused(verify(header({{"jwk", own}})), "oauth.jws_header_refused"));
  for (const char* name : {"jku", "x5u"}) {
    EXPECT_TRUE(refused(verify(header({{name, "https://evil.test/keys"}})), "oauth.jws_header_refused")) << name;
  }
  EXPECT_TRUE(refused(verify(header({{"x5c", Json::array({"AAAA"})}})), "oauth.jws_header_refused"));
  EXPECT_TRUE(refused(verify(header({{"crit", Json::array({"exp"})}})), "oauth.jws_header_refused"));
  EXPECT_TRUE(refused(verify(header({{"b64", false}})), "oauth.jws_header_refused"));
  EXPECT_TRUE(succeeded(verify(header({{"cty", "x"}}))));
}

TEST_F(JwsOfOneSigner, RefusesAnUnknownOrAbsentKeyName) {
  EXPECT_TRUE(refused(verify(header({{"kid", "k2"}})), "oauth.jws_unknown_key"));
  EXPECT_TRUE(refused(verify(header({{"kid", "k\r\nX-Injected: 1"}})), "oauth.jws_unknown_key"));
  EXPECT_TRUE(refused(verify(header({{"kid", ""}})), "oauth.jws_header_refused"));
  EXPECT_TRUE(refused(verify(header({{"kid", 1}})), "oauth.jws_header_refused"));
}

TEST_F(JwsOfOneSigner, RefusesChangedBytes) {
  const std::string token = signer_.compact_jws(header(), payload_);
  const std::size_t dot = token.find('.');
  std::string changed = token;
  changed.replace(dot + 1, token.rfind('.') - dot - 1, base64url(R"({"sub":"morgan"})"));
  EXPECT_TRUE(succeeded(split_and_verify(token, keys_)));
  EXPECT_TRUE(refused(split_and_verify(changed, keys_), "oauth.jws_bad_signature"));
}

TEST_F(JwsOfOneSigner, RefusesTextsThatAreNoCompactForm) {
  const std::string token = signer_.compact_jws(header(), payload_);
  EXPECT_TRUE(succeeded(CompactJws::split(token)));
  for (const std::string& text :
       {std::string(), std::string(".."), std::string("a.b"), token + ".e30", token + "=", token + " ", "\n" + token,
        token.substr(0, token.size() - 1), std::string(9000, 'a')}) {
    EXPECT_TRUE(refused(CompactJws::split(text), "oauth.malformed_jws")) << text;
  }
  EXPECT_TRUE(refused(CompactJws::split(base64url("[]") + ".e30.AAAA"), "oauth.malformed_jws"));
  EXPECT_TRUE(
      refused(CompactJws::split(base64url(R"({"alg":"none","alg":"ES256"})") + ".e30.AAAA"), "oauth.malformed_jws"));
}

TEST_F(JwsOfOneSigner, ReadsTheTypeWithoutCaseAndPrefix) {
  const auto has = [&](const char* typ) {
    return CompactJws::split(signer_.compact_jws(header({{"typ", typ}}), payload_))->has_type("at+jwt");
  };
  EXPECT_TRUE(has("at+jwt"));
  EXPECT_TRUE(has("AT+JWT"));
  EXPECT_TRUE(has("application/at+jwt"));
  EXPECT_FALSE(has("JWT"));
  EXPECT_FALSE(has("xapplication/at+jwt"));
  EXPECT_FALSE(has(""));
}

TEST_F(JwsOfOneSigner, AlwaysHasASignatureOf64Bytes) {
  // About one in 128 has a leading zero byte in R or S.
  for (int i = 0; i < 1000; ++i) {
    const std::string token = signer_.compact_jws(header(), Json::object({{"n", i}}));
    ASSERT_EQ(token.size() - token.rfind('.') - 1, 86U);
    ASSERT_TRUE(succeeded(split_and_verify(token, keys_))) << i;
  }
}

// R is 32 bytes and S starts with a zero byte; the DER form and the form that lost the zero are refused.
TEST(Jws, TakesTheRawSignatureAndNeverDer) {
  POSTERN_SHARED_JSON(vector, "cases/B-049/vector.json");
  const JwkSet keys = jws_keys(*vector.find("public_jwk"));
  EXPECT_TRUE(succeeded(split_and_verify(vector.string_at("token"), keys)));
  EXPECT_TRUE(refused(split_and_verify(vector.string_at("short"), keys), "oauth.jws_bad_signature"));
  EXPECT_TRUE(refused(split_and_verify(vector.string_at("der"), keys), "oauth.jws_bad_signature"));
  const std::string token(vector.string_at("token"));
  const std::string zeros = token.substr(0, token.rfind('.') + 1) + base64url(std::string(64, '\0'));
  EXPECT_TRUE(refused(split_and_verify(zeros, keys), "oauth.jws_bad_signature"));
}

struct WycheproofCount {
  int accepted = 0;
  int refused = 0;
};

// Every vector that says "invalid" is refused, whatever its algorithm; the valid ones of ES256 with a kid are accepted.
WycheproofCount check_wycheproof(const Json& vectors) {
  WycheproofCount count;
  for (const Json& group : vectors.find("testGroups")->elements()) {
    const Json* jwk = group.has("public") ? group.find("public") : group.find("private");
    const Json set = jwk->has("keys") ? *jwk : Json::object({{"keys", Json::array({*jwk})}});
    const auto keys = JwkSet::of_json(set);
    if (!keys) continue;
    for (const Json& vector : group.find("tests")->elements()) {
      const std::string_view token = vector.string_at("jws");
      if (token.empty()) continue;  // an encrypted one, or the JSON serialisation: neither is read here
      const bool verified = split_and_verify(token, *keys).has_value();
      if (vector.string_at("result") != "valid") {
        EXPECT_FALSE(verified) << *vector.integer_at("tcId") << " " << vector.string_at("comment");
        ++count.refused;
      } else if (!keys->keys().empty()) {
        EXPECT_TRUE(verified) << *vector.integer_at("tcId") << " " << vector.string_at("comment");
        ++count.accepted;
      }
    }
  }
  return count;
}

TEST(Jws, AgreesWithWycheproofOnSignatures) {
  POSTERN_SHARED_JSON(vectors, "vectors/wycheproof/json_web_signature_test.json");
  const WycheproofCount count = check_wycheproof(vectors);
  EXPECT_GT(count.accepted, 0);
  EXPECT_GT(count.refused, 50);
}

TEST(Jws, AgreesWithWycheproofOnKeys) {
  POSTERN_SHARED_JSON(vectors, "vectors/wycheproof/json_web_key_test.json");
  EXPECT_GT(check_wycheproof(vectors).refused, 10);
}

TEST(Jws, AgreesWithWycheproofOnKeySets) {
  POSTERN_SHARED_JSON(vectors, "vectors/wycheproof/json_web_crypto_test.json");
  EXPECT_GT(check_wycheproof(vectors).refused, 10);
}

TEST(Claims, ReadsNumericDatesOnly) {
  const Json claims = *parse_json(R"({"a":100,"b":100.5,"c":"100","d":-1,"e":null,"f":1e300,"g":253402300800})");
  EXPECT_EQ(numeric_date(claims, "a")->value(), WallTime(Seconds(100)));
  EXPECT_EQ(numeric_date(claims, "b")->value(), WallTime(Milliseconds(100500)));
  EXPECT_FALSE(numeric_date(claims, "absent")->has_value());
  for (const char* name : {"c", "d", "e", "f", "g"}) {
    EXPECT_TRUE(refused(numeric_date(claims, name), "oauth.malformed_claim")) << name;
  }
}

TEST(Claims, ReadsTheAudienceAsAList) {
  EXPECT_EQ(audience_of(*parse_json(R"({"aud":"a"})")), std::vector<std::string>{"a"});
  EXPECT_EQ(audience_of(*parse_json(R"({"aud":["a","b"]})")), (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(audience_of(*parse_json(R"({"aud":["a",1]})")).empty());
  EXPECT_TRUE(audience_of(*parse_json(R"({"aud":{"a":"b"}})")).empty());
  EXPECT_TRUE(audience_of(*parse_json("{}")).empty());
}

}  // namespace
}  // namespace postern
