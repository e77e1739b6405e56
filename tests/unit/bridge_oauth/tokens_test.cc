// What is kept of a sign-in: expiry, renewal, the store, and whose tokens they are.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "bridge/oauth/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge_oauth/sign_in_world.h"

namespace postern::bridge::sign_in {
namespace {

using test::refused;
using test::succeeded;

const std::string kRefused = "Bearer error=\"invalid_token\"";

StoredTokens stored(const std::string& access, const std::string& refresh, std::optional<WallTime> until) {
  StoredTokens tokens;
  tokens.access_token = AccessToken::take(std::string(access));
  tokens.refresh_token = RefreshToken::take(std::string(refresh));
  tokens.expires_at = until;
  tokens.granted = ScopeSet{"desk:read"};
  tokens.requested = ScopeSet{"desk:read"};
  tokens.client_id = "postern-host";
  return tokens;
}

// B-050.
TEST(OAuthTokens, AreUsedUntilTheyRunOutAndNoMomentLonger) {
  struct Row {
    Json expires_in;
    bool at_once;
    bool later;
  };
  const std::vector<Row> rows = {{300, true, false},
                                 {0, false, false},
                                 {-1, false, false},
                                 {Json(), true, true},
                                 {std::int64_t{9'000'000'000'000'000}, true, true}};
  for (const Row& row : rows) {
    Bench bench;
    bench.world.expires_in = row.expires_in;
    ASSERT_TRUE(succeeded(bench.sign_in())) << row.expires_in.dump();
    EXPECT_EQ(!bench.token().empty(), row.at_once) << row.expires_in.dump();
    bench.env.clock.advance(Milliseconds(291'000));  // a little before, because clocks differ
    EXPECT_EQ(!bench.token().empty(), row.later) << row.expires_in.dump();
  }
  for (const Json& junk : {Json("3600"), Json("3600abc"), Json(1e99), Json(true)}) {
    Bench bench;
    bench.world.expires_in = junk;
    EXPECT_TRUE(refused(bench.sign_in(), "sign_in.malformed_tokens")) << junk.dump();
    EXPECT_EQ(bench.token(), "");
  }
}

TEST(OAuthTokens, AreRenewedWhenTheyRunOutWithoutAskingAnybody) {
  Bench bench;
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  bench.env.clock.advance(Milliseconds(300'000));
  EXPECT_EQ(bench.token(), "Bearer at_2");
  ASSERT_EQ(bench.world.token_requests.size(), 2U);
  const FormFields& renewal = bench.world.token_requests.back();
  EXPECT_EQ(field(renewal, "grant_type"), "refresh_token");
  EXPECT_EQ(field(renewal, "refresh_token"), "rt_1");
  EXPECT_EQ(field(renewal, "resource"), kServer);
  EXPECT_EQ(bench.person.asked.size(), 1U);
  EXPECT_EQ(bench.oauth.granted().text(), "desk:read");
  // The newest is kept, before its access token is used: the one before it is spent.
  EXPECT_TRUE((*bench.store.tokens(bench.key()))->refresh_token.equal(RefreshToken::take("rt_2")));
  bench.env.clock.advance(Milliseconds(300'000));
  EXPECT_EQ(bench.token(), "Bearer at_3");
  EXPECT_EQ(field(bench.world.token_requests.back(), "refresh_token"), "rt_2");
}

TEST(OAuthTokens, ThatAreRefusedAreRenewedOnceBeforeAPersonIsAsked) {
  Bench bench;
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  bench.works();
  ASSERT_TRUE(succeeded(bench.sign_in(kRefused)));
  EXPECT_EQ(bench.token(), "Bearer at_2");
  EXPECT_EQ(bench.person.asked.size(), 1U);
  // The renewed one is refused as well and never worked: another like it would be too.
  ASSERT_TRUE(succeeded(bench.sign_in(kRefused)));
  EXPECT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(bench.token(), "Bearer at_3");
}

TEST(OAuthTokens, ThatCannotBeRenewedAreForgottenAndAPersonIsAsked) {
  Bench bench;
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  bench.world.scope_of_refresh.clear();  // invalid_grant
  bench.env.clock.advance(Milliseconds(300'000));
  EXPECT_EQ(bench.token(), "");
  EXPECT_FALSE(bench.store.tokens(bench.key())->has_value());
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(bench.person.asked.size(), 2U);
  int renewals = 0;
  for (const FormFields& request : bench.world.token_requests)
    renewals += field(request, "grant_type") == "refresh_token" ? 1 : 0;
  EXPECT_EQ(renewals, 1);  // what may be spent is sent once
}

TEST(OAuthTokens, KeepTheirRefreshTokenWhenTheIssuerCannotBeReached) {
  Bench bench;
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  bench.env.clock.advance(Milliseconds(300'000));
  bench.world.token_endpoint_down = true;
  EXPECT_EQ(bench.token(), "");
  bench.world.token_endpoint_down = false;
  EXPECT_EQ(bench.token(), "Bearer at_2");
  EXPECT_EQ(bench.person.asked.size(), 1U);
}

TEST(OAuthTokens, MayComeWithoutARefreshToken) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  bench.env.clock.advance(Milliseconds(300'000));
  EXPECT_EQ(bench.token(), "");
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(bench.world.token_requests.size(), 2U);  // no renewal was tried without one
  EXPECT_EQ(bench.token(), "Bearer at_2");
}

TEST(OAuthTokens, OfAnEarlierRunAreUsedAndRenewedWithoutDiscovery) {
  Bench bench;
  ASSERT_TRUE(bench.store.keep(bench.key(), stored("kept", "", bench.env.clock.now() + Seconds(60))));
  EXPECT_EQ(bench.token(), "Bearer kept");
  EXPECT_TRUE(bench.world.asked.empty());

  Bench old;
  old.world.refresh_tokens = true;
  old.world.scope_of_refresh["rt_kept"] = "desk:read";
  ASSERT_TRUE(old.store.keep(old.key(), stored("kept", "rt_kept", old.env.clock.now() - Seconds(1))));
  EXPECT_EQ(old.token(), "Bearer at_1");
  EXPECT_TRUE(old.person.asked.empty());
}

TEST(OAuthTokens, OfAnotherIssuerResourceOrBoundAreLeftAlone) {
  const auto until = [](Bench& bench) { return bench.env.clock.now() + Seconds(60); };
  Bench issuer({.issuer = kOtherIssuer});
  ASSERT_TRUE(issuer.store.keep(issuer.key(), stored("kept", "", until(issuer))));
  EXPECT_EQ(issuer.token(), "");
  Bench resource;
  ASSERT_TRUE(resource.store.keep({kIssuer, "http://127.0.0.1:8931"}, stored("kept", "", until(resource))));
  EXPECT_EQ(resource.token(), "");  // the server has to say first that this is what it goes by
  Bench wider({.scopes_max = ScopeSet{"other"}});
  ASSERT_TRUE(wider.store.keep(wider.key(), stored("kept", "", until(wider))));
  EXPECT_EQ(wider.token(), "");
}

TEST(OAuthTokens, OfTheStoreAreTriedAfterDiscoveryBeforeAPersonIsAsked) {
  Bench bench({.endpoint = kServer});
  const std::string root = "http://127.0.0.1:8931";
  bench.world.documents.erase(kPathForm);
  bench.world.documents[root + "/.well-known/oauth-protected-resource"] = World::resource(root, {kIssuer});
  ASSERT_TRUE(bench.store.keep({kIssuer, root}, stored("kept", "", bench.env.clock.now() + Seconds(60))));
  EXPECT_EQ(bench.token(), "");
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(bench.token(), "Bearer kept");
  EXPECT_TRUE(bench.person.asked.empty());
  ASSERT_TRUE(succeeded(bench.sign_in(kRefused)));
  EXPECT_EQ(bench.person.asked.size(), 1U);
}

TEST(OAuthTokens, ThatAnotherProgramRenewedAreTakenFromTheStore) {
  Bench bench;
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  ASSERT_TRUE(bench.store.keep(bench.key(), stored("newer", "rt_x", bench.env.clock.now() + Seconds(900))));
  bench.env.clock.advance(Milliseconds(300'000));
  EXPECT_EQ(bench.token(), "Bearer newer");
  EXPECT_EQ(bench.world.token_requests.size(), 1U);  // rt_1 is spent, and was not sent
}

TEST(OAuthTokens, OfAnotherPersonAreDropped) {
  Bench bench;
  bench.world.issuer().set("revocation_endpoint", std::string(kIssuer) + "/revoke");
  bench.world.subject = "rowan";
  bench.world.name = "Rowan Diaz";
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_NE(bench.token(), "");
  bench.env.clock.advance(Milliseconds(300'000));
  EXPECT_NE(bench.token(), "(refused)");  // renewed, and still Rowan
  bench.world.subject = "morgan";
  bench.world.name = "Morgan Lee";
  bench.env.clock.advance(Milliseconds(300'000));
  HttpRequest request;
  const Status authorized = bench.oauth.authorize(request, *parse_uri(kServer), {});
  ASSERT_TRUE(refused(authorized, "sign_in.other_person"));
  EXPECT_NE(authorized.error().text().find("Rowan Diaz"), std::string::npos);
  EXPECT_NE(authorized.error().text().find("Morgan Lee"), std::string::npos);
  EXPECT_FALSE(request.headers.has("Authorization"));
  EXPECT_FALSE(bench.store.tokens(bench.key())->has_value());
  EXPECT_EQ(bench.world.revocations.size(), 1U);
  // Nor by signing in anew in the middle of the run, or by a step-up.
  EXPECT_TRUE(refused(bench.sign_in(), "sign_in.other_person"));
  EXPECT_EQ(bench.token(), "");
  bench.world.subject = "rowan";
  EXPECT_TRUE(succeeded(bench.sign_in()));
}

TEST(OAuthTokens, OfAStepUpAreTheSamePersons) {
  Bench bench;
  bench.world.subject = "rowan";
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  const std::string before = bench.token();
  bench.world.subject = "morgan";
  EXPECT_TRUE(refused(bench.step_up("refunds:write"), "sign_in.other_person"));
  EXPECT_EQ(bench.token(), before);
  bench.world.subject = "rowan";
  bench.oauth.begin_operation();
  EXPECT_TRUE(succeeded(bench.step_up("refunds:write")));
}

// Several threads are refused at once, as an event stream and a call may be. Whoever waits for another's sign-in tries
// what that brought; under ThreadSanitizer this also says that nothing is shared without the lock.
TEST(OAuthTokens, AreForAllThreads) {
  Bench bench;
  bench.world.refresh_tokens = true;
  std::vector<std::thread> threads;
  std::atomic<int> failures{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      bench.oauth.begin_operation();
      HttpRequest request;
      request.method = "POST";
      if (!bench.oauth.authorize(request, *parse_uri(kServer), {})) ++failures;
      if (!request.headers.has("Authorization") && !bench.oauth.sign_in(refusal(401, "Bearer"), {})) ++failures;
      static_cast<void>(bench.oauth.person());
      static_cast<void>(bench.oauth.granted());
      bench.oauth.end_operation();
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(failures, 0);
  EXPECT_NE(bench.token(), "");
}

TEST(OAuthTokens, AreToldToTheHostOnceForEachSignIn) {
  Bench bench;
  bench.world.name = "Rowan Diaz";
  bench.world.refresh_tokens = true;
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  bench.works();
  ASSERT_TRUE(succeeded(bench.sign_in(kRefused)));  // a renewal
  EXPECT_EQ(bench.observed.lines, std::vector<std::string>{"Rowan Diaz: desk:read"});
  EXPECT_EQ(bench.oauth.person(), "Rowan Diaz");
}

}  // namespace
}  // namespace postern::bridge::sign_in
