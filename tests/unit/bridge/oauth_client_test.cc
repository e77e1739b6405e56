// Discovery, sign-in and step-up, against an issuer and a person that do what a test wants.
#include "bridge/oauth/oauth_client.h"

#include <gtest/gtest.h>

#include "bridge/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::bridge {
namespace {

using pretended::Bench;
using pretended::challenged;
using test::refused;
using test::succeeded;

HttpResponse missing_token() {
  return challenged(401, std::string("Bearer resource_metadata=\"") + pretended::kMetadata + "\", scope=\"desk:read\"");
}

std::string field(const FormFields& fields, std::string_view name) {
  return sole_field(fields, name)->value_or("(absent)");
}

std::string need_refunds(const std::string& scope) {
  return std::string("Bearer error=\"insufficient_scope\", scope=\"") + scope + "\", resource_metadata=\"" +
         pretended::kMetadata + "\"";
}

TEST(OAuthClient, AsksForTheChallengedScopeWithResourceAndPkce) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  ASSERT_EQ(bench.person.asked.size(), 1U);
  const FormFields& asked = bench.person.asked.front();
  EXPECT_EQ(field(asked, "scope"), "desk:read");
  EXPECT_EQ(field(asked, "resource"), pretended::kServer);
  EXPECT_EQ(field(asked, "code_challenge_method"), "S256");
  EXPECT_EQ(field(asked, "client_id"), "postern-host");
  ASSERT_EQ(bench.peers.token_requests.size(), 1U);
  EXPECT_EQ(field(bench.peers.token_requests.front(), "resource"), pretended::kServer);
  EXPECT_EQ(bench.oauth.person(), "Rowan Diaz");
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read");
}

TEST(OAuthClient, AttachesTheTokenToRequestsAndDropsAnExpiredOne) {
  Bench bench;
  HttpRequest before;
  ASSERT_TRUE(succeeded(bench.oauth.authorize(before, *parse_uri(pretended::kServer), {})));
  EXPECT_FALSE(before.headers.has("Authorization"));
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  HttpRequest during;
  ASSERT_TRUE(succeeded(bench.oauth.authorize(during, *parse_uri(pretended::kServer), {})));
  EXPECT_EQ(*during.headers.find("Authorization"), "Bearer at_1");
  bench.env.clock.advance(Milliseconds(300'000));
  HttpRequest after;
  ASSERT_TRUE(succeeded(bench.oauth.authorize(after, *parse_uri(pretended::kServer), {})));
  EXPECT_FALSE(after.headers.has("Authorization"));
}

TEST(OAuthClient, StepsUpWithTheUnionOfScopes) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  ASSERT_TRUE(succeeded(bench.oauth.step_up(need_refunds("refunds:write"), {})));
  ASSERT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(field(bench.person.asked.back(), "scope"), "desk:read refunds:write");
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read refunds:write");
  // Metadata are asked for once.
  EXPECT_EQ(
      std::count(bench.peers.fetched.begin(), bench.peers.fetched.end(), std::string("GET ") + pretended::kMetadata),
      1);
}

TEST(OAuthClient, RefusesAScopeThatThePersonMayNotHoldAndDoesNotAskAgain) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  bench.peers.refused_scope = "refunds:write";
  const Status first = bench.oauth.step_up(need_refunds("desk:read refunds:write"), {});
  ASSERT_TRUE(refused(first, "sign_in.scope_refused"));
  EXPECT_EQ(first.error().text(),
            "Rowan Diaz may not hold refunds:write. The issuer refused the step-up. Nothing was refunded.");
  EXPECT_TRUE(refused(bench.oauth.step_up(need_refunds("desk:read refunds:write"), {}), "sign_in.scope_refused"));
  EXPECT_EQ(bench.person.asked.size(), 2U);
}

TEST(OAuthClient, RefusesAScopeBeyondWhatItMayEverAskFor) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  EXPECT_TRUE(refused(bench.oauth.step_up(need_refunds("desk:read refunds:approve"), {}), "sign_in.scope_refused"));
  EXPECT_EQ(bench.person.asked.size(), 1U);
}

TEST(OAuthClient, RefusesAnotherAuthorizationForScopesItHas) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  ASSERT_TRUE(succeeded(bench.oauth.step_up(need_refunds("refunds:write"), {})));
  EXPECT_TRUE(refused(bench.oauth.step_up(need_refunds("refunds:write"), {}), "sign_in.refused_again"));
  EXPECT_EQ(bench.person.asked.size(), 2U);
}

TEST(OAuthClient, TriesAtMostThreeTimesForOneOperation) {
  Bench bench;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  EXPECT_TRUE(refused(bench.oauth.sign_in(missing_token(), {}), "sign_in.refused_again"));
  bench.oauth.begin_operation();
  EXPECT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
}

TEST(OAuthClient, RefusesAnAnswerOfAnotherIssuer) {
  Bench bench;
  bench.person.iss = "http://127.0.0.1:9999";
  EXPECT_TRUE(refused(bench.oauth.sign_in(missing_token(), {}), "sign_in.issuer_mismatch"));
  EXPECT_TRUE(bench.peers.token_requests.empty());
}

TEST(OAuthClient, RefusesAnAnswerWithoutIssuerWhereOneWasPromised) {
  Bench bench;
  bench.person.iss = "";
  EXPECT_TRUE(refused(bench.oauth.sign_in(missing_token(), {}), "sign_in.issuer_mismatch"));
  EXPECT_TRUE(bench.peers.token_requests.empty());
}

TEST(OAuthClient, RefusesAnAnswerWithAnotherState) {
  Bench bench;
  bench.person.wrong_state = true;
  EXPECT_TRUE(refused(bench.oauth.sign_in(missing_token(), {}), "sign_in.state_mismatch"));
  EXPECT_TRUE(bench.peers.token_requests.empty());
}

TEST(OAuthClient, RefusesAServerThatNamesAnotherIssuer) {
  Bench bench;
  bench.peers.named_issuer = "http://127.0.0.1:9999";
  EXPECT_TRUE(refused(bench.oauth.sign_in(missing_token(), {}), "sign_in.foreign_issuer"));
  EXPECT_TRUE(bench.person.asked.empty());
}

TEST(OAuthClient, RefusesMetadataOfAnotherResource) {
  Bench bench;
  bench.peers.resource = "http://127.0.0.1:8931/other";
  EXPECT_TRUE(refused(bench.oauth.sign_in(missing_token(), {}), "oauth.resource_mismatch"));
  EXPECT_TRUE(bench.person.asked.empty());
}

TEST(OAuthClient, RefusesMetadataAtALinkLocalAddress) {
  Bench bench;
  const HttpResponse refusal = challenged(401, "Bearer resource_metadata=\"http://169.254.169.254/latest\"");
  EXPECT_TRUE(refused(bench.oauth.sign_in(refusal, {}), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(bench.peers.fetched.empty());
}

TEST(OAuthClient, TreatsAnExpiryOfZeroAsExpired) {
  Bench bench;
  bench.peers.expires_in = 0;
  ASSERT_TRUE(succeeded(bench.oauth.sign_in(missing_token(), {})));
  HttpRequest request;
  ASSERT_TRUE(succeeded(bench.oauth.authorize(request, *parse_uri(pretended::kServer), {})));
  EXPECT_FALSE(request.headers.has("Authorization"));
}

}  // namespace
}  // namespace postern::bridge
