#include <gtest/gtest.h>

#include "issuer/access_token_issuer.h"
#include "issuer/refresh_tokens.h"
#include "services/gate/token_verifier.h"
#include "tests/unit/issuer/training_issuer.h"
#include "wire/base/bytes.h"

namespace postern::issuer {
namespace {

using test::kDesk;
using test::kIssuer;
using test::succeeded;

class Refresh : public test::TrainingIssuer {
 protected:
  std::string code(const char* scope = "desk:read refunds:write offline_access") {
    HttpResponse answer = choose(host_request({{"client_id", "night-shift"}, {"scope", scope}}), "rowan");
    if (answer.status == 200) answer = decide(answer, "allow");
    return answer_value(answer, "code");
  }
  Json redeem(const std::string& given) {
    return json_of(post("/token", token_request(given, {{"client_id", "night-shift"}})));
  }
  Json sign_in() { return redeem(code()); }
  HttpResponse refresh(const std::string& token, Changes changes = {}) {
    return post("/token", changed({{"grant_type", "refresh_token"},
                                   {"refresh_token", token},
                                   {"client_id", "night-shift"},
                                   {"resource", kDesk}},
                                  changes));
  }
  static std::string refresh_token_of(const Json& json) { return std::string(json.string_at("refresh_token")); }
  HttpResponse revoke(std::string_view token, const char* client = "night-shift") {
    return post("/revoke", {{"token", std::string(token)}, {"client_id", client}});
  }
};

TEST_F(Refresh, TokensComeWithOfflineAccessToClientsOfThatGrant) {
  EXPECT_TRUE(sign_in().has("refresh_token"));
  EXPECT_FALSE(redeem(code("desk:read")).has("refresh_token"));
  // Not registered for the grant: the scope is left out, and what remains is given.
  const Json host = json_of(post(
      "/token",
      token_request(answer_value(choose(host_request({{"scope", "desk:read offline_access"}}), "rowan"), "code"))));
  EXPECT_EQ(host.string_at("scope"), "desk:read");
  EXPECT_FALSE(host.has("refresh_token"));
}

TEST_F(Refresh, GivesTokensForTheSamePersonResourceAndScope) {
  const Json first = sign_in();
  clock_.advance(Seconds(1000));
  const Json json = json_of(refresh(refresh_token_of(first)));
  EXPECT_EQ(json.integer_at("expires_in"), 300);
  EXPECT_EQ(json.string_at("scope"), "desk:read offline_access refunds:write");
  EXPECT_NE(json.string_at("refresh_token"), first.string_at("refresh_token"));
  const auto verified =
      services::TokenVerifier(kIssuer, kDesk)
          .verify(json.string_at("access_token"), *JwkSet::of_json(json_of(get("/jwks"))), clock_.now());
  ASSERT_TRUE(succeeded(verified));
  EXPECT_EQ(verified->principal().subject(), "rowan");
  EXPECT_EQ(verified->expires_at(), clock_.now() + Seconds(300));
  EXPECT_EQ(error_of(refresh(refresh_token_of(json), {{"resource", nullptr}})), "ok");
}

// The old one was copied, or its answer was lost: nobody can tell, so the person signs in again.
TEST_F(Refresh, EndsTheFamilyWhenAnOldTokenComesBack) {
  const std::string first = refresh_token_of(sign_in());
  const std::string second = refresh_token_of(json_of(refresh(first)));
  EXPECT_EQ(error_of(refresh(first)), "invalid_grant");
  EXPECT_EQ(error_of(refresh(second)), "invalid_grant");
}

TEST_F(Refresh, NarrowsAndNeverWidens) {
  std::string token = refresh_token_of(redeem(code("desk:read refunds:write offline_access")));
  const Json narrow = json_of(refresh(token, {{"scope", "desk:read"}}));
  EXPECT_EQ(narrow.string_at("scope"), "desk:read");
  token = refresh_token_of(narrow);
  const HttpResponse wide = refresh(token, {{"scope", "desk:read refunds:approve"}});
  EXPECT_EQ(wide.status, 400);
  EXPECT_EQ(error_of(wide), "invalid_scope");
  // The refusal left the token, and the family keeps what it was given.
  EXPECT_EQ(json_of(refresh(token)).string_at("scope"), "desk:read offline_access refunds:write");
}

TEST_F(Refresh, IsForTheResourceOfTheGrantOnly) {
  const std::string token = refresh_token_of(sign_in());
  EXPECT_EQ(error_of(refresh(token, {{"resource", test::kPage}})), "invalid_target");
  EXPECT_EQ(error_of(refresh(token, {{"resource", "http://127.0.0.1:8931/mcp/"}})), "invalid_target");
  EXPECT_EQ(error_of(refresh(token)), "ok");
}

TEST_F(Refresh, EndsTheFamilyInTheHandsOfAnotherClient) {
  const std::string token = refresh_token_of(sign_in());
  EXPECT_EQ(error_of(refresh(token, {{"client_id", "nobody"}})), "invalid_client");
  EXPECT_EQ(error_of(refresh(token, {{"client_id", "postern-host"}})), "invalid_grant");
  EXPECT_EQ(error_of(refresh(token)), "invalid_grant");
}

TEST_F(Refresh, EndsAfterEightHoursWithoutUse) {
  const std::string in_time = refresh_token_of(sign_in());
  const std::string late = refresh_token_of(sign_in());
  clock_.advance(RefreshTokens::kIdle - Milliseconds(1));
  EXPECT_EQ(error_of(refresh(in_time)), "ok");
  clock_.advance(Milliseconds(1));
  EXPECT_EQ(error_of(refresh(late)), "invalid_grant");
}

TEST_F(Refresh, EndsAfterADayWhateverItsUse) {
  std::string token = refresh_token_of(sign_in());
  for (int i = 0; i < 3; ++i) {
    clock_.advance(RefreshTokens::kIdle - Seconds(1));
    const Json json = json_of(refresh(token));
    ASSERT_TRUE(json.has("refresh_token")) << i;
    token = refresh_token_of(json);
  }
  clock_.advance(Seconds(3));
  EXPECT_EQ(error_of(refresh(token)), "invalid_grant");
}

TEST_F(Refresh, RefusesWhatIsNoToken) {
  const std::string token = refresh_token_of(sign_in());
  for (const std::string& wrong : {std::string("rt_"), std::string("x"), std::string("rt_") + std::string(65, 'A')}) {
    EXPECT_EQ(error_of(refresh(wrong)), "invalid_grant") << wrong;
  }
  EXPECT_EQ(error_of(refresh("")), "invalid_request");
  EXPECT_EQ(error_of(refresh(token)), "ok");
}

// RFC 6749 section 4.1.2: a code that comes twice ends what it was good for.
TEST_F(Refresh, EndsTheFamilyWhenItsCodeComesBack) {
  const std::string given = code();
  const std::string token = refresh_token_of(redeem(given));
  EXPECT_EQ(error_of(post("/token", token_request(given, {{"client_id", "night-shift"}}))), "invalid_grant");
  EXPECT_EQ(error_of(refresh(token)), "invalid_grant");
}

TEST_F(Refresh, OfAConfidentialClientWantsItsSecret) {
  const char* redirect = "https://office.test/callback";
  const HeaderList basic{{"Authorization", "Basic " + base64(std::string("back-office:") + test::kOfficeSecret)}};
  const std::string given = answer_value(
      choose(host_request(
                 {{"client_id", "back-office"}, {"redirect_uri", redirect}, {"scope", "desk:read offline_access"}}),
             "rowan"),
      "code");
  const Json json =
      json_of(post("/token", token_request(given, {{"client_id", "back-office"}, {"redirect_uri", redirect}}), basic));
  const FormFields again = {{"grant_type", "refresh_token"}, {"refresh_token", refresh_token_of(json)}};
  EXPECT_EQ(error_of(post("/token", changed(again, {{"client_id", "back-office"}}))), "invalid_client");
  EXPECT_EQ(error_of(post("/token", again, basic)), "ok");
}

using Revocation = Refresh;

TEST_F(Revocation, OfARefreshTokenEndsItsFamily) {
  const std::string first = refresh_token_of(sign_in());
  const std::string second = refresh_token_of(json_of(refresh(first)));
  EXPECT_EQ(revoke(first).status, 200);  // an old one is good enough for that
  EXPECT_EQ(error_of(refresh(second)), "invalid_grant");
  EXPECT_EQ(revoke(second).status, 200);  // nothing is there any more, which is what was wanted
}

TEST_F(Revocation, OfAnAccessTokenEndsTheRefreshTokensOfItsGrant) {
  const Json json = sign_in();
  const Json other = sign_in();
  EXPECT_EQ(revoke(json.string_at("access_token")).status, 200);
  EXPECT_EQ(error_of(refresh(refresh_token_of(json))), "invalid_grant");
  EXPECT_EQ(error_of(refresh(refresh_token_of(other))), "ok");
}

TEST_F(Revocation, IsForTheClientOfTheTokenOnly) {
  const Json json = sign_in();
  const std::string token = refresh_token_of(json);
  for (const std::string& foreign : {token, std::string(json.string_at("access_token"))}) {
    const HttpResponse answer = revoke(foreign, "postern-host");
    EXPECT_EQ(answer.status, 400);
    EXPECT_EQ(error_of(answer), "invalid_grant");
    EXPECT_EQ(error_of(revoke(foreign, "nobody")), "invalid_client");
  }
  EXPECT_EQ(error_of(refresh(token)), "ok");
}

// RFC 7009 section 2.2: what is no token is revoked as far as anybody can tell. A forged one revokes nothing.
TEST_F(Revocation, TakesWhatIsNoToken) {
  const Json json = sign_in();
  EXPECT_EQ(revoke("x").status, 200);
  EXPECT_EQ(error_of(post("/revoke", {{"client_id", "night-shift"}})), "invalid_request");
  std::string forged(json.string_at("access_token"));
  forged[forged.size() - 10] = forged[forged.size() - 10] == 'A' ? 'B' : 'A';
  EXPECT_EQ(revoke(forged).status, 200);
  EXPECT_EQ(error_of(refresh(refresh_token_of(json))), "ok");
}

}  // namespace
}  // namespace postern::issuer
