// Numbers 33 to 41 of section E and the public case B-059: forms and requests from elsewhere.
#include <gtest/gtest.h>

#include "services/approvals/form_guard.h"
#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

// A supervisor at the confirm page, and the fields of its form.
struct AtConfirm {
  explicit AtConfirm(PageWorld& the_world)
      : world(the_world), id(world.request()), browser(world.http), page(world.at_confirm(browser, id)) {
    fields = page.html.button("Pay back")->form->fields;
  }
  HttpResponse post(HeaderList headers) { return browser.post(url(), fields, std::move(headers)); }
  [[nodiscard]] std::string url() const { return kPage + "/approvals/" + id + "/approve"; }
  PageWorld& world;
  std::string id;
  BrowserDouble browser;
  Shown page;
  FormFields fields;
};

const std::string kFormType = "application/x-www-form-urlencoded";

TEST(CrossSite33, RefusesAFormOnAnotherPortOfThisHostThoughItsCookiesCome) {
  PageWorld world;
  AtConfirm at(world);
  ASSERT_NE(at.browser.jar().field_for(*parse_uri("http://127.0.0.1:9000/")).find("__Host-postern-desk="),
            std::string::npos);
  const HttpResponse answer =
      at.post({{"Origin", "http://127.0.0.1:9000"}, {"Sec-Fetch-Site", "same-site"}, {"Content-Type", kFormType}});
  EXPECT_EQ(answer.status, 403);
  EXPECT_NE(answer.body.find("This page was too old or came from elsewhere. Nothing was decided."), std::string::npos);
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
  EXPECT_NE(world.newest_detail("decision.refused").find(R"("reason":"csrf")"), std::string::npos);
}

TEST(CrossSite34, AFormFromLocalhostHasNoCookieAndDecidesNothing) {
  PageWorld world;
  AtConfirm at(world);
  BrowserDouble without_cookies(world.http);
  const HttpResponse answer = without_cookies.post(
      at.url(), at.fields,
      {{"Origin", "http://localhost:9000"}, {"Sec-Fetch-Site", "cross-site"}, {"Content-Type", kFormType}});
  EXPECT_EQ(answer.status, 401);
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
}

TEST(CrossSite35, RefusesAPlainTextBody) {
  PageWorld world;
  AtConfirm at(world);
  for (const char* type : {"text/plain", "multipart/form-data; boundary=x"}) {
    EXPECT_EQ(at.post({{"Origin", kPage}, {"Sec-Fetch-Site", "same-origin"}, {"Content-Type", type}}).status, 403)
        << type;
  }
  EXPECT_EQ(at.post({{"Origin", kPage}, {"Content-Type", "application/json"}}).status, 415);
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
}

TEST(CrossSite36, RefusesEveryOriginButItsOwn) {
  PageWorld world;
  AtConfirm at(world);
  const auto refuse = [&](HeaderList headers) {
    headers.add("Content-Type", kFormType);
    EXPECT_EQ(at.post(std::move(headers)).status, 403);
    EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
  };
  refuse({});
  refuse({{"Origin", "null"}, {"Sec-Fetch-Site", "same-origin"}});
  refuse({{"Origin", "http://127.0.0.1:8930"}, {"Sec-Fetch-Site", "same-origin"}});
  refuse({{"Origin", "https://127.0.0.1:8931"}, {"Sec-Fetch-Site", "same-origin"}});
  refuse({{"Origin", "http://evil.test"}, {"Sec-Fetch-Site", "cross-site"}});
  refuse({{"Origin", kPage}, {"Sec-Fetch-Site", "same-site"}});
  refuse({{"Origin", kPage}, {"Sec-Fetch-Site", "none"}});
  refuse({{"Origin", kPage}, {"Origin", kPage}, {"Sec-Fetch-Site", "same-origin"}});
  EXPECT_EQ(at.post({{"Origin", kPage}, {"Content-Type", kFormType}}).status, 303);  // a browser without Fetch Metadata
}

TEST(CrossSite36, AFloodFromElsewhereNeitherShutsThePersonOutNorFillsTheTrail) {
  PageWorld world;
  AtConfirm at(world);
  for (int i = 0; i < 25; ++i) {
    EXPECT_EQ(at.post({{"Origin", "http://127.0.0.1:9000"}, {"Content-Type", kFormType}}).status, 403);
  }
  EXPECT_EQ(world.audit_count("decision.refused"), 10);
  world.clock.advance(std::chrono::minutes(1));
  EXPECT_EQ(at.post({{"Origin", "http://127.0.0.1:9000"}, {"Content-Type", kFormType}}).status, 403);
  EXPECT_EQ(world.audit_count("decision.refused"), 11);
  EXPECT_EQ(at.post({{"Origin", kPage}, {"Content-Type", kFormType}}).status, 303);
}

