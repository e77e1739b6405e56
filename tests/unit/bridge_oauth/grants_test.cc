// The ways to tokens that need no browser here.
#include <gtest/gtest.h>

#include "bridge/oauth/client_credentials_grant.h"
#include "bridge/oauth/device_grant.h"
#include "bridge/oauth/enterprise_grant.h"
#include "bridge/oauth/jwt_bearer_grant.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge_oauth/token_endpoint.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;
using tokens_test::kIssuer;
using tokens_test::kResource;

constexpr const char* kJwtBearerType = "urn:ietf:params:oauth:grant-type:jwt-bearer";

class GrantsTest : public testing::Test, public DeviceCodeDisplay {
 protected:
  test::TestEnv env_;
  tokens_test::TokenEndpoint http_;
  AuthorizationServerMetadata server_ = tokens_test::server();
  ClientIdentity identity_;
  std::vector<Notice> shown_;
  std::vector<std::int64_t> pauses_;
  std::stop_source stop_;
  int stop_at_pause_ = -1;

  GrantsTest() { identity_.client_id = "postern"; }
  void show(const Notice& notice) override { shown_.push_back(notice); }

  Result<TokenResponse> obtain(TokenGrant& grant, ScopeSet scope = {"desk:read"}) {
    TokenClient tokens(env_.env(), http_, server_, identity_, nullptr);
    const TokenGrantRequest request{server_, identity_, tokens, kResource, std::move(scope), "", {}};
    return grant.obtain(request, stop_.get_token());
  }
  Result<TokenResponse> by_device() {
    DeviceGrant grant(env_.env(), *this, [this](Milliseconds time, const std::stop_token&) {
      pauses_.push_back(std::chrono::duration_cast<Seconds>(time).count());
      env_.clock.advance(time);
      if (static_cast<int>(pauses_.size()) == stop_at_pause_) stop_.request_stop();
    });
    return obtain(grant);
  }
  static HttpResponse device(std::initializer_list<Json::Member> changes = {}) {
    Json json = Json::object({{"device_code", "dc-1"},
                              {"user_code", "WDJB-MJHT"},
                              {"verification_uri", "https://login.example.test/device"},
                              {"verification_uri_complete", "https://login.example.test/device?user_code=WDJB-MJHT"},
                              {"expires_in", 600},
                              {"interval", 7}});
    for (const auto& [name, value] : changes) {
      if (value.is_null()) {
        json.erase(name);
      } else {
        json.set(name, value);
      }
    }
    return json_response(200, json.dump());
  }
};

// RFC 8628 sections 3.1 to 3.5.
TEST_F(GrantsTest, ADeviceWaitsForThePerson) {
  http_.answers = {device(), tokens_test::refusal("authorization_pending"),
                   tokens_test::refusal("authorization_pending"), tokens_test::tokens()};
  ASSERT_TRUE(succeeded(by_device()));
  ASSERT_EQ(http_.seen.size(), 4U);
  EXPECT_EQ(http_.seen[0].url, "https://login.example.test/device");
  EXPECT_EQ(http_.seen[0].field("client_id"), "postern");
  EXPECT_EQ(http_.seen[0].field("scope"), "desk:read");
  EXPECT_EQ(http_.seen[0].field("resource"), kResource);
  ASSERT_EQ(shown_.size(), 1U);
  EXPECT_EQ(shown_[0].user_code, "WDJB-MJHT");
  EXPECT_EQ(shown_[0].verification_uri, "https://login.example.test/device");
  EXPECT_EQ(shown_[0].verification_uri_complete, "https://login.example.test/device?user_code=WDJB-MJHT");
  EXPECT_EQ(shown_[0].expires_in, Seconds(600));
  EXPECT_EQ(http_.seen[1].url, "https://login.example.test/token");
  EXPECT_EQ(http_.seen[1].field("grant_type"), "urn:ietf:params:oauth:grant-type:device_code");
  EXPECT_EQ(http_.seen[3].field("device_code"), "dc-1");
  EXPECT_EQ(http_.seen[3].field("client_id"), "postern");
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{7, 7, 7}));
}

