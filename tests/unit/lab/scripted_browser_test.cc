// The scripted supervisor's eyes and hands: pages are read as they are served, cookies and redirects behave as a
// browser's do.
#include <gtest/gtest.h>

#include <map>

#include "tests/lab/run_command.h"
#include "tests/lab/supervisor.h"
#include "tests/lab/text_search.h"
#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"

namespace postern::lab {
namespace {

using test::refused;
using test::succeeded;

TEST(HtmlPage, ReadsLinksFormsAndText) {
  const HtmlPage page = read_html(
      "<!doctype html><title>Pending: refund</title><style>p{}</style><!-- <a href=x>no</a> --><h1>Refund &amp; "
      "more</h1>"
      "<a class=\"b>c\" href='/approvals/APR-0001/approve'>Approve&hellip;</a><form method=\"POST\" "
      "action=\"/a?b=1&amp;c=2\">"
      "<input type=hidden name=csrf value=\"t&quot;k\"><input type=checkbox name=off value=1><textarea "
      "name=\"note\"></textarea>"
      "<button type=submit name=\"decision\" value=\"deny\"><span>Deny</span> refund</button><button "
      "type=button>No</button></form>");
  EXPECT_EQ(page.title, "Pending: refund");
  EXPECT_EQ(page.text.find("p{}"), std::string::npos);
  EXPECT_NE(page.text.find("Refund & more"), std::string::npos);
  ASSERT_EQ(page.links.size(), 1u);
  EXPECT_EQ(page.links[0].href, "/approvals/APR-0001/approve");
  EXPECT_EQ(page.links[0].text, "Approve…");
  ASSERT_EQ(page.forms.size(), 1u);
  EXPECT_EQ(page.forms[0].method, "post");
  EXPECT_EQ(page.forms[0].action, "/a?b=1&c=2");
  EXPECT_EQ(page.forms[0].textarea, "note");
  EXPECT_EQ(page.forms[0].fields, (FormFields{{"csrf", "t\"k"}, {"note", ""}}));
  ASSERT_EQ(page.forms[0].buttons.size(), 1u);
  EXPECT_TRUE(page.button("deny refund").has_value());
  EXPECT_FALSE(page.button("approve").has_value());
}

TEST(HtmlPage, ResolvesReferences) {
  const Uri base = *parse_uri("http://127.0.0.1:81/a/b?q=1");
  EXPECT_EQ(resolve(base, "/x?y#z")->text(), "http://127.0.0.1:81/x?y");
  EXPECT_EQ(resolve(base, "c")->text(), "http://127.0.0.1:81/a/c");
  EXPECT_EQ(resolve(base, "?r=2")->text(), "http://127.0.0.1:81/a/b?r=2");
  EXPECT_EQ(resolve(base, "http://127.0.0.1:82/")->text(), "http://127.0.0.1:82/");
  EXPECT_EQ(resolve(base, "")->text(), base.text());
}

TEST(CookieJar, KnowsNoPorts) {
  CookieJar jar;
  jar.take(*parse_uri("http://127.0.0.1:81/"),
           {{"Set-Cookie", "__Host-a=1; Path=/; Secure; HttpOnly"}, {"Set-Cookie", "b=2; Path=/deep"}});
  EXPECT_EQ(jar.field_for(*parse_uri("http://127.0.0.1:82/")), "__Host-a=1");
  EXPECT_EQ(jar.field_for(*parse_uri("http://127.0.0.1:82/deep/x")), "__Host-a=1; b=2");
  EXPECT_EQ(jar.field_for(*parse_uri("http://127.0.0.1:82/deeper")), "__Host-a=1");
  EXPECT_EQ(jar.field_for(*parse_uri("http://localhost:81/")), "");
  jar.take(*parse_uri("http://127.0.0.1:82/"), {{"Set-Cookie", "__Host-a=; Path=/; Max-Age=0"}});
  EXPECT_EQ(jar.field_for(*parse_uri("http://127.0.0.1:81/")), "");
}

TEST(TextSearch, FindsSentencesAmountsAndWords) {
  EXPECT_EQ(sentence_with("One v1.5 here. Two THINGS, yes! Three\nFour", "things"), "Two THINGS, yes!");
  EXPECT_EQ(sentence_with("One\nTwo things", "things"), "Two things");
  EXPECT_EQ(sentence_with("One", "two"), std::nullopt);
  EXPECT_EQ(quoted_with("say \"a b\" or \"c d\".", "C"), "c d");
  EXPECT_EQ(money_in("costs $ or $129.00, not $7"), 12900);
  EXPECT_EQ(money_in("only $7"), 700);
  EXPECT_EQ(money_in("129"), std::nullopt);
  EXPECT_EQ(word_with("go to <https://a.test/x?y=1>. Now", "https://"), "https://a.test/x?y=1");
  EXPECT_EQ(day_number("2026-11-30T01:00:00Z").value() - day_number("2026-10-30T23:00:00Z").value(), 31);
  EXPECT_EQ(day_number("2026-13-30"), std::nullopt);
}

TEST(ApprovalLink, IsReadOutOfALineOfTheHost) {
  EXPECT_EQ(approval_link_in("             http://127.0.0.1:8931/approvals/APR-0001"),
            "http://127.0.0.1:8931/approvals/APR-0001");
  for (const char* line : {"server http://127.0.0.1:8931/mcp", "http://desk.test/approvals/APR-0001", "see APR-0001",
                           "http://127.0.0.1:8931/approvals/APR-0001?next=1"}) {
    EXPECT_EQ(approval_link_in(line), "") << line;
  }
}

// Pages by method and address; what is not among them is a 404. Keeps what it was sent.
class Pages final : public HttpClient {
 public:
  Result<HttpResponse> send(const Uri& uri, const HttpRequest& request, SteadyTime, std::stop_token) override {
    sent.emplace_back(uri, request);
    const auto page = pages.find(request.method + " " + uri.text());
    return page == pages.end() ? text_response(404, "nothing") : page->second;
  }
  Result<HttpResponse> open(const Uri& uri, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    return PeerClosed{uri.origin()};
  }
  std::map<std::string, HttpResponse> pages;
  std::vector<std::pair<Uri, HttpRequest>> sent;
};

HttpResponse html(const std::string& body) {
  return {200, {{"Content-Type", "text/html"}}, body};
}
HttpResponse go_to(const std::string& url, const std::string& cookie = "") {
  HttpResponse response = redirect_response(url);
  if (!cookie.empty()) response.headers.add("Set-Cookie", cookie);
  return response;
}

const std::string kPage = "http://127.0.0.1:8931";
const std::string kIssuer = "http://127.0.0.1:8932";

class SupervisorTest : public testing::Test {
 protected:
  SupervisorTest() {
    const std::string people =
        "<form method=post action=/authorize/choose><input type=hidden name=request value=r1>"
        "<button name=person value=rowan>Rowan Diaz</button><button name=person value=morgan>Morgan "
        "Ellis</button></form>";
    http.pages["GET " + kPage + "/approvals/APR-0001"] = go_to("/login?next=/approvals/APR-0001");
    http.pages["GET " + kPage + "/login?next=/approvals/APR-0001"] = go_to(kIssuer + "/authorize?x=1");
    http.pages["GET " + kIssuer + "/authorize?x=1"] = html(people);
    http.pages["POST " + kIssuer + "/authorize/choose"] = go_to(kPage + "/callback?code=c");
    http.pages["GET " + kPage + "/callback?code=c"] = go_to("/facts", "session=s1; Path=/");
    http.pages["GET " + kPage + "/facts"] = html("<a href=/approve>Approve…</a> <a href=/deny>Deny…</a>");
    http.pages["GET " + kPage + "/approve"] = html(
        "<form method=post action=/approve><input type=hidden name=csrf value=t1><button>Pay back "
        "$48.00</button></form>");
    http.pages["GET " + kPage + "/deny"] = html(
        "<form method=post action=/deny><input type=hidden name=csrf value=t2><textarea "
        "name=note></textarea><button>Deny refund</button></form>");
    http.pages["POST " + kPage + "/approve"] = go_to("/done");
    http.pages["POST " + kPage + "/deny"] = go_to("/denied");
    http.pages["GET " + kPage + "/done"] = html("<p>Approved by Morgan Ellis at 02:51:07 UTC.</p>");
    http.pages["GET " + kPage + "/denied"] = html("<p>Denied by Morgan Ellis: no.</p>");
  }
  Pages http;
  test::ManualClock clock;
  Browser browser{http, clock};
};

TEST_F(SupervisorTest, SignsInAndPressesTheRealButtons) {
  Supervisor supervisor(browser, {});
  ASSERT_TRUE(succeeded(supervisor.decide(kPage + "/approvals/APR-0001")));
  EXPECT_EQ(supervisor.pressed(), (std::vector<std::string>{"Morgan Ellis", "Approve…", "Pay back $48.00"}));
  const auto& [choose_uri, choose] = http.sent[3];
  EXPECT_EQ(choose.method, "POST");
  EXPECT_EQ(choose.body, "request=r1&person=morgan");
  const auto& [pay_uri, pay] = http.sent[http.sent.size() - 2];
  EXPECT_EQ(pay.body, "csrf=t1");
  EXPECT_EQ(*pay.headers.find("origin"), kPage);
  EXPECT_EQ(*pay.headers.find("sec-fetch-site"), "same-origin");
  EXPECT_EQ(*pay.headers.find("cookie"), "session=s1");
}

TEST_F(SupervisorTest, DeniesWithANote) {
  SupervisorOptions options;
  options.decision = Decision::kDeny;
  options.note = "No photo";
  Supervisor supervisor(browser, options);
  ASSERT_TRUE(succeeded(supervisor.decide(kPage + "/approvals/APR-0001")));
  EXPECT_EQ(http.sent[http.sent.size() - 2].second.body, "csrf=t2&note=No%20photo");
}

TEST_F(SupervisorTest, RefusesToTakeAPressedButtonForADecision) {
  http.pages["GET " + kPage + "/done"] = html("<p>Waits for a supervisor.</p>");
  Supervisor supervisor(browser, {});
  EXPECT_TRUE(refused(supervisor.decide(kPage + "/approvals/APR-0001"), "lab.supervisor_stuck"));
}

TEST_F(SupervisorTest, RefusesToGoInCircles) {
  http.pages["POST " + kIssuer + "/authorize/choose"] = go_to(kIssuer + "/authorize?x=1");
  Supervisor supervisor(browser, {});
  EXPECT_TRUE(refused(supervisor.decide(kPage + "/approvals/APR-0001"), "lab.supervisor_stuck"));
}

TEST_F(SupervisorTest, RefusesToLeaveThisMachine) {
  http.pages["GET " + kPage + "/login?next=/approvals/APR-0001"] = go_to("http://issuer.test/authorize");
  Supervisor supervisor(browser, {});
  EXPECT_TRUE(refused(supervisor.decide(kPage + "/approvals/APR-0001"), "lab.not_this_machine"));
}

}  // namespace
}  // namespace postern::lab
