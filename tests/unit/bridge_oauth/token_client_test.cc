#include "bridge/oauth/token_client.h"

#include <gtest/gtest.h>

#include "bridge/oauth/dpop_key.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge_oauth/token_endpoint.h"
#include "wire/base/bytes.h"
#include "wire/oauth/jwk.h"
#include "wire/oauth/jws.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;
using tokens_test::kIssuer;
using tokens_test::kResource;

class TokenClientTest : public testing::Test {
 protected:
  test::TestEnv env_;
  tokens_test::TokenEndpoint http_;
  AuthorizationServerMetadata server_ = tokens_test::server();
  ClientIdentity identity_;

  TokenClientTest() {
    identity_.issuer = kIssuer;
    identity_.client_id = "postern";
  }
  void give_secret(std::string secret) { identity_.secret = ClientSecret::take(std::move(secret)); }
  Result<TokenResponse> ask(DpopKey* dpop = nullptr) {
    TokenClient client(env_.env(), http_, server_, identity_, dpop);
    return client.request({{"grant_type", "authorization_code"}, {"code", "c-1"}}, {"desk:read"}, {}, {});
  }
  // The claims of a compact JWS whose signature is good under `key`.
  static Json verified(const std::string& text, const Json& jwk, Json* header = nullptr) {
    const auto dot = text.rfind('.');
    const auto key =
        P256PublicKey::of_coordinates(*base64url_decode(jwk.string_at("x")), *base64url_decode(jwk.string_at("y")));
    EXPECT_TRUE(key && key->verify_es256(text.substr(0, dot), *base64url_decode(text.substr(dot + 1))));
    const auto jws = CompactJws::split(text);
    EXPECT_TRUE(succeeded(jws));
    if (header != nullptr) *header = jws->header();
    return *parse_json(jws->payload());
  }
};

TEST_F(TokenClientTest, ClientsWithoutSecretSendTheirIdOnly) {
  ASSERT_TRUE(succeeded(ask()));
  ASSERT_EQ(http_.seen.size(), 1U);
  EXPECT_EQ(http_.seen[0].url, "https://login.example.test/token");
  EXPECT_EQ(http_.seen[0].header("Content-Type"), "application/x-www-form-urlencoded");
  EXPECT_EQ(http_.seen[0].field("client_id"), "postern");
  EXPECT_EQ(http_.seen[0].field("code"), "c-1");
  EXPECT_EQ(http_.seen[0].field("client_secret"), "-");
  EXPECT_EQ(http_.seen[0].header("Authorization"), "-");
}

// RFC 6749 section 2.3.1: its example, and what form-encoding is for.
TEST_F(TokenClientTest, BasicIsFormEncodedBeforeItIsBase64) {
  identity_.client_id = "s6BhdRkqt3";
  give_secret("gX1fBat3bV");
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_EQ(http_.seen[0].header("Authorization"), "Basic czZCaGRSa3F0MzpnWDFmQmF0M2JW");
  EXPECT_EQ(http_.seen[0].field("client_id"), "-");
  EXPECT_EQ(http_.seen[0].field("client_secret"), "-");

  identity_.client_id = "a:b";
  give_secret("p%w+d \xC3\xA9");
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_EQ(*base64_decode(http_.seen[1].header("Authorization").substr(6)), "a%3Ab:p%25w%2Bd%20%C3%A9");
}

TEST_F(TokenClientTest, SecretsInTheBodyWhenThatIsWhatTheServerListsFirst) {
  give_secret("s3cret");
  server_.token_endpoint_auth_methods_supported = {"private_key_jwt", "client_secret_post", "client_secret_basic"};
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_EQ(http_.seen[0].field("client_id"), "postern");
  EXPECT_EQ(http_.seen[0].field("client_secret"), "s3cret");
  EXPECT_EQ(http_.seen[0].header("Authorization"), "-");
  // What the client is registered for comes before what the server lists.
  identity_.authentication = ClientAuthentication::kSecretBasic;
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_EQ(http_.seen[1].field("client_secret"), "-");
  EXPECT_EQ(http_.seen[1].header("Authorization").substr(0, 6), "Basic ");
  identity_.authentication = ClientAuthentication::kNone;
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_EQ(http_.seen[2].field("client_id"), "postern");
  EXPECT_EQ(http_.seen[2].field("client_secret"), "-");
  EXPECT_EQ(http_.seen[2].header("Authorization"), "-");
}

