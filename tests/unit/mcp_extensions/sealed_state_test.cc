// Proves that a sealed state opens for the request that it was made for only, and under its own ring.
#include "services/mcp/sealed_state.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "services/mcp/failures.h"
#include "tests/support/refused.h"
#include "tests/support/test_env.h"

namespace postern::mcp {
namespace {

using test::refused;
using test::succeeded;

class SealedState : public testing::Test {
 protected:
  std::string refusal(const StateBinding& presented) {
    const auto opened = states_.open(sealed_, presented);
    return opened ? "" : std::string(opened.error().as<RequestStateRefused>()->check);
  }
  test::TestEnv env_;
  SealedStates states_{env_.env(), KeyRing::in_memory(env_.env()), Seconds(60)};
  Json payload_ = *parse_json(R"({"step":2,"who":["rowan"]})");
  StateBinding binding_{"steps", "stdio\nrowan", "prompts/get", "plan", digest_of_arguments(Json::object({{"a", 1}}))};
  std::string sealed_ = states_.seal(payload_, binding_);
};

TEST_F(SealedState, GivesThePayloadBack) {
  const auto opened = states_.open(sealed_, binding_);
  ASSERT_TRUE(succeeded(opened));
  EXPECT_EQ(*opened, payload_);
}

TEST_F(SealedState, IsRefusedForAnyOtherRequest) {
  const auto changed = [this](std::string StateBinding::*member) {
    StateBinding other = binding_;
    other.*member += "x";
    return refusal(other);
  };
  EXPECT_EQ(changed(&StateBinding::purpose), "purpose");
  EXPECT_EQ(changed(&StateBinding::principal), "principal");
  EXPECT_EQ(changed(&StateBinding::method), "method");
  EXPECT_EQ(changed(&StateBinding::name), "name");
  EXPECT_EQ(changed(&StateBinding::arguments_digest), "arguments");
  EXPECT_EQ(refusal(binding_), "");
  env_.clock.advance(Seconds(59));
  EXPECT_EQ(refusal(binding_), "");
  env_.clock.advance(Seconds(1));
  EXPECT_EQ(refusal(binding_), "expiry");
}

// Whoever changes it is told by an error, and not asked again.
TEST_F(SealedState, IsRefusedWhenItWasTouched) {
  for (const std::string& text : {sealed_ + "-TAMPERED", sealed_.substr(0, sealed_.size() - 1), std::string("rs_"),
                                  std::string(), sealed_.substr(3)}) {
    const auto opened = states_.open(text, binding_);
    ASSERT_TRUE(refused(opened, "mcp.request_state_refused")) << text;
    EXPECT_EQ(opened.error().disposition(), Disposition::kInvalidParams);
  }
}

TEST_F(SealedState, OpensUnderItsOwnRingOnly) {
  const SealedStates other(env_.env(), KeyRing::in_memory(env_.env()), Seconds(60));
  EXPECT_TRUE(refused(other.open(sealed_, binding_), "mcp.request_state_refused"));
  EXPECT_TRUE(succeeded(states_.open(sealed_, binding_)));
}

}  // namespace
}  // namespace postern::mcp
