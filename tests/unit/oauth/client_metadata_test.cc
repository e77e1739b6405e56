#include "wire/oauth/client_metadata.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

Result<ClientMetadata> read(const char* text) {
  return ClientMetadata::of_json(*parse_json(text));
}

TEST(ClientMetadata, SurvivesWritingAndReading) {
  ClientMetadata client;
  client.client_id = "https://client.example.test/c.json";
  client.client_name = "Postern";
  client.redirect_uris = {"http://127.0.0.1/callback"};
  client.grant_types = {"authorization_code", "refresh_token"};
  client.response_types = {"code"};
  client.token_endpoint_auth_method = "none";
  client.application_type = "native";
  client.scope = ScopeSet{"desk:read"};
  client.jwks = Json::object({{"keys", Json::array()}});
  const auto again = ClientMetadata::of_json(client.json());
  ASSERT_TRUE(succeeded(again));
  EXPECT_EQ(again->json(), client.json());
  EXPECT_EQ(client.json().string_at("scope"), "desk:read");
}

TEST(ClientMetadata, LeavesOutWhatIsNotSetAndIgnoresWhatItDoesNotKnow) {
  EXPECT_EQ(ClientMetadata().json(), Json::object());
  const auto client = read(R"({"client_name":"x","software_statement":"ey","redirect_uris":null})");
  ASSERT_TRUE(succeeded(client));
  EXPECT_EQ(client->client_name, "x");
  EXPECT_TRUE(client->redirect_uris.empty());
}

TEST(ClientMetadata, NamesTheCodeOfWhatIsOfAnotherType) {
  const auto code_of = [](const char* text) -> std::string {
    const auto client = read(text);
    if (!refused(client, "oauth.malformed_client_metadata")) return "(taken)";
    return std::string(client.error().as<MalformedClientMetadata>()->error);
  };
  EXPECT_EQ(code_of(R"({"redirect_uris":"http://127.0.0.1/"})"), "invalid_redirect_uri");
  EXPECT_EQ(code_of(R"({"redirect_uris":[1]})"), "invalid_redirect_uri");
  EXPECT_EQ(code_of(R"({"grant_types":"authorization_code"})"), "invalid_client_metadata");
  EXPECT_EQ(code_of(R"({"client_name":7})"), "invalid_client_metadata");
  EXPECT_EQ(code_of(R"({"scope":"a\"b"})"), "invalid_client_metadata");
  EXPECT_EQ(code_of(R"({"jwks":"x"})"), "invalid_client_metadata");
  EXPECT_EQ(code_of("[]"), "invalid_client_metadata");
  EXPECT_EQ(code_of("{}"), "(taken)");
}

}  // namespace
}  // namespace postern
