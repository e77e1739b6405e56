#include "services/gate/bearer_gate.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/routes_client.h"
#include "tests/support/seeded_random.h"
#include "tests/unit/gate/signed_tokens.h"

namespace postern::services {
namespace {

using test::refused;
using test::succeeded;

constexpr const char* kResourceMetadata = "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp";

class Gate : public testing::Test {
 protected:
  void SetUp() override {
    client_.serve(test::kGateIssuer, routes_);
    routes_.add("GET", "/.well-known/oauth-authorization-server", [](const HttpRequest&) {
      return HttpReply(json_response(200, Json::object({{"issuer", test::kGateIssuer},
                                                        {"authorization_endpoint", "http://127.0.0.1:8930/authorize"},
                                                        {"token_endpoint", "http://127.0.0.1:8930/token"},
                                                        {"jwks_uri", "http://127.0.0.1:8930/jwks"}})
                                              .dump()));
    });
    routes_.add("GET", "/jwks", [this](const HttpRequest&) { return HttpReply(json_response(200, key_set_.dump())); });
  }

  static HttpRequest request_with(std::initializer_list<std::string> authorizations) {
    HttpRequest request;
    request.method = "POST";
    request.target = "/mcp";
    for (const std::string& value : authorizations) request.headers.add("Authorization", value);
    return request;
  }
  Result<std::shared_ptr<const VerifiedAccessToken>> admit(const std::string& token,
                                                           KeyAccess access = KeyAccess::kMayFetch) {
    return gate_.admit(request_with({"Bearer " + token}), access);
  }
  std::size_t key_fetches() const {
    std::size_t count = 0;
    for (const std::string& asked : client_.asked()) count += asked == "GET http://127.0.0.1:8930/jwks" ? 1U : 0U;
    return count;
  }

