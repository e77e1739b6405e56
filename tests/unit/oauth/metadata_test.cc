#include "wire/oauth/metadata.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

Json server_document(std::string_view issuer) {
  return Json::object({{"issuer", issuer},
                       {"authorization_endpoint", "http://127.0.0.1:8930/authorize"},
                       {"token_endpoint", "http://127.0.0.1:8930/token"},
                       {"jwks_uri", "http://127.0.0.1:8930/jwks"},
                       {"code_challenge_methods_supported", Json::array({"S256"})}});
}

TEST(ProtectedResourceMetadata, SurvivesWritingAndReading) {
  ProtectedResourceMetadata metadata;
  metadata.resource = "http://127.0.0.1:8931/mcp";
  metadata.authorization_servers = {"http://127.0.0.1:8930"};
  metadata.scopes_supported = {"desk:read"};
  const auto read = ProtectedResourceMetadata::of_json(metadata.json(), "http://127.0.0.1:8931/mcp");
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->authorization_servers, metadata.authorization_servers);
  EXPECT_EQ(read->scopes_supported, metadata.scopes_supported);
}

TEST(ProtectedResourceMetadata, RefusesAnotherResource) {
  POSTERN_SHARED_JSON(rows, "cases/B-043/prm-variants.json");
  for (const Json& row : rows.elements()) {
    Json document = Json::object({{"authorization_servers", Json::array({"http://127.0.0.1:8930"})}});
    document.set("resource", *row.find("resource"));
    const auto read = ProtectedResourceMetadata::of_json(document, "http://127.0.0.1:8931/mcp");
    if (*row.boolean_at("ok")) {
      EXPECT_TRUE(succeeded(read));
    } else {
      EXPECT_TRUE(refused(read, "oauth.resource_mismatch")) << row.dump();
    }
  }
}

TEST(ProtectedResourceMetadata, MayCoverTheEndpointUpToASlash) {
  const auto covers = [](const char* resource, const char* endpoint) {
    return resource_matches(resource, endpoint, ResourceMatch::kCovering);
  };
  const char* endpoint = "https://desk.test/a/mcp";
  for (const char* resource : {"https://desk.test", "https://desk.test/", "https://desk.test/a", "https://desk.test/a/",
                               "https://desk.test/a/mcp", "HTTPS://DESK.test/a/mcp", "https://desk.test:443/a"}) {
    EXPECT_TRUE(covers(resource, endpoint)) << resource;
  }
  for (const char* resource : {"https://desk.test/a/mcp-evil", "https://desk.test/a/mcp/x", "https://desk.test/a/m",
                               "https://desk.test/b", "https://desk.test/a/mcp/", "https://desk.test/a?x=1",
                               "https://desk.test:444/a", "http://desk.test/a", "https://desk.test.evil/a", "a", ""}) {
    EXPECT_FALSE(covers(resource, endpoint)) << resource;
  }
}

// H-168: a URL's scheme and host are the same in any case; its path is not, and a slash more is another path.
TEST(ProtectedResourceMetadata, IsOfTheSameResourceInAnyCaseOfSchemeAndHost) {
  const auto same = [](const char* resource, const char* endpoint) {
    return resource_matches(resource, endpoint, ResourceMatch::kSame);
  };
  EXPECT_TRUE(same("HTTPS://Desk.Test/mcp", "https://desk.test/mcp"));
  EXPECT_TRUE(same("https://desk.test", "https://desk.test/"));
  EXPECT_FALSE(same("https://desk.test/mcp/", "https://desk.test/mcp"));
  EXPECT_FALSE(same("https://desk.test/MCP", "https://desk.test/mcp"));
  EXPECT_FALSE(same("https://desk.test", "https://desk.test/mcp"));
}

