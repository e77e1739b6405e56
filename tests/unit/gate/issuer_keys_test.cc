#include "services/gate/issuer_keys.h"

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <future>
#include <thread>

#include "tests/support/refused.h"
#include "tests/support/routes_client.h"
#include "tests/support/seeded_random.h"
#include "tests/unit/gate/signed_tokens.h"

namespace postern::services {
namespace {

using test::refused;
using test::succeeded;

class KeysOfAnIssuer : public testing::Test {
 protected:
  void SetUp() override {
    client_.serve(test::kGateIssuer, routes_);
    routes_.add("GET", "/.well-known/oauth-authorization-server", [this](const HttpRequest&) {
      return HttpReply(json_response(200, Json::object({{"issuer", test::kGateIssuer},
                                                        {"authorization_endpoint", "http://127.0.0.1:8930/authorize"},
                                                        {"token_endpoint", "http://127.0.0.1:8930/token"},
                                                        {"jwks_uri", jwks_uri_}})
                                              .dump()));
    });
    routes_.add("GET", "/jwks", [this](const HttpRequest&) {
      issuer_answers_();
      return HttpReply(json_response(200, key_set_.dump()));
    });
  }

  test::ManualClock clock_;
  test::SeededRandom random_;
  NoTap tap_;
  Env env_{clock_, random_, tap_};
  test::SignedTokens tokens_{clock_};
  Json key_set_ = tokens_.jwk_set();
  std::string jwks_uri_ = "http://127.0.0.1:8930/jwks";
  std::function<void()> issuer_answers_ = [] {};  // runs before it does
  Routes routes_;
  test::RoutesClient client_;
  IssuerKeys keys_{env_, client_, test::kGateIssuer};
};

TEST_F(KeysOfAnIssuer, AreFetchedOnceAndKept) {
  EXPECT_EQ(keys_.cached(), nullptr);
  EXPECT_TRUE(refused(keys_.recent(), "gate.keys_needed"));
  ASSERT_TRUE(succeeded(keys_.refresh()));
  EXPECT_NE(keys_.cached()->find("k1"), nullptr);
  EXPECT_EQ(keys_.generation(), 1U);
  EXPECT_EQ(client_.asked(),
            (std::vector<std::string>{"GET http://127.0.0.1:8930/.well-known/oauth-authorization-server",
                                      "GET http://127.0.0.1:8930/jwks"}));
}

TEST_F(KeysOfAnIssuer, AreNotFetchedAgainDuringTheCoolDown) {
  ASSERT_TRUE(succeeded(keys_.refresh()));
  clock_.advance(Milliseconds(4999));
  EXPECT_TRUE(succeeded(keys_.refresh()));
  EXPECT_TRUE(succeeded(keys_.recent()));
  EXPECT_EQ(client_.asked().size(), 2U);
  clock_.advance(Milliseconds(1));
  EXPECT_TRUE(refused(keys_.recent(), "gate.keys_needed"));
  EXPECT_TRUE(succeeded(keys_.refresh()));
  EXPECT_EQ(client_.asked().size(), 4U);
}

TEST_F(KeysOfAnIssuer, CountANewGenerationOnlyWhenTheyChange) {
  ASSERT_TRUE(succeeded(keys_.refresh()));
  clock_.advance(Seconds(5));
  ASSERT_TRUE(succeeded(keys_.refresh()));
  EXPECT_EQ(keys_.generation(), 1U);
  const test::SignedTokens rotated(clock_, "k2");
  key_set_ = rotated.jwk_set();
  clock_.advance(Seconds(5));
  ASSERT_TRUE(succeeded(keys_.refresh()));
  EXPECT_EQ(keys_.generation(), 2U);
  EXPECT_EQ(keys_.cached()->find("k1"), nullptr);
  EXPECT_NE(keys_.cached()->find("k2"), nullptr);
}

TEST_F(KeysOfAnIssuer, SurviveAnOutageOfTheIssuer) {
  ASSERT_TRUE(succeeded(keys_.refresh()));
  client_.set_unreachable(true);
  clock_.advance(Seconds(5));
  EXPECT_TRUE(refused(keys_.refresh(), "gate.keys_unavailable"));
  EXPECT_TRUE(refused(keys_.recent(), "gate.keys_unavailable"));
  EXPECT_NE(keys_.cached(), nullptr);
  const std::size_t asked = client_.asked().size();
  EXPECT_TRUE(refused(keys_.refresh(), "gate.keys_unavailable"));  // still cooling down
  EXPECT_EQ(client_.asked().size(), asked);
  client_.set_unreachable(false);
  clock_.advance(Seconds(5));
  EXPECT_TRUE(succeeded(keys_.refresh()));
}

// A token with a made-up key id costs its sender nothing.
TEST_F(KeysOfAnIssuer, AreWaitedForByFewWhileThereAreOlderOnes) {
  std::promise<void> go_on;
  std::shared_future<void> issuer_answers = go_on.get_future().share();
  ASSERT_TRUE(succeeded(keys_.refresh()));
  clock_.advance(Seconds(5));
  issuer_answers_ = [issuer_answers] { issuer_answers.wait(); };
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] { good += keys_.refresh().has_value() ? 1 : 0; });
    }
    const auto give_up = std::chrono::steady_clock::now() + Seconds(5);
    bool few = false;
    while (!few && std::chrono::steady_clock::now() < give_up) {
      std::this_thread::sleep_for(Milliseconds(1));
      few = refused(keys_.recent(), "gate.keys_unavailable");
    }
    EXPECT_TRUE(few);
    if (few) {
      EXPECT_TRUE(refused(keys_.refresh(), "gate.keys_unavailable"));  // at once
    }
    EXPECT_NE(keys_.cached(), nullptr);
    go_on.set_value();
  }
  EXPECT_EQ(good, 3);
  EXPECT_TRUE(succeeded(keys_.recent()));
}

TEST_F(KeysOfAnIssuer, RefusesKeysFromElsewhere) {
  jwks_uri_ = "http://127.0.0.1:9999/jwks";
  const auto result = keys_.refresh();
  ASSERT_TRUE(refused(result, "gate.keys_unavailable"));
  EXPECT_NE(result.error().text().find("issuer's own origin"), std::string::npos);
  EXPECT_EQ(keys_.cached(), nullptr);
  EXPECT_EQ(client_.asked().size(), 1U);
}

TEST_F(KeysOfAnIssuer, RefusesAKeySetThatIsNone) {
  key_set_ = Json::object();
  EXPECT_TRUE(refused(keys_.refresh(), "gate.keys_unavailable"));
  key_set_ = tokens_.jwk_set();
  clock_.advance(Seconds(5));
  EXPECT_TRUE(succeeded(keys_.refresh()));
}

TEST_F(KeysOfAnIssuer, AreFetchedByOneOfManyWhoNeedThem) {
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] { good += keys_.refresh().has_value() ? 1 : 0; });
    }
  }
  EXPECT_EQ(good, 8);
  EXPECT_EQ(client_.asked().size(), 2U);
}

}  // namespace
}  // namespace postern::services