  test::ManualClock clock_;
  test::SeededRandom random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
  test::SignedTokens tokens_{clock_};
  Json key_set_ = tokens_.jwk_set();
  Routes routes_;
  test::RoutesClient client_;
  IssuerKeys keys_{env_, client_, test::kGateIssuer};
  BearerGate gate_{clock_, TokenVerifier(test::kGateIssuer, test::kGateResource), keys_};
};

// RFC 9110 sections 11.1 and 11.4: any case, one or more blanks.
TEST_F(Gate, TakesTheSchemeInAnyCaseAndSeveralBlanks) {
  const std::string token = tokens_.token();
  for (const char* scheme : {"Bearer ", "bearer ", "BEARER  ", "bEARER    "}) {
    EXPECT_TRUE(succeeded(gate_.admit(request_with({scheme + token}), KeyAccess::kMayFetch))) << scheme;
  }
}

TEST_F(Gate, RefusesARequestWithoutABearerToken) {
  HttpRequest in_the_query = request_with({});
  in_the_query.target = "/mcp?access_token=" + tokens_.token();
  EXPECT_TRUE(refused(gate_.admit(in_the_query, KeyAccess::kMayFetch), "token.missing"));
  for (const char* value : {"Basic cm93YW46eA==", "Service svc_x", "", "BearerX abc"}) {
    EXPECT_TRUE(refused(gate_.admit(request_with({value}), KeyAccess::kMayFetch), "token.missing")) << value;
  }
  EXPECT_TRUE(client_.asked().empty());
}

TEST_F(Gate, RefusesTwoAuthorizationHeaders) {
  const std::string token = "Bearer " + tokens_.token();
  const auto twice = gate_.admit(request_with({token, "Bearer other"}), KeyAccess::kMayFetch);
  ASSERT_TRUE(refused(twice, "http.repeated_header"));
  EXPECT_EQ(twice.error().disposition(), Disposition::kBadRequest);
  EXPECT_TRUE(refused(gate_.admit(request_with({token, token}), KeyAccess::kMayFetch), "http.repeated_header"));
  EXPECT_TRUE(succeeded(gate_.admit(request_with({token}), KeyAccess::kMayFetch)));
}

TEST_F(Gate, RefusesValuesThatAreNotOneToken) {
  for (const std::string& value :
       {std::string("Bearer"), std::string("Bearer "), "Bearer " + tokens_.token() + " x",
        "Bearer \"" + tokens_.token() + "\"", "Bearer\t" + tokens_.token(), std::string("Bearer a,b")}) {
    const auto token = gate_.admit(request_with({value}), KeyAccess::kMayFetch);
    ASSERT_FALSE(token.has_value()) << value;
    const Disposition disposition = token.error().disposition();
    EXPECT_TRUE(disposition == Disposition::kInvalidToken || disposition == Disposition::kMissingToken) << value;
  }
}

TEST_F(Gate, AsksForTheLaneOnlyWhenKeysMustBeFetched) {
  EXPECT_TRUE(refused(admit(tokens_.token(), KeyAccess::kCachedOnly), "gate.keys_needed"));
  EXPECT_TRUE(succeeded(admit(tokens_.token())));
  EXPECT_TRUE(succeeded(admit(tokens_.token(), KeyAccess::kCachedOnly)));
  EXPECT_EQ(key_fetches(), 1U);
}

TEST_F(Gate, KnowsATokenThatWasVerifiedUntilItIsOver) {
  const std::string token = tokens_.token();
  const HttpRequest request = request_with({"Bearer " + token});
  EXPECT_EQ(gate_.known(request), nullptr);
  ASSERT_TRUE(succeeded(admit(token)));
  ASSERT_NE(gate_.known(request), nullptr);
  EXPECT_EQ(gate_.known(request)->principal().subject(), (*admit(token))->principal().subject());
  EXPECT_EQ(gate_.known(request_with({"Bearer " + token + "x"})), nullptr);
  EXPECT_EQ(gate_.known(request_with({"Bearer " + token, "Bearer " + token})), nullptr);
  EXPECT_EQ(gate_.known(request_with({})), nullptr);
  clock_.advance(std::chrono::hours(24));
  EXPECT_EQ(gate_.known(request), nullptr);
}

TEST_F(Gate, FetchesOnceForAStormOfUnknownKeys) {
  ASSERT_TRUE(succeeded(admit(tokens_.token())));
  clock_.advance(Seconds(5));
  for (int i = 0; i < 1000; ++i) {
    const test::SignedTokens& good = tokens_;
    Json header = good.header();
    header.set("kid", "r" + std::to_string(i));
    EXPECT_TRUE(refused(admit(good.sign(header, Json::object())), "token.unknown_key"));
    if (i == 500) {
      EXPECT_TRUE(succeeded(admit(good.token(), KeyAccess::kCachedOnly)));
    }
  }
  EXPECT_EQ(key_fetches(), 2U);
}

TEST_F(Gate, TakesUpARotatedKeyWithOneFetch) {
  ASSERT_TRUE(succeeded(admit(tokens_.token())));
  const std::string old_token = tokens_.token();
  const test::SignedTokens rotated(clock_, "k2");
  key_set_ = rotated.jwk_set();
  clock_.advance(Seconds(5));
  EXPECT_TRUE(succeeded(admit(rotated.token())));
  EXPECT_EQ(key_fetches(), 2U);
  // What was verified under the old key is forgotten with it.
  EXPECT_TRUE(refused(admit(old_token), "token.unknown_key"));
}

// An outage is not a bad token.
TEST_F(Gate, SaysThatTheIssuerIsAwayInsteadOfRefusingTheToken) {
  client_.set_unreachable(true);
  const auto away = admit(tokens_.token());
  ASSERT_TRUE(refused(away, "gate.keys_unavailable"));
  EXPECT_EQ(away.error().disposition(), Disposition::kUnavailable);
  EXPECT_TRUE(refused(admit(tokens_.token(), KeyAccess::kCachedOnly), "gate.keys_unavailable"));
  client_.set_unreachable(false);
  clock_.advance(Seconds(5));
  EXPECT_TRUE(succeeded(admit(tokens_.token())));
  client_.set_unreachable(true);
  clock_.advance(Seconds(5));
  EXPECT_TRUE(succeeded(admit(tokens_.token())));  // the keys at hand are still good
  const test::SignedTokens unknown(clock_, "k2");
  EXPECT_TRUE(refused(admit(unknown.token()), "gate.keys_unavailable"));
}

TEST_F(Gate, RefusesATokenThatExpiresWhileItIsKept) {
  const std::string token = tokens_.token();
  ASSERT_TRUE(succeeded(admit(token)));
  clock_.advance(Seconds(304));
  EXPECT_TRUE(succeeded(admit(token)));
  clock_.advance(Seconds(1));
  EXPECT_TRUE(refused(admit(token), "token.expired"));
}

TEST_F(Gate, VerifiesAKeptTokenOnce) {
  const std::string token = tokens_.token();
  const auto first = admit(token);
  const auto second = admit(token);
  ASSERT_TRUE(succeeded(first));
  EXPECT_EQ(first->get(), second->get());
  const std::string same_claims = tokens_.token();  // another signature over the same text
  EXPECT_NE(first->get(), admit(same_claims)->get());
}

TEST_F(Gate, KeepsABoundedNumberOfTokens) {
  const std::string token = tokens_.token();
  const auto first = admit(token);
  for (int i = 0; i < 4096; ++i) ASSERT_TRUE(admit(tokens_.token_with("jti", i)).has_value());
  EXPECT_NE(first->get(), admit(token)->get());
}

// Without the verifier's audience row, the gate's own comparison still stands.
TEST_F(Gate, RefusesAForeignAudienceASecondTime) {
  std::vector<TokenCheck> audience_blind;
  for (const TokenCheck& check : product_token_checks()) {
    if (check.name != "audience") audience_blind.push_back(check);
  }
  const std::string foreign = tokens_.token_with("aud", "http://127.0.0.1:8932/mcp");
  const TokenVerifier blind(test::kGateIssuer, test::kGateResource, audience_blind);
  BearerGate second_only(clock_, blind, keys_);
  EXPECT_TRUE(
      refused(second_only.admit(request_with({"Bearer " + foreign}), KeyAccess::kMayFetch), "token.wrong_audience"));
  BearerGate neither(clock_, blind, keys_, product_gate_checks().first(1));
  EXPECT_TRUE(succeeded(neither.admit(request_with({"Bearer " + foreign}), KeyAccess::kMayFetch)));
}

TEST_F(Gate, VerifiesTheTokenOfASession) {
  EXPECT_TRUE(succeeded(gate_.verify(AccessToken::take(tokens_.token()), KeyAccess::kMayFetch)));
  EXPECT_TRUE(refused(gate_.verify(AccessToken::take(tokens_.token_with("aud", "x")), KeyAccess::kMayFetch),
                      "token.wrong_audience"));
}

TEST_F(Gate, RefusesAnOperationBeyondTheScopes) {
  const auto token = admit(tokens_.token());
  ASSERT_TRUE(succeeded(token));
  EXPECT_TRUE(succeeded(require_scopes(**token, {"desk:read"})));
  const Status refusal = require_scopes(**token, {"desk:read", "refunds:write"});
  ASSERT_TRUE(refused(refusal, "token.insufficient_scope"));
  EXPECT_EQ(challenge_of(refusal.error(), kResourceMetadata, {"desk:read"}),
            std::string("Bearer error=\"insufficient_scope\", error_description=\"Insufficient scope\", "
                        "scope=\"desk:read refunds:write\", "
                        "resource_metadata=\"") +
                kResourceMetadata + "\"");
}

TEST_F(Gate, ChallengesWithoutAnErrorWhenNoTokenCame) {
  const auto missing = gate_.admit(request_with({}), KeyAccess::kMayFetch);
  EXPECT_EQ(challenge_of(missing.error(), kResourceMetadata, {}),
            std::string("Bearer resource_metadata=\"") + kResourceMetadata + "\"");
  EXPECT_EQ(challenge_of(missing.error(), kResourceMetadata, {"desk:read"}),
            std::string("Bearer resource_metadata=\"") + kResourceMetadata + "\", scope=\"desk:read\"");
}

TEST_F(Gate, ChallengesABadTokenInWordsOfItsOwn) {
  Json header = tokens_.header();
  header.set("kid", "k\r\nX-Injected: 1");
  const auto injected = admit(tokens_.sign(header, tokens_.claims()));
  ASSERT_FALSE(injected.has_value());
  const std::string text = challenge_of(injected.error(), kResourceMetadata, {"desk:read"});
  EXPECT_EQ(
      text,
      std::string(
          "Bearer error=\"invalid_token\", error_description=\"The access token is not valid\", resource_metadata=\"") +
          kResourceMetadata + "\"");
  const auto foreign = admit(tokens_.token_with("aud", "x"));
  EXPECT_NE(challenge_of(foreign.error(), kResourceMetadata, {}).find("\"The access token is for another resource\""),
            std::string::npos);
}

}  // namespace
}  // namespace postern::services
