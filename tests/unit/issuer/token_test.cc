#include <gtest/gtest.h>

#include "services/gate/token_verifier.h"
#include "tests/unit/issuer/training_issuer.h"
#include "wire/base/bytes.h"
#include "wire/oauth/id_token.h"
#include "wire/oauth/jws.h"

namespace postern::issuer {
namespace {

using test::kDesk;
using test::kIssuer;
using test::kPage;
using test::succeeded;

class Tokens : public test::TrainingIssuer {
 protected:
  std::string code(const char* person = "rowan", Changes changes = {}) {
    return answer_value(choose(host_request(changes), person), "code");
  }
  JwkSet keys() { return *JwkSet::of_json(json_of(get("/jwks"))); }
  static Json claims_of(const Json& response, const char* member) {
    return *parse_json(CompactJws::split(response.string_at(member))->payload());
  }
};

TEST_F(Tokens, AreForTheResourceThatWasAskedFor) {
  const HttpResponse response = post("/token", token_request(code("rowan", {{"scope", "desk:read refunds:write"}})));
  ASSERT_EQ(response.status, 200) << response.body;
  EXPECT_EQ(*response.headers.find("Cache-Control"), "no-store");
  const Json json = json_of(response);
  EXPECT_EQ(json.string_at("token_type"), "Bearer");
  EXPECT_EQ(json.integer_at("expires_in"), 300);
  EXPECT_EQ(json.string_at("scope"), "desk:read refunds:write");
  EXPECT_EQ(json.string_at("name"), "Rowan Diaz");
  EXPECT_FALSE(json.has("id_token"));
  EXPECT_FALSE(json.has("refresh_token"));

  const auto verified =
      services::TokenVerifier(kIssuer, kDesk).verify(json.string_at("access_token"), keys(), clock_.now());
  ASSERT_TRUE(succeeded(verified));
  EXPECT_EQ(verified->principal().subject(), "rowan");
  EXPECT_EQ(verified->client_id(), "postern-host");
  EXPECT_EQ(verified->expires_at(), clock_.now() + Seconds(300));
  const Json claims = claims_of(json, "access_token");
  EXPECT_EQ(claims.string_at("aud"), kDesk);
  EXPECT_EQ(*claims.integer_at("exp") - *claims.integer_at("iat"), 300);
  EXPECT_EQ(claims.integer_at("auth_time"), unix_seconds(clock_.now()));
  EXPECT_GE(claims.string_at("jti").size(), 16U);
  EXPECT_TRUE(test::refused(
      services::TokenVerifier(kIssuer, kPage).verify(json.string_at("access_token"), keys(), clock_.now()),
      "token.wrong_audience"));
}

TEST_F(Tokens, ComeWithAnIdTokenWhenOpenidWasAskedFor) {
  const std::string page_code = answer_value(choose(page_request(), "morgan"), "code");
  const Json json = json_of(post("/token", page_token_request(page_code)));
  const IdTokenVerifier verifier({kIssuer, "postern-approvals", "n-1", Seconds(300)});
  const auto verified = verifier.verify(IdToken::take(std::string(json.string_at("id_token"))), keys(), clock_.now());
  ASSERT_TRUE(succeeded(verified));
  EXPECT_EQ(verified->subject, "morgan");
  EXPECT_EQ(verified->name, "Morgan Ellis");
  EXPECT_EQ(*verified->auth_time, clock_.now());
  // Neither can stand in for the other.
  EXPECT_TRUE(test::refused(
      services::TokenVerifier(kIssuer, "postern-approvals").verify(json.string_at("id_token"), keys(), clock_.now()),
      "token.wrong_type"));
}

TEST_F(Tokens, AreGivenOnceForACode) {
  const std::string once = code();
  EXPECT_EQ(error_of(post("/token", token_request(once))), "ok");
  EXPECT_EQ(error_of(post("/token", token_request(once))), "invalid_grant");
}

TEST_F(Tokens, AreNotGivenAfterAWrongFirstTry) {
  const std::string stolen = code();
  EXPECT_EQ(error_of(post("/token",
                          token_request(stolen, {{"code_verifier", "wrongwrongwrongwrongwrongwrongwrongwrongwrong"}}))),
            "invalid_grant");
  EXPECT_EQ(error_of(post("/token", token_request(stolen))), "invalid_grant");
}

TEST_F(Tokens, AreNotGivenAfterSixtySeconds) {
  const std::string in_time = code();
  const std::string late = code();
  clock_.advance(Milliseconds(59'999));
  EXPECT_EQ(error_of(post("/token", token_request(in_time))), "ok");
  clock_.advance(Milliseconds(1));
  EXPECT_EQ(error_of(post("/token", token_request(late))), "invalid_grant");
}

TEST_F(Tokens, RefusesRequestsThatAreNotTheCodes) {
  const std::pair<const char*, const char*> rows[] = {
      {"client_id", "postern-approvals"},  {"redirect_uri", "http://127.0.0.1:49153/callback"},
      {"redirect_uri", nullptr},           {"code_verifier", nullptr},
      {"code_verifier", test::kChallenge}, {"code", "ac_unknown"}};
  for (const auto& [name, value] : rows) {
    EXPECT_EQ(error_of(post("/token", token_request(code(), {{name, value}}))), "invalid_grant") << name;
  }
  for (const char* resource : {kPage, "http://127.0.0.1:8931/mcp/"}) {
    EXPECT_EQ(error_of(post("/token", token_request(code(), {{"resource", resource}}))), "invalid_target");
  }
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"resource", nullptr}}))), "invalid_target");
  EXPECT_EQ(error_of(post("/token", token_request(code()))), "ok");
}

