#include "wire/oauth/discovery_policy.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

DiscoveryPolicy policy_of(const char* server) {
  return DiscoveryPolicy(*parse_uri(server));
}

TEST(HostClass, KnowsEachKindOfHost) {
  const std::pair<const char*, HostClass> rows[] = {
      {"issuer.example.test", HostClass::kName},
      {"127.0.0.1", HostClass::kLoopback},
      {"127.8.9.10", HostClass::kLoopback},
      {"::1", HostClass::kLoopback},
      {"localhost", HostClass::kLoopback},
      {"a.localhost", HostClass::kLoopback},
      {"10.0.0.1", HostClass::kPrivate},
      {"172.16.0.1", HostClass::kPrivate},
      {"172.32.0.1", HostClass::kPublic},
      {"192.168.1.1", HostClass::kPrivate},
      {"100.64.0.1", HostClass::kPrivate},
      {"fd00::1", HostClass::kPrivate},
      {"8.8.8.8", HostClass::kPublic},
      {"2606:4700::1111", HostClass::kPublic},
      {"169.254.169.254", HostClass::kForbidden},
      {"0.0.0.0", HostClass::kForbidden},
      {"224.0.0.1", HostClass::kForbidden},
      {"255.255.255.255", HostClass::kForbidden},
      {"fe80::1", HostClass::kForbidden},
      {"::", HostClass::kForbidden},
      {"::ffff:10.0.0.1", HostClass::kForbidden},
      {"::ffff:127.0.0.1", HostClass::kForbidden},
      {"64:ff9b::a00:1", HostClass::kForbidden},
      {"2002:a00:1::", HostClass::kForbidden},
      {"127.1", HostClass::kForbidden},
      {"2130706433", HostClass::kForbidden},
      {"0x7f000001", HostClass::kForbidden},
      {"0177.0.0.1", HostClass::kForbidden},
      {"localhost.", HostClass::kForbidden},
      {"", HostClass::kForbidden},
      {"notlocalhost", HostClass::kName},
      {"localhost.evil.test", HostClass::kName},
  };
  for (const auto& [host, expected] : rows) EXPECT_EQ(class_of_host(host), expected) << host;
}

TEST(AddressClass, LooksThroughWhatCarriesAnotherAddress) {
  const std::pair<const char*, HostClass> rows[] = {
      {"8.8.8.8", HostClass::kPublic},
      {"::ffff:8.8.8.8", HostClass::kPublic},
      {"::ffff:127.0.0.1", HostClass::kLoopback},
      {"::ffff:10.0.0.1", HostClass::kPrivate},
      {"::ffff:169.254.169.254", HostClass::kForbidden},
      {"64:ff9b::808:808", HostClass::kPublic},  // a network without IPv4 reaches everybody so
      {"64:ff9b::a00:1", HostClass::kForbidden},
      {"64:ff9b::7f00:1", HostClass::kForbidden},
      {"64:ff9b::a9fe:a9fe", HostClass::kForbidden},
      {"64:ff9b:1::808:808", HostClass::kForbidden},
      {"::8.8.8.8", HostClass::kForbidden},
      {"2002:808:808::1", HostClass::kForbidden},
      {"2001:0:808:808::1", HostClass::kForbidden},
      {"2001:db8::1", HostClass::kForbidden},
      {"3fff::1", HostClass::kForbidden},
      {"ff02::1", HostClass::kForbidden},
      {"fec0::1", HostClass::kForbidden},
      {"100.100.100.200", HostClass::kForbidden},
      {"100.100.100.201", HostClass::kPrivate},
      {"168.63.129.16", HostClass::kForbidden},
      {"fd00:ec2::254", HostClass::kForbidden},
      {"fd00:ec2::253", HostClass::kPrivate},
      {"198.18.0.1", HostClass::kForbidden},
      {"192.0.0.8", HostClass::kForbidden},
  };
  for (const auto& [address, expected] : rows) {
    const auto parsed = IpAddress::parse(address);
    ASSERT_TRUE(parsed.has_value()) << address;
    EXPECT_EQ(class_of_address(*parsed), expected) << address;
  }
  EXPECT_EQ(class_of_host("64:ff9b::808:808"), HostClass::kPublic);
  EXPECT_EQ(class_of_host("fe80::1%eth0"), HostClass::kForbidden);
}

