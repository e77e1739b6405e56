// How this program comes to be known at an issuer.
#include <gtest/gtest.h>

#include "bridge/oauth/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge_oauth/sign_in_world.h"

namespace postern::bridge::sign_in {
namespace {

using test::refused;
using test::succeeded;

constexpr const char* kDocument = "https://client.example.test/postern.json";

struct RegistrarBench {
  explicit RegistrarBench(ClientRegistrationOptions options) : registrar(env.env(), world, store, std::move(options)) {}
  test::TestEnv env;
  World world;
  MemoryCredentialStore store;
  ClientRegistrar registrar;
  AuthorizationServerMetadata server = metadata();

  static AuthorizationServerMetadata metadata() {
    AuthorizationServerMetadata server;
    server.issuer = kIssuer;
    server.token_endpoint = std::string(kIssuer) + "/token";
    server.token_endpoint_auth_methods_supported = {"none"};
    return server;
  }
  void offer_registration() { server.registration_endpoint = std::string(kIssuer) + "/register"; }
  Result<ClientIdentity> identity(const std::string& redirect = "http://127.0.0.1:4711/callback") {
    return registrar.identity_at(server, {{redirect}, {"authorization_code", "refresh_token"}}, SteadyTime(), {});
  }
};

ClientRegistrationOptions everything() {
  ClientRegistrationOptions options = registered();
  options.metadata_document_url = kDocument;
  options.dynamic = true;
  return options;
}

TEST(ClientRegistrar, PrefersWhatWasRegisteredThenTheDocumentThenRegistration) {
  ClientRegistrationOptions options = everything();
  RegistrarBench all(everything());
  all.offer_registration();
  all.server.client_id_metadata_document_supported = true;
  EXPECT_EQ(all.identity()->client_id, "postern-host");

  options.registered.reset();
  RegistrarBench document(std::move(options));
  document.offer_registration();
  document.server.client_id_metadata_document_supported = true;
  const auto read = document.identity();
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->client_id, kDocument);
  EXPECT_EQ(read->authentication, ClientAuthentication::kNone);
  EXPECT_TRUE(document.world.registrations.empty());
  document.server.client_id_metadata_document_supported = false;  // not advertised
  EXPECT_EQ(document.identity()->client_id, "dynamic-1");
}

TEST(ClientRegistrar, SaysWhatWouldHelpWhenNoWayIsOpen) {
  RegistrarBench bench({});
  const auto none = bench.identity();
  ASSERT_TRUE(refused(none, "sign_in.no_client"));
  EXPECT_NE(none.error().text().find("name its client_id in the configuration"), std::string::npos);
  bench.server.client_id_metadata_document_supported = true;
  EXPECT_NE(bench.identity().error().text().find("client_metadata_url"), std::string::npos);
  bench.offer_registration();
  EXPECT_NE(bench.identity().error().text().find("dynamic_registration"), std::string::npos);
  EXPECT_TRUE(bench.world.registrations.empty());
}

TEST(ClientRegistrar, RegistersANativeClientWithRefreshTokens) {
  RegistrarBench bench(dynamic());
  bench.offer_registration();
  ASSERT_TRUE(succeeded(bench.identity()));
  ASSERT_EQ(bench.world.registrations.size(), 1U);
  const Json& sent = bench.world.registrations.front();
  EXPECT_EQ(sent.string_at("application_type"), "native");
  EXPECT_EQ(sent.string_at("client_name"), "Postern");
  EXPECT_EQ(sent.string_at("token_endpoint_auth_method"), "none");
  EXPECT_EQ(*sent.find("grant_types"), World::strings({"authorization_code", "refresh_token"}));
  EXPECT_EQ(*sent.find("response_types"), World::strings({"code"}));
  EXPECT_EQ(*sent.find("redirect_uris"), World::strings({"http://127.0.0.1:4711/callback"}));
  EXPECT_FALSE(sent.has("client_id"));
}

TEST(ClientRegistrar, AuthenticatesAsTheServerTakesIt) {
  struct Row {
    std::vector<std::string> supported;
    std::string registered;
  };
  for (const Row& row : std::vector<Row>{{{"client_secret_basic", "none"}, "none"},
                                         {{"client_secret_post", "client_secret_basic"}, "client_secret_post"},
                                         {{"private_key_jwt", "client_secret_basic"}, "client_secret_basic"},
                                         {{}, "client_secret_basic"}}) {
    RegistrarBench bench(dynamic());
    bench.offer_registration();
    bench.server.token_endpoint_auth_methods_supported = row.supported;
    const auto identity = bench.identity();
    ASSERT_TRUE(succeeded(identity));
    EXPECT_EQ(bench.world.registrations.front().string_at("token_endpoint_auth_method"), row.registered);
    EXPECT_EQ(text_of(*identity->authentication), row.registered);
    EXPECT_EQ(identity->secret.empty(), row.registered == "none");
  }
  RegistrarBench keys_only(dynamic());
  keys_only.offer_registration();
  keys_only.server.token_endpoint_auth_methods_supported = {"private_key_jwt", "tls_client_auth"};
  EXPECT_TRUE(refused(keys_only.identity(), "sign_in.no_client"));
}

TEST(ClientRegistrar, FollowsWhatTheServerRegisteredInstead) {
  RegistrarBench bench(dynamic());
  bench.offer_registration();
  bench.world.registration_answer = json_response(
      201, R"({"client_id":"c1","client_secret":"s","token_endpoint_auth_method":"client_secret_basic"})");
  const auto changed = bench.identity();
  ASSERT_TRUE(succeeded(changed));
  EXPECT_EQ(changed->authentication, ClientAuthentication::kSecretBasic);
  EXPECT_FALSE(changed->secret.empty());
  for (const char* answer : {R"({"client_secret":"s"})", "[]", "no json", R"({"client_id":""})",
                             R"({"client_id":"c1","token_endpoint_auth_method":"private_key_jwt"})",
                             R"({"client_id":"c1","token_endpoint_auth_method":"client_secret_post"})"}) {
    RegistrarBench broken(dynamic());
    broken.offer_registration();
    broken.world.registration_answer = json_response(201, answer);
    EXPECT_TRUE(refused(broken.identity(), "sign_in.registration_refused")) << answer;
  }
}

TEST(ClientRegistrar, SaysWhyItWasRefused) {
  RegistrarBench bench(dynamic());
  bench.offer_registration();
  bench.world.registration_answer =
      json_response(400, R"({"error":"invalid_redirect_uri","error_description":"loopback is not\n allowed"})");
  const auto refusal_seen = bench.identity();
  ASSERT_TRUE(refused(refusal_seen, "sign_in.registration_refused"));
  const std::string text = refusal_seen.error().text();
  EXPECT_NE(text.find("invalid_redirect_uri"), std::string::npos);
  EXPECT_NE(text.find("loopback is not"), std::string::npos);
  EXPECT_EQ(text.find('\n'), std::string::npos);
  EXPECT_NE(text.find("client_id"), std::string::npos);
}

TEST(ClientRegistrar, RegistersOnceForAnIssuerAndAnewWhereTheRedirectIsAnother) {
  RegistrarBench bench(dynamic());
  bench.offer_registration();
  EXPECT_EQ(bench.identity()->client_id, "dynamic-1");
  EXPECT_EQ(bench.identity("http://127.0.0.1:4712/callback")->client_id, "dynamic-1");  // RFC 8252: any port
  EXPECT_EQ(bench.identity("http://localhost:4712/callback")->client_id, "dynamic-2");
  bench.server.issuer = kOtherIssuer;
  bench.server.registration_endpoint = std::string(kOtherIssuer) + "/register";
  EXPECT_EQ(bench.identity()->client_id, "dynamic-3");
  EXPECT_EQ((*bench.store.client(kIssuer))->client_id, "dynamic-2");
  EXPECT_EQ((*bench.store.client(kOtherIssuer))->client_id, "dynamic-3");
  EXPECT_TRUE(bench.registrar.forget(kOtherIssuer));
  EXPECT_FALSE(bench.registrar.forget(kOtherIssuer));
  EXPECT_EQ(bench.identity()->client_id, "dynamic-4");
}

TEST(ClientRegistrar, ShowsARegisteredClientToItsIssuerOnly) {
  RegistrarBench bench(registered(kOtherIssuer));
  bench.offer_registration();
  EXPECT_TRUE(refused(bench.identity(), "sign_in.foreign_issuer"));
  EXPECT_TRUE(bench.world.asked.empty());
}

TEST(ClientRegistrar, SendsNothingToAnEndpointThatIsNotForStrangersToName) {
  RegistrarBench bench(dynamic());
  bench.server.registration_endpoint = "http://169.254.169.254/register";
  EXPECT_TRUE(refused(bench.identity(), "oauth.discovery_not_allowed"));
  EXPECT_TRUE(bench.world.asked.empty());
}

TEST(ClientRegistrar, TakesADocumentAtAnHttpsUrlWithAPathOnly) {
  for (const char* url : {"http://client.example.test/postern.json", "https://client.example.test",
                          "https://client.example.test/", "https://client.example.test/a/../b", "postern.json"}) {
    ClientRegistrationOptions options;
    options.metadata_document_url = url;
    RegistrarBench bench(std::move(options));
    bench.server.client_id_metadata_document_supported = true;
    EXPECT_TRUE(refused(bench.identity(), "sign_in.no_client")) << url;
  }
}

// An issuer that has lost a dynamic registration gets a new one, once.
TEST(ClientRegistrar, IsAskedAnewWhenTheIssuerNoLongerKnowsTheClient) {
  Bench bench({.registration = dynamic()});
  bench.world.issuer().set("registration_endpoint", std::string(kIssuer) + "/register");
  bench.world.token_answer = json_response(401, R"({"error":"invalid_client"})");
  ASSERT_TRUE(succeeded(bench.sign_in()));
  EXPECT_EQ(bench.world.registrations.size(), 2U);
  EXPECT_EQ(field(bench.person.asked.back(), "client_id"), "dynamic-2");
  Bench fixed;
  fixed.world.token_answer = json_response(401, R"({"error":"invalid_client"})");
  EXPECT_TRUE(refused(fixed.sign_in(), "sign_in.token_refused"));
  EXPECT_EQ(fixed.person.asked.size(), 1U);
}

}  // namespace
}  // namespace postern::bridge::sign_in
