#include "issuer/key_ring.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "issuer/access_token_issuer.h"
#include "services/gate/bearer_gate.h"
#include "services/gate/issuer_keys.h"
#include "services/gate/token_verifier.h"
#include "tests/support/routes_client.h"
#include "tests/unit/issuer/training_issuer.h"
#include "wire/base/bytes.h"
#include "wire/base/canonical_json.h"

namespace postern::issuer {
namespace {

using test::kDesk;
using test::kIssuer;
using test::succeeded;

class SigningKeys : public testing::Test {
 protected:
  std::vector<std::string> published() {
    const Json set = ring_.jwk_set();
    std::vector<std::string> kids;
    for (const Json& key : set.find("keys")->elements()) kids.emplace_back(key.string_at("kid"));
    return kids;
  }

  test::ManualClock clock_;
  test::SeededRandom random_;
  NoTap tap_;
  KeyRing ring_{{clock_, random_, tap_}, Seconds(360)};
};

// RFC 7638.
TEST_F(SigningKeys, NameThemselvesByTheirThumbprint) {
  const Json set = ring_.jwk_set();
  const Json& key = set.find("keys")->elements().front();
  const Json required =
      Json::object({{"crv", "P-256"}, {"kty", "EC"}, {"x", key.string_at("x")}, {"y", key.string_at("y")}});
  EXPECT_EQ(key.string_at("kid"), base64url(sha256(canonical_json(required))));
  EXPECT_EQ(ring_.signing().kid, key.string_at("kid"));
}

TEST_F(SigningKeys, ArePublishedBeforeTheySignAndUntilTheirTokensAreOver) {
  const std::string first = ring_.signing().kid;
  ring_.rotate();
  ASSERT_EQ(published().size(), 2U);
  const std::string second = published()[1];
  clock_.advance(KeyRing::kPublishedBefore - Milliseconds(1));
  EXPECT_EQ(ring_.signing().kid, first);
  clock_.advance(Milliseconds(1));
  EXPECT_EQ(ring_.signing().kid, second);
  clock_.advance(Seconds(360) - Milliseconds(1));
  EXPECT_EQ(published(), (std::vector<std::string>{first, second}));
  clock_.advance(Milliseconds(1));
  EXPECT_EQ(published(), (std::vector<std::string>{second}));
}

TEST_F(SigningKeys, ChangeOnceADay) {
  const std::string first = ring_.signing().kid;
  clock_.advance(KeyRing::kSigns - KeyRing::kPublishedBefore - Milliseconds(1));
  EXPECT_EQ(published().size(), 1U);
  clock_.advance(Milliseconds(1));
  ASSERT_EQ(published().size(), 2U);
  EXPECT_EQ(ring_.signing().kid, first);
  clock_.advance(KeyRing::kPublishedBefore);
  EXPECT_EQ(ring_.signing().kid, published()[1]);
  EXPECT_NE(ring_.signing().kid, first);
}

// Nobody asked for days: the next key is published late, and it signs later then.
TEST_F(SigningKeys, NeverSignUnpublished) {
  const std::string first = ring_.signing().kid;
  clock_.advance(Seconds(7 * 24 * 3600));
  EXPECT_EQ(ring_.signing().kid, first);
  ASSERT_EQ(published().size(), 2U);
  clock_.advance(KeyRing::kPublishedBefore);
  EXPECT_EQ(ring_.signing().kid, published()[1]);
}

TEST_F(SigningKeys, AreThreeAtMostHoweverOftenTheOperatorAsks) {
  for (int i = 0; i < 200; ++i) {
    ring_.rotate();
    ring_.rotate();
    EXPECT_LE(published().size(), 3U);
    clock_.advance(Seconds(60));
  }
}

class RotatedKeys : public test::TrainingIssuer {
 protected:
  void SetUp() override { client_.serve(kIssuer, routes_); }
  AccessToken token() {
    const std::string code = answer_value(choose(host_request(), "rowan"), "code");
    return AccessToken::take(std::string(json_of(post("/token", token_request(code))).string_at("access_token")));
  }

  test::RoutesClient client_;
  services::IssuerKeys keys_{env_, client_, kIssuer};
  services::BearerGate gate_{clock_, services::TokenVerifier(kIssuer, kDesk), keys_};
};

// B-048: a resource server that fetched the keys before the rotation began takes tokens of the new key, with one fetch
// for all who need it, and tokens of the old key as long as they live.
TEST_F(RotatedKeys, ArePickedUpByAResourceServerWithOneFetch) {
  const AccessToken first = token();
  ASSERT_TRUE(succeeded(gate_.verify(first, services::KeyAccess::kMayFetch)));
  const std::size_t asked = client_.asked().size();
  server_.rotate_keys();
  clock_.advance(KeyRing::kPublishedBefore - Seconds(1));
  const AccessToken last_of_old = token();
  ASSERT_TRUE(succeeded(gate_.verify(last_of_old, services::KeyAccess::kMayFetch)));
  EXPECT_EQ(client_.asked().size(), asked);  // signed by the key that it has

  clock_.advance(Seconds(1));
  const AccessToken new_key = token();
  std::atomic<int> good{0};
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] { good += gate_.verify(new_key, services::KeyAccess::kMayFetch).has_value() ? 1 : 0; });
    }
  }
  EXPECT_EQ(good, 3);
  EXPECT_EQ(client_.asked().size(), asked + 2);  // metadata and keys, once
  EXPECT_TRUE(succeeded(gate_.verify(last_of_old, services::KeyAccess::kMayFetch)));
  clock_.advance(Seconds(298));
  EXPECT_TRUE(succeeded(gate_.verify(last_of_old, services::KeyAccess::kMayFetch)));
}

}  // namespace
}  // namespace postern::issuer
