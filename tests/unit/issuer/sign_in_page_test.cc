#include <gtest/gtest.h>

#include "issuer/sign_in_page.h"
#include "tests/unit/issuer/training_issuer.h"
#include "wire/base/bytes.h"

namespace postern::issuer {
namespace {

class Page : public test::TrainingIssuer {
 protected:
  std::int64_t auth_time_of(const HttpResponse& answer) {
    const Json json = json_of(post("/token", page_token_request(answer_value(answer, "code"))));
    const std::string token(json.string_at("access_token"));
    const std::size_t dot = token.find('.') + 1;
    return *parse_json(*base64url_decode(token.substr(dot, token.rfind('.') - dot)))->integer_at("auth_time");
  }
};

TEST_F(Page, SaysThatItIsATrainingStandIn) {
  const HttpResponse page = show(host_request());
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("This is a training stand-in"), std::string::npos);
  for (const char* text :
       {"Rowan Diaz", "Quinn Hale", "Morgan Ellis", "Postern", "http://127.0.0.1:8931/mcp", "desk:read"}) {
    EXPECT_NE(page.body.find(text), std::string::npos) << text;
  }
  EXPECT_EQ(page.body.find("<script"), std::string::npos);
}

// A7: a link that pre-selects Morgan.
TEST_F(Page, ShowsEverybodyAlikeWhateverIsAsked) {
  const auto people_of = [](const HttpResponse& page) {
    const std::size_t start = page.body.find("<ul>");
    return page.body.substr(start, page.body.find("</ul>") - start);
  };
  const std::string plain = people_of(show(host_request()));
  for (const FormFields& request : {host_request({{"login_hint", "morgan"}}),
                                    host_request({{"person", "morgan"}, {"sub", "morgan"}, {"user", "morgan"}}),
                                    host_request({{"id_token_hint", "x"}, {"prompt", "login"}}),
                                    host_request({{"acr_values", "morgan"}, {"cancel", "yes"}})}) {
    const HttpResponse page = show(request);
    ASSERT_EQ(page.status, 200);
    EXPECT_EQ(people_of(page), plain);
  }
  EXPECT_EQ(plain.find("checked"), std::string::npos);
  EXPECT_EQ(plain.find("autofocus"), std::string::npos);
}

TEST_F(Page, IsShownAgainToSomebodyWhoSignedInBefore) {
  ASSERT_EQ(choose(page_request(), "morgan").status, 303);
  ASSERT_FALSE(cookie_.empty());
  const HttpResponse page = show(page_request());
  EXPECT_EQ(page.status, 200);
  EXPECT_NE(page.body.find("value=\"rowan\""), std::string::npos);
}

TEST_F(Page, HasItsHeadersOnEveryAnswer) {
  const HttpResponse answers[] = {show(host_request()),
                                  show(host_request({{"client_id", "x"}})),
                                  show(host_request({{"scope", "admin"}})),
                                  get("/nowhere"),
                                  get("/token"),
                                  get("/sign-in.css"),
                                  get("/jwks"),
                                  get("/authorize", {{"Host", "evil.test"}}),
                                  post("/authorize", {}),
                                  post("/token", {}),
                                  choose(host_request(), "rowan")};
  for (const HttpResponse& answer : answers) {
    const std::string* policy = answer.headers.find("Content-Security-Policy");
    ASSERT_NE(policy, nullptr) << answer.status;
    EXPECT_NE(policy->find("default-src 'none'"), std::string::npos);
    EXPECT_NE(policy->find("frame-ancestors 'none'"), std::string::npos);
    EXPECT_EQ(*answer.headers.find("Cache-Control"), "no-store") << answer.status;
    EXPECT_EQ(*answer.headers.find("X-Content-Type-Options"), "nosniff");
    EXPECT_EQ(*answer.headers.find("X-Frame-Options"), "DENY");
    EXPECT_EQ(*answer.headers.find("Referrer-Policy"), "same-origin");
  }
}

// The browser applies form-action to the redirect after the form as well.
TEST_F(Page, LetsItsFormGoToTheValidatedRedirectOnly) {
  EXPECT_NE(
      show(host_request()).headers.find("Content-Security-Policy")->find("form-action 'self' http://127.0.0.1:49152;"),
      std::string::npos);
  const HttpResponse refused = show(host_request({{"redirect_uri", "https://evil.test/cb"}}));
  EXPECT_NE(refused.headers.find("Content-Security-Policy")->find("form-action 'self';"), std::string::npos);
  EXPECT_EQ(refused.headers.find("Content-Security-Policy")->find("evil"), std::string::npos);
}

TEST_F(Page, RefusesFormsFromElsewhere) {
  const auto press = [&](HeaderList headers) {
    return post("/authorize", form_of(show(host_request()), "rowan"), std::move(headers)).status;
  };
  EXPECT_EQ(press({{"Origin", test::kIssuer}}), 303);
  EXPECT_EQ(press({{"Origin", test::kIssuer}, {"Sec-Fetch-Site", "same-origin"}}), 303);
  EXPECT_EQ(press({}), 403);
  for (const char* origin :
       {"null", "http://127.0.0.1:8931", "http://localhost:8930", "https://127.0.0.1:8930", "http://evil.test"}) {
    EXPECT_EQ(press({{"Origin", origin}}), 403) << origin;
  }
  for (const char* site : {"cross-site", "same-site", "none"}) {
    EXPECT_EQ(press({{"Origin", test::kIssuer}, {"Sec-Fetch-Site", site}}), 403) << site;
  }
  HttpRequest text{"POST", "/authorize", {{"Origin", test::kIssuer}, {"Content-Type", "text/plain"}}, "", ""};
  text.body = form_encode(form_of(show(host_request()), "rowan"));
  EXPECT_EQ(send(text).status, 415);
}

TEST_F(Page, RefusesAFormTokenOfAnotherRequest) {
  const HttpResponse mine = show(host_request());
  const HttpResponse other = show(host_request());
  const FormFields mixed = {
      {"ticket", hidden_field(mine, "ticket")}, {"form_token", hidden_field(other, "form_token")}, {"person", "rowan"}};
  EXPECT_EQ(post("/authorize", mixed, own_page()).status, 403);
  EXPECT_EQ(post("/authorize", {{"person", "rowan"}}, own_page()).status, 403);
  EXPECT_EQ(post("/authorize", form_of(mine, "rowan"), own_page()).status, 303);
}

TEST_F(Page, TakesItsFormOnceAndForTenMinutes) {
  const HttpResponse once = show(host_request());
  EXPECT_EQ(post("/authorize", form_of(once, "rowan"), own_page()).status, 303);
  EXPECT_EQ(post("/authorize", form_of(once, "rowan"), own_page()).status, 403);
  const HttpResponse in_time = show(host_request());
  const HttpResponse late = show(host_request());
  clock_.advance(Seconds(599));
  EXPECT_EQ(post("/authorize", form_of(in_time, "rowan"), own_page()).status, 303);
  clock_.advance(Seconds(1));
  EXPECT_EQ(post("/authorize", form_of(late, "rowan"), own_page()).status, 403);
}

TEST_F(Page, RefusesStrangersAndCanBeCancelled) {
  const HttpResponse page = show(host_request());
  EXPECT_EQ(post("/authorize", form_of(page, "nobody"), own_page()).status, 400);
  FormFields cancelled = form_of(page, "");
  cancelled.back() = {"cancel", "yes"};
  const HttpResponse answer = post("/authorize", cancelled, own_page());
  EXPECT_EQ(answer_value(answer, "error"), "access_denied");
  EXPECT_EQ(answer_value(answer, "state"), "st-1");
}

TEST_F(Page, GivesMaxAgeAMeaning) {
  const std::int64_t start = unix_seconds(clock_.now());
  EXPECT_EQ(auth_time_of(choose(page_request(), "morgan")), start);
  clock_.advance(Seconds(100));
  EXPECT_EQ(auth_time_of(choose(page_request(), "morgan")), start);                      // goes on
  EXPECT_EQ(auth_time_of(choose(page_request({{"max_age", "101"}}), "morgan")), start);  // new enough
  EXPECT_EQ(auth_time_of(choose(page_request({{"max_age", "100"}}), "morgan")), start + 100);
  clock_.advance(Seconds(7));
  EXPECT_EQ(auth_time_of(choose(page_request({{"max_age", "0"}}), "morgan")), start + 107);
  clock_.advance(Seconds(7));
  EXPECT_EQ(auth_time_of(choose(page_request({{"prompt", "login"}}), "morgan")), start + 114);
  clock_.advance(Seconds(7));
  EXPECT_EQ(auth_time_of(choose(page_request(), "rowan")), start + 121);  // somebody else
  clock_.advance(Seconds(8 * 3600));
  EXPECT_EQ(auth_time_of(choose(page_request(), "rowan")), start + 121 + 8 * 3600);
}

TEST_F(Page, StartsANewSessionWithEverySignIn) {
  const HttpResponse first = choose(page_request(), "morgan");
  const std::string* cookie = first.headers.find("Set-Cookie");
  ASSERT_NE(cookie, nullptr);
  EXPECT_EQ(cookie->rfind("__Host-postern-issuer=", 0), 0U);
  for (const char* attribute : {"; Path=/", "; Secure", "; HttpOnly", "; SameSite=Lax"}) {
    EXPECT_NE(cookie->find(attribute), std::string::npos) << attribute;
  }
  const std::string before = cookie_;
  choose(page_request({{"max_age", "0"}}), "morgan");
  EXPECT_NE(cookie_, before);
}

TEST_F(Page, EscapesAllText) {
  People people = *People::of_json(*parse_json(
      R"([{"subject":"a\"><script>","name":"<b>Eve</b> \u202e","description":"'&","scopes":["desk:read"]}])"));
  Clients clients = *Clients::of_json(*parse_json(
      R"([{"client_id":"c","name":"<img src=x>","application_type":"web","redirect_uris":["https://a.test/"],"scopes":["<x>"],
           "resources":["https://a.test/<r>"]}])"));
  AuthorizationRequest request;
  request.address = {clients.all().front(), "https://a.test/", "s"};
  request.resource = "https://a.test/<r>";
  request.scope = ScopeSet{"<x>"};
  const Ticket ticket{"i\"d", "t<oken"};
  const std::string body = sign_in_page({request, people, ticket, std::nullopt, clock_.now()}).body;
  for (const char* raw : {"<script>", "<b>", "<img", "<x>", "<r>", "i\"d", "t<oken", "'&\"", "\xE2\x80\xAE"}) {
    EXPECT_EQ(body.find(raw), std::string::npos) << raw;
  }
  for (const char* escaped :
       {"&lt;b&gt;Eve&lt;/b&gt; [U+202E]", "&lt;img src=x&gt;", "&#39;&amp;", "value=\"a&quot;&gt;&lt;script&gt;\""}) {
    EXPECT_NE(body.find(escaped), std::string::npos) << escaped;
  }
}

TEST_F(Page, ChangesNothingOnReading) {
  const HttpResponse page = show(host_request());
  for (int i = 0; i < 50; ++i) {
    static_cast<void>(show(host_request()));
    static_cast<void>(get("/authorize?" + form_encode(form_of(page, "rowan"))));
  }
  EXPECT_EQ(post("/authorize", form_of(page, "rowan"), own_page()).status, 303);
}

}  // namespace
}  // namespace postern::issuer
