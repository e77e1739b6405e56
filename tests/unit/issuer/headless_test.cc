#include <gtest/gtest.h>

#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

using test::kHeadlessSecret;

class Headless : public test::TrainingIssuer {
 protected:
  HttpResponse sign_in(const char* person, Changes changes = {}, const char* secret = kHeadlessSecret,
                       HeaderList headers = {}) {
    FormFields fields = host_request(changes);
    fields.emplace_back("person", person);
    fields.emplace_back("secret", secret);
    return post("/headless", fields, std::move(headers));
  }
};

TEST_F(Headless, AnswersWithTheRedirectOfABrowser) {
  const HttpResponse answer = sign_in("rowan", {{"scope", "desk:read refunds:write"}});
  ASSERT_EQ(answer.status, 303);
  EXPECT_EQ(answer_value(answer, "state"), "st-1");
  EXPECT_EQ(answer_value(answer, "iss"), test::kIssuer);
  EXPECT_EQ(error_of(post("/token", token_request(answer_value(answer, "code")))), "ok");
  EXPECT_FALSE(answer.headers.has("Set-Cookie"));
}

TEST_F(Headless, RefusesAnotherSecret) {
  for (const char* secret :
       {"", "hs_", "hs_0123456789abcdef0123456789abcdeF", "hs_0123456789abcdef0123456789abcdef0"}) {
    const HttpResponse answer = sign_in("rowan", {}, secret);
    EXPECT_EQ(answer.status, 403) << secret;
    EXPECT_FALSE(answer.headers.has("Location"));
  }
}

TEST_F(Headless, RefusesEverybodyWithoutASecretAtStart) {
  AuthorizationServer server = make_server(env_, false);
  routes_ = server.routes();
  EXPECT_EQ(sign_in("rowan").status, 404);
  EXPECT_EQ(sign_in("rowan", {}, "").status, 404);
}

// A7: not as Morgan, not through the host's client, not through one that could.
TEST_F(Headless, RefusesApprovalsToEveryClientAndPerson) {
  const HttpResponse host = sign_in("morgan", {{"scope", "desk:read refunds:approve"}});
  EXPECT_EQ(answer_value(host, "error_description"), "The client postern-host may not ask for refunds:approve.");
  const HttpResponse mighty = sign_in("morgan", {{"client_id", "all-mighty"}, {"scope", "refunds:approve"}});
  EXPECT_EQ(answer_value(mighty, "error"), "invalid_scope");
  EXPECT_EQ(answer_value(mighty, "error_description"), "refunds:approve is never given without a browser.");
  EXPECT_EQ(answer_value(mighty, "code"), "-");
  EXPECT_NE(answer_value(sign_in("morgan", {{"client_id", "all-mighty"}}), "code"), "-");
}

TEST_F(Headless, RefusesClientsThatAreNotMarkedForIt) {
  const HttpResponse answer = sign_in("morgan", {{"client_id", "postern-approvals"},
                                                 {"redirect_uri", test::kPageRedirect},
                                                 {"resource", test::kPage},
                                                 {"scope", "openid desk:read"}});
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(answer_value(answer, "error"), "unauthorized_client");
  EXPECT_EQ(answer_value(answer, "code"), "-");
}

TEST_F(Headless, RefusesWhatAPersonMayNotHold) {
  EXPECT_EQ(answer_value(sign_in("morgan", {{"scope", "refunds:write"}}), "error_description"),
            "Morgan Ellis may not hold refunds:write.");
  EXPECT_EQ(answer_value(sign_in("nobody"), "error"), "access_denied");
  EXPECT_EQ(answer_value(sign_in(""), "error"), "access_denied");
}

TEST_F(Headless, RefusesBrowsers) {
  EXPECT_EQ(sign_in("rowan").status, 303);
  EXPECT_EQ(sign_in("rowan", {}, kHeadlessSecret, {{"Origin", test::kIssuer}}).status, 403);
  EXPECT_EQ(sign_in("rowan", {}, kHeadlessSecret, {{"Sec-Fetch-Site", "none"}}).status, 403);
  EXPECT_EQ(get("/headless").status, 405);
}

TEST_F(Headless, SendsNothingToAnUnregisteredRedirect) {
  const HttpResponse answer = sign_in("rowan", {{"redirect_uri", "https://evil.test/cb"}});
  EXPECT_EQ(answer.status, 400);
  EXPECT_FALSE(answer.headers.has("Location"));
  EXPECT_EQ(answer_value(sign_in("rowan", {{"resource", "https://evil.test"}}), "error"), "invalid_target");
}

TEST_F(Headless, NeverRepeatsTheSecret) {
  for (const HttpResponse& answer :
       {sign_in("rowan"), sign_in("nobody"), sign_in("rowan", {}, "hs_wrong-but-secret")}) {
    std::string all = answer.body;
    for (const HeaderField& field : answer.headers.fields()) all += field.value;
    EXPECT_EQ(all.find("hs_"), std::string::npos);
  }
}

}  // namespace
}  // namespace postern::issuer