TEST_F(TokenClientTest, BasicIsWhatAServerTakesThatListsNothing) {
  give_secret("s3cret");
  for (const auto& listed : std::vector<std::vector<std::string>>{{}, {"private_key_jwt", "none"}}) {
    server_.token_endpoint_auth_methods_supported = listed;
    ASSERT_TRUE(succeeded(ask()));
    EXPECT_EQ(http_.seen.back().header("Authorization").substr(0, 6), "Basic ");
  }
}

// RFC 7523 section 3.
TEST_F(TokenClientTest, AssertionsAreForTheIssuerAndUsedOnce) {
  identity_.key = std::make_shared<Es256Signer>(Es256Signer::generate());
  identity_.key_id = "k-7";
  ASSERT_TRUE(succeeded(ask()));
  ASSERT_TRUE(succeeded(ask()));
  const auto& first = http_.seen[0];
  EXPECT_EQ(first.field("client_assertion_type"), "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
  EXPECT_EQ(first.field("client_id"), "postern");
  EXPECT_EQ(first.header("Authorization"), "-");
  Json header;
  const Json claims = verified(first.field("client_assertion"), identity_.key->public_point(), &header);
  EXPECT_EQ(header, Json::object({{"alg", "ES256"}, {"typ", "JWT"}, {"kid", "k-7"}}));
  EXPECT_EQ(claims.string_at("iss"), "postern");
  EXPECT_EQ(claims.string_at("sub"), "postern");
  EXPECT_EQ(claims.string_at("aud"), kIssuer);
  const std::int64_t now = unix_seconds(env_.clock.now());
  EXPECT_EQ(claims.integer_at("iat"), now);
  EXPECT_EQ(claims.integer_at("exp"), now + 60);
  const Json again = verified(http_.seen[1].field("client_assertion"), identity_.key->public_point());
  EXPECT_NE(claims.string_at("jti"), again.string_at("jti"));
  EXPECT_GE(claims.string_at("jti").size(), 22U);
}

TEST_F(TokenClientTest, AKeyIsUsedBesideASecretOnlyWhereTheServerTakesIt) {
  identity_.key = std::make_shared<Es256Signer>(Es256Signer::generate());
  give_secret("s3cret");
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_EQ(http_.seen[0].field("client_assertion"), "-");
  server_.token_endpoint_auth_methods_supported = {"client_secret_basic", "private_key_jwt"};
  ASSERT_TRUE(succeeded(ask()));
  EXPECT_NE(http_.seen[1].field("client_assertion"), "-");
  EXPECT_EQ(http_.seen[1].header("Authorization"), "-");
}

TEST_F(TokenClientTest, SaysWhatAClientLacks) {
  identity_.authentication = ClientAuthentication::kSecretPost;
  EXPECT_TRUE(refused(ask(), "sign_in.no_client"));
  identity_.authentication = ClientAuthentication::kPrivateKeyJwt;
  EXPECT_TRUE(refused(ask(), "sign_in.no_client"));
  identity_.key = std::make_shared<Es256Signer>(Es256Signer::generate());
  server_.token_endpoint_auth_signing_alg_values_supported = {"RS256"};
  EXPECT_TRUE(refused(ask(), "sign_in.no_client"));
  EXPECT_TRUE(http_.seen.empty());
  server_.token_endpoint_auth_signing_alg_values_supported = {"RS256", "ES256"};
  EXPECT_TRUE(succeeded(ask()));
  identity_.client_id.clear();
  EXPECT_TRUE(refused(ask(), "sign_in.no_client"));
}

TEST_F(TokenClientTest, SendsNothingToAnEndpointThatTheIssuerMayNotName) {
  for (const char* endpoint : {"http://login.example.test/token", "https://127.0.0.1/token", "https://10.0.0.1/token",
                               "https://169.254.169.254/token", "https://u:p@login.example.test/token"}) {
    server_.token_endpoint = endpoint;
    EXPECT_TRUE(refused(ask(), "oauth.discovery_not_allowed")) << endpoint;
  }
  EXPECT_TRUE(http_.seen.empty());
  server_.token_endpoint = "https://tokens.example.test/token";
  EXPECT_TRUE(succeeded(ask()));
}

// A code or a refresh token may be spent by an answer that was lost.
TEST_F(TokenClientTest, NeverRepeatsARequest) {
  give_secret("s3cret");
  http_.answers = {TimedOut{"https://login.example.test"}, PeerClosed{"https://login.example.test"},
                   tokens_test::refusal("temporarily_unavailable", 503), tokens_test::refusal("invalid_client", 401),
                   tokens_test::refusal("use_dpop_nonce")};
  EXPECT_TRUE(refused(ask(), "transport.timed_out"));
  EXPECT_TRUE(refused(ask(), "transport.closed"));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(refused(ask(), "sign_in.token_refused"));
  EXPECT_EQ(http_.seen.size(), 5U);
}

TEST_F(TokenClientTest, NoFailureRepeatsASecret) {
  give_secret("s3cret-in-here");
  http_.answers = {json_response(400, R"({"error":"invalid_grant","error_description":"c-1 is spent"})"),
                   json_response(200, R"({"access_token":"at s3cret","token_type":"Bearer"})"),
                   json_response(200, "s3cret-token")};
  for (int i = 0; i < 3; ++i) {
    const auto failed = ask();
    ASSERT_FALSE(failed);
    EXPECT_EQ(failed.error().text().find("s3cret"), std::string::npos) << failed.error().text();
  }
}

// An issuer that quotes the request in its refusal, as some do to help whoever reads the error.
TEST_F(TokenClientTest, NoFailureShowsWhatAnIssuerQuotesOfTheRequest) {
  give_secret("planted/secret-1");
  server_.token_endpoint_auth_methods_supported = {"client_secret_post"};
  const FormFields grant = {{"grant_type", "authorization_code"},
                            {"code", "planted-code-1"},
                            {"code_verifier", "planted-verifier-1"},
                            {"refresh_token", "planted-refresh-1"}};
  http_.answers = {
      json_response(400, R"({"error":"planted-code-1","error_description":"no planted\u002dcode-1 here"})"),
      json_response(401, R"({"error":"invalid_grant","error_description":"planted-verifier-1 planted/secret-1"})"),
      json_response(400, R"({"error":"x","error_description":"client_secret=planted%2Fsecret-1&planted-refresh-1"})"),
      // Cut in its middle a secret would be no whole one any longer.
      json_response(400, R"({"error":"x","error_description":")" + std::string(190, '.') + R"(planted-verifier-1"})")};
  TokenClient client(env_.env(), http_, server_, identity_, nullptr);
  for (int i = 0; i < 4; ++i) {
    const auto failed = client.request(grant, {"desk:read"}, {}, {});
    ASSERT_TRUE(refused(failed, "sign_in.token_refused"));
    EXPECT_EQ(failed.error().text().find("planted"), std::string::npos) << failed.error().text();
    EXPECT_NE(failed.error().text().find("[withhe"), std::string::npos) << failed.error().text();
  }
}

TEST_F(TokenClientTest, RedirectsAreNotFollowed) {
  HttpResponse moved = json_response(307, tokens_test::tokens().body);
  moved.headers.add("Location", "https://evil.test/token");
  http_.answers = {moved};
  EXPECT_TRUE(refused(ask(), "sign_in.token_refused"));
  EXPECT_EQ(http_.seen.size(), 1U);
}

// RFC 6749 section 6, RFC 8707 section 2.2.
TEST_F(TokenClientTest, RenewsForTheSameResource) {
  TokenClient client(env_.env(), http_, server_, identity_, nullptr);
  const auto renewed = client.refresh(RefreshToken::take("rt-1"), kResource, {"desk:read"}, {}, {});
  ASSERT_TRUE(succeeded(renewed));
  EXPECT_EQ(renewed->scope, ScopeSet{"desk:read"});
  EXPECT_EQ(http_.seen[0].field("grant_type"), "refresh_token");
  EXPECT_EQ(http_.seen[0].field("refresh_token"), "rt-1");
  EXPECT_EQ(http_.seen[0].field("resource"), kResource);
  EXPECT_EQ(http_.seen[0].field("scope"), "desk:read");
  ASSERT_TRUE(succeeded(client.refresh(RefreshToken::take("rt-1"), kResource, {}, {}, {})));
  EXPECT_EQ(http_.seen[1].field("scope"), "-");
}

// RFC 7009 section 2.
TEST_F(TokenClientTest, RevokesBothKindsOfTokens) {
  give_secret("s3cret");
  TokenClient client(env_.env(), http_, server_, identity_, nullptr);
  http_.answers = {HttpResponse{}, HttpResponse{}};
  EXPECT_TRUE(succeeded(client.revoke(AccessToken::take("at-1"), {}, {})));
  EXPECT_TRUE(succeeded(client.revoke(RefreshToken::take("rt-1"), {}, {})));
  EXPECT_EQ(http_.seen[0].url, "https://login.example.test/revoke");
  EXPECT_EQ(http_.seen[0].field("token"), "at-1");
  EXPECT_EQ(http_.seen[0].field("token_type_hint"), "access_token");
  EXPECT_EQ(http_.seen[0].header("Authorization").substr(0, 6), "Basic ");
  EXPECT_EQ(http_.seen[1].field("token"), "rt-1");
  EXPECT_EQ(http_.seen[1].field("token_type_hint"), "refresh_token");
}

TEST_F(TokenClientTest, SaysWhenATokenWasNotRevoked) {
  TokenClient client(env_.env(), http_, server_, identity_, nullptr);
  http_.answers = {tokens_test::refusal("unsupported_token_type"), json_response(503, "")};
  const auto refusal = client.revoke(AccessToken::take("at-1"), {}, {});
  ASSERT_TRUE(refused(refusal, "sign_in.revocation_refused"));
  EXPECT_NE(refusal.error().text().find("unsupported_token_type"), std::string::npos);
  EXPECT_TRUE(refused(client.revoke(RefreshToken::take("rt-1"), {}, {}), "sign_in.revocation_refused"));
  server_.revocation_endpoint.clear();
  EXPECT_TRUE(succeeded(client.revoke(RefreshToken::take("rt-1"), {}, {})));
  EXPECT_EQ(http_.seen.size(), 2U);
}

HttpResponse nonce_wanted(const std::string& nonce) {
  HttpResponse response = tokens_test::refusal("use_dpop_nonce");
  response.headers.add("DPoP-Nonce", nonce);
  return response;
}

// RFC 9449 sections 5 and 8.
TEST_F(TokenClientTest, AnswersTheCallForANonceOnce) {
  DpopKey key(env_.env());
  identity_.key = std::make_shared<Es256Signer>(Es256Signer::generate());
  http_.answers = {nonce_wanted("n-1"), tokens_test::tokens("at-1", "DPoP")};
  ASSERT_TRUE(succeeded(ask(&key)));
  ASSERT_EQ(http_.seen.size(), 2U);
  Json header;
  CompactJws first = *CompactJws::split(http_.seen[0].header("DPoP"));
  const Json before = verified(http_.seen[0].header("DPoP"), *first.header().find("jwk"), &header);
  EXPECT_EQ(header.string_at("typ"), "dpop+jwt");
  EXPECT_EQ(before.string_at("htm"), "POST");
  EXPECT_EQ(before.string_at("htu"), "https://login.example.test/token");
  EXPECT_FALSE(before.has("nonce"));
  const Json after = verified(http_.seen[1].header("DPoP"), *first.header().find("jwk"));
  EXPECT_EQ(after.string_at("nonce"), "n-1");
  EXPECT_NE(after.string_at("jti"), before.string_at("jti"));
  EXPECT_EQ(http_.seen[1].field("code"), "c-1");
  EXPECT_NE(http_.seen[0].field("client_assertion"), http_.seen[1].field("client_assertion"));

  http_.answers = {nonce_wanted("n-2"), nonce_wanted("n-3"), tokens_test::tokens("at-2", "DPoP")};
  EXPECT_TRUE(refused(ask(&key), "sign_in.token_refused"));
  EXPECT_EQ(http_.seen.size(), 4U);
}

TEST_F(TokenClientTest, DropsATokenThatIsNotBoundAsItWasAskedFor) {
  DpopKey key(env_.env());
  http_.answers = {tokens_test::tokens("at-1", "Bearer"), tokens_test::tokens("at-1", "dpop"),
                   tokens_test::tokens("at-1", "DPoP")};
  EXPECT_TRUE(refused(ask(&key), "sign_in.malformed_tokens"));
  const auto bound = ask(&key);
  ASSERT_TRUE(succeeded(bound));
  EXPECT_EQ(bound->token_type, "DPoP");
  EXPECT_TRUE(refused(ask(), "sign_in.malformed_tokens"));
}

}  // namespace
}  // namespace postern::bridge
