#include <gtest/gtest.h>

#include "issuer/consent_page.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

class Consent : public test::TrainingIssuer {
 protected:
  static FormFields night_request(Changes changes = {}) {
    return changed(host_request({{"client_id", "night-shift"}}), changes);
  }
};

TEST_F(Consent, IsAskedAfterAPersonWasChosen) {
  const HttpResponse page = choose(night_request({{"scope", "desk:read refunds:write offline_access"}}), "rowan");
  ASSERT_EQ(page.status, 200);
  for (const char* text : {"Night shift", "Rowan Diaz", "127.0.0.1:49152 (this computer)", "http://127.0.0.1:8931/mcp",
                           "Read tickets, customers, orders and returns (desk:read)", "Ask for refunds",
                           "Go on without you for up to 24 hours, or until it gives that up (offline_access)"}) {
    EXPECT_NE(page.body.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.body.find("class=\"warning\""), std::string::npos);  // the operator vouches for it
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
  const std::string& policy = *page.headers.find("Content-Security-Policy");
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_NE(policy.find("form-action 'self' http://127.0.0.1:49152;"), std::string::npos);
  EXPECT_NE(answer_value(decide(page, "allow"), "code"), "-");
}

TEST_F(Consent, CanBeDenied) {
  const HttpResponse answer = decide(choose(night_request(), "rowan"), "deny");
  EXPECT_EQ(answer_value(answer, "error"), "access_denied");
  EXPECT_EQ(answer_value(answer, "state"), "st-1");
  EXPECT_EQ(answer_value(answer, "iss"), test::kIssuer);
  EXPECT_EQ(answer_value(answer, "code"), "-");
  EXPECT_EQ(choose(night_request(), "rowan").status, 200);  // and nothing was remembered
}

TEST_F(Consent, IsNotAskedForTheOperatorsOwnClients) {
  EXPECT_EQ(choose(host_request(), "rowan").status, 303);
}

// Per person, client, resource and scopes.
TEST_F(Consent, IsRememberedForAConfiguredClient) {
  ASSERT_EQ(allow(night_request(), "rowan").status, 303);
  EXPECT_EQ(choose(night_request(), "rowan").status, 303);
  EXPECT_EQ(choose(night_request({{"prompt", "consent"}}), "rowan").status, 200);
  EXPECT_EQ(choose(night_request(), "quinn").status, 200);
  const FormFields more = night_request({{"scope", "desk:read refunds:write"}});
  ASSERT_EQ(allow(more, "rowan").status, 303);
  EXPECT_EQ(choose(more, "rowan").status, 303);
  EXPECT_EQ(choose(night_request({{"scope", "refunds:write"}}), "rowan").status, 303);
}

TEST_F(Consent, IsTakenFromTheBrowserInWhichThePersonWasChosen) {
  const HttpResponse page = choose(night_request(), "rowan");
  const std::string own = cookie_;
  cookie_.clear();
  EXPECT_EQ(decide(page, "allow").status, 403);
  const HttpResponse second = choose(night_request(), "rowan");
  cookie_ = own;  // another session of the same person
  EXPECT_EQ(decide(second, "allow").status, 403);
  EXPECT_EQ(decide(choose(night_request(), "rowan"), "allow").status, 303);
}

TEST_F(Consent, IsTakenOnceAndForTenMinutes) {
  const HttpResponse page = choose(night_request(), "rowan");
  EXPECT_EQ(decide(page, "allow").status, 303);
  EXPECT_EQ(decide(page, "allow").status, 403);
  const HttpResponse late = choose(night_request({{"prompt", "consent"}}), "rowan");
  clock_.advance(Seconds(600));
  EXPECT_EQ(decide(late, "allow").status, 403);
}

TEST_F(Consent, RefusesFormsFromElsewhere) {
  const HttpResponse page = choose(night_request(), "rowan");
  FormFields form = {{"ticket", hidden_field(page, "ticket")},
                     {"form_token", hidden_field(page, "form_token")},
                     {"decision", "allow"}};
  EXPECT_EQ(post("/consent", form, {{"Cookie", cookie_}}).status, 403);
  EXPECT_EQ(post("/consent", form, {{"Cookie", cookie_}, {"Origin", "http://evil.test"}}).status, 403);
  EXPECT_EQ(post("/consent", changed(form, {{"decision", "perhaps"}}), own_page()).status, 400);
  EXPECT_EQ(post("/consent", changed(form, {{"form_token", "x"}}), own_page()).status, 403);
  EXPECT_EQ(get("/consent?" + form_encode(form), {{"Cookie", cookie_}}).status, 405);
  EXPECT_EQ(post("/consent", form, own_page()).status, 303);
}

// Whoever a stranger says it is, the page says whose word that is.
TEST(ConsentPage, MarksClientsThatNobodyVouchesFor) {
  Client client;
  client.client_id = "https://client.test/metadata.json";
  client.name = "Postern <b>\u202e";
  client.origin = ClientOrigin::kMetadataDocument;
  client.redirect_uris = {"http://127.0.0.1/callback", "http://localhost:3000/cb"};
  AuthorizationRequest request;
  request.address = {nullptr, "http://127.0.0.1:5/callback", ""};
  request.scope = ScopeSet{"desk:read", "strange:one"};
  const Person person{"rowan", "Rowan Diaz", "", {}};
  const auto page_of = [&](const Client& shown) {
    request.address.client = std::make_shared<const Client>(shown);
    return consent_page({request, person, {"id", "token"}}).body;
  };
  const std::string here = page_of(client);
  EXPECT_NE(here.find("<dd>client.test</dd>"), std::string::npos);
  EXPECT_NE(here.find("&quot;Postern &lt;b&gt;[U+202E]&quot;"), std::string::npos);
  EXPECT_NE(here.find("Nobody here has checked this client. Its name is the word of client.test."), std::string::npos);
  EXPECT_NE(here.find("any program here can say that it is client.test"), std::string::npos);
  EXPECT_NE(here.find("<li>strange:one</li>"), std::string::npos);

  client.redirect_uris = {"https://client.test/cb"};
  request.address.redirect_uri = "https://client.test/cb";
  const std::string elsewhere = page_of(client);
  EXPECT_EQ(elsewhere.find("any program here"), std::string::npos);
  EXPECT_NE(elsewhere.find("<dt>Answer goes to</dt><dd>client.test</dd>"), std::string::npos);

  client.origin = ClientOrigin::kRegistered;
  client.client_id = "cl_1";
  const std::string registered = page_of(client);
  EXPECT_NE(registered.find("a program that calls itself &quot;Postern"), std::string::npos);
  EXPECT_NE(registered.find("It registered itself, and its name is its own word."), std::string::npos);
}

}  // namespace
}  // namespace postern::issuer
