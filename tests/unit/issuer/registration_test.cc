#include <gtest/gtest.h>

#include "issuer/registration_endpoint.h"
#include "tests/unit/issuer/training_issuer.h"

namespace postern::issuer {
namespace {

using test::kDesk;
using test::refused;
using test::succeeded;

class Registration : public test::TrainingIssuer {
 protected:
  void SetUp() override { open_to_strangers(); }
  HttpResponse add(const Json& metadata) {
    return send({"POST", "/register", {{"Content-Type", "application/json"}}, metadata.dump(), ""});
  }
  static Json native(const char* name = nullptr, Json value = {}) {
    Json json = Json::object({{"client_name", "Some agent"},
                              {"application_type", "native"},
                              {"redirect_uris", Json::array({"http://127.0.0.1:3118/callback"})},
                              {"grant_types", Json::array({"authorization_code", "refresh_token"})},
                              {"token_endpoint_auth_method", "none"}});
    if (name != nullptr) json.set(name, std::move(value));
    return json;
  }
  std::string fault(const Json& metadata) {
    const HttpResponse answer = add(metadata);
    EXPECT_TRUE(answer.status == 201 || answer.status == 400) << answer.status;
    return error_of(answer);
  }
};

TEST_F(Registration, GivesAnIdThatSignsIn) {
  const HttpResponse answer = add(native());
  ASSERT_EQ(answer.status, 201) << answer.body;
  const Json json = json_of(answer);
  EXPECT_EQ(json.integer_at("client_id_issued_at"), unix_seconds(clock_.now()));
  EXPECT_EQ(*json.find("redirect_uris"), Json::array({"http://127.0.0.1:3118/callback"}));
  EXPECT_EQ(json.string_at("scope"), "desk:read offline_access refunds:write");
  EXPECT_FALSE(json.has("client_secret"));
  const std::string id(json.string_at("client_id"));

  const FormFields request = host_request({{"client_id", id.c_str()}, {"scope", "desk:read offline_access"}});
  EXPECT_EQ(show(changed(request, {{"redirect_uri", "http://127.0.0.1:50000/other"}})).status, 400);
  const FormFields own = changed(request, {{"redirect_uri", "http://127.0.0.1:50000/callback"}});
  const HttpResponse page = choose(own, "rowan");
  EXPECT_NE(page.body.find("a program that calls itself &quot;Some agent&quot;"), std::string::npos);
  EXPECT_NE(page.body.find("Nobody here has checked this client."), std::string::npos);
  const std::string code = answer_value(decide(page, "allow"), "code");
  const Json tokens = json_of(post(
      "/token", token_request(code, {{"client_id", id.c_str()}, {"redirect_uri", "http://127.0.0.1:50000/callback"}})));
  EXPECT_TRUE(tokens.has("refresh_token"));
  EXPECT_EQ(choose(own, "rowan").status, 200);  // and is asked again: nobody knows that it is the same
}

TEST_F(Registration, GivesASecretToAConfidentialClient) {
  Json metadata = native("application_type", "web");
  metadata.set("redirect_uris", Json::array({"https://agent.test/cb"}));
  for (const char* method : {"client_secret_basic", "client_secret_post"}) {
    metadata.set("token_endpoint_auth_method", method);
    const Json json = json_of(add(metadata));
    EXPECT_EQ(json.string_at("token_endpoint_auth_method"), method);
    EXPECT_GE(json.string_at("client_secret").size(), 40U);
    EXPECT_EQ(json.integer_at("client_secret_expires_at"), 0);
  }
  const Json json = json_of(add(metadata));
  const std::string id(json.string_at("client_id"));
  const std::string secret(json.string_at("client_secret"));
  const FormFields request = host_request({{"client_id", id.c_str()}, {"redirect_uri", "https://agent.test/cb"}});
  const FormFields redeem = {{"client_id", id.c_str()}, {"redirect_uri", "https://agent.test/cb"}};
  const auto token = [&](const char* given) {
    const std::string code = answer_value(allow(request, "rowan"), "code");
    return error_of(post("/token", token_request(code, {{"client_id", id.c_str()},
                                                        {"redirect_uri", "https://agent.test/cb"},
                                                        {"client_secret", given}})));
  };
  EXPECT_EQ(token(nullptr), "invalid_client");
  EXPECT_EQ(token("cs_other"), "invalid_client");
  EXPECT_EQ(token(secret.c_str()), "ok");
}

TEST_F(Registration, TakesRedirectsToThisMachineAndOverHttpsOnly) {
  for (const char* uri : {"http://127.0.0.1/cb", "http://127.0.0.1:3118/cb", "http://[::1]:1/cb",
                          "http://localhost:3118/callback", "https://agent.test/cb"}) {
    EXPECT_EQ(fault(native("redirect_uris", Json::array({uri}))), "ok") << uri;
  }
  for (const char* uri : {"http://agent.test/cb", "https://agent.test/cb#x", "https://*.agent.test/cb",
                          "https://agent.test/*", "javascript:alert(1)", "data:text/html,x", "cursor://cb",
                          "file:///etc/passwd", "https://user@agent.test/cb", "http://127.0.0.1.evil.test/cb",
                          "http://127.1/cb", "https://0x7f000001/cb", "http://localhost.evil.test/cb", "/cb", ""}) {
    EXPECT_EQ(fault(native("redirect_uris", Json::array({uri}))), "invalid_redirect_uri") << uri;
  }
  EXPECT_EQ(fault(native("redirect_uris", Json::array())), "invalid_redirect_uri");
  EXPECT_EQ(fault(native("redirect_uris", "http://127.0.0.1/cb")), "invalid_redirect_uri");
  EXPECT_EQ(fault(native("redirect_uris", Json::array({std::string("https://a.test/") + std::string(600, 'x')}))),
            "invalid_redirect_uri");
}

TEST_F(Registration, HoldsAWebApplicationToHttps) {
  EXPECT_EQ(fault(native("application_type", "web")), "invalid_redirect_uri");
  Json without = native();
  without.erase("application_type");
  const Json json = json_of(add(without));
  EXPECT_EQ(json.string_at("application_type"), "native");  // it redirects to this machine
  EXPECT_EQ(fault(native("application_type", "desktop")), "invalid_client_metadata");
}

TEST_F(Registration, RefusesWhatIsNotOfferedHere) {
  const std::pair<const char*, Json> rows[] = {
      {"token_endpoint_auth_method", "private_key_jwt"},
      {"grant_types", Json::array({"password"})},
      {"grant_types", Json::array({"implicit"})},
      {"response_types", Json::array({"token"})},
      {"scope", "refunds:approve"},
      {"scope", "a\"b"},
      {"client_name", 1},
      {"client_name", " "},
  };
  for (const auto& [name, value] : rows) {
    EXPECT_EQ(fault(native(name, value)), "invalid_client_metadata") << name << value.dump();
  }
  EXPECT_EQ(fault(native("scope", "desk:read refunds:approve")), "ok");  // what is offered remains
  const HttpResponse text = send({"POST", "/register", {{"Content-Type", "text/plain"}}, native().dump(), ""});
  EXPECT_EQ(error_of(text), "invalid_client_metadata");
  EXPECT_EQ(error_of(send({"POST", "/register", {{"Content-Type", "application/json"}}, "{", ""})),
            "invalid_client_metadata");
}

TEST_F(Registration, IsBoundedInTime) {
  for (int i = 0; i < RegistrationEndpoint::kRegistrationsMax; ++i) ASSERT_EQ(add(native()).status, 201) << i;
  const HttpResponse busy = add(native());
  EXPECT_EQ(busy.status, 429);
  EXPECT_EQ(*busy.headers.find("Retry-After"), "60");
  clock_.advance(Seconds(60));
  EXPECT_EQ(add(native()).status, 201);
}

TEST_F(Registration, IsThereOnlyWhereItIsConfigured) {
  EXPECT_EQ(json_of(get("/.well-known/oauth-authorization-server")).string_at("registration_endpoint"),
            "http://127.0.0.1:8930/register");
  open_to_strangers(nullptr,
                    R"({"metadata_documents":true,"scopes":["desk:read"],"resources":["http://127.0.0.1:8931/mcp"]})");
  EXPECT_EQ(add(native()).status, 404);
}

TEST(StrangerRules, RefusesWhatNoStrangerMayHave) {
  const auto rules = [](const char* text) { return StrangerRules::of_json(*parse_json(text)); };
  EXPECT_TRUE(succeeded(rules(test::kStrangersJson)));
  for (const char* text :
       {"[]", "{}", R"({"scopes":["refunds:approve"],"resources":["r"]})",
        R"({"scopes":["offline_access"],"resources":["r"]})", R"({"scopes":["desk:read"],"resources":[]})",
        R"({"scopes":[],"resources":["r"]})", R"({"registration":1,"scopes":["desk:read"],"resources":["r"]})",
        R"({"admin":true,"scopes":["desk:read"],"resources":["r"]})"}) {
    EXPECT_TRUE(refused(rules(text), "issuer.bad_configuration")) << text;
  }
}

}  // namespace
}  // namespace postern::issuer
