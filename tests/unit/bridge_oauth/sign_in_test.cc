// Discovery and sign-in by the code grant, against issuers and a person that do what a test wants.
#include <gtest/gtest.h>

#include "bridge/oauth/dpop_key.h"
#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "tests/unit/bridge_oauth/sign_in_world.h"
#include "wire/oauth/pkce.h"

namespace postern::bridge::sign_in {
namespace {

using test::refused;
using test::succeeded;
using Asked = std::vector<std::string>;

constexpr const char* kIssuerDocument = "http://127.0.0.1:8932/.well-known/oauth-authorization-server";
constexpr const char* kRootForm = "http://127.0.0.1:8931/.well-known/oauth-protected-resource";

TEST(OAuthSignIn, SendsResourcePkceAndStateAndTheVerifierThatFits) {
  Bench bench;
  ASSERT_TRUE(succeeded(bench.sign_in()));
  ASSERT_EQ(bench.person.asked.size(), 1U);
  const FormFields& asked = bench.person.asked.front();
  EXPECT_EQ(bench.person.endpoints.front(), std::string(kIssuer) + "/authorize");
  EXPECT_EQ(field(asked, "response_type"), "code");
  EXPECT_EQ(field(asked, "client_id"), "postern-host");
  EXPECT_EQ(field(asked, "code_challenge_method"), "S256");
  EXPECT_GE(field(asked, "state").size(), 16U);
  ASSERT_EQ(bench.world.token_requests.size(), 1U);
  const FormFields& redeemed = bench.world.token_requests.front();
  EXPECT_EQ(field(redeemed, "grant_type"), "authorization_code");
  EXPECT_EQ(field(redeemed, "redirect_uri"), field(asked, "redirect_uri"));
  EXPECT_EQ(field(asked, "code_challenge"),
            CodeChallenge::s256(CodeVerifier::take(field(redeemed, "code_verifier"))).text());
  EXPECT_EQ(bench.token(), "Bearer at_1");
}

// B-041: the server's own text, in both requests.
TEST(OAuthSignIn, SendsTheResourceByteForByteAsPublished) {
  for (const char* published : {"http://127.0.0.1:8931/mcp", "HTTP://127.0.0.1:8931/mcp"}) {
    Bench bench;
    bench.world.documents[kPathForm] = World::resource(published, {kIssuer});
    ASSERT_TRUE(succeeded(bench.sign_in()));
    EXPECT_EQ(field(bench.person.asked.front(), "resource"), published);
    EXPECT_EQ(field(bench.world.token_requests.front(), "resource"), published);
  }
  Bench bench({.endpoint = "http://127.0.0.1:8931"});
  bench.world.documents[kRootForm] = World::resource("http://127.0.0.1:8931", {kIssuer});
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(field(bench.person.asked.front(), "resource"), "http://127.0.0.1:8931");
  EXPECT_EQ(bench.token("http://127.0.0.1:8931"), "Bearer at_1");
}

TEST(OAuthSignIn, RefusesMetadataOfAnotherResource) {
  POSTERN_SHARED_JSON(rows, "cases/B-043/prm-variants.json");
  for (const Json& row : rows.elements()) {
    Bench bench;
    bench.world.documents[kPathForm].set("resource", *row.find("resource"));
    const Status signed_in = bench.sign_in();
    if (*row.boolean_at("ok")) {
      EXPECT_TRUE(succeeded(signed_in));
    } else {
      EXPECT_TRUE(refused(signed_in, "oauth.resource_mismatch")) << row.dump();
      EXPECT_TRUE(bench.person.asked.empty());
    }
  }
}

TEST(OAuthSignIn, AsksTheChallengedPlaceAndOtherwiseThePathFormAndThenTheRoot) {
  Bench challenged;
  challenged.world.documents["http://127.0.0.1:8931/elsewhere"] = World::resource(kServer, {kIssuer});
  ASSERT_TRUE(succeeded(
      challenged.sign_in("Bearer error=\"invalid_token\", resource_metadata=\"http://127.0.0.1:8931/elsewhere\"")));
  EXPECT_EQ(challenged.world.asked.front(), "GET http://127.0.0.1:8931/elsewhere");
  EXPECT_EQ(challenged.world.count(std::string("GET ") + kPathForm), 0U);

  Bench bare;
  bare.world.documents.erase(kPathForm);
  bare.world.documents[kRootForm] = World::resource("http://127.0.0.1:8931", {kIssuer});
  ASSERT_TRUE(succeeded(bare.sign_in()));
  EXPECT_EQ((Asked{bare.world.asked[0], bare.world.asked[1]}),
            (Asked{std::string("GET ") + kPathForm, std::string("GET ") + kRootForm}));
}

// B-035: what a doubled parameter says is not believed; neither URL is fetched.
TEST(OAuthSignIn, FallsBackToTheWellKnownPlacesWhenAChallengeCannotBeRead) {
  POSTERN_SHARED_JSON(rules, "cases/B-035/double.json");
  const Json& header = rules.find("rules")->elements()[0].find("headers")->elements()[0];
  Bench bench;
  ASSERT_TRUE(succeeded(bench.sign_in(*header.elements()[1].string())));
  EXPECT_EQ(bench.world.asked.front(), std::string("GET ") + kPathForm);
  for (const std::string& asked : bench.world.asked) EXPECT_EQ(asked.find("39999"), std::string::npos) << asked;
}

TEST(OAuthSignIn, FetchesNothingAtALinkLocalAddress) {
  Bench bench;
  EXPECT_TRUE(refused(bench.sign_in("Bearer resource_metadata=\"http://169.254.169.254/latest\""),
                      "oauth.discovery_not_allowed"));
  EXPECT_TRUE(bench.world.asked.empty());
}

TEST(OAuthSignIn, TakesTheFirstIssuerThatCanBeHadAndTheConfiguredOneAlone) {
  Bench first({.registration = dynamic()});
  first.world.documents[kPathForm] = World::resource(kServer, {kOtherIssuer, kIssuer});  // the first has no document
  first.world.issuer().set("registration_endpoint", std::string(kIssuer) + "/register");
  ASSERT_TRUE(succeeded(first.sign_in()));
  EXPECT_EQ(first.person.endpoints.front(), std::string(kIssuer) + "/authorize");

  Bench chosen({.registration = registered(""), .issuer = kOtherIssuer});
  chosen.world.documents[kPathForm] = World::resource(kServer, {kIssuer, kOtherIssuer});
  chosen.world.add_issuer(kOtherIssuer);
  chosen.person.iss = kOtherIssuer;
  ASSERT_TRUE(succeeded(chosen.sign_in()));
  EXPECT_EQ(chosen.person.endpoints.front(), std::string(kOtherIssuer) + "/authorize");

  Bench foreign({.issuer = kOtherIssuer});
  EXPECT_TRUE(refused(foreign.sign_in(), "sign_in.foreign_issuer"));
  EXPECT_EQ(foreign.world.count(std::string("GET ") + kIssuerDocument), 0U);
}

TEST(OAuthSignIn, RefusesIssuersWithoutPkceOrWithAnotherName) {
  Bench silent;
  silent.world.issuer().erase("code_challenge_methods_supported");
  EXPECT_TRUE(refused(silent.sign_in(), "oauth.no_pkce"));
  EXPECT_TRUE(silent.person.asked.empty());
  Bench other;
  other.world.issuer().set("issuer", std::string(kIssuer) + "/");
  EXPECT_TRUE(refused(other.sign_in(), "oauth.issuer_mismatch"));
  EXPECT_TRUE(other.person.asked.empty());
}

// B-051.
TEST(OAuthSignIn, HandsNoBadAuthorizationEndpointToAPerson) {
  POSTERN_SHARED_TEXT(lines, "cases/B-051/endpoints.txt");
  std::size_t row = 0;
  for (std::size_t at = 0; at < lines.size(); ++row) {
    const std::size_t end = std::min(lines.find('\n', at), lines.size());
    const std::string endpoint = lines.substr(at, end - at);
    at = end + 1;
    if (endpoint.empty()) continue;
    Bench bench;
    bench.world.issuer().set("authorization_endpoint", endpoint);
    const Status signed_in = bench.sign_in();
    EXPECT_EQ(signed_in.has_value(), row < 2) << endpoint;
    EXPECT_EQ(bench.person.asked.size(), row < 2 ? 1U : 0U) << endpoint;
  }
  EXPECT_GE(row, 9U);
}

// The four rows of the table of RFC 9207 in basic/authorization, "Authorization Response Validation", and the forms
// that a lenient comparison would let pass.
TEST(OAuthSignIn, HoldsTheAnswersIssuerAgainstTheRecordedOne) {
  struct Row {
    bool advertised;
    std::optional<std::string> iss;
    bool ok;
  };
  const std::vector<Row> rows = {{true, kIssuer, true},
                                 {true, std::nullopt, false},
                                 {true, kOtherIssuer, false},
                                 {false, kIssuer, true},
                                 {false, std::nullopt, true},
                                 {false, kOtherIssuer, false},
                                 {true, "http://127.0.0.1:8932/", false},
                                 {true, "HTTP://127.0.0.1:8932", false},
                                 {true, "http%3A//127.0.0.1:8932", false},
                                 {true, "", false}};
  for (const Row& row : rows) {
    Bench bench;
    bench.world.issuer().set("authorization_response_iss_parameter_supported", row.advertised);
    bench.person.iss = row.iss;
    const Status signed_in = bench.sign_in();
    EXPECT_EQ(signed_in.has_value(), row.ok) << row.iss.value_or("(none)");
    EXPECT_EQ(bench.world.token_requests.size(), row.ok ? 1U : 0U);
    if (!row.ok) {
      EXPECT_TRUE(refused(signed_in, "sign_in.issuer_mismatch"));
    }
  }
}

TEST(OAuthSignIn, RepeatsNoErrorOfAnotherIssuer) {
  Bench mixed_up;
  mixed_up.person.error = "access_denied_by_evil";
  mixed_up.person.iss = kOtherIssuer;
  const Status answer = mixed_up.sign_in();
  ASSERT_TRUE(refused(answer, "sign_in.issuer_mismatch"));
  EXPECT_EQ(answer.error().text().find("evil"), std::string::npos);
  Bench denied;
  denied.person.error = "access_denied";
  EXPECT_TRUE(refused(denied.sign_in(), "sign_in.denied"));
}

TEST(OAuthSignIn, DropsAnAnswerWithAnotherState) {
  Bench bench;
  bench.person.wrong_state = true;
  EXPECT_TRUE(refused(bench.sign_in(), "sign_in.state_mismatch"));
  EXPECT_TRUE(bench.world.token_requests.empty());
}

// auth/authorization-server-migration of the conformance suite.
TEST(OAuthSignIn, FollowsAServerToAnotherIssuerAndTakesNothingAlong) {
  Bench bench({.registration = dynamic()});
  bench.world.refresh_tokens = true;
  bench.world.issuer().set("registration_endpoint", std::string(kIssuer) + "/register");
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer scope=\"desk:read\"")));
  bench.works();
  bench.world.documents[kPathForm] = World::resource(kServer, {kOtherIssuer});
  bench.world.add_issuer(kOtherIssuer).set("registration_endpoint", std::string(kOtherIssuer) + "/register");
  bench.person.iss = kOtherIssuer;
  ASSERT_TRUE(succeeded(bench.sign_in("Bearer error=\"invalid_token\", scope=\"other:read\"")));
  ASSERT_EQ(bench.world.registrations.size(), 2U);
  ASSERT_EQ(bench.person.asked.size(), 2U);
  EXPECT_EQ(field(bench.person.asked.back(), "client_id"), "dynamic-2");
  EXPECT_EQ(bench.person.scope(1), "other:read");
  for (const FormFields& request : bench.world.token_requests)
    EXPECT_EQ(field(request, "grant_type"), "authorization_code");  // the refresh token of the old one is not tried
  EXPECT_TRUE(bench.store.tokens(bench.key())->has_value());
  EXPECT_TRUE(bench.store.tokens({kOtherIssuer, kServer})->has_value());
}