TEST(CrossSite36, OurOwnFormPasses) {
  PageWorld world;
  AtConfirm at(world);
  EXPECT_EQ(*at.page.response.headers.find("Referrer-Policy"), "same-origin");  // so that Origin is ours and not null
  EXPECT_EQ(at.post(BrowserDouble::own_form(kPage)).status, 303);
  EXPECT_EQ(world.status(at.id), RequestStatus::kApproved);
}

TEST(CrossSite37, RefusesTheFormTokenOfAnotherSessionOfAnotherRequestAndOfAnEndedSession) {
  PageWorld world;
  AtConfirm at(world);
  services::ApprovalAsk second = PageWorld::ask();
  second.amount_cents = 1000;
  const std::string other_id = world.request(second);
  const auto with_token = [&](const std::string& token) {
    FormFields fields = at.fields;
    for (auto& [name, value] : fields) value = name == "csrf" ? token : value;
    return at.browser.post(at.url(), fields, BrowserDouble::own_form(kPage)).status;
  };
  BrowserDouble other(world.http);
  const Shown other_page = world.at_confirm(other, at.id);
  EXPECT_EQ(with_token(BrowserDouble::field(other_page, "Pay back", "csrf")), 403);
  const Shown other_request = at.browser.open(kPage + "/approvals/" + other_id + "/approve");
  EXPECT_EQ(with_token(BrowserDouble::field(other_request, "Pay back", "csrf")), 403);
  EXPECT_EQ(with_token(""), 403);
  EXPECT_EQ(with_token(BrowserDouble::field(at.page, "Sign out", "csrf")), 403);
  at.browser.press(at.page, "Sign out");
  EXPECT_EQ(at.post(BrowserDouble::own_form(kPage)).status, 401);
  world.at_confirm(at.browser, at.id);
  EXPECT_EQ(at.post(BrowserDouble::own_form(kPage)).status, 403);  // the token of the session that ended
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
}

TEST(CrossSite37, RefusesUnknownRepeatedAndMissingFieldsAndTooMuch) {
  PageWorld world;
  AtConfirm at(world);
  const auto send = [&](const FormFields& fields) {
    return at.browser.post(at.url(), fields, BrowserDouble::own_form(kPage)).status;
  };
  FormFields unknown = at.fields;
  unknown.emplace_back("amount_cents", "6000");
  EXPECT_EQ(send(unknown), 400);
  FormFields repeated = at.fields;
  repeated.push_back(at.fields.back());
  EXPECT_EQ(send(repeated), 400);
  FormFields missing = at.fields;
  missing.pop_back();
  EXPECT_EQ(send(missing), 400);
  FormFields huge = at.fields;
  huge.emplace_back("note", std::string(kFormBytesMax, 'x'));
  EXPECT_EQ(send(huge), 413);
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
  EXPECT_EQ(send(at.fields), 303);
}

TEST(CrossSite38, OtherMethodsAndDisguisedOnesHaveNoEffect) {
  PageWorld world;
  AtConfirm at(world);
  for (const char* method : {"PUT", "OPTIONS", "DELETE", "PATCH"}) {
    HttpRequest request;
    request.method = method;
    const HttpResponse answer = at.browser.send(at.url(), request);
    EXPECT_EQ(answer.status, 405) << method;
    EXPECT_EQ(*answer.headers.find("Allow"), "GET, HEAD, POST");
  }
  EXPECT_EQ(at.browser.get(at.url() + "?decision=approve&_method=POST", {{"X-HTTP-Method-Override", "POST"}}).status,
            200);
  HttpRequest get;
  get.method = "GET";
  const HttpResponse withdraw = at.browser.send(kPage + "/approvals/" + at.id + "/withdraw", get);
  EXPECT_EQ(withdraw.status, 405);
  EXPECT_EQ(*withdraw.headers.find("Allow"), "POST");
  HttpRequest logout;
  logout.method = "GET";
  EXPECT_EQ(at.browser.send(kPage + "/logout", logout).status, 405);
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
}

