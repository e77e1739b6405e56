#include "wire/oauth/admitting_http_client.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "wire/oauth/discovery.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

// Resolves every name to one address, asks the guard as the client over sockets does, and answers.
class ResolvingDouble final : public HttpClient {
 public:
  Result<HttpResponse> send(const Uri& uri, const HttpRequest&, SteadyTime, std::stop_token) override {
    ++unguarded;
    return HttpResponse{200, {}, uri.host};
  }
  Result<HttpResponse> send_guarded(const Uri& uri, const HttpRequest&, const SendGuard& guard, SteadyTime,
                                    std::stop_token) override {
    bytes_max = guard.response_bytes_max;
    const bool allowed = proxied ? guard.admits_unresolved(uri.host) : guard.admits_address(uri.host, address);
    if (!allowed) return AddressRefused{uri.origin(), address};
    ++sent;
    return answer;
  }
  Result<HttpResponse> open(const Uri&, const HttpRequest&, const std::function<bool(const HttpResponse&)>&,
                            const std::function<bool(std::string_view)>&, SteadyTime, std::stop_token) override {
    ++unguarded;
    return HttpResponse{200, {}, ""};
  }

  std::string address = "93.184.216.34";
  bool proxied = false;
  HttpResponse answer{200, {}, "{}"};
  std::size_t bytes_max = 0;
  int sent = 0;
  int unguarded = 0;
};

class AdmittingHttpClientTest : public testing::Test {
 protected:
  Result<HttpResponse> get(const std::string& url) {
    return client_.send(*parse_uri(url), {"GET", "", {}, "", ""}, {});
  }

  ResolvingDouble http_;
  AdmittingHttpClient client_{http_, DiscoveryPolicy(*parse_uri("https://desk.test/mcp"))};
};

TEST_F(AdmittingHttpClientTest, SendsWhatThePolicyAdmits) {
  EXPECT_TRUE(succeeded(get("https://issuer.example.test/x")));
  EXPECT_EQ(http_.sent, 1);
  EXPECT_EQ(http_.bytes_max, kStrangersDocumentBytesMax);
}

TEST_F(AdmittingHttpClientTest, RefusesUrlsBeforeAnythingIsLookedUp) {
  for (const char* url :
       {"http://issuer.example.test/", "https://169.254.169.254/latest", "https://127.0.0.1/", "https://10.0.0.1/",
        "https://localhost/", "https://[::ffff:a00:1]/", "https://0x7f000001/", "https://issuer.example.test./"}) {
    EXPECT_TRUE(refused(get(url), "oauth.discovery_not_allowed")) << url;
  }
  EXPECT_EQ(http_.sent, 0);
}

TEST_F(AdmittingHttpClientTest, RefusesNamesThatLeadInside) {
  for (const char* address : {"127.0.0.1", "::1", "10.0.0.7", "169.254.169.254", "fd00::1", "::ffff:192.168.1.1"}) {
    http_.address = address;
    EXPECT_TRUE(refused(get("https://issuer.example.test/x"), "transport.address_refused")) << address;
  }
  EXPECT_EQ(http_.sent, 0);
  http_.address = "10.0.0.7";
  EXPECT_TRUE(succeeded(get("https://desk.test/.well-known/oauth-protected-resource")));  // a person named it
}

TEST_F(AdmittingHttpClientTest, AsksAProxyForWhatAPersonNamedOnly) {
  http_.proxied = true;
  EXPECT_TRUE(refused(get("https://issuer.example.test/x"), "transport.address_refused"));
  EXPECT_TRUE(succeeded(get("https://desk.test/x")));
}

TEST_F(AdmittingHttpClientTest, HoldsWithinAnotherGuardToo) {
  SendGuard guard;
  guard.admits_address = [](std::string_view, std::string_view) { return false; };
  guard.response_bytes_max = 100;
  const Uri uri = *parse_uri("https://issuer.example.test/x");
  EXPECT_TRUE(refused(client_.send_guarded(uri, {"GET", "", {}, "", ""}, guard, {}), "transport.address_refused"));
  EXPECT_EQ(http_.bytes_max, 100U);
}

TEST_F(AdmittingHttpClientTest, StandsBeforeEveryDocumentOfDiscovery) {
  const DiscoveryPolicy policy(*parse_uri("https://desk.test/mcp"));
  http_.address = "127.0.0.1";
  EXPECT_TRUE(refused(fetch_authorization_server_metadata(http_, "https://issuer.example.test", policy, {}),
                      "transport.address_refused"));
  EXPECT_TRUE(refused(fetch_protected_resource_metadata(http_, "https://desk.test/mcp",
                                                        {"https://docs.example.test/metadata"}, policy, {}),
                      "transport.address_refused"));
  AuthorizationServerMetadata server;
  server.issuer = "https://issuer.example.test";
  server.jwks_uri = "https://issuer.example.test/jwks";
  EXPECT_TRUE(refused(fetch_jwk_set(http_, server, policy, {}), "transport.address_refused"));
  EXPECT_EQ(http_.unguarded, 0);
}

TEST_F(AdmittingHttpClientTest, FollowsNoRedirectOfADocument) {
  const DiscoveryPolicy policy(*parse_uri("https://desk.test/mcp"));
  const std::string issuer = "https://issuer.example.test";
  http_.answer.headers = {{"Content-Type", "application/json"}, {"Location", "https://10.0.0.1/metadata"}};
  http_.answer.body = Json::object({{"issuer", issuer},
                                    {"authorization_endpoint", issuer + "/authorize"},
                                    {"token_endpoint", issuer + "/token"},
                                    {"response_types_supported", Json::array({"code"})},
                                    {"code_challenge_methods_supported", Json::array({"S256"})}})
                          .dump();
  EXPECT_TRUE(succeeded(fetch_authorization_server_metadata(http_, issuer, policy, {})));
  EXPECT_EQ(http_.sent, 1);
  for (const int status : {301, 302, 303, 307, 308}) {
    http_.answer.status = status;
    EXPECT_FALSE(fetch_authorization_server_metadata(http_, issuer, policy, {}).has_value()) << status;
  }
}

TEST_F(AdmittingHttpClientTest, OpensNoStream) {
  EXPECT_TRUE(
      refused(client_.open(*parse_uri("https://issuer.example.test/x"), {"GET", "", {}, "", ""}, nullptr, nullptr, {}),
              "oauth.discovery_not_allowed"));
  EXPECT_EQ(http_.unguarded, 0);
}

}  // namespace
}  // namespace postern