TEST(DiscoveryPolicy, HoldsWhatANameLeadsToAgainstTheSameRules) {
  const DiscoveryPolicy elsewhere = policy_of("https://desk.test/mcp");
  EXPECT_TRUE(elsewhere.admits_address("issuer.example.test", "8.8.8.8"));
  for (const char* address : {"127.0.0.1", "::1", "10.0.0.1", "fd00::1", "169.254.169.254", "::ffff:10.0.0.1",
                              "64:ff9b::7f00:1", "0.0.0.0", "", "8.8.8.8 ", "localhost"}) {
    EXPECT_FALSE(elsewhere.admits_address("issuer.example.test", address)) << address;
  }
  // The host that a person named may be anywhere but where nobody may send us.
  EXPECT_TRUE(elsewhere.admits_address("desk.test", "10.0.0.1"));
  EXPECT_TRUE(elsewhere.admits_address("desk.test", "127.0.0.1"));
  EXPECT_FALSE(elsewhere.admits_address("desk.test", "169.254.169.254"));
  EXPECT_FALSE(elsewhere.admits_address("www.desk.test", "10.0.0.1"));
  const DiscoveryPolicy here = policy_of("http://127.0.0.1:8931/mcp");
  EXPECT_TRUE(here.admits_address("localhost", "127.0.0.1"));
  EXPECT_TRUE(here.admits_address("localhost", "::1"));
  EXPECT_FALSE(here.admits_address("a.localhost", "8.8.8.8"));
  EXPECT_FALSE(here.admits_address("a.localhost", "10.0.0.1"));
}