TEST(CrossSite39, APrefetchAndAScannerLeaveStateAndTrailAsTheyWere) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  world.signed_in(browser, "/approvals", "Morgan Ellis");
  const int rows = world.audit_count();
  EXPECT_EQ(browser.get(kPage + "/approvals/" + id, {{"Sec-Purpose", "prefetch"}}).status, 200);
  HttpRequest bare;  // a scanner sends no Fetch Metadata
  bare.method = "GET";
  const HttpResponse page = browser.send(kPage + "/approvals/" + id, bare);
  for (const lab::HtmlLink& link : lab::read_html(page.body).links) {
    const auto target = lab::resolve(*parse_uri(kPage + "/approvals/" + id), link.href);
    HttpRequest scan;
    scan.method = "GET";
    browser.send(target->text(), scan);
  }
  EXPECT_EQ(world.audit_count(), rows);
  EXPECT_EQ(world.status(id), RequestStatus::kPending);
  browser.open(kPage + "/approvals/" + id);
  EXPECT_EQ(world.audit_count("page.opened"), 1);
}

TEST(CrossSite40, ThePageCannotBeFramedOrReached) {
  PageWorld world;
  AtConfirm at(world);
  for (const char* name : {"Content-Security-Policy", "X-Frame-Options", "Cross-Origin-Opener-Policy"}) {
    ASSERT_TRUE(at.page.response.headers.has(name)) << name;
  }
  EXPECT_NE(at.page.response.headers.find("Content-Security-Policy")->find("frame-ancestors 'none'"),
            std::string::npos);
  EXPECT_EQ(*at.page.response.headers.find("X-Frame-Options"), "DENY");
  EXPECT_EQ(*at.page.response.headers.find("Cross-Origin-Opener-Policy"), "same-origin");
}

TEST(CrossSite41, RefusesAnotherHostBeforeAnyHandler) {
  PageWorld world;
  AtConfirm at(world);
  const int rows = world.audit_count();
  HeaderList headers = BrowserDouble::own_form(kPage);
  headers.add("Host", "evil.test:8931");
  EXPECT_EQ(at.post(headers).status, 403);
  for (const char* host : {"evil.test", "localhost:8931", "127.0.0.1", "127.0.0.1:8932"}) {
    EXPECT_EQ(at.browser.get(at.url(), {{"Host", host}}).status, 403) << host;
  }
  EXPECT_EQ(at.browser.get(at.url(), {{"Host", "127.0.0.1:8931"}, {"Host", "127.0.0.1:8931"}}).status, 400);
  EXPECT_EQ(world.audit_count(), rows);
  EXPECT_EQ(at.post(BrowserDouble::own_form(kPage)).status, 303);
}

TEST(CaseB059, RefusesEachOfTheFiveForeignPostsAndTheRequestersSession) {
  PageWorld world;
  AtConfirm at(world);
  const auto send = [&](const FormFields& fields, HeaderList headers) {
    return at.browser.post(at.url(), fields, std::move(headers)).status;
  };
  FormFields without_token = at.fields;
  std::erase_if(without_token, [](const auto& field) { return field.first == "csrf"; });
  EXPECT_EQ(send(without_token, BrowserDouble::own_form(kPage)), 403);
  EXPECT_EQ(send({{"decision", "approve"}}, BrowserDouble::own_form(kPage)), 403);
  EXPECT_EQ(send(at.fields, {{"Origin", "http://evil.test"}, {"Content-Type", kFormType}}), 403);
  EXPECT_EQ(send(at.fields, {{"Origin", kPage}, {"Sec-Fetch-Site", "cross-site"}, {"Content-Type", kFormType}}), 403);
  EXPECT_EQ(send(at.fields, {{"Origin", kPage}, {"Content-Type", "text/plain"}}), 403);
  BrowserDouble rowan(world.http);
  const Shown own = world.signed_in(rowan, "/approvals/" + at.id, "Rowan Diaz");
  FormFields of_rowan = at.fields;
  for (auto& [name, value] : of_rowan) {
    if (name == "csrf") value = BrowserDouble::field(own, "Withdraw request", "csrf");
  }
  EXPECT_EQ(rowan.post(at.url(), of_rowan, BrowserDouble::own_form(kPage)).status, 403);
  EXPECT_EQ(world.status(at.id), RequestStatus::kPending);
  EXPECT_EQ(send(at.fields, BrowserDouble::own_form(kPage)), 303);
}

}  // namespace
}  // namespace postern::approvals::test
