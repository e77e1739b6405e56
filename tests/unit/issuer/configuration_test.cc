#include <gtest/gtest.h>

#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

using test::refused;
using test::succeeded;

Result<AuthorizationServer> server_at(const char* issuer) {
  static test::ManualClock clock;
  static test::SeededRandom random;
  static NoTap tap;
  return AuthorizationServer::make(
      {clock, random, tap}, {issuer, *Clients::of_json(*parse_json(test::kClientsJson)), People::embedded(), ""});
}

TEST(IssuerConfiguration, RefusesEveryAddressButLoopback) {
  EXPECT_TRUE(succeeded(server_at("http://127.0.0.1:8930")));
  EXPECT_TRUE(succeeded(server_at("http://localhost:8930")));
  for (const char* issuer :
       {"http://0.0.0.0:8930", "http://10.0.0.1:8930", "http://192.168.1.2:8930", "http://issuer.test:8930",
        "https://127.0.0.1:8930", "http://127.0.0.1:8930/", "http://127.0.0.1:8930/t", "127.0.0.1:8930", ""}) {
    EXPECT_TRUE(refused(server_at(issuer), "issuer.bad_configuration")) << issuer;
  }
}

TEST(IssuerConfiguration, KnowsThreePeopleWithoutBeingTold) {
  const People people = People::embedded();
  ASSERT_EQ(people.all().size(), 3U);
  EXPECT_EQ(people.find("rowan")->may_hold.text(), "desk:read refunds:write");
  EXPECT_EQ(people.find("quinn")->may_hold.text(), "desk:read refunds:write");
  EXPECT_EQ(people.find("morgan")->may_hold.text(), "desk:read refunds:approve");
  EXPECT_EQ(people.find("Rowan"), nullptr);
}

TEST(IssuerConfiguration, RefusesPeopleThatCannotBe) {
  const auto people = [](const char* text) { return People::of_json(*parse_json(text)); };
  EXPECT_TRUE(succeeded(people(R"([{"subject":"a","name":"A","scopes":[]}])")));
  for (const char* text : {"[]", "{}", R"([{"subject":"a","scopes":[]}])", R"([{"name":"A","scopes":[]}])",
                           R"([{"subject":"a","name":"A"}])", R"([{"subject":"a","name":"A","scopes":["x y\""]}])",
                           R"([{"subject":"a","name":"A","scopes":[1]}])",
                           R"([{"subject":"a","name":"A","scopes":[]},{"subject":"a","name":"B","scopes":[]}])",
                           R"([{"subject":"a","name":"A","scopes":[],"admin":true}])"}) {
    EXPECT_TRUE(refused(people(text), "issuer.bad_configuration")) << text;
  }
}

Json client_with(const char* name, Json value) {
  Json client = Json::object({{"client_id", "c"},
                              {"name", "C"},
                              {"application_type", "web"},
                              {"redirect_uris", Json::array({"https://a.test/cb"})},
                              {"scopes", Json::array({"desk:read"})},
                              {"resources", Json::array({"https://a.test/api"})}});
  client.set(name, std::move(value));
  return Json::array({client});
}

TEST(IssuerConfiguration, RefusesClientsThatCannotBe) {
  EXPECT_TRUE(succeeded(Clients::of_json(client_with("headless", false))));
  EXPECT_TRUE(
      succeeded(Clients::of_json(client_with("grant_types", Json::array({"authorization_code", "refresh_token"})))));
  EXPECT_TRUE(succeeded(Clients::of_json(client_with("client_secret_sha256", std::string(64, 'a')))));
  const std::pair<const char*, Json> rows[] = {
      {"client_id", ""},
      {"client_id", 1},
      {"name", ""},
      {"application_type", "desktop"},
      {"redirect_uris", Json::array({"http://a.test/cb"})},
      {"redirect_uris", Json::array({"a.test"})},
      {"redirect_uris", "https://a.test/cb"},
      {"redirect_uris", Json::array({"https://a.test/cb#x"})},
      {"scopes", "desk:read"},
      {"scopes", Json::array({"a\"b"})},
      {"resources", Json::array({1})},
      {"headless", true},
      {"headless", "yes"},
      {"client_secret", "x"},
      {"client_secret_sha256", "abc"},
      {"token_endpoint_auth_method", "client_secret_post"},  // without a secret
      {"token_endpoint_auth_method", "private_key_jwt"},
      {"first_party", 1},
      {"grant_types", Json::array({"password"})},
      {"grant_types", Json::array({"authorization_code", "implicit"})},
      {"scopes", Json::array({"desk:read", "offline_access"})},
      {"client_id", "https://a.test/client.json"},
      {"redirect_uris", Json::array({"https://*.a.test/cb"})},
  };
  for (const auto& [name, value] : rows) {
    EXPECT_TRUE(refused(Clients::of_json(client_with(name, value)), "issuer.bad_configuration"))
        << name << value.dump();
  }
  Json twice = client_with("name", "C");
  const Json copy = twice.elements()[0];
  twice.push(copy);
  EXPECT_TRUE(refused(Clients::of_json(twice), "issuer.bad_configuration"));
}

}  // namespace
}  // namespace postern::issuer