TEST_F(GrantsTest, ADeviceAsksLessOftenWhenItIsTold) {
  http_.answers = {device({{"interval", nullptr}}), tokens_test::refusal("slow_down"),
                   tokens_test::refusal("authorization_pending"), tokens_test::refusal("slow_down"),
                   tokens_test::tokens()};
  ASSERT_TRUE(succeeded(by_device()));
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{5, 10, 10, 15}));
}

TEST_F(GrantsTest, ADeviceAsksLessOftenAfterAnAnswerThatDidNotCome) {
  http_.answers = {device(),
                   TimedOut{"https://login.example.test"},
                   json_response(503, ""),
                   PeerClosed{"https://login.example.test"},
                   tokens_test::refusal("authorization_pending"),
                   tokens_test::tokens()};
  ASSERT_TRUE(succeeded(by_device()));
  EXPECT_EQ(pauses_, (std::vector<std::int64_t>{7, 14, 28, 56, 56}));
}

TEST_F(GrantsTest, ADeviceEndsWithARefusal) {
  http_.answers = {device(), tokens_test::refusal("access_denied")};
  EXPECT_TRUE(refused(by_device(), "sign_in.denied"));
  http_.answers = {device(), tokens_test::refusal("expired_token")};
  EXPECT_TRUE(refused(by_device(), "sign_in.device_code_expired"));
  http_.answers = {device(), tokens_test::refusal("invalid_grant")};
  EXPECT_TRUE(refused(by_device(), "sign_in.token_refused"));
  http_.answers = {tokens_test::refusal("unauthorized_client")};
  EXPECT_TRUE(refused(by_device(), "sign_in.token_refused"));
  EXPECT_EQ(http_.seen.size(), 7U);
}

TEST_F(GrantsTest, ADeviceAsksNobodyAfterTheCodeHasRunOut) {
  http_.answers = {device({{"expires_in", 20}}), tokens_test::refusal("authorization_pending"),
                   tokens_test::refusal("authorization_pending")};
  EXPECT_TRUE(refused(by_device(), "sign_in.device_code_expired"));
  EXPECT_EQ(http_.seen.size(), 3U);
}

TEST_F(GrantsTest, ADeviceCanBeStopped) {
  http_.answers = {device(), tokens_test::refusal("authorization_pending")};
  stop_at_pause_ = 2;
  EXPECT_TRUE(refused(by_device(), "transport.cancelled"));
  EXPECT_EQ(http_.seen.size(), 2U);
}

TEST_F(GrantsTest, ADeviceShowsNoPlaceThatNobodyMayBeSentTo) {
  for (const char* place : {"http://login.example.test/device", "https://127.0.0.1/device", "https://10.1.2.3/device",
                            "https://login.example.test/$(id)"}) {
    http_.answers = {device({{"verification_uri", place}})};
    EXPECT_TRUE(refused(by_device(), "oauth.discovery_not_allowed")) << place;
    http_.answers = {device({{"verification_uri_complete", place}})};
    EXPECT_TRUE(refused(by_device(), "oauth.discovery_not_allowed")) << place;
  }
  EXPECT_TRUE(shown_.empty());
  EXPECT_TRUE(pauses_.empty());
  // Another host of the open network may be named: many issuers have a short one for this.
  http_.answers = {device({{"verification_uri", "https://short.example/d"}, {"verification_uri_complete", nullptr}}),
                   tokens_test::tokens()};
  EXPECT_TRUE(succeeded(by_device()));
}

TEST_F(GrantsTest, ADeviceNeedsAnEndpointForIt) {
  server_.device_authorization_endpoint.clear();
  EXPECT_TRUE(refused(by_device(), "sign_in.no_device_flow"));
  EXPECT_TRUE(http_.seen.empty());
}

