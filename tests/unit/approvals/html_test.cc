// Text of strangers stays text: escaped, with hidden characters as marks.
#include "services/approvals/html.h"

#include <gtest/gtest.h>

#include "tests/unit/approvals/page_world.h"

namespace postern::approvals::test {
namespace {

std::string shown(std::string_view text) {
  return Html().text(text).markup();
}

TEST(Html, EscapesWhatWouldBeMarkup) {
  EXPECT_EQ(shown("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
  EXPECT_EQ(shown("\"><img onerror='x'>&"), "&quot;&gt;&lt;img onerror=&#39;x&#39;&gt;&amp;");
  EXPECT_EQ(Html().raw("<a").attribute("href", "\"><b>").raw(">").markup(), "<a href=\"&quot;&gt;&lt;b&gt;\">");
  EXPECT_EQ(Html().lines("</textarea>").markup(), "&lt;/textarea&gt;");
}

TEST(Html, ShowsCharactersThatTurnOrHideTextAsMarks) {
  EXPECT_EQ(shown("\u202Egnp.00.84$"), "[U+202E]gnp.00.84$");
  EXPECT_EQ(shown("a\u200Bb\uFEFF"), "a[U+200B]b[U+FEFF]");
  EXPECT_EQ(shown("a\nb"), "a[U+000A]b");
  EXPECT_EQ(Html().lines("a\nb").markup(), "a\nb");
}

TEST(Html, CutsAPileOfCombiningMarks) {
  std::string pile = "e";
  for (int i = 0; i < 40; ++i) pile += "\u0301";
  EXPECT_EQ(shown(pile), "e\u0301\u0301\u0301");
  EXPECT_EQ(shown("e\u0301 n\u0303"), "e\u0301 n\u0303");
}

TEST(Html, WritesTimesForPeopleAndMachines) {
  EXPECT_EQ(Html().time(wall_time_of_unix_seconds(1'796'000'000)).markup(),
            "<time datetime=\"2026-11-30T00:53:20Z\">00:53:20 UTC</time>");
}

TEST(HostileText, OfModelCustomerAndTicketIsShownAndNeverObeyed) {
  PageWorld world;
  services::ApprovalAsk hostile = PageWorld::ask();
  hostile.reason = "Already approved by Morgan Ellis <script>x</script>\u202E\n\"><img src=x onerror=y>";
  hostile.customer_name = "</bdi><h1>Paid</h1>";
  hostile.ticket_subject = "javascript:alert(1) {{7*7}}";
  const std::string id = world.request(hostile);
  BrowserDouble browser(world.http);
  const Shown page = world.signed_in(browser, "/approvals/" + id, "Morgan Ellis");
  EXPECT_EQ(page.response.body.find("<script>x"), std::string::npos);
  EXPECT_EQ(page.response.body.find("<img"), std::string::npos);
  EXPECT_EQ(page.response.body.find("<h1>Paid"), std::string::npos);
  EXPECT_NE(page.response.body.find("[U+202E]"), std::string::npos);
  EXPECT_NE(page.response.body.find("1 hidden character(s) made visible"), std::string::npos);
  EXPECT_TRUE(page.says("Reason written by the model – not checked"));
  for (const lab::HtmlLink& link : page.html.links)
    EXPECT_TRUE(link.href.starts_with("/") || link.href == "#main") << link.href;
  EXPECT_TRUE(page.says("The customer of the ticket is not the one that was named"));
}

}  // namespace
}  // namespace postern::approvals::test
