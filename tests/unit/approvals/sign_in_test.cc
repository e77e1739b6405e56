// Numbers 1 to 6 of section E of the page's design, over HTTP with the real issuer; and the ends of a session.
#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/approvals/page_world.h"
#include "wire/oauth/discovery.h"

namespace postern::approvals::test {
namespace {

using postern::test::refused;

std::string session_cookie(BrowserDouble& browser) {
  const std::string field = browser.jar().field_for(*parse_uri(kPage + "/approvals"));
  const std::size_t start = field.find("__Host-postern-desk=");
  if (start == std::string::npos) return {};
  return field.substr(start, field.find(';', start) - start);
}

// Goes to the issuer's page and answers there; gives the redirect back to us, not followed.
std::string answer_of_issuer(BrowserDouble& browser, const std::string& login) {
  const Shown chooser = browser.open(kPage + login);
  EXPECT_EQ(chooser.uri.origin(), kIssuer);
  const auto button = chooser.html.button("Morgan Ellis");
  FormFields fields = button->form->fields;
  fields.emplace_back(button->button->name, button->button->value);
  const HttpResponse back = browser.post(kIssuer + "/authorize", fields, BrowserDouble::own_form(kIssuer));
  EXPECT_EQ(back.status, 303);
  return *back.headers.find("Location");
}

std::string with_parameter(const std::string& url, std::string_view name, const std::string& value) {
  auto uri = *parse_uri(url);
  FormFields fields = *form_decode(uri.query);
  std::erase_if(fields, [&](const auto& field) { return field.first == name; });
  if (!value.empty()) fields.emplace_back(std::string(name), value);
  return uri.origin() + uri.path + "?" + form_encode(fields);
}

TEST(SignIn01, SignedOutShowsNoFactAndTheLoginLandsOnTheSameRequest) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const HttpResponse answer = browser.get(kPage + "/approvals/" + id);
  EXPECT_EQ(answer.status, 303);
  EXPECT_EQ(*answer.headers.find("Location"), "/login?next=%2Fapprovals%2FAPR-0001");
  for (const char* fact : {"Avery", "48.00", "4800", "ORD-5521", "T-1042"}) {
    EXPECT_EQ(answer.body.find(fact), std::string::npos) << fact;
  }
  const Shown landed = world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  EXPECT_EQ(landed.uri.path, "/approvals/" + id);
  EXPECT_EQ(landed.response.status, 200);
  EXPECT_TRUE(landed.says("Avery Lin"));
}

TEST(SignIn02, ANextThatIsNoPageOfOursBecomesTheQueue) {
  PageWorld world;
  const std::string id = world.request();
  for (const char* next :
       {"https://evil.test/", "//evil.test", "/\\evil.test", "/approvals/../login", "/approvals\r\nX: y",
        "%2F%2Fevil.test", "/approvals/APR-1", "/approvals/APR-0001/approve/x", "/login", "/callback?code=1", ""}) {
    BrowserDouble browser(world.http);
    const Shown landed = browser.press(browser.open(kPage + "/login?next=" + percent_encode(next)), "Morgan Ellis");
    EXPECT_EQ(landed.uri.text(), kPage + "/approvals") << next;
    EXPECT_EQ(landed.response.status, 200) << next;
  }
  BrowserDouble browser(world.http);
  const Shown landed =
      browser.press(browser.open(kPage + "/login?next=" + percent_encode("/approvals/" + id)), "Morgan Ellis");
  EXPECT_EQ(landed.uri.path, "/approvals/" + id);
}

TEST(SignIn03, TheSessionIdChangesAtEachLoginAndTheOldOneIsDead) {
  PageWorld world;
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  const std::string before = session_cookie(browser);
  ASSERT_FALSE(before.empty());
  HttpRequest replay;
  replay.method = "GET";
  replay.target = "/approvals";
  replay.headers.add("Cookie", before);
  EXPECT_EQ(world.http.send(*parse_uri(kPage), replay, {}, {})->status, 200);
  browser.press(browser.open(kPage + "/login?fresh=1&next=%2Fapprovals"), "Morgan Ellis");
  const std::string after = session_cookie(browser);
  EXPECT_NE(before, after);
  EXPECT_EQ(world.http.send(*parse_uri(kPage), replay, {}, {})->status, 303);
}

TEST(SignIn03, RefusesASessionIdThatWasPlanted) {
  PageWorld world;
  BrowserDouble browser(world.http);
  const std::string planted = "__Host-postern-desk=" + std::string(43, 'A');
  browser.jar().take(*parse_uri(kPage), HeaderList{{"Set-Cookie", planted + "; Path=/; Secure; HttpOnly"}});
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  EXPECT_NE(session_cookie(browser), planted);
}

// An answer of the issuer with one parameter changed (removed, when the value is empty).
void expect_refused(std::string_view name, const std::string& value) {
  PageWorld world;
  BrowserDouble browser(world.http);
  std::string answer = with_parameter(answer_of_issuer(browser, "/login?next=%2Fapprovals"), name, value);
  if (name == "error") answer = with_parameter(answer, "code", "");
  const HttpResponse response = browser.get(answer);
  EXPECT_EQ(response.status, 400) << name;
  EXPECT_FALSE(response.headers.has("Location")) << name;
  EXPECT_TRUE(session_cookie(browser).empty()) << name;
}

TEST(SignIn04, RefusesAWrongStateAMissingOneAnotherIssuerAndAnErrorWithoutALoop) {
  expect_refused("state", "another");
  expect_refused("state", "");
  expect_refused("iss", "http://127.0.0.1:9999");
  expect_refused("iss", "");
  expect_refused("error", "access_denied");

  PageWorld world;
  BrowserDouble browser(world.http);
  EXPECT_EQ(browser.get(answer_of_issuer(browser, "/login?next=%2Fapprovals")).status, 303);
  EXPECT_FALSE(session_cookie(browser).empty());
}

TEST(SignIn04, RefusesAReusedCodeAndACodeOfAnotherSignIn) {
  PageWorld world;
  BrowserDouble browser(world.http);
  const std::string first = answer_of_issuer(browser, "/login?next=%2Fapprovals");
  EXPECT_EQ(browser.get(first).status, 303);
  EXPECT_EQ(browser.get(first).status, 400);
  // The code of one sign-in does not fit the verifier of another.
  const std::string a = answer_of_issuer(browser, "/login?next=%2Fapprovals");
  const std::string b = answer_of_issuer(browser, "/login?next=%2Fapprovals");
  const auto code_of_a = *sole_field(*form_decode(parse_uri(a)->query), "code").value();
  EXPECT_EQ(browser.get(with_parameter(b, "code", code_of_a)).status, 400);
}

TEST(SignIn04, RefusesAnAnswerInAnotherBrowserAndSaysWhatIsMissing) {
  PageWorld world;
  BrowserDouble began(world.http);
  BrowserDouble other(world.http);
  const std::string answer = answer_of_issuer(began, "/login?next=%2Fapprovals");
  const HttpResponse response = other.get(answer);
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("did not send back the cookie"), std::string::npos);
  EXPECT_EQ(began.get(answer).status, 303);
}