TEST(DiscoveryPolicy, BelievesAnIssuerThatAPersonConfigured) {
  const DiscoveryPolicy policy(*parse_uri("https://desk.test/mcp"),
                               {*parse_uri("https://10.9.8.7/"), *parse_uri("https://login.corp.test/")});
  EXPECT_TRUE(succeeded(policy.admit("https://10.9.8.7/.well-known/openid-configuration")));
  EXPECT_TRUE(refused(policy.admit("https://10.9.8.6/"), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(refused(policy.admit("http://10.9.8.7/"), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(policy.admits_address("login.corp.test", "10.1.1.1"));
  EXPECT_FALSE(policy.admits_address("evil.corp.test", "10.1.1.1"));
  EXPECT_TRUE(policy.is_configured("login.corp.test"));
  EXPECT_FALSE(policy.is_configured("evil.corp.test"));
  const DiscoveryPolicy here(*parse_uri("http://127.0.0.1:1/mcp"), {*parse_uri("https://login.corp.test/")});
  EXPECT_TRUE(succeeded(here.admit("https://login.corp.test/x")));
  EXPECT_TRUE(refused(here.admit("https://other.corp.test/x"), "oauth.discovery_not_allowed"));
}

TEST(DiscoveryPolicy, AdmitsHttpsElsewhereForAServerElsewhere) {
  const DiscoveryPolicy policy = policy_of("https://desk.test/mcp");
  EXPECT_TRUE(succeeded(policy.admit("https://issuer.example.test/x")));
  EXPECT_TRUE(succeeded(policy.admit("https://8.8.8.8/x")));
  EXPECT_TRUE(refused(policy.admit("http://issuer.example.test/x"), "oauth.discovery_not_allowed"));
}

TEST(DiscoveryPolicy, RefusesThisMachineToAServerElsewhere) {
  const DiscoveryPolicy policy = policy_of("https://desk.test/mcp");
  for (const char* url : {"http://127.0.0.1:8930/", "https://127.0.0.1/", "https://localhost/", "https://[::1]/",
                          "https://a.localhost/"}) {
    EXPECT_TRUE(refused(policy.admit(url), "oauth.discovery_not_allowed")) << url;
  }
}

TEST(DiscoveryPolicy, RefusesEverythingElseToAServerOnThisMachine) {
  const DiscoveryPolicy policy = policy_of("http://127.0.0.1:8931/mcp");
  EXPECT_TRUE(succeeded(policy.admit("http://127.0.0.1:8930/x")));
  EXPECT_TRUE(succeeded(policy.admit("http://localhost:8930/x")));
  for (const char* url : {"https://issuer.example.test/", "http://10.0.0.1/", "https://8.8.8.8/"}) {
    EXPECT_TRUE(refused(policy.admit(url), "oauth.discovery_not_allowed")) << url;
  }
}

TEST(DiscoveryPolicy, RefusesPrivateAddressesButTheServersOwn) {
  const DiscoveryPolicy inside = policy_of("https://10.1.2.3/mcp");
  EXPECT_TRUE(succeeded(inside.admit("https://10.1.2.3:8443/jwks")));
  EXPECT_TRUE(refused(inside.admit("http://10.1.2.3/jwks"), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(refused(inside.admit("https://10.1.2.4/jwks"), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(refused(policy_of("https://desk.test").admit("https://192.168.0.1/"), "oauth.discovery_not_allowed"));
}

TEST(DiscoveryPolicy, RefusesLinkLocalAndDisguisedAddressesToEveryone) {
  for (const char* server : {"https://desk.test/mcp", "http://127.0.0.1:8931/mcp", "https://169.254.169.254/mcp"}) {
    for (const char* url : {"https://169.254.169.254/latest", "http://127.1:8930/", "https://[fe80::1]/", "https://0/",
                            "https://user@desk.test/", "https://desk.test/#a", "file:///etc/passwd", ""}) {
      EXPECT_TRUE(refused(policy_of(server).admit(url), "oauth.discovery_not_allowed")) << server << " " << url;
    }
  }
}

TEST(AuthorizationEndpoint, RefusesWhatMustNotReachAnOpener) {
  POSTERN_SHARED_TEXT(text, "cases/B-051/endpoints.txt");
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; std::getline(lines, line); ++i) {
    if (i < 2) {
      EXPECT_TRUE(succeeded(check_authorization_endpoint(line))) << line;
    } else {
      EXPECT_TRUE(refused(check_authorization_endpoint(line), "oauth.discovery_not_allowed")) << line;
    }
  }
}

TEST(AuthorizationEndpoint, IsHttpOrHttpsAndNothingElse) {
  EXPECT_TRUE(succeeded(check_authorization_endpoint("HTTPS://issuer.example.test/authorize")));
  EXPECT_TRUE(succeeded(check_authorization_endpoint("http://127.0.0.1:8930/authorize")));
  EXPECT_TRUE(succeeded(check_authorization_endpoint("http://localhost:8930/authorize")));
  for (const char* scheme : {"http", "javascript", "data", "file", "vbscript", "ftp", "ws", "wss", "blob", "about",
                             "mailto", "postern", "x-apple-help", "ms-msdt", "httpss", ""}) {
    if (std::string_view(scheme) != "http") {
      EXPECT_TRUE(refused(check_authorization_endpoint(std::string(scheme) + "://127.0.0.1:8930/authorize"),
                          "oauth.discovery_not_allowed"))
          << scheme;
    }
    const std::string url = std::string(scheme) + "://issuer.example.test/authorize";
    EXPECT_TRUE(refused(check_authorization_endpoint(url), "oauth.discovery_not_allowed")) << url;
  }
}

TEST(AuthorizationEndpoint, RefusesUserInformationAndDisguises) {
  EXPECT_TRUE(succeeded(check_authorization_endpoint("https://issuer.example.test/a?tenant=1&x=%20")));
  for (const char* url :
       {"https://issuer.example.test@evil.test/a", "https://169.254.1.1/a", "https://127.1/a", "data:text/html,x",
        "vbscript:x", "https://issuer.example.test/a b", "https://issuer.example.test/`id`", "https://a\\b/",
        "https://issuer.example.test/a\nb", "https://issuer.example.test/a'b"}) {
    EXPECT_TRUE(refused(check_authorization_endpoint(url), "oauth.discovery_not_allowed")) << url;
  }
}

}  // namespace
}  // namespace postern
