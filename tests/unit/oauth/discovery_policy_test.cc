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