TEST(SignIn04, RefusesAnAnswerOfAnotherBrowsersSignIn) {
  PageWorld world;
  BrowserDouble attacker(world.http);
  BrowserDouble victim(world.http);
  const std::string answer = answer_of_issuer(attacker, "/login?next=%2Fapprovals");
  victim.open(kPage + "/login");  // has a sign-in of its own under way, and so a cookie
  const HttpResponse response = victim.get(answer);
  EXPECT_EQ(response.status, 400);
  EXPECT_NE(response.body.find("belongs to no sign-in that this browser began"), std::string::npos);
  EXPECT_TRUE(session_cookie(victim).empty());
  EXPECT_EQ(attacker.get(answer).status, 303);  // and it was not used up
}

TEST(SignIn04, AFetchAheadOfThePersonDoesNotUseTheAnswerUp) {
  PageWorld world;
  BrowserDouble browser(world.http);
  const std::string answer = answer_of_issuer(browser, "/login?next=%2Fapprovals");
  EXPECT_EQ(browser.get(answer, {{"Sec-Purpose", "prefetch"}}).status, 405);
  EXPECT_EQ(browser.get(answer).status, 303);
}

// A token of the same issuer and person for another resource, by the whole grant.
AccessToken token_for_the_desk(PageWorld& world) {
  BrowserDouble browser(world.http);
  AuthorizationCodeRequest ask;
  ask.server = *fetch_authorization_server_metadata(world.http, kIssuer, DiscoveryPolicy(*parse_uri(kIssuer)), {});
  ask.client_id = "partner-portal";
  ask.redirect_uri = kDesk + "/callback";
  ask.resource = kDesk + "/mcp";
  ask.scope = ScopeSet{"desk:read"};
  auto grant = std::move(AuthorizationCodeGrant::begin(std::move(ask), world.random).value());
  const Shown chooser = browser.open(grant.authorization_url());
  const auto button = chooser.html.button("Morgan Ellis");
  FormFields fields = button->form->fields;
  fields.emplace_back(button->button->name, button->button->value);
  const HttpResponse back = browser.post(kIssuer + "/authorize", fields, BrowserDouble::own_form(kIssuer));
  const auto code = grant.accept_answer(parse_uri(*back.headers.find("Location"))->query);
  const auto reply = world.http.send(grant.token_endpoint(), grant.token_request(*code), {}, {});
  return std::move(grant.accept_tokens(*reply)->access_token);
}

