#include "wire/transport/proxy_settings.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern {
namespace {

using Variables = std::map<std::string, std::string, std::less<>>;

// "proxy.example:3128", or "-" for none.
std::string proxy_of(const Variables& variables, const std::string& url) {
  const auto settings = proxy_settings_of(variables);
  EXPECT_TRUE(test::succeeded(settings));
  const Proxy* const proxy = settings ? (*settings)->proxy_for(*parse_uri(url)) : nullptr;
  return proxy == nullptr ? "-" : proxy->where();
}

TEST(ProxySettings, AreThoseOfTheScheme) {
  const Variables variables = {{"https_proxy", "http://secure.example:3128"},
                               {"http_proxy", "http://plain.example:81/"}};
  EXPECT_EQ(proxy_of(variables, "https://mcp.example/"), "secure.example:3128");
  EXPECT_EQ(proxy_of(variables, "http://mcp.example/"), "plain.example:81");
  EXPECT_EQ(proxy_of({}, "https://mcp.example/"), "-");
  EXPECT_EQ(proxy_of({{"https_proxy", ""}, {"HTTPS_PROXY", "upper.example:9"}}, "https://mcp.example/"),
            "upper.example:9");
  EXPECT_EQ(proxy_of({{"ALL_PROXY", "http://all.example:9"}}, "https://mcp.example/"), "all.example:9");
  EXPECT_EQ(proxy_of({{"https_proxy", "http://[2001:db8::1]:9"}}, "https://mcp.example/"), "[2001:db8::1]:9");
}

TEST(ProxySettings, DoNotListenToARequestHeader) {
  EXPECT_EQ(proxy_of({{"HTTP_PROXY", "http://evil.example:1"}}, "http://mcp.example/"), "-");
  EXPECT_EQ(proxy_of({{"http_proxy", "http://plain.example:1"}}, "http://mcp.example/"), "plain.example:1");
}

TEST(ProxySettings, NeverStandBeforeThisMachine) {
  const Variables variables = {{"https_proxy", "http://p.example:1"}, {"http_proxy", "http://p.example:1"}};
  for (const char* url : {"http://127.0.0.1:8931/", "http://127.9.9.9/", "https://[::1]/", "http://localhost:1/",
                          "https://a.localhost/"}) {
    EXPECT_EQ(proxy_of(variables, url), "-") << url;
  }
  EXPECT_EQ(proxy_of(variables, "https://localhost.example/"), "p.example:1");
}

TEST(ProxySettings, HaveExemptions) {
  const auto with = [](const char* exempt, const char* url) {
    return proxy_of({{"https_proxy", "http://p.example:1"}, {"NO_PROXY", exempt}}, url);
  };
  const std::string through = "p.example:1";
  EXPECT_EQ(with("corp.example", "https://corp.example/"), "-");
  EXPECT_EQ(with("corp.example", "https://a.b.corp.example/"), "-");
  EXPECT_EQ(with("corp.example", "https://notcorp.example/"), through);
  EXPECT_EQ(with("corp.example", "https://corp.example.evil.example/"), through);
  EXPECT_EQ(with(" .Corp.example , x", "https://a.corp.example/"), "-");
  EXPECT_EQ(with("*.corp.example", "https://a.corp.example/"), "-");
  EXPECT_EQ(with("x,*", "https://anything.example/"), "-");
  EXPECT_EQ(with("corp.example:8443", "https://corp.example:8443/"), "-");
  EXPECT_EQ(with("corp.example:8443", "https://corp.example/"), through);
  EXPECT_EQ(with("10.0.0.0/8", "https://10.1.2.3/"), "-");
  EXPECT_EQ(with("10.0.0.0/8", "https://11.1.2.3/"), through);
  EXPECT_EQ(with("10.1.2.3", "https://10.1.2.3/"), "-");
  EXPECT_EQ(with("10.1.2.3:443", "https://10.1.2.3/"), "-");
  EXPECT_EQ(with("2001:db8::1", "https://[2001:db8::1]/"), "-");
  EXPECT_EQ(with("[2001:db8::1]:8443", "https://[2001:db8::1]:8443/"), "-");
  EXPECT_EQ(with("[2001:db8::1]:8443", "https://[2001:db8::1]/"), through);
  EXPECT_EQ(with(",,", "https://corp.example/"), through);
}

TEST(ProxySettings, KeepTheCredentialOutOfWhatPeopleRead) {
  const auto settings = proxy_settings_of({{"https_proxy", "http://rowan:p%40ss%2Fword@proxy.example:3128"}});
  ASSERT_TRUE(test::succeeded(settings));
  const Proxy* const proxy = (*settings)->proxy_for(*parse_uri("https://mcp.example/"));
  ASSERT_NE(proxy, nullptr);
  EXPECT_EQ(proxy->where(), "proxy.example:3128");
  EXPECT_EQ(proxy->authorization_line(), "Proxy-Authorization: Basic cm93YW46cEBzcy93b3Jk\r\n");
  const auto none = proxy_settings_of({{"https_proxy", "http://proxy.example:3128"}});
  EXPECT_EQ((*none)->https->authorization_line(), "");
}

TEST(ProxySettings, RefuseWhatTheyCannotReadWithoutSayingIt) {
  const std::pair<const char*, const char*> rows[] = {
      {"https_proxy", "https://rowan:secret@proxy.example:3128"},
      {"https_proxy", "socks5://rowan:secret@proxy.example"},
      {"HTTPS_PROXY", "http://rowan:secret@"},
      {"https_proxy", "http://rowan:secret@p.example:99999"},
      {"http_proxy", "http://rowan:secret%0d%0aX@p.example:1"},
      {"http_proxy", "http://rowan:secret%zz@p.example:1"},
      {"no_proxy", "10.0.0.5/8"},
      {"no_proxy", "a.example:http"},
      {"NO_PROXY", "[::1"},
  };
  for (const auto& [name, value] : rows) {
    const auto settings = proxy_settings_of({{name, value}});
    ASSERT_TRUE(test::refused(settings, "transport.bad_proxy")) << name << "=" << value;
    EXPECT_NE(settings.error().text().find(name), std::string::npos);
    EXPECT_EQ(settings.error().text().find("secret"), std::string::npos) << settings.error().text();
  }
}

TEST(ProxySettings, SayThatTheProxyChecksAddressesOnlyWhenAPersonDoes) {
  EXPECT_FALSE((*proxy_settings_of({{"https_proxy", "http://p.example:1"}}))->checks_addresses);
  EXPECT_TRUE((*proxy_settings_of({{"POSTERN_PROXY_CHECKS_ADDRESSES", "1"}}))->checks_addresses);
}

}  // namespace
}  // namespace postern