TEST(OAuthSignIn, ShowsARegisteredClientToNoOtherIssuer) {
  for (const char* issuer : {kIssuer, ""}) {  // named, or bound by its first use
    Bench bench({.registration = registered(issuer)});
    ASSERT_TRUE(succeeded(bench.sign_in()));
    bench.world.documents[kPathForm] = World::resource(kServer, {kOtherIssuer});
    bench.world.add_issuer(kOtherIssuer);
    const Status moved = bench.sign_in();
    ASSERT_TRUE(refused(moved, "sign_in.foreign_issuer"));
    EXPECT_NE(moved.error().text().find(kOtherIssuer), std::string::npos);
    EXPECT_EQ(bench.person.asked.size(), 1U);
  }
}

TEST(OAuthSignIn, SendsTheTokenToTheServerItIsForAndNowhereElse) {
  Bench bench;
  EXPECT_EQ(bench.token(), "");
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(bench.token(), "Bearer at_1");
  for (const char* elsewhere : {"http://127.0.0.1:8931/other", "http://127.0.0.1:8932/mcp",
                                "https://127.0.0.1:8931/mcp", "http://127.0.0.1:8931/mcp-evil"})
    EXPECT_EQ(bench.token(elsewhere), "") << elsewhere;
}

TEST(OAuthSignIn, TriesAtMostThreeTimesForOneOperation) {
  Bench bench;
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(succeeded(bench.sign_in()));
  EXPECT_TRUE(refused(bench.sign_in(), "sign_in.refused_again"));
  EXPECT_EQ(bench.person.asked.size(), 3U);
  bench.oauth.begin_operation();
  EXPECT_TRUE(succeeded(bench.sign_in()));
}

