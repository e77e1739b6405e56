#include "wire/oauth/discovery.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/routes_client.h"
#include "wire/signing/es256_signer.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;
using Asked = std::vector<std::string>;

constexpr const char* kOrigin = "http://127.0.0.1:8930";

class Discovery : public testing::Test {
 protected:
  void SetUp() override { client_.serve(kOrigin, routes_); }
  void answer(const std::string& path, const Json& json, int status = 200) {
    routes_.add("GET", path, [=](const HttpRequest&) { return HttpReply(json_response(status, json.dump())); });
  }
  static Json server(const std::string& issuer) {
    return Json::object({{"issuer", issuer},
                         {"authorization_endpoint", issuer + "/authorize"},
                         {"token_endpoint", issuer + "/token"},
                         {"jwks_uri", std::string(kOrigin) + "/jwks"}});
  }
  static Json resource(const std::string& identifier) {
    return Json::object({{"resource", identifier}, {"authorization_servers", Json::array({kOrigin})}});
  }
  Result<AuthorizationServerMetadata> find_server(const std::string& issuer) {
    return fetch_authorization_server_metadata(client_, issuer, policy_, SteadyTime());
  }
  Result<ProtectedResourceMetadata> find_resource(const std::string& endpoint,
                                                  const std::vector<std::string>& challenged = {}) {
    return fetch_protected_resource_metadata(client_, endpoint, challenged, policy_, SteadyTime());
  }

  Routes routes_;
  test::RoutesClient client_;
  DiscoveryPolicy policy_{*parse_uri(kOrigin)};
};

TEST_F(Discovery, TriesThePlacesOfAnIssuerInTheirOrder) {
  const std::string issuer = std::string(kOrigin) + "/tenant1";
  answer("/tenant1/.well-known/openid-configuration", server(issuer));
  EXPECT_TRUE(succeeded(find_server(issuer)));
  EXPECT_EQ(client_.asked(), (Asked{"GET http://127.0.0.1:8930/.well-known/oauth-authorization-server/tenant1",
                                    "GET http://127.0.0.1:8930/.well-known/openid-configuration/tenant1",
                                    "GET http://127.0.0.1:8930/tenant1/.well-known/openid-configuration"}));
}

TEST_F(Discovery, StopsAtADocumentOfAnotherIssuer) {
  answer("/.well-known/oauth-authorization-server", server("http://127.0.0.1:8930/"));
  answer("/.well-known/openid-configuration", server(kOrigin));
  EXPECT_TRUE(refused(find_server(kOrigin), "oauth.issuer_mismatch"));
  EXPECT_EQ(client_.asked().size(), 1U);
}

TEST_F(Discovery, RefusesServerErrorsAndRedirects) {
  for (const int status : {500, 503, 302}) {
    answer("/.well-known/oauth-authorization-server/s" + std::to_string(status), server(kOrigin), status);
    EXPECT_TRUE(refused(find_server(std::string(kOrigin) + "/s" + std::to_string(status)), "oauth.discovery_failed"))
        << status;
  }
  EXPECT_TRUE(refused(find_server(kOrigin), "oauth.discovery_failed"));  // 404 everywhere
}

TEST_F(Discovery, RefusesAnswersThatAreNotJson) {
  routes_.add("GET", "/.well-known/oauth-authorization-server",
              [](const HttpRequest&) { return HttpReply(text_response(200, server(kOrigin).dump())); });
  EXPECT_TRUE(refused(find_server(kOrigin), "oauth.discovery_failed"));
}

