#include "services/gate/token_verifier.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "tests/unit/gate/signed_tokens.h"

namespace postern::services {
namespace {

using test::refused;
using test::succeeded;

class TokenVerification : public testing::Test {
 protected:
  Result<VerifiedAccessToken> verify(std::string_view token) const {
    return verifier_.verify(token, keys_, clock_.now());
  }
  std::int64_t now() const { return unix_seconds(clock_.now()); }

  test::ManualClock clock_;
  test::SignedTokens tokens_{clock_};
  JwkSet keys_ = *JwkSet::of_json(tokens_.jwk_set());
  TokenVerifier verifier_{test::kGateIssuer, test::kGateResource};
};

TEST_F(TokenVerification, GivesWhatTheTokenSays) {
  const auto token = verify(tokens_.token());
  ASSERT_TRUE(succeeded(token));
  EXPECT_EQ(token->principal().issuer(), test::kGateIssuer);
  EXPECT_EQ(token->principal().subject(), "rowan");
  EXPECT_EQ(token->principal().display_name(), "Rowan Diaz");
  EXPECT_EQ(token->scopes(), ScopeSet{"desk:read"});
  EXPECT_EQ(token->audience(), std::vector<std::string>{test::kGateResource});
  EXPECT_EQ(token->client_id(), "postern-host");
  EXPECT_EQ(unix_seconds(token->expires_at()), now() + 300);
  EXPECT_EQ(unix_seconds(*token->auth_time()), now() - 20);
}

// A1: a genuine token for another server.
TEST_F(TokenVerification, RefusesATokenForAnotherResource) {
  EXPECT_TRUE(succeeded(verify(tokens_.token_with("aud", Json::array({"x", test::kGateResource})))));
  for (const Json& aud :
       {Json("http://127.0.0.1:8932/mcp"), Json("http://127.0.0.1:8931"), Json("http://127.0.0.1:8931/mcp/"),
        Json::array({"http://127.0.0.1:8931/mcp/x"}), Json::array({test::kGateResource, 1}), Json::array(), Json(1)}) {
    EXPECT_TRUE(refused(verify(tokens_.token_with("aud", aud)), "token.wrong_audience")) << aud.dump();
  }
  EXPECT_TRUE(refused(verify(tokens_.token_without("aud")), "token.wrong_audience"));
}

TEST_F(TokenVerification, RefusesATokenOfAnotherIssuer) {
  for (const char* issuer : {"http://127.0.0.1:8930/", "http://localhost:8930", ""}) {
    EXPECT_TRUE(refused(verify(tokens_.token_with("iss", issuer)), "token.wrong_issuer")) << issuer;
  }
  EXPECT_TRUE(refused(verify(tokens_.token_without("iss")), "token.wrong_issuer"));
}

// A3: other algorithms, and headers that bring a key.
TEST_F(TokenVerification, RefusesSignaturesThatAreNotTheIssuers) {
  for (const char* alg : {"none", "HS256", "RS256", "es256"}) {
    Json header = tokens_.header();
    header.set("alg", alg);
    EXPECT_TRUE(refused(verify(tokens_.sign(header, tokens_.claims())), "token.bad_signature")) << alg;
  }
  const std::string unsigned_token =
      base64url(R"({"alg":"none","typ":"at+jwt","kid":"k1"})") + "." + base64url(tokens_.claims().dump()) + ".";
  EXPECT_TRUE(refused(verify(unsigned_token), "token.bad_signature"));
  const test::SignedTokens attacker(clock_);
  Json own_key = attacker.header();
  own_key.set("jwk", attacker.jwk());
  EXPECT_TRUE(refused(verify(attacker.sign(own_key, attacker.claims())), "token.bad_signature"));
  EXPECT_TRUE(refused(verify(attacker.token()), "token.bad_signature"));
  const test::SignedTokens unknown(clock_, "k2");
  EXPECT_TRUE(refused(verify(unknown.token()), "token.unknown_key"));
  EXPECT_TRUE(succeeded(verify(tokens_.token())));
}

TEST_F(TokenVerification, RefusesTokensOfAnotherType) {
  Json header = tokens_.header();
  header.set("typ", "JWT");
  EXPECT_TRUE(refused(verify(tokens_.sign(header, tokens_.claims())), "token.wrong_type"));
  header.erase("typ");
  EXPECT_TRUE(refused(verify(tokens_.sign(header, tokens_.claims())), "token.wrong_type"));
  header.set("typ", "application/AT+JWT");
  EXPECT_TRUE(succeeded(verify(tokens_.sign(header, tokens_.claims()))));
}

TEST_F(TokenVerification, RefusesTokensWithoutSubjectOrScope) {
  EXPECT_TRUE(refused(verify(tokens_.token_without("sub")), "token.missing_claim"));
  EXPECT_TRUE(refused(verify(tokens_.token_with("sub", 7)), "token.missing_claim"));
  EXPECT_TRUE(refused(verify(tokens_.token_without("scope")), "token.missing_claim"));
  EXPECT_TRUE(refused(verify(tokens_.token_with("scope", Json::array({"desk:read"}))), "token.malformed"));
  EXPECT_TRUE(refused(verify(tokens_.token_with("scope", "a\"b")), "token.malformed"));
  EXPECT_TRUE(succeeded(verify(tokens_.token_with("scope", ""))));
}

TEST_F(TokenVerification, RefusesTextsThatAreNoToken) {
  for (const char* text : {"", "x", "a.b.c", "e30.e30.", "..", "e30.e30.AAAA.AAAA"}) {
    const auto token = verify(text);
    ASSERT_FALSE(token.has_value()) << text;
    EXPECT_EQ(token.error().disposition(), Disposition::kInvalidToken) << text;
  }
  EXPECT_TRUE(refused(verify(tokens_.token_of_text("not json")), "token.malformed"));
  EXPECT_TRUE(refused(verify(tokens_.token_of_text("[]")), "token.malformed"));
  EXPECT_TRUE(refused(verify(tokens_.token_of_text(R"({"iss":"a","iss":"b"})")), "token.malformed"));
}

// The rows of the case: a time is "now", with seconds and the leeway L added, or a JSON value as it stands.
std::string time_text(std::string text, std::int64_t now) {
  if (text.rfind("now", 0) != 0) return text;
  std::int64_t value = now;
  std::size_t at = 3;
  while (at < text.size()) {
    const std::int64_t sign = text[at] == '-' ? -1 : 1;
    const std::size_t end = std::min(text.find_first_of("+-", at + 1), text.size());
    const std::string term = text.substr(at + 1, end - at - 1);
    value += sign * (term == "L" ? 5 : std::stoll(term));
    at = end;
  }
  return std::to_string(value);
}

TEST_F(TokenVerification, AllowsFiveSecondsOfSkewAndNoOtherTypes) {
  POSTERN_SHARED_JSON(rows, "cases/B-047/skew.json");
  ASSERT_EQ(rows.size(), 9U);
  for (const Json& row : rows.elements()) {
    std::string payload = std::string(R"({"iss":")") + test::kGateIssuer + R"(","aud":")" + test::kGateResource +
                          R"(","sub":"rowan","scope":"desk:read")";
    for (const char* name : {"exp", "nbf", "iat"}) {
      if (row.has(name))
        payload += std::string(",\"") + name + "\":" + time_text(std::string(row.string_at(name)), now());
    }
    const auto token = verify(tokens_.token_of_text(payload + "}"));
    EXPECT_EQ(token.has_value(), row.integer_at("r") == 200) << payload;
    if (!token) {
      EXPECT_EQ(token.error().disposition(), Disposition::kInvalidToken);
    }
  }
}

TEST_F(TokenVerification, NamesWhatIsWrongWithTheLifetime) {
  EXPECT_TRUE(succeeded(verify(tokens_.token_with("exp", now() - 4))));
  EXPECT_TRUE(refused(verify(tokens_.token_with("exp", now() - 5)), "token.expired"));
  EXPECT_TRUE(refused(verify(tokens_.token_without("exp")), "token.missing_claim"));
  EXPECT_TRUE(refused(verify(tokens_.token_with("exp", "4102444800")), "token.malformed"));
  EXPECT_TRUE(succeeded(verify(tokens_.token_with("nbf", now() + 5))));
  EXPECT_TRUE(refused(verify(tokens_.token_with("nbf", now() + 6)), "token.not_yet_valid"));
  EXPECT_TRUE(succeeded(verify(tokens_.token_with("iat", now() + 1000))));
}

// A token signed elsewhere, with a signature half that starts with a zero byte.
TEST_F(TokenVerification, VerifiesATokenOfAnotherImplementation) {
  POSTERN_SHARED_JSON(vector, "cases/B-049/vector.json");
  const auto keys = JwkSet::of_json(Json::object({{"keys", Json::array({*vector.find("public_jwk")})}}));
  ASSERT_TRUE(succeeded(keys));
  EXPECT_TRUE(succeeded(verifier_.verify(vector.string_at("token"), *keys, clock_.now())));
  EXPECT_TRUE(refused(verifier_.verify(vector.string_at("short"), *keys, clock_.now()), "token.bad_signature"));
  EXPECT_TRUE(refused(verifier_.verify(vector.string_at("der"), *keys, clock_.now()), "token.bad_signature"));
}

// Each row does work: without it, and only then, the token that it is there for gets in.
TEST_F(TokenVerification, NeedsEachRowOfItsTable) {
  const test::SignedTokens attacker(clock_);
  Json other_type = tokens_.header();
  other_type.set("typ", "JWT");
  const std::pair<const char*, std::string> rows[] = {
      {"signature", attacker.token()},
      {"issuer", tokens_.token_with("iss", "http://evil.test")},
      {"audience", tokens_.token_with("aud", "http://evil.test")},
      {"type", tokens_.sign(other_type, tokens_.claims())},
      {"lifetime", tokens_.token_with("exp", now() - 60)},
      {"claims", tokens_.token_without("sub")},
  };
  ASSERT_EQ(std::size(rows), product_token_checks().size());
  for (const auto& [name, token] : rows) {
    EXPECT_FALSE(verify(token).has_value()) << name;
    std::vector<TokenCheck> others;
    for (const TokenCheck& check : product_token_checks()) {
      if (check.name != name) others.push_back(check);
    }
    ASSERT_EQ(others.size() + 1, product_token_checks().size()) << name;
    const TokenVerifier without(test::kGateIssuer, test::kGateResource, others);
    EXPECT_TRUE(succeeded(without.verify(token, keys_, clock_.now()))) << name;
  }
}

}  // namespace
}  // namespace postern::services