TEST(OAuthSignIn, TakesBoundTokensAloneWhereTheyAreToBeBound) {
  test::TestEnv env;
  DpopKey key(env.env());
  Bench bench({.dpop = &key});
  EXPECT_TRUE(refused(bench.sign_in(), "sign_in.malformed_tokens"));
  bench.world.token_answer =
      json_response(200, R"({"access_token":"bound","token_type":"DPoP","expires_in":300,"scope":"desk:read"})");
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(bench.token(), "DPoP bound");
  EXPECT_FALSE(bench.store.tokens(bench.key())->has_value());  // good with this key only
}

TEST(OAuthSignIn, SendsARequestAgainForTheSakeOfANonceOnce) {
  test::TestEnv env;
  DpopKey key(env.env());
  Bench bench({.dpop = &key});
  HttpResponse wants = refusal(401, "DPoP error=\"use_dpop_nonce\"");
  wants.headers.add("DPoP-Nonce", "n1");
  EXPECT_TRUE(bench.oauth.take_note(wants));
  EXPECT_FALSE(bench.oauth.take_note(wants));
  EXPECT_FALSE(bench.oauth.take_note(json_response(200, "{}")));
  EXPECT_TRUE(bench.oauth.take_note(wants));
}

// H-141: over stdio, and where the configuration says so, no OAuth happens at all.
TEST(OAuthSignIn, IsNothingThatAServerWithoutCredentialsCanStart) {
  NoAuthorizer none;
  HttpRequest request;
  ASSERT_TRUE(succeeded(none.authorize(request, *parse_uri(kServer), {})));
  EXPECT_TRUE(request.headers.fields().empty());
  EXPECT_TRUE(refused(none.sign_in(refusal(401, "Bearer scope=\"desk:read\""), {}), "sign_in.not_configured"));
  EXPECT_TRUE(refused(none.step_up("Bearer error=\"insufficient_scope\"", {}), "sign_in.not_configured"));
}

}  // namespace
}  // namespace postern::bridge::sign_in