TEST_F(Tokens, RefusesOtherGrantsAndForms) {
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"grant_type", "password"}}))), "unsupported_grant_type");
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"grant_type", "refresh_token"}}))), "invalid_request");
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"grant_type", nullptr}}))), "unsupported_grant_type");
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"code", nullptr}}))), "invalid_request");
  for (const char* name : {"code", "resource", "client_id", "grant_type", "code_verifier", "redirect_uri"}) {
    FormFields twice = token_request(code());
    twice.emplace_back(name, "x");
    const HttpResponse response = post("/token", twice);
    EXPECT_EQ(response.status, 400) << name;
    EXPECT_EQ(error_of(response), "invalid_request") << name;
  }
  const HttpResponse as_json = send({"POST", "/token", {{"Content-Type", "application/json"}}, "{}", ""});
  EXPECT_EQ(as_json.status, 400);
  EXPECT_EQ(get("/token?" + form_encode(token_request(code()))).status, 405);
}

TEST_F(Tokens, RefusesClientsThatAreNotKnown) {
  for (const char* client : {"", "nobody"}) {
    const HttpResponse answer = post("/token", token_request(code(), {{"client_id", client}}));
    EXPECT_EQ(answer.status, 401) << client;
    EXPECT_EQ(error_of(answer), "invalid_client") << client;
  }
}

TEST_F(Tokens, RefusesPublicClientsThatAuthenticate) {
  const HttpResponse basic = post("/token", token_request(code()), {{"Authorization", "Basic cG9zdGVybi1ob3N0Ong="}});
  EXPECT_EQ(basic.status, 401);
  EXPECT_EQ(error_of(basic), "invalid_client");
  EXPECT_TRUE(basic.headers.has("WWW-Authenticate"));
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"client_secret", "x"}}))), "invalid_client");
  EXPECT_EQ(error_of(post("/token", token_request(code(), {{"client_assertion", "x"}}))), "invalid_client");
}

// back-office is registered for client_secret_basic: by that and by nothing else.
TEST_F(Tokens, AreForAConfidentialClientThatAuthenticates) {
  const auto redeem = [&](Changes changes, const std::string& authorization) {
    const FormFields request =
        host_request({{"client_id", "back-office"}, {"redirect_uri", "https://office.test/callback"}});
    const std::string own = answer_value(choose(request, "rowan"), "code");
    FormFields fields =
        token_request(own, {{"client_id", "back-office"}, {"redirect_uri", "https://office.test/callback"}});
    HeaderList headers;
    if (!authorization.empty()) headers.add("Authorization", authorization);
    return error_of(post("/token", changed(fields, changes), headers));
  };
  const std::string right = "Basic " + base64(std::string("back-office:") + test::kOfficeSecret);
  EXPECT_EQ(redeem({}, right), "ok");
  EXPECT_EQ(redeem({{"client_id", nullptr}}, right), "ok");
  EXPECT_EQ(redeem({}, ""), "invalid_client");
  EXPECT_EQ(redeem({{"client_secret", test::kOfficeSecret}}, ""), "invalid_client");  // another method
  EXPECT_EQ(redeem({{"client_secret", test::kOfficeSecret}}, right), "invalid_client");
  EXPECT_EQ(redeem({{"client_id", "postern-host"}}, right), "invalid_client");
  for (const char* wrong : {"Basic ", "Basic !!", "Basic YmFjay1vZmZpY2U=", "Bearer x"}) {
    EXPECT_EQ(redeem({}, wrong), "invalid_client") << wrong;
  }
  EXPECT_EQ(redeem({}, "Basic " + base64("back-office:other")), "invalid_client");
}

TEST_F(Tokens, AreNeverCached) {
  for (const HttpResponse& response : {post("/token", token_request(code())), post("/token", {})}) {
    EXPECT_EQ(*response.headers.find("Cache-Control"), "no-store");
    EXPECT_EQ(*response.headers.find("Content-Type"), "application/json");
  }
}

TEST_F(Tokens, AreSignedWithAKeyMadeAtStart) {
  AuthorizationServer other = make_server(env_);
  const Routes routes = other.routes();
  const HttpRequest request{"GET", "/jwks", {{"Host", "127.0.0.1:8930"}}, "", ""};
  const Json mine = json_of(get("/jwks"));
  const Json theirs = json_of(std::get<HttpResponse>(routes.handle(request)));
  ASSERT_EQ(mine.find("keys")->size(), 1U);
  EXPECT_FALSE(mine == theirs);
  EXPECT_FALSE(mine.find("keys")->elements()[0].has("d"));
}

}  // namespace
}  // namespace postern::issuer
