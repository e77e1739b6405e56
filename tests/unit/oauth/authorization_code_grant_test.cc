#include "wire/oauth/authorization_code_grant.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"
#include "tests/support/shared_file.h"
#include "wire/base/json.h"
#include "wire/oauth/authorization_header.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

constexpr const char* kGrantIssuer = "http://127.0.0.1:8930";

AuthorizationCodeRequest grant_request() {
  AuthorizationCodeRequest request;
  request.server.issuer = kGrantIssuer;
  request.server.authorization_endpoint = "http://127.0.0.1:8930/authorize";
  request.server.token_endpoint = "http://127.0.0.1:8930/token";
  request.server.code_challenge_methods_supported = {"S256"};
  request.server.authorization_response_iss_parameter_supported = true;
  request.client_id = "postern-host";
  request.redirect_uri = "http://127.0.0.1:49152/callback";
  request.resource = "http://127.0.0.1:8931/mcp";
  request.scope = {"desk:read", "refunds:write"};
  return request;
}

AuthorizationCodeGrant begin(AuthorizationCodeRequest request = grant_request()) {
  test::SeededRandom random;
  auto grant = AuthorizationCodeGrant::begin(std::move(request), random);
  EXPECT_TRUE(succeeded(grant));
  return *std::move(grant);
}

std::string answer_of(const AuthorizationCodeGrant& grant, FormFields more) {
  more.emplace_back("state", grant.state());
  return form_encode(more);
}

HttpResponse token_response(const std::string& body, int status = 200) {
  return json_response(status, body);
}

TEST(AuthorizationCodeGrant, AsksForWhatItWasTold) {
  AuthorizationCodeRequest request = grant_request();
  request.with_nonce = true;
  request.max_age_s = 0;
  request.prompt = "login";
  const AuthorizationCodeGrant grant = begin(std::move(request));
  const std::string url = grant.authorization_url();
  ASSERT_EQ(url.rfind("http://127.0.0.1:8930/authorize?", 0), 0U);
  const FormFields fields = *form_decode(url.substr(url.find('?') + 1));
  const auto value = [&](const char* name) { return (*sole_field(fields, name)).value_or("-"); };
  EXPECT_EQ(value("response_type"), "code");
  EXPECT_EQ(value("client_id"), "postern-host");
  EXPECT_EQ(value("redirect_uri"), "http://127.0.0.1:49152/callback");
  EXPECT_EQ(value("code_challenge_method"), "S256");
  EXPECT_EQ(value("code_challenge").size(), 43U);
  EXPECT_EQ(value("resource"), "http://127.0.0.1:8931/mcp");
  EXPECT_EQ(value("scope"), "desk:read refunds:write");
  EXPECT_EQ(value("state"), grant.state());
  EXPECT_EQ(value("nonce"), grant.nonce());
  EXPECT_EQ(value("max_age"), "0");
  EXPECT_EQ(value("prompt"), "login");
  EXPECT_EQ(value("login_hint"), "-");
  EXPECT_NE(url.find("resource=http%3A%2F%2F127.0.0.1%3A8931%2Fmcp"), std::string::npos);
}

TEST(AuthorizationCodeGrant, KeepsTheQueryOfTheEndpoint) {
  AuthorizationCodeRequest request = grant_request();
  request.server.authorization_endpoint += "?tenant=1";
  EXPECT_EQ(begin(std::move(request)).authorization_url().find("/authorize?tenant=1&response_type=code"),
            std::string("http://127.0.0.1:8930").size());
}

