#include "wire/oauth/token_response.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/base/json.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

HttpResponse token_answer(std::string_view changes) {
  Json json = Json::object({{"access_token", "at-1"}, {"token_type", "Bearer"}});
  const Json changed = *parse_json(changes);
  for (const auto& [name, value] : changed.members()) {
    if (value.is_null()) {
      json.erase(name);
    } else {
      json.set(name, value);
    }
  }
  return json_response(200, json.dump());
}

TEST(TokenResponse, IsTakenAsTheIssuerGivesIt) {
  const auto tokens = read_token_response(
      token_answer(R"({"expires_in":3600,"refresh_token":"rt-1","scope":"desk:read","name":"Rowan Diaz"})"),
      {"desk:read", "refunds:write"});
  ASSERT_TRUE(succeeded(tokens));
  EXPECT_TRUE(tokens->access_token.equal(AccessToken::take("at-1")));
  EXPECT_TRUE(tokens->refresh_token.equal(RefreshToken::take("rt-1")));
  EXPECT_EQ(tokens->expires_in_s, 3600);
  EXPECT_EQ(tokens->scope, ScopeSet{"desk:read"});
  EXPECT_EQ(tokens->name, "Rowan Diaz");
}

// MCP 2026-07-28 basic/authorization, "Refresh Tokens": a client must not take it for granted that one comes.
TEST(TokenResponse, NeedsNoRefreshToken) {
  const auto tokens = read_token_response(token_answer("{}"), {"desk:read"});
  ASSERT_TRUE(succeeded(tokens));
  EXPECT_TRUE(tokens->refresh_token.empty());
  EXPECT_FALSE(tokens->expires_in_s);
  EXPECT_EQ(tokens->scope, ScopeSet{"desk:read"});
  // One that could not be sent back is as good as none.
  for (const char* odd : {R"({"refresh_token":"a b"})", R"({"refresh_token":""})", R"({"refresh_token":7})"}) {
    const auto without = read_token_response(token_answer(odd), {});
    ASSERT_TRUE(succeeded(without)) << odd;
    EXPECT_TRUE(without->refresh_token.empty()) << odd;
  }
}

TEST(TokenResponse, SpellsTheTypeInOneWay) {
  EXPECT_EQ(read_token_response(token_answer(R"({"token_type":"bearer"})"), {})->token_type, "Bearer");
  EXPECT_EQ(read_token_response(token_answer(R"({"token_type":"dpop"})"), {})->token_type, "DPoP");
  for (const char* odd : {R"({"token_type":"mac"})", R"({"token_type":"N_A"})", R"({"token_type":null})"}) {
    EXPECT_TRUE(refused(read_token_response(token_answer(odd), {}), "sign_in.malformed_tokens")) << odd;
  }
}

TEST(TokenResponse, RefusesWhatCouldNotBeSent) {
  for (const char* odd : {R"({"access_token":null})", R"({"access_token":""})", R"({"access_token":"a b"})",
                          R"({"access_token":"a\r\nb"})", R"({"expires_in":"soon"})", R"({"expires_in":1.5})",
                          R"({"scope":["a"]})", R"({"scope":"a\"b"})"}) {
    EXPECT_TRUE(refused(read_token_response(token_answer(odd), {}), "sign_in.malformed_tokens")) << odd;
  }
  EXPECT_TRUE(refused(read_token_response(json_response(200, "{"), {}), "sign_in.malformed_tokens"));
  EXPECT_TRUE(refused(read_token_response(json_response(200, std::string(70'000, ' ') + "{}"), {}),
                      "sign_in.malformed_tokens"));
  EXPECT_TRUE(refused(read_token_response(json_response(302, token_answer("{}").body), {}), "sign_in.token_refused"));
  EXPECT_TRUE(succeeded(read_token_response(token_answer(R"({"expires_in":-1})"), {})));
}

// RFC 8693 section 2.2.
TEST(TokenResponse, OfAnExchangeIsNoAccessToken) {
  constexpr const char* kType = "urn:ietf:params:oauth:token-type:id-jag";
  const std::string good = R"({"issued_token_type":"urn:ietf:params:oauth:token-type:id-jag","token_type":"N_A"})";
  const auto assertion = read_exchanged_assertion(token_answer(good), kType);
  ASSERT_TRUE(succeeded(assertion));
  EXPECT_TRUE(assertion->equal(Assertion::take("at-1")));
  EXPECT_TRUE(refused(read_exchanged_assertion(token_answer("{}"), kType), "sign_in.malformed_tokens"));
  EXPECT_TRUE(refused(read_exchanged_assertion(token_answer(good), "urn:ietf:params:oauth:token-type:jwt"),
                      "sign_in.malformed_tokens"));
  EXPECT_TRUE(refused(read_exchanged_assertion(json_response(400, R"({"error":"invalid_target"})"), kType),
                      "sign_in.token_refused"));
}

}  // namespace
}  // namespace postern
