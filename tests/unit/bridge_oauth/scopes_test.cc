// Which scopes are asked for, what is done with a 403, and how a scope is given back.
#include <gtest/gtest.h>

#include "bridge/oauth/client_credentials_grant.h"
#include "bridge/oauth/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge_oauth/sign_in_world.h"

namespace postern::bridge::sign_in {
namespace {

using test::refused;
using test::succeeded;

TEST(OAuthScopes, AreTheChallengesThenTheResourcesThenNone) {
  Bench challenged;
  challenged.world.documents[kPathForm].set("scopes_supported", World::strings({"a", "b"}));
  ASSERT_TRUE(succeeded(challenged.sign_in("Bearer scope=\"x:read\"")));
  EXPECT_EQ(challenged.person.scope(0), "x:read");  // not one of those that the metadata lists
  Bench listed;
  listed.world.documents[kPathForm].set("scopes_supported", World::strings({"a", "b"}));
  ASSERT_TRUE(succeeded(listed.sign_in()));
  EXPECT_EQ(listed.person.scope(0), "a b");
  Bench none;
  none.world.documents[kPathForm].erase("scopes_supported");
  ASSERT_TRUE(succeeded(none.sign_in()));
  EXPECT_EQ(none.person.scope(0), "(absent)");
}

TEST(OAuthScopes, HoldOfflineAccessOnlyWhereTheIssuerListsIt) {
  Bench without;
  without.world.documents[kPathForm].set("scopes_supported", World::strings({"desk:read"}));
  without.world.issuer().set("scopes_supported", World::strings({"desk:read"}));
  ASSERT_TRUE(succeeded(without.sign_in()));
  EXPECT_EQ(without.person.scope(0), "desk:read");
  EXPECT_EQ(field(without.person.asked.front(), "prompt"), "(absent)");
  Bench with;
  with.world.issuer().set("scopes_supported", World::strings({"desk:read", "offline_access"}));
  ASSERT_TRUE(succeeded(with.sign_in()));
  EXPECT_EQ(with.person.scope(0), "desk:read offline_access");
  EXPECT_EQ(field(with.person.asked.front(), "prompt"), "consent");
  // Alone it would take the place of what the issuer gives by itself.
  Bench nothing_named;
  nothing_named.world.issuer().set("scopes_supported", World::strings({"offline_access"}));
  nothing_named.world.documents[kPathForm].erase("scopes_supported");
  ASSERT_TRUE(succeeded(nothing_named.sign_in()));
  EXPECT_EQ(nothing_named.person.scope(0), "(absent)");
  Bench bounded({.scopes_max = ScopeSet{"desk:read"}});
  bounded.world.issuer().set("scopes_supported", World::strings({"desk:read", "offline_access"}));
  ASSERT_TRUE(succeeded(bounded.sign_in()));
  EXPECT_EQ(bounded.person.scope(0), "desk:read");
}

TEST(OAuthScopes, AreNeverMoreThanTheConfigurationAllows) {
  Bench bench({.scopes_max = ScopeSet{"desk:read", "refunds:write"}});
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read refunds:approve\"")));
  EXPECT_EQ(bench.person.scope(0), "desk:read");
  const Status beyond = bench.step_up("desk:read refunds:approve");
  ASSERT_TRUE(refused(beyond, "sign_in.scope_refused"));
  EXPECT_NE(beyond.error().text().find("refunds:approve"), std::string::npos);
  EXPECT_EQ(bench.person.asked.size(), 1U);
  EXPECT_TRUE(succeeded(bench.step_up("refunds:write")));
  // Nothing of what the server wants: an empty request would be given whatever the issuer likes.
  Bench other({.scopes_max = ScopeSet{"desk:read"}});
  EXPECT_TRUE(refused(other.sign_in("Bearer scope=\"admin\""), "sign_in.scope_refused"));
  EXPECT_TRUE(other.person.asked.empty());
}

