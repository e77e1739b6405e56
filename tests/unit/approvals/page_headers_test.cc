// Number 42 of section E and the public case B-060: the headers on every answer; and that no secret is in any page or
// database.
#include <gtest/gtest.h>

#include <filesystem>

#include "services/approvals/page_layout.h"
#include "tests/unit/approvals/page_world.h"
#include "wire/base/file.h"

namespace postern::approvals::test {
namespace {

void expect_all_headers(const HttpResponse& response, const std::string& where) {
  const std::pair<const char*, const char*> kExpected[] = {
      {"Content-Security-Policy",
       "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action "
       "'self'; "
       "frame-ancestors 'none'; base-uri 'none'"},
      {"Cache-Control", "no-store"},
      {"Referrer-Policy", "same-origin"},
      {"X-Content-Type-Options", "nosniff"},
      {"Cross-Origin-Opener-Policy", "same-origin"},
      {"Cross-Origin-Resource-Policy", "same-origin"},
      {"X-Frame-Options", "DENY"},
      {"X-Robots-Tag", "noindex"},
  };
  for (const auto& [name, value] : kExpected) {
    const auto all = response.headers.all(name);
    ASSERT_EQ(all.size(), 1U) << name << " at " << where;
    EXPECT_EQ(all[0], value) << name << " at " << where;
  }
  EXPECT_TRUE(response.headers.has("Permissions-Policy")) << where;
  EXPECT_FALSE(response.headers.has("Strict-Transport-Security")) << where;  // plain http: it would mean nothing
}

TEST(PageHeaders42, AreOnEveryAnswer) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  const std::string url = kPage + "/approvals/" + id;
  const auto check = [&](int status, const HttpResponse& response, const std::string& where) {
    EXPECT_EQ(response.status, status) << where;
    expect_all_headers(response, where);
  };
  BrowserDouble stranger(world.http);
  check(303, stranger.get(url), "a GET without a session");
  check(200, browser.get(url), "the request");
  check(200, browser.get(kPage + "/healthz"), "health");
  check(200, browser.get(kPage + style_path()), "the style sheet");
  check(200, browser.get(kPage + script_path()), "the script");
  check(404, browser.get(kPage + "/nope"), "an unknown path");
  check(404, browser.get(kPage + "/approvals/%00"), "a broken id");
  check(404, browser.get(kPage + "/static/page.css"), "an unknown asset");
  check(403, browser.get(url, {{"Host", "evil.test"}}), "another host");
  HttpRequest put;
  put.method = "PUT";
  check(405, browser.send(url, put), "another method");
  check(400, browser.get(kPage + "/callback?code=x&state=y"), "a foreign callback");
  check(200, browser.get(url + "/state"), "the state");
  check(401, stranger.get(url + "/state"), "the state without a session");
  const Shown deny = browser.open(url + "/deny");
  check(422, browser.press(deny, "Deny refund").response, "a denial without a note");
  check(403, browser.post(url + "/approve", {}, {}), "a foreign form");
  check(303,
        browser.post(url + "/approve", confirm.html.button("Pay back")->form->fields, BrowserDouble::own_form(kPage)),
        "the decision");
  check(409, browser.press(confirm, "Pay back").response, "a second decision");
}

class BrokenStaff final : public DeskStaff {
 public:
  Result<std::optional<StaffMember>> find(const std::string&) const override {
    return services::StoreFailed{"customers.sqlite", "the disk is gone"};
  }
};

TEST(PageHeaders42, AreOnAnInternalErrorTooWhichClaimsNoOutcome) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  const BrokenStaff broken;
  const Routes routes = approval_page_routes({world.env, *world.store, broken, *world.facts, *world.money, *world.gate,
                                              *world.sign_in, *world.sessions, kPage, parse_uri(kPage)->authority()});
  postern::test::RoutesHttpClient http;
  http.serve(kPage, routes);
  HttpRequest press;
  press.method = "POST";
  press.target = "/approvals/" + id + "/approve";
  press.headers = BrowserDouble::own_form(kPage);
  press.headers.add("Cookie", browser.jar().field_for(*parse_uri(kPage)));
  press.body = form_encode(confirm.html.button("Pay back")->form->fields);
  const auto answer = http.send(*parse_uri(kPage), press, {}, {});
  EXPECT_EQ(answer->status, 500);
  EXPECT_NE(answer->body.find("We do not know whether this was decided."), std::string::npos);
  EXPECT_EQ(answer->body.find("disk"), std::string::npos);
  expect_all_headers(*answer, "an internal error");
}

TEST(CaseB060, NoPageHoldsScriptOfItsOwn) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  for (const char* path : {"/approvals", "/approvals/APR-0001", "/approvals/APR-0001/deny", "/audit", "/nope"}) {
    const std::string body = browser.get(kPage + path).body;
    std::size_t at = 0;
    while ((at = body.find("<script", at)) != std::string::npos) {
      EXPECT_EQ(body.compare(at, 18, "<script defer src="), 0) << path;
      ++at;
    }
    EXPECT_EQ(body.find(" style="), std::string::npos) << path;
    EXPECT_EQ(body.find(" onclick="), std::string::npos) << path;
    EXPECT_EQ(body.find("http:"), std::string::npos) << path;  // no address of elsewhere
    EXPECT_EQ(body.find("https:"), std::string::npos) << path;
  }
}

TEST(PageSecrets, NoneIsInADatabaseOrInThePages) {
  PageWorld world;
  const std::string id = world.request();
  BrowserDouble browser(world.http);
  const Shown confirm = world.at_confirm(browser, id);
  const std::string csrf = BrowserDouble::field(confirm, "Pay back", "csrf");
  const Shown decided = browser.press(confirm, "Pay back");
  ASSERT_TRUE(world.pay(id).has_value());
  std::vector<std::string> secrets = browser.jar().values();
  ASSERT_FALSE(secrets.empty());
  secrets.push_back(csrf);
  secrets.emplace_back("apt_");
  secrets.emplace_back("eyJ");
  secrets.emplace_back("svc_");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(world.folder.path())) {
    if (!entry.is_regular_file()) continue;
    ++files;
    const auto content = read_file(entry.path().string(), 64 << 20);
    ASSERT_TRUE(content.has_value());
    for (const std::string& secret : secrets) {
      EXPECT_EQ(content->find(secret), std::string::npos)
          << entry.path().filename() << " holds " << secret.substr(0, 4);
    }
  }
  EXPECT_GE(files, 5U);
  for (const std::string& secret : secrets) {
    if (secret == csrf) continue;
    EXPECT_EQ(decided.response.body.find(secret), std::string::npos);
  }
}

}  // namespace
}  // namespace postern::approvals::test