// RFC 6749 section 4.4.
TEST_F(GrantsTest, AProgramSignsInAsItself) {
  ClientCredentialsGrant grant(env_.env());
  EXPECT_TRUE(refused(obtain(grant), "sign_in.no_client"));
  EXPECT_TRUE(http_.seen.empty());
  identity_.secret = ClientSecret::take("s3cret");
  ASSERT_TRUE(succeeded(obtain(grant)));
  EXPECT_EQ(http_.seen[0].field("grant_type"), "client_credentials");
  EXPECT_EQ(http_.seen[0].field("resource"), kResource);
  EXPECT_EQ(http_.seen[0].field("scope"), "desk:read");
  ASSERT_TRUE(succeeded(obtain(grant, {})));
  EXPECT_EQ(http_.seen[1].field("scope"), "-");
  EXPECT_EQ(grant.needs()->grant_types, std::vector<std::string>{"client_credentials"});
  EXPECT_FALSE(grant.asks_a_person());
}

// RFC 7523 section 2.1.
TEST_F(GrantsTest, AWorkloadShowsItsAssertionForThatIssuer) {
  std::string asked_for;
  JwtBearerGrant grant(env_.env(), [&](const std::string& issuer) -> Result<Assertion> {
    asked_for = issuer;
    return Assertion::take("e30.e30.c2ln");
  });
  ASSERT_TRUE(succeeded(obtain(grant)));
  EXPECT_EQ(asked_for, kIssuer);
  EXPECT_EQ(http_.seen[0].field("grant_type"), kJwtBearerType);
  EXPECT_EQ(http_.seen[0].field("assertion"), "e30.e30.c2ln");
  EXPECT_EQ(http_.seen[0].field("client_id"), "postern");
  EXPECT_EQ(http_.seen[0].field("resource"), kResource);
  // One that was good may be shown again.
  EXPECT_TRUE(succeeded(obtain(grant)));
  EXPECT_EQ(http_.seen.size(), 2U);
}

TEST_F(GrantsTest, AnAssertionThatWasRefusedIsNotShownAgain) {
  std::string assertion = "e30.e30.b25l";
  JwtBearerGrant grant(
      env_.env(), [&](const std::string&) -> Result<Assertion> { return Assertion::take(std::string(assertion)); });
  http_.answers = {tokens_test::refusal("invalid_grant"), TimedOut{"https://login.example.test"}};
  EXPECT_TRUE(refused(obtain(grant), "sign_in.token_refused"));
  const auto again = obtain(grant);
  EXPECT_TRUE(refused(again, "sign_in.token_refused"));
  EXPECT_NE(again.error().text().find("invalid_grant"), std::string::npos);
  EXPECT_EQ(http_.seen.size(), 1U);
  assertion = "e30.e30.dHdv";
  EXPECT_TRUE(refused(obtain(grant), "transport.timed_out"));  // says nothing about the assertion
  EXPECT_TRUE(succeeded(obtain(grant)));
  EXPECT_EQ(http_.seen.size(), 3U);
}

TEST_F(GrantsTest, ASourceThatHasNoAssertionSendsNothing) {
  JwtBearerGrant grant(env_.env(), [](const std::string&) -> Result<Assertion> { return Cancelled{}; });
  EXPECT_TRUE(refused(obtain(grant), "transport.cancelled"));
  EXPECT_TRUE(http_.seen.empty());
}

class EnterpriseTest : public GrantsTest {
 protected:
  tokens_test::TokenEndpoint provider_http_;
  IdentityProvider provider_;

  EnterpriseTest() {
    provider_.issuer = "https://idp.example.test";
    provider_.token_endpoint = "https://idp.example.test/token";
    provider_.identity.client_id = "postern-at-idp";
    identity_.secret = ClientSecret::take("s3cret");
  }
  Result<TokenResponse> by_provider() {
    IdentityProvider provider;
    provider.issuer = provider_.issuer;
    provider.token_endpoint = provider_.token_endpoint;
    provider.identity = provider_.identity.duplicate();
    provider.subject_token = []() -> Result<Assertion> { return Assertion::take("id-token-1"); };
    EnterpriseGrant grant(env_.env(), provider_http_, std::move(provider));
    return obtain(grant);
  }
  static HttpResponse exchanged(const char* type = "urn:ietf:params:oauth:token-type:id-jag",
                                const char* token_type = "N_A") {
    return json_response(200, Json::object({{"access_token", "id-jag-1"},
                                            {"issued_token_type", type},
                                            {"token_type", token_type},
                                            {"expires_in", 300}})
                                  .dump());
  }
};