// B-039: the union, and a second 403 for what the token has is the end: two authorizations in all.
TEST(OAuthScopes, GrowByTheUnionAndNotForEver) {
  const std::string challenge =
      "Bearer error=\"insufficient_scope\", scope=\"refunds:write\", "
      "resource_metadata=\"http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp\"";
  Bench bench;
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  ASSERT_TRUE(succeeded(bench.oauth.step_up(challenge, {})));
  EXPECT_EQ(bench.person.scope(1), "desk:read refunds:write");
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read refunds:write");
  const Status again = bench.oauth.step_up(challenge, {});
  ASSERT_TRUE(refused(again, "sign_in.refused_again"));
  EXPECT_NE(again.error().text().find("insufficient_scope"), std::string::npos);
  EXPECT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(bench.world.token_requests.size(), 2U);
}

// Rights that were given a moment ago come with a new token only: a token that is said to have what the server names is
// got anew, within the bound of the operation, and takes nothing back when that is over.
TEST(OAuthScopes, ThatTheTokenIsSaidToHaveAreAskedForAnewWithinTheBound) {
  Bench bench;
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  ASSERT_TRUE(succeeded(bench.step_up("desk:read")));
  ASSERT_TRUE(succeeded(bench.step_up("desk:read")));
  EXPECT_TRUE(refused(bench.step_up("desk:read"), "sign_in.refused_again"));
  EXPECT_EQ(bench.person.asked.size(), 3U);
  bench.oauth.end_operation();
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read");
}

TEST(OAuthScopes, OfAServerThatNamesNothingAreKeptAtAStepUp) {
  Bench bench;
  bench.world.documents[kPathForm].erase("scopes_supported");
  ASSERT_TRUE(succeeded(bench.sign_in()));  // granted: "default"
  ASSERT_TRUE(succeeded(bench.step_up("refunds:write")));
  EXPECT_EQ(bench.person.scope(1), "default refunds:write");
}

TEST(OAuthScopes, ThatAServerWantsAreAskedForNewEachTimeAtMostThreeTimes) {
  Bench bench;
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.sign_in()));
  ASSERT_TRUE(succeeded(bench.step_up("s1")));
  ASSERT_TRUE(succeeded(bench.step_up("s2")));
  EXPECT_TRUE(refused(bench.step_up("s3"), "sign_in.refused_again"));
  EXPECT_EQ(bench.person.asked.size(), 3U);
}

// B-036: a server that does not say which scope is missing gets one clear sentence and no authorization.
TEST(OAuthScopes, ThatAreNotNamedEndTheStepUp) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  const Status silent = bench.oauth.step_up("Bearer error=\"insufficient_scope\"", {});
  ASSERT_TRUE(refused(silent, "sign_in.refused_again"));
  EXPECT_NE(silent.error().text().find("does not say what scope"), std::string::npos);
  EXPECT_EQ(bench.person.asked.size(), 1U);
}

TEST(OAuthScopes, ThatWereRefusedAreNotAskedForAgain) {
  Bench bench;
  bench.world.name = "Rowan Diaz";
  ASSERT_TRUE(succeeded(bench.sign_in()));
  bench.person.refused_scopes = {"refunds:write"};
  const Status first = bench.step_up("desk:read refunds:write");
  ASSERT_TRUE(refused(first, "sign_in.scope_refused"));
  EXPECT_EQ(first.error().text(),
            "Rowan Diaz may not hold refunds:write. The issuer refused the step-up. Nothing was refunded.");
  bench.oauth.begin_operation();
  EXPECT_TRUE(refused(bench.step_up("refunds:write"), "sign_in.scope_refused"));
  EXPECT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(bench.token(), "Bearer at_1");  // the one before is as good as it was
  EXPECT_TRUE(succeeded(bench.step_up("notes:write")));
  EXPECT_EQ(bench.person.scope(2), "desk:read notes:write");
}

TEST(OAuthScopes, ThatWereNotGrantedAreNoticedAndTheTokenOfBeforeStays) {
  Bench bench;
  bench.world.issuer().set("revocation_endpoint", std::string(kIssuer) + "/revoke");
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  bench.world.granted = "desk:read";  // whatever is asked for
  EXPECT_TRUE(refused(bench.step_up("refunds:write"), "sign_in.scope_refused"));
  EXPECT_EQ(bench.token(), "Bearer at_1");
  ASSERT_EQ(bench.world.revocations.size(), 1U);
  EXPECT_EQ(field(bench.world.revocations.front(), "token"), "at_2");
  EXPECT_TRUE(refused(bench.step_up("refunds:write"), "sign_in.scope_refused"));
  EXPECT_EQ(bench.person.asked.size(), 2U);
}