TEST(ProtectedResourceMetadata, RefusesADocumentWithoutAuthorizationServers) {
  const auto read = [](const char* servers) {
    return ProtectedResourceMetadata::of_json(
        *parse_json(std::string(R"({"resource":"r","authorization_servers":)") + servers + "}"), "r");
  };
  EXPECT_TRUE(succeeded(read(R"(["http://127.0.0.1:8930"])")));
  EXPECT_TRUE(refused(read("[]"), "oauth.malformed_metadata"));
  EXPECT_TRUE(refused(read("[1]"), "oauth.malformed_metadata"));
  EXPECT_TRUE(refused(read(R"("http://127.0.0.1:8930")"), "oauth.malformed_metadata"));
}

TEST(AuthorizationServerMetadata, RefusesAnotherIssuer) {
  POSTERN_SHARED_JSON(pairs, "cases/B-044/issuer-pairs.json");
  for (const Json& pair : pairs.elements()) {
    const std::string& asked = *pair.elements()[0].string();
    const std::string& named = *pair.elements()[1].string();
    const auto read = AuthorizationServerMetadata::of_json(server_document(named), asked);
    if (*pair.elements()[2].boolean()) {
      EXPECT_TRUE(succeeded(read)) << pair.dump();
    } else {
      EXPECT_TRUE(refused(read, "oauth.issuer_mismatch")) << pair.dump();
    }
  }
}

TEST(AuthorizationServerMetadata, RefusesEndpointsThatAreNoUrls) {
  const std::string issuer = "http://127.0.0.1:8930";
  EXPECT_TRUE(succeeded(AuthorizationServerMetadata::of_json(server_document(issuer), issuer)));
  for (const char* name : {"authorization_endpoint", "token_endpoint", "jwks_uri"}) {
    for (const Json& value : {Json("javascript:alert(1)"), Json("/token"), Json(7), Json("http://a@b/")}) {
      Json document = server_document(issuer);
      document.set(name, value);
      EXPECT_TRUE(refused(AuthorizationServerMetadata::of_json(document, issuer), "oauth.malformed_metadata"))
          << name << value.dump();
    }
  }
  Json without = server_document(issuer);
  without.erase("token_endpoint");
  EXPECT_TRUE(refused(AuthorizationServerMetadata::of_json(without, issuer), "oauth.malformed_metadata"));
}

TEST(AuthorizationServerMetadata, RefusesAServerWithoutPkce) {
  const std::string issuer = "http://127.0.0.1:8930";
  Json document = server_document(issuer);
  EXPECT_TRUE(succeeded(AuthorizationServerMetadata::of_json(document, issuer)->require_pkce()));
  document.set("code_challenge_methods_supported", Json::array({"plain"}));
  EXPECT_TRUE(refused(AuthorizationServerMetadata::of_json(document, issuer)->require_pkce(), "oauth.no_pkce"));
  document.erase("code_challenge_methods_supported");
  EXPECT_TRUE(refused(AuthorizationServerMetadata::of_json(document, issuer)->require_pkce(), "oauth.no_pkce"));
}

TEST(AuthorizationServerMetadata, BelievesTheIssParameterOnlyWhenItIsTrue) {
  const std::string issuer = "http://127.0.0.1:8930";
  Json document = server_document(issuer);
  const auto flag = [&] {
    return AuthorizationServerMetadata::of_json(document, issuer)->authorization_response_iss_parameter_supported;
  };
  EXPECT_FALSE(flag());
  document.set("authorization_response_iss_parameter_supported", "true");
  EXPECT_FALSE(flag());
  document.set("authorization_response_iss_parameter_supported", true);
  EXPECT_TRUE(flag());
}

TEST(MetadataUrls, InsertTheWellKnownPathOfAResource) {
  EXPECT_EQ(protected_resource_metadata_url("http://127.0.0.1:8931/mcp"),
            "http://127.0.0.1:8931/.well-known/oauth-protected-resource/mcp");
  EXPECT_EQ(protected_resource_metadata_url("https://desk.test"),
            "https://desk.test/.well-known/oauth-protected-resource");
  const auto places = protected_resource_metadata_places("http://127.0.0.1:8931/mcp");
  ASSERT_EQ(places->size(), 2U);
  EXPECT_EQ((*places)[0].match, ResourceMatch::kSame);
  EXPECT_EQ((*places)[1].url, "http://127.0.0.1:8931/.well-known/oauth-protected-resource");
  EXPECT_EQ((*places)[1].match, ResourceMatch::kCovering);
  EXPECT_EQ(protected_resource_metadata_places("https://desk.test")->size(), 1U);
}

TEST(MetadataUrls, OfAnIssuerComeInTheOrderOfTheSpecification) {
  using Urls = std::vector<std::string>;
  EXPECT_EQ(*authorization_server_metadata_urls("http://127.0.0.1:8930"),
            (Urls{"http://127.0.0.1:8930/.well-known/oauth-authorization-server",
                  "http://127.0.0.1:8930/.well-known/openid-configuration"}));
  const Urls with_path{"http://127.0.0.1:8930/.well-known/oauth-authorization-server/tenant1",
                       "http://127.0.0.1:8930/.well-known/openid-configuration/tenant1",
                       "http://127.0.0.1:8930/tenant1/.well-known/openid-configuration"};
  EXPECT_EQ(*authorization_server_metadata_urls("http://127.0.0.1:8930/tenant1"), with_path);
  EXPECT_EQ(*authorization_server_metadata_urls("http://127.0.0.1:8930/tenant1/"), with_path);
  EXPECT_TRUE(refused(authorization_server_metadata_urls("http://127.0.0.1:8930?x"), "oauth.malformed_metadata"));
  EXPECT_TRUE(refused(authorization_server_metadata_urls("ftp://127.0.0.1"), "uri.malformed"));
}

}  // namespace
}  // namespace postern