// RFC 8693 section 2, then RFC 7523 section 2.1; each party sees its own client only.
TEST_F(EnterpriseTest, ExchangesWhatTheProviderSaid) {
  provider_http_.answers = {exchanged()};
  ASSERT_TRUE(succeeded(by_provider()));
  ASSERT_EQ(provider_http_.seen.size(), 1U);
  const auto& exchange = provider_http_.seen[0];
  EXPECT_EQ(exchange.url, "https://idp.example.test/token");
  EXPECT_EQ(exchange.field("grant_type"), "urn:ietf:params:oauth:grant-type:token-exchange");
  EXPECT_EQ(exchange.field("requested_token_type"), "urn:ietf:params:oauth:token-type:id-jag");
  EXPECT_EQ(exchange.field("subject_token"), "id-token-1");
  EXPECT_EQ(exchange.field("subject_token_type"), "urn:ietf:params:oauth:token-type:id_token");
  EXPECT_EQ(exchange.field("audience"), kIssuer);
  EXPECT_EQ(exchange.field("resource"), kResource);
  EXPECT_EQ(exchange.field("scope"), "desk:read");
  EXPECT_EQ(exchange.field("client_id"), "postern-at-idp");
  EXPECT_EQ(exchange.header("Authorization"), "-");
  ASSERT_EQ(http_.seen.size(), 1U);
  EXPECT_EQ(http_.seen[0].field("grant_type"), kJwtBearerType);
  EXPECT_EQ(http_.seen[0].field("assertion"), "id-jag-1");
  EXPECT_EQ(http_.seen[0].field("resource"), kResource);
  EXPECT_EQ(http_.seen[0].header("Authorization").substr(0, 6), "Basic ");
}

TEST_F(EnterpriseTest, ShowsTheServerNothingElseThanAnAssertionForIt) {
  provider_http_.answers = {exchanged("urn:ietf:params:oauth:token-type:access_token"),
                            exchanged("urn:ietf:params:oauth:token-type:id-jag", "Bearer"),
                            tokens_test::refusal("access_denied"), TimedOut{"https://idp.example.test"}};
  EXPECT_TRUE(refused(by_provider(), "sign_in.malformed_tokens"));
  EXPECT_TRUE(refused(by_provider(), "sign_in.malformed_tokens"));
  EXPECT_TRUE(refused(by_provider(), "sign_in.token_refused"));
  EXPECT_TRUE(refused(by_provider(), "transport.timed_out"));
  EXPECT_TRUE(http_.seen.empty());
}

TEST_F(EnterpriseTest, FindsTheProvidersEndpointByItsIssuer) {
  provider_.token_endpoint.clear();
  provider_http_.answers = {
      json_response(200, Json::object({{"issuer", "https://idp.example.test"},
                                       {"token_endpoint", "https://idp.example.test/exchange"},
                                       {"grant_types_supported",
                                        Json::array({"urn:ietf:params:oauth:grant-type:token-exchange"})}})
                             .dump()),
      exchanged()};
  ASSERT_TRUE(succeeded(by_provider()));
  ASSERT_EQ(provider_http_.seen.size(), 2U);
  EXPECT_EQ(provider_http_.seen[1].url, "https://idp.example.test/exchange");
  provider_.token_endpoint = "https://10.0.0.1/token";
  EXPECT_TRUE(refused(by_provider(), "oauth.discovery_not_allowed"));
}

}  // namespace
}  // namespace postern::bridge
