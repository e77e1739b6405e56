#include "bridge/oauth/dpop_key.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/refused.h"
#include "tests/support/test_env.h"
#include "wire/base/bytes.h"
#include "wire/oauth/jwk.h"
#include "wire/oauth/jws.h"

namespace postern::bridge {
namespace {

class DpopKeyTest : public testing::Test {
 protected:
  test::TestEnv env_;
  DpopKey key_{env_.env()};
  const Uri resource_ = *parse_uri("https://tickets.example.test/mcp?tenant=1");

  static Json header_of(const std::string& proof) { return CompactJws::split(proof)->header(); }
  static Json claims_of(const std::string& proof) { return *parse_json(CompactJws::split(proof)->payload()); }
  std::string proof_for(const Uri& url, const std::string& token = "at-1") {
    HttpRequest request;
    request.method = "POST";
    key_.authorize(request, url, AccessToken::take(std::string(token)));
    return *request.headers.find("DPoP");
  }
  static HttpResponse with_nonce(int status, const std::string& nonce, const std::string& challenge = "") {
    HttpResponse response = json_response(status, "{}");
    response.headers.add("DPoP-Nonce", nonce);
    if (!challenge.empty()) response.headers.add("WWW-Authenticate", challenge);
    return response;
  }
};

// RFC 9449 section 4.2.
TEST_F(DpopKeyTest, ProvesOneRequest) {
  const std::string proof = proof_for(resource_);
  const Json header = header_of(proof);
  EXPECT_EQ(header.string_at("typ"), "dpop+jwt");
  EXPECT_EQ(header.string_at("alg"), "ES256");
  const Json& jwk = *header.find("jwk");
  EXPECT_EQ(jwk.size(), 4U);
  EXPECT_FALSE(jwk.has("d"));
  const auto point =
      P256PublicKey::of_coordinates(*base64url_decode(jwk.string_at("x")), *base64url_decode(jwk.string_at("y")));
  const auto dot = proof.rfind('.');
  EXPECT_TRUE(point && point->verify_es256(proof.substr(0, dot), *base64url_decode(proof.substr(dot + 1))));
  EXPECT_EQ(jwk_thumbprint(jwk), key_.thumbprint());
  const Json claims = claims_of(proof);
  EXPECT_EQ(claims.string_at("htm"), "POST");
  EXPECT_EQ(claims.string_at("htu"), "https://tickets.example.test/mcp");
  EXPECT_EQ(claims.integer_at("iat"), unix_seconds(env_.clock.now()));
  EXPECT_FALSE(claims.has("nonce"));
}

TEST_F(DpopKeyTest, NamesEachProofAnew) {
  std::set<std::string> names;
  for (int i = 0; i < 50; ++i) names.emplace(claims_of(proof_for(resource_)).string_at("jti"));
  EXPECT_EQ(names.size(), 50U);
}

// The token of RFC 9449 figures 12 and 13 and its hash.
TEST_F(DpopKeyTest, BindsTheProofToTheToken) {
  HttpRequest request;
  request.method = "GET";
  request.headers.add("Authorization", "Bearer old");
  key_.authorize(request, *parse_uri("https://resource.example.org/protectedresource"),
                 AccessToken::take("Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"));
  EXPECT_EQ(request.headers.all("Authorization"),
            std::vector<std::string_view>{"DPoP Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"});
  const Json claims = claims_of(*request.headers.find("DPoP"));
  EXPECT_EQ(claims.string_at("ath"), "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo");
  EXPECT_EQ(claims.string_at("htm"), "GET");
  key_.prove(request, *parse_uri("https://server.example.com/token"));
  EXPECT_FALSE(claims_of(*request.headers.find("DPoP")).has("ath"));
  EXPECT_EQ(request.headers.all("DPoP").size(), 1U);
}

// RFC 9449 figures 4 and 9.
TEST_F(DpopKeyTest, ThumbprintsAsTheSpecificationDoes) {
  EXPECT_EQ(jwk_thumbprint(Json::object({{"kty", "EC"},
                                         {"x", "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs"},
                                         {"y", "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA"},
                                         {"crv", "P-256"},
                                         {"use", "sig"}})),
            "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I");
}

// Sections 8.2 and 9: each server's nonce is its own, and the newest counts.
TEST_F(DpopKeyTest, KeepsANonceForTheServerThatGaveIt) {
  const Uri other = *parse_uri("https://other.example.test/mcp");
  EXPECT_FALSE(key_.take_note(resource_, with_nonce(200, "n-1")));
  EXPECT_EQ(claims_of(proof_for(resource_)).string_at("nonce"), "n-1");
  EXPECT_FALSE(claims_of(proof_for(other)).has("nonce"));
  EXPECT_FALSE(key_.take_note(other, with_nonce(200, "n-2")));
  EXPECT_FALSE(key_.take_note(resource_, with_nonce(200, "n-3")));
  EXPECT_EQ(claims_of(proof_for(resource_)).string_at("nonce"), "n-3");
  EXPECT_EQ(claims_of(proof_for(other)).string_at("nonce"), "n-2");
}

TEST_F(DpopKeyTest, KnowsARefusalForTheWantOfANonce) {
  const char* wanted = R"(DPoP error="use_dpop_nonce", error_description="a nonce is wanted")";
  EXPECT_TRUE(key_.take_note(resource_, with_nonce(401, "n-1", wanted)));
  EXPECT_TRUE(key_.take_note(resource_, with_nonce(401, "n-2", std::string("Bearer realm=\"x\", ") + wanted)));
  HttpResponse body = with_nonce(400, "n-3");
  body.body = R"({"error":"use_dpop_nonce"})";
  EXPECT_TRUE(key_.take_note(resource_, body));
  // The same words where they do not say that.
  EXPECT_FALSE(key_.take_note(resource_, with_nonce(401, "n-4", R"(DPoP error="invalid_token")")));
  EXPECT_FALSE(key_.take_note(resource_, with_nonce(401, "n-4", R"(Bearer error="use_dpop_nonce")")));
  body.status = 200;
  EXPECT_FALSE(key_.take_note(resource_, body));
  HttpResponse without = json_response(401, "{}");
  without.headers.add("WWW-Authenticate", wanted);
  EXPECT_FALSE(key_.take_note(resource_, without));
}

TEST_F(DpopKeyTest, LeavesOutWhatIsNoNonce) {
  for (const std::string& bad : {std::string("a b"), std::string("quo\"te"), std::string("back\\slash"),
                                 std::string(2000, 'n'), std::string()}) {
    EXPECT_FALSE(key_.take_note(resource_, with_nonce(200, bad)));
    EXPECT_FALSE(claims_of(proof_for(resource_)).has("nonce"));
  }
  HttpResponse twice = with_nonce(200, "n-1");
  twice.headers.add("DPoP-Nonce", "n-2");
  EXPECT_FALSE(key_.take_note(resource_, twice));
  EXPECT_FALSE(claims_of(proof_for(resource_)).has("nonce"));
  EXPECT_FALSE(key_.take_note(resource_, with_nonce(200, "eyJ7S_zG.eyJH0-Z.HX4w-7v")));
  EXPECT_EQ(claims_of(proof_for(resource_)).string_at("nonce"), "eyJ7S_zG.eyJH0-Z.HX4w-7v");
}

}  // namespace
}  // namespace postern::bridge