TEST(SignIn05, RefusesATokenForTheMcpServerBehindASession) {
  PageWorld world;
  world.signed_in(*std::make_unique<BrowserDouble>(world.http), "/approvals", "Morgan Ellis");  // keys are known
  const AccessToken foreign = token_for_the_desk(world);
  EXPECT_TRUE(refused(world.gate->verify(foreign, services::KeyAccess::kMayFetch), "token.wrong_audience"));
  services::BearerGate desk_gate(world.clock, services::TokenVerifier(kIssuer, kDesk + "/mcp"), *world.keys);
  EXPECT_TRUE(desk_gate.verify(foreign, services::KeyAccess::kMayFetch).has_value());

  auto [session, value] = world.sessions->open(foreign.duplicate(), false);
  HttpResponse carrier;
  SessionCookie::write(carrier, SessionCookie::kDesk, value);
  BrowserDouble browser(world.http);
  browser.jar().take(*parse_uri(kPage), carrier.headers);
  EXPECT_EQ(browser.get(kPage + "/approvals").status, 303);
  EXPECT_EQ(browser.get(kPage + "/approvals/APR-0001/state").status, 401);
}

TEST(SignIn05, ThePagesTokenIsRefusedByTheMcpServersGate) {
  PageWorld world;
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  HttpRequest request;
  request.headers.add("Cookie", session_cookie(browser));
  const auto session = world.sessions->find(request, false);
  ASSERT_NE(session, nullptr);
  services::BearerGate desk_gate(world.clock, services::TokenVerifier(kIssuer, kDesk + "/mcp"), *world.keys);
  EXPECT_TRUE(refused(desk_gate.verify(session->token(), services::KeyAccess::kMayFetch), "token.wrong_audience"));
  EXPECT_TRUE(world.gate->verify(session->token(), services::KeyAccess::kMayFetch).has_value());
}

TEST(SignIn06, TheCookieHasItsNameAndFlags) {
  PageWorld world;
  BrowserDouble browser(world.http);
  const std::string answer = answer_of_issuer(browser, "/login?next=%2Fapprovals");
  const HttpResponse response = browser.get(answer);
  const auto cookies = response.headers.all("Set-Cookie");
  ASSERT_FALSE(cookies.empty());
  const std::string cookie(cookies[0]);
  EXPECT_TRUE(cookie.starts_with("__Host-postern-desk=")) << cookie;
  EXPECT_TRUE(cookie.ends_with("; Path=/; HttpOnly; Secure; SameSite=Lax")) << cookie;
  EXPECT_EQ(cookie.find("Domain"), std::string::npos);
  constexpr std::size_t kCharacters = 43;  // 256 bits
  EXPECT_EQ(cookie.find(';') - cookie.find('=') - 1, kCharacters);
}

