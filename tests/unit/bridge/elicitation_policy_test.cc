// Links that a person may be shown (public case B-052).
#include "bridge/elicitation_policy.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"

namespace postern::bridge {
namespace {

LinkPolicy only(std::string host) {
  LinkPolicy policy;
  policy.hosts.push_back(std::move(host));
  return policy;
}

using test::refused;
using test::succeeded;

TEST(ElicitationPolicy, ShowsTheDesksOwnPage) {
  const auto link = check_link("http://127.0.0.1:8940/approvals/APR-0001", only("127.0.0.1"));
  ASSERT_TRUE(succeeded(link));
  EXPECT_EQ(link->url.text(), "http://127.0.0.1:8940/approvals/APR-0001");
  EXPECT_EQ(link->looks_like, "");
  EXPECT_TRUE(succeeded(check_link("https://desk.example.test/a", only("desk.example.test"))));
}

TEST(ElicitationPolicy, WarnsOfPunycode) {
  const auto link = check_link("https://xn--dsk-bma.example.test/a", only("xn--dsk-bma.example.test"));
  ASSERT_TRUE(succeeded(link));
  EXPECT_EQ(link->looks_like, "paints as \"d\u00e9sk.example.test\", in Latin letters");
}

TEST(ElicitationPolicy, RefusesPlainHttpToAnotherMachine) {
  EXPECT_TRUE(refused(check_link("http://desk.example.test/a", only("desk.example.test")), "elicitation.link_refused"));
}

TEST(ElicitationPolicy, RefusesEachBadLinkOfThePublicCase) {
  POSTERN_SHARED_JSON(rows, "cases/B-052/urls.json");
  std::size_t shown = 0;
  for (const Json& row : rows.elements()) {
    const std::string& url = *row.elements()[0].string();
    if (check_link(url, only("127.0.0.1"))) {
      ++shown;
      EXPECT_EQ(*row.elements()[1].string(), "show") << url;
    }
  }
  EXPECT_EQ(shown, 1U);
}

// A server beside the desk may lead anywhere over https, and it is said when that is not its own host.
TEST(ElicitationPolicy, OfAnotherServerShowsOtherHostsWithAWarning) {
  LinkPolicy policy = only("files.example.test");
  policy.any_https = true;
  EXPECT_FALSE(check_link("https://files.example.test/a", policy)->foreign_host);
  const auto foreign = check_link("https://pay.example.test/a", policy);
  ASSERT_TRUE(succeeded(foreign));
  EXPECT_TRUE(foreign->foreign_host);
  for (const char* url : {"http://pay.example.test/a", "http://127.0.0.1:8940/a", "https://localhost/a",
                          "https://[::1]/a", "javascript:alert(1)", "file:///etc/hostname", "data:text/html,x",
                          "https://files.example.test@evil.test/a", "https://d\u00e5sk.test/a"})
    EXPECT_TRUE(refused(check_link(url, policy), "elicitation.link_refused")) << url;
  // The links of a server that runs on this machine may stay on it.
  policy.hosts.emplace_back("127.0.0.1");
  EXPECT_TRUE(succeeded(check_link("http://127.0.0.1:8940/a", policy)));
}

// Every spelling of an address that a browser takes for this machine or for what only this person can reach.
TEST(ElicitationPolicy, OfAnotherServerShowsNoAddressThatOnlyThisPersonCanReach) {
  LinkPolicy policy = only("files.example.test");
  policy.any_https = true;
  for (const char* host :
       {"127.1", "2130706433", "0x7f.1", "0", "0177.0.0.1", "localhost.", "evil.localhost", "[::ffff:127.0.0.1]",
        "[::]", "169.254.169.254", "192.168.1.1", "10.0.0.1", "[fd00::1]", "[fe80::1]", "100.100.100.200"})
    EXPECT_TRUE(refused(check_link("https://" + std::string(host) + ":8443/a", policy), "elicitation.link_refused"))
        << host;
  // One that the person configured may be in a private network.
  policy.hosts.emplace_back("192.168.1.1");
  EXPECT_TRUE(succeeded(check_link("https://192.168.1.1/a", policy)));
}

TEST(ElicitationPolicy, WarnsOfMixedLetters) {
  LinkPolicy policy;
  policy.any_https = true;
  EXPECT_EQ(check_link("https://xn--pple-43d.test/a", policy)->looks_like,
            "paints as \"\u0430pple.test\", in Cyrillic and Latin letters mixed in one word");
}

TEST(ElicitationPolicy, ShownTextOfARefusedLinkIsVisible) {
  const auto link = check_link("https://a.test/\u202egpj.exe\x1b]8;;x", only("a.test"));
  ASSERT_FALSE(link.has_value());
  EXPECT_EQ(link.error().text().find('\x1b'), std::string::npos);
  EXPECT_NE(link.error().text().find("[U+202E]"), std::string::npos);
}

}  // namespace
}  // namespace postern::bridge