TEST_F(Discovery, NeverAsksAPlaceThatThePolicyRefuses) {
  EXPECT_TRUE(refused(find_server("https://issuer.example.test"), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(refused(find_resource("http://127.0.0.1:8930/mcp", {"http://169.254.169.254/latest"}),
                      "oauth.discovery_not_allowed"));
  EXPECT_TRUE(client_.asked().empty());
}

TEST_F(Discovery, AsksOnlyTheChallengedPlaceWhenThereIsOne) {
  answer("/elsewhere", resource("http://127.0.0.1:8930/mcp"));
  EXPECT_TRUE(succeeded(find_resource("http://127.0.0.1:8930/mcp", {"http://127.0.0.1:8930/elsewhere"})));
  EXPECT_TRUE(
      refused(find_resource("http://127.0.0.1:8930/mcp", {"http://127.0.0.1:8930/nowhere"}), "oauth.discovery_failed"));
  EXPECT_EQ(client_.asked().size(), 2U);
}

// The shape of B-035, but in two challenges: one that is doubled within a challenge is not read at all.
TEST_F(Discovery, TriesSeveralChallengedPlacesInTheirOrder) {
  answer("/other", resource("http://127.0.0.1:8930/mcp-evil"));
  answer("/right", resource("http://127.0.0.1:8930/mcp"));
  const auto place = [](const char* path) { return std::string(kOrigin) + path; };
  EXPECT_TRUE(succeeded(find_resource(place("/mcp"), {place("/gone"), place("/other"), place("/right")})));
  EXPECT_EQ(client_.asked().size(), 3U);
  EXPECT_TRUE(refused(find_resource(place("/mcp"), {place("/gone"), place("/other")}), "oauth.resource_mismatch"));
}

TEST_F(Discovery, GoesOnFromAPageThatIsServedForEveryPath) {
  routes_.add("GET", "/.well-known/oauth-authorization-server",
              [](const HttpRequest&) { return HttpReply(text_response(200, "<!doctype html>")); });
  answer("/.well-known/openid-configuration", server(kOrigin));
  EXPECT_TRUE(succeeded(find_server(kOrigin)));
}

TEST_F(Discovery, TakesFromTheRootWhatCoversTheEndpointAndFromThePathFormTheEndpointOnly) {
  answer("/.well-known/oauth-protected-resource/mcp", resource(kOrigin));
  EXPECT_TRUE(refused(find_resource("http://127.0.0.1:8930/mcp"), "oauth.resource_mismatch"));
  EXPECT_TRUE(refused(
      find_resource("http://127.0.0.1:8930/mcp", {"http://127.0.0.1:8930/.well-known/oauth-protected-resource/mcp"}),
      "oauth.resource_mismatch"));
  answer("/.well-known/oauth-protected-resource", resource("http://127.0.0.1:8930/desk"));
  EXPECT_TRUE(succeeded(find_resource("http://127.0.0.1:8930/desk/mcp")));
  EXPECT_TRUE(refused(find_resource("http://127.0.0.1:8930/desk-evil"), "oauth.resource_mismatch"));
}

TEST_F(Discovery, TriesThePathFormBeforeTheRoot) {
  answer("/.well-known/oauth-protected-resource", resource(kOrigin));
  const auto found = find_resource("http://127.0.0.1:8930/mcp");
  ASSERT_TRUE(succeeded(found));
  EXPECT_EQ(found->resource, kOrigin);
  EXPECT_EQ(client_.asked(), (Asked{"GET http://127.0.0.1:8930/.well-known/oauth-protected-resource/mcp",
                                    "GET http://127.0.0.1:8930/.well-known/oauth-protected-resource"}));
}

TEST_F(Discovery, TakesKeysFromTheIssuersOwnOriginOnly) {
  AuthorizationServerMetadata metadata;
  metadata.issuer = kOrigin;
  answer("/jwks", Json::object({{"keys", Json::array({Es256Signer::generate().public_jwk("k1")})}}));
  metadata.jwks_uri = std::string(kOrigin) + "/jwks";
  const auto keys = fetch_jwk_set(client_, metadata, policy_, SteadyTime());
  ASSERT_TRUE(succeeded(keys));
  EXPECT_NE(keys->find("k1"), nullptr);
  for (const char* elsewhere :
       {"http://127.0.0.1:8999/jwks", "http://localhost:8930/jwks", "https://127.0.0.1:8930/jwks", ""}) {
    metadata.jwks_uri = elsewhere;
    EXPECT_TRUE(refused(fetch_jwk_set(client_, metadata, policy_, SteadyTime()), "oauth.discovery_not_allowed"))
        << elsewhere;
  }
  EXPECT_EQ(client_.asked().size(), 1U);
}

}  // namespace
}  // namespace postern