TEST(SignIn06, NoTokenCodeOrVerifierIsInAnyPageOrAddress) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const std::string answer = answer_of_issuer(browser, "/login?next=%2Fapprovals");
  const std::string code = *sole_field(*form_decode(parse_uri(answer)->query), "code").value();
  const HttpResponse redirect = browser.get(answer);
  EXPECT_EQ(*redirect.headers.find("Location"), "/approvals");
  std::string seen = redirect.body;
  for (const char* path :
       {"/approvals", "/approvals/APR-0001", "/approvals/APR-0001/record", "/approvals/APR-0001/deny", "/audit"}) {
    seen += browser.open(kPage + path).response.body;
  }
  EXPECT_EQ(seen.find(code), std::string::npos);
  EXPECT_EQ(seen.find("eyJ"), std::string::npos);  // a JWT begins so
  for (const std::string& value : browser.jar().values()) EXPECT_EQ(seen.find(value), std::string::npos);
}

TEST(Session, EndsAfterFifteenIdleMinutesAndAPollDoesNotCount) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  HttpRequest request;
  request.headers.add("Cookie", session_cookie(browser));
  world.clock.advance(std::chrono::minutes(14));
  EXPECT_NE(world.sessions->find(request, false), nullptr);
  world.clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(world.sessions->find(request, false), nullptr);
}

TEST(Session, EndsAfterEightHoursHoweverBusyItIs) {
  PageWorld world;
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  HttpRequest request;
  request.headers.add("Cookie", session_cookie(browser));
  for (int i = 0; i < 47; ++i) {
    world.clock.advance(std::chrono::minutes(10));
    ASSERT_NE(world.sessions->find(request, true), nullptr) << i;
  }
  world.clock.advance(std::chrono::minutes(10));
  EXPECT_EQ(world.sessions->find(request, true), nullptr);
}

TEST(Session, AnExpiredTokenSendsToTheSignInAndNothingIsReplayed) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown deny = browser.open(world.signed_in(browser, "/approvals/" + id + "/deny", "Morgan Ellis").uri.text());
  world.clock.advance(std::chrono::seconds(310));
  EXPECT_EQ(browser.get(kPage + "/approvals/" + id).status, 303);
  const Shown answer = browser.press(deny, "Deny refund", {{"note", "No photo."}});
  EXPECT_EQ(answer.response.status, 401);
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
}

TEST(Session, SigningOutEndsItOnTheServer) {
  PageWorld world;
  BrowserDouble browser(world.http);
  const Shown queue = world.signed_in(browser, "/approvals", "Morgan Ellis");
  const std::string cookie = session_cookie(browser);
  const Shown out = browser.press(queue, "Sign out");
  EXPECT_TRUE(out.says("You are signed out."));
  HttpRequest replay;
  replay.method = "GET";
  replay.target = "/approvals/APR-0001/state";
  replay.headers.add("Cookie", cookie);
  EXPECT_EQ(world.http.send(*parse_uri(kPage), replay, {}, {})->status, 401);
  EXPECT_EQ(world.audit_count("auth.logout"), 1);
}

TEST(SignIn09, AnIssuerThatIsDownIsSaidInWords) {
  PageWorld world;
  world.http.set_down(kIssuer, true);
  BrowserDouble browser(world.http);
  const Shown page = browser.open(kPage + "/approvals");
  EXPECT_EQ(page.response.status, 503);
  EXPECT_TRUE(page.response.headers.has("Retry-After"));
  EXPECT_TRUE(page.says("The issuer cannot be reached now."));
  world.http.set_down(kIssuer, false);
  EXPECT_EQ(browser.open(kPage + "/approvals").uri.origin(), kIssuer);
}

}  // namespace
}  // namespace postern::approvals::test