TEST(OAuthScopes, OfOneOperationAreGivenBackWhenItIsOver) {
  Bench bench;
  bench.world.issuer().set("revocation_endpoint", std::string(kIssuer) + "/revoke");
  bench.world.refresh_tokens = true;
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  bench.oauth.end_operation();
  EXPECT_EQ(bench.token(), "Bearer at_1");  // ordinary: it stays
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.step_up("refunds:write")));
  EXPECT_EQ(bench.token(), "Bearer at_2");
  // What is kept for a later run is never the broader one.
  EXPECT_EQ((*bench.store.tokens(bench.key()))->granted.text(), "desk:read");
  bench.oauth.end_operation();
  EXPECT_EQ(bench.token(), "Bearer at_1");
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read");
  ASSERT_EQ(bench.world.revocations.size(), 1U);
  EXPECT_EQ(field(bench.world.revocations.front(), "token"), "at_2");
  // The next operation asks for it anew.
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.step_up("refunds:write")));
  EXPECT_EQ(bench.person.scope(2), "desk:read refunds:write");
  bench.oauth.end_operation();
}

TEST(OAuthScopes, OfAStepUpEndWithItsRefreshTokenWhenTheNarrowerTokenHasNone) {
  Bench bench;
  bench.world.issuer().set("revocation_endpoint", std::string(kIssuer) + "/revoke");
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  bench.world.refresh_tokens = true;
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.step_up("refunds:write")));
  bench.oauth.end_operation();
  ASSERT_EQ(bench.world.revocations.size(), 2U);
  EXPECT_EQ(field(bench.world.revocations[0], "token"), "rt_2");
  EXPECT_EQ(field(bench.world.revocations[1], "token"), "at_2");
}

// H-178: a program that signs in by itself steps up as well; nobody is asked.
TEST(OAuthScopes, GrowForAProgramThatSignsInByItself) {
  ClientRegistrationOptions options = registered();
  options.registered->secret = ClientSecret::take("s3cret");
  Bench bench({.registration = std::move(options)});
  bench.world.issuer().set("token_endpoint_auth_methods_supported", Json::array({"client_secret_post"}));
  bench.world.asked_scope = "desk:read refunds:write";
  ClientCredentialsGrant grant(bench.env.env());
  OAuthClientOptions made;
  made.endpoint = *parse_uri(kServer);
  OAuthClient client(bench.env.env(), bench.world, bench.world, bench.registrar, grant, bench.store, bench.observed,
                     std::move(made));
  bench.world.granted = "desk:read";
  ASSERT_TRUE(succeeded(client.sign_in(refusal(401, "Bearer scope=\"desk:read\""), {})));
  bench.world.granted = "desk:read refunds:write";
  ASSERT_TRUE(succeeded(client.step_up("Bearer error=\"insufficient_scope\", scope=\"refunds:write\"", {})));
  EXPECT_EQ(field(bench.world.token_requests.back(), "scope"), "desk:read refunds:write");
  EXPECT_EQ(field(bench.world.token_requests.back(), "grant_type"), "client_credentials");
  EXPECT_TRUE(bench.person.asked.empty());
}

TEST(OAuthScopes, OfAnOperationOutliveItsTokens) {
  Bench bench;
  bench.oauth.begin_operation();
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  ASSERT_TRUE(succeeded(bench.step_up("refunds:write")));
  // Waiting for a person: tokens run out, and the operation still needs the broader one. What ran out by itself is no
  // try that failed.
  for (int i = 0; i < 4; ++i) {
    bench.works();
    bench.env.clock.advance(Milliseconds(300'000));
    EXPECT_EQ(bench.token(), "");
    ASSERT_TRUE(succeeded(bench.sign_in("Bearer error=\"invalid_token\", scope=\"desk:read\"")));
    EXPECT_EQ(bench.oauth.granted().text(), "desk:read refunds:write");
  }
  bench.oauth.end_operation();
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read");
}

}  // namespace
}  // namespace postern::bridge::sign_in