TEST(AuthorizationCodeGrant, RefusesServersThatItMustNotUse) {
  test::SeededRandom random;
  AuthorizationCodeRequest without_pkce = grant_request();
  without_pkce.server.code_challenge_methods_supported = {};
  EXPECT_TRUE(refused(AuthorizationCodeGrant::begin(std::move(without_pkce), random), "oauth.no_pkce"));
  AuthorizationCodeRequest hostile = grant_request();
  hostile.server.authorization_endpoint = "http://127.0.0.1:8930/$(id)";
  EXPECT_TRUE(refused(AuthorizationCodeGrant::begin(std::move(hostile), random), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(succeeded(AuthorizationCodeGrant::begin(grant_request(), random)));
}

// RFC 9207 section 2.4, MCP 2026-07-28 authorization response validation: the four rows.
// The person's browser reaches what an issuer elsewhere does not: pages of this machine and of a private network.
TEST(AuthorizationCodeGrant, SendsNobodyFromAnIssuerElsewhereToWhatOnlyThisPersonReaches) {
  test::SeededRandom random;
  const auto asked = [&](const char* issuer, const char* endpoint) {
    AuthorizationCodeRequest request = grant_request();
    request.server.issuer = issuer;
    request.server.authorization_endpoint = endpoint;
    return AuthorizationCodeGrant::begin(std::move(request), random);
  };
  const char* const elsewhere = "https://login.example.test/a";
  for (const char* endpoint : {"http://127.0.0.1:631/admin", "https://localhost:8443/a", "http://[::1]:631/a",
                               "https://192.168.1.1/reboot", "https://a.localhost/a"})
    EXPECT_TRUE(refused(asked(elsewhere, endpoint), "oauth.discovery_not_allowed")) << endpoint;
  EXPECT_TRUE(succeeded(asked(elsewhere, "https://accounts.example.test/authorize")));
  EXPECT_TRUE(succeeded(asked("https://10.1.2.3", "https://10.1.2.3/authorize")));
  EXPECT_TRUE(succeeded(asked(kGrantIssuer, "http://localhost:8930/authorize")));
}

TEST(AuthorizationCodeGrant, ChecksTheIssuerOfTheAnswer) {
  for (const bool advertised : {true, false}) {
    AuthorizationCodeRequest request = grant_request();
    request.server.authorization_response_iss_parameter_supported = advertised;
    const AuthorizationCodeGrant grant = begin(std::move(request));
    EXPECT_TRUE(succeeded(grant.accept_answer(answer_of(grant, {{"code", "c"}, {"iss", kGrantIssuer}}))));
    for (const char* other :
         {"http://127.0.0.1:8930/", "http://localhost:8930", "HTTP://127.0.0.1:8930", "https://evil.test", ""}) {
      EXPECT_TRUE(
          refused(grant.accept_answer(answer_of(grant, {{"code", "c"}, {"iss", other}})), "sign_in.issuer_mismatch"))
          << other;
    }
    const auto silent = grant.accept_answer(answer_of(grant, {{"code", "c"}}));
    if (advertised) {
      EXPECT_TRUE(refused(silent, "sign_in.issuer_mismatch"));
    } else {
      EXPECT_TRUE(succeeded(silent));
    }
  }
}

TEST(AuthorizationCodeGrant, SaysNothingOfAnErrorFromAnotherIssuer) {
  const AuthorizationCodeGrant grant = begin();
  const FormFields error = {{"error", "access_denied"}, {"error_description", "call +1 555"}};
  FormFields foreign = error;
  foreign.emplace_back("iss", "https://evil.test");
  const auto mixed_up = grant.accept_answer(answer_of(grant, foreign));
  ASSERT_TRUE(refused(mixed_up, "sign_in.issuer_mismatch"));
  EXPECT_EQ(mixed_up.error().text().find("555"), std::string::npos);
  FormFields own = error;
  own.emplace_back("iss", kGrantIssuer);
  const auto denied = grant.accept_answer(answer_of(grant, own));
  ASSERT_TRUE(refused(denied, "sign_in.denied"));
  EXPECT_EQ(denied.error().as<SignInDenied>()->error, "access_denied");
}

TEST(AuthorizationCodeGrant, RefusesAnotherStateBeforeAnythingElse) {
  const AuthorizationCodeGrant grant = begin();
  EXPECT_TRUE(refused(grant.accept_answer(form_encode({{"state", "x"}, {"iss", "https://evil.test"}, {"code", "c"}})),
                      "sign_in.state_mismatch"));
  EXPECT_TRUE(
      refused(grant.accept_answer(form_encode({{"iss", kGrantIssuer}, {"code", "c"}})), "sign_in.state_mismatch"));
  EXPECT_TRUE(refused(grant.accept_answer(""), "sign_in.state_mismatch"));
}

TEST(AuthorizationCodeGrant, RefusesAnswersThatSayTwoThings) {
  const AuthorizationCodeGrant grant = begin();
  const auto answer = [&](FormFields more) {
    more.emplace_back("iss", kGrantIssuer);
    return grant.accept_answer(answer_of(grant, more));
  };
  EXPECT_TRUE(succeeded(answer({{"code", "c"}})));
  EXPECT_TRUE(refused(answer({{"code", "c"}, {"code", "d"}}), "sign_in.malformed_answer"));
  EXPECT_TRUE(refused(answer({{"code", "c"}, {"iss", kGrantIssuer}}), "sign_in.malformed_answer"));
  EXPECT_TRUE(refused(answer({{"code", "c"}, {"error", "x"}}), "sign_in.malformed_answer"));
  EXPECT_TRUE(refused(answer({}), "sign_in.malformed_answer"));
  EXPECT_TRUE(refused(grant.accept_answer("code=%zz"), "sign_in.malformed_answer"));
}

TEST(AuthorizationCodeGrant, NamesTheResourceAgainAtTheTokenEndpoint) {
  const AuthorizationCodeGrant grant = begin();
  const HttpRequest request = grant.token_request(AuthorizationCode::take("ac_1"));
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/token");
  EXPECT_EQ(*request.headers.find("Content-Type"), "application/x-www-form-urlencoded");
  const FormFields fields = *form_decode(request.body);
  const auto value = [&](const char* name) { return (*sole_field(fields, name)).value_or("-"); };
  EXPECT_EQ(value("grant_type"), "authorization_code");
  EXPECT_EQ(value("code"), "ac_1");
  EXPECT_EQ(value("redirect_uri"), "http://127.0.0.1:49152/callback");
  EXPECT_EQ(value("client_id"), "postern-host");
  EXPECT_EQ(value("resource"), "http://127.0.0.1:8931/mcp");
  const FormFields asked = grant.authorization_fields();
  EXPECT_TRUE(CodeChallenge::of_text(*(*sole_field(asked, "code_challenge")))->matches(value("code_verifier")));
}

TEST(AuthorizationCodeGrant, ReadsTheTokensAndSendsThemWithACapitalB) {
  const AuthorizationCodeGrant grant = begin();
  const auto tokens = grant.accept_tokens(token_response(
      R"({"access_token":"tok.en","token_type":"bearer","expires_in":300,"scope":"desk:read","name":"Rowan\u202eDiaz","id_token":"a.b.c"})"));
  ASSERT_TRUE(succeeded(tokens));
  EXPECT_EQ(tokens->expires_in_s, 300);
  EXPECT_EQ(tokens->scope, ScopeSet{"desk:read"});
  EXPECT_EQ(tokens->name, "Rowan[U+202E]Diaz");
  EXPECT_TRUE(tokens->id_token.has_value());
  HeaderList headers{{"authorization", "Basic old"}};
  AuthorizationHeader::write(headers, tokens->access_token);
  EXPECT_EQ(headers.all("Authorization"), std::vector<std::string_view>{"Bearer tok.en"});
}

TEST(AuthorizationCodeGrant, TakesTheAskedScopeWhenTheResponseNamesNone) {
  const auto tokens = begin().accept_tokens(token_response(R"({"access_token":"tok","token_type":"Bearer"})"));
  ASSERT_TRUE(succeeded(tokens));
  EXPECT_EQ(tokens->scope.text(), "desk:read refunds:write");
  EXPECT_FALSE(tokens->expires_in_s.has_value());
  EXPECT_FALSE(tokens->id_token.has_value());
}

TEST(AuthorizationCodeGrant, RefusesLifetimesThatAreNoWholeSeconds) {
  POSTERN_SHARED_TEXT(text, "cases/B-050/bodies.jsonl");
  const AuthorizationCodeGrant grant = begin();
  std::istringstream lines(text);
  std::string line;
  const bool accepted[] = {true, true, true, false, false, false, false, true};
  for (std::size_t i = 0; std::getline(lines, line); ++i) {
    ASSERT_LT(i, std::size(accepted));
    const auto tokens = grant.accept_tokens(token_response(line));
    if (accepted[i]) {
      EXPECT_TRUE(succeeded(tokens)) << line;
    } else {
      EXPECT_TRUE(refused(tokens, "sign_in.malformed_tokens")) << line;
    }
  }
}

TEST(AuthorizationCodeGrant, RefusesTokensThatCannotBeSent) {
  const AuthorizationCodeGrant grant = begin();
  EXPECT_TRUE(succeeded(grant.accept_tokens(token_response(R"({"access_token":"a-b._~+/=","token_type":"Bearer"})"))));
  for (const char* body :
       {R"({"access_token":"a\r\nX: 1","token_type":"Bearer"})", R"({"access_token":"a b","token_type":"Bearer"})",
        R"({"access_token":"","token_type":"Bearer"})", R"({"access_token":7,"token_type":"Bearer"})",
        R"({"token_type":"Bearer"})", R"({"access_token":"a","token_type":"mac"})", R"({"access_token":"a"})",
        R"({"access_token":"a","token_type":"Bearer","scope":7})", "[]", "not json"}) {
    EXPECT_TRUE(refused(grant.accept_tokens(token_response(body)), "sign_in.malformed_tokens")) << body;
  }
}

TEST(AuthorizationCodeGrant, RefusesTheIssuersErrorWithItsWords) {
  const auto refusal =
      begin().accept_tokens(token_response(R"({"error":"invalid_grant","error_description":"used already"})", 400));
  ASSERT_TRUE(refused(refusal, "sign_in.token_refused"));
  EXPECT_EQ(refusal.error().as<TokenRefused>()->error, "invalid_grant");
  EXPECT_NE(refusal.error().text().find("used already"), std::string::npos);
  EXPECT_TRUE(refused(begin().accept_tokens(token_response("<html>", 502)), "sign_in.token_refused"));
}

}  // namespace
}  // namespace postern
