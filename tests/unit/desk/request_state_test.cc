// Proves that a request state opens for its principal, method, tool, arguments and time only (A8), and shows nothing of
// what is inside.
#include "services/desk/request_state.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "services/desk/failures.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/base/bytes.h"

namespace postern::desk {
namespace {

using mcp::KeyRing;
using services::ApprovalId;
using services::TicketId;
using test::refused;
using test::succeeded;

class States : public testing::Test {
 protected:
  KeyRing ring() { return *KeyRing::open_or_create(env_.env(), folder_ / "key-ring.json"); }
  // The check that refuses the state for that call; "" when it opens.
  std::string refusal(const StateBinding& presented) { return refusal_of(sealed_, presented); }
  std::string refusal_of(const std::string& text, const StateBinding& presented) {
    const auto opened = states_.open(text, presented);
    return opened ? "" : std::string(opened.error().as<RequestStateRefused>()->check);
  }

  test::TemporaryFolder folder_;
  test::TestEnv env_;
  RequestStates states_{env_.env(), ring()};
  Json arguments_ = *parse_json(R"({"case_handle":"ch_a","line_id":"LN-1","amount_cents":4800,"reason":"snapped"})");
  StateBinding binding_{"refund approval", "http://127.0.0.1:8930\nrowan", "tools/call", "issue_refund",
                        digest_of_arguments(arguments_)};
  RefundState state_{ApprovalId("APR-0001"), std::string(64, 'd'), TicketId("T-1042")};
  std::string sealed_ = states_.seal(state_, binding_);
};

TEST_F(States, OpenForTheCallTheyWereMadeFor) {
  const auto opened = states_.open(sealed_, binding_);
  ASSERT_TRUE(succeeded(opened));
  EXPECT_EQ(opened->approval_id, state_.approval_id);
  EXPECT_EQ(opened->request_digest, state_.request_digest);
  EXPECT_EQ(opened->ticket_id, state_.ticket_id);
}

TEST_F(States, OpenInAnotherProcessOfTheSameRing) {
  const RequestStates other(env_.env(), ring());
  EXPECT_TRUE(succeeded(other.open(sealed_, binding_)));
}

TEST_F(States, AreFreshEachTime) {
  EXPECT_NE(states_.seal(state_, binding_), sealed_);
}

struct BindingChange {
  const char* check;
  void (*apply)(StateBinding& binding);
};
class ForeignStates : public States, public testing::WithParamInterface<BindingChange> {};

TEST_P(ForeignStates, Refused) {
  StateBinding presented = binding_;
  GetParam().apply(presented);
  EXPECT_EQ(refusal(presented), GetParam().check);
  EXPECT_EQ(refusal(binding_), "");
  // A table without that row lets it through: the row is what stops it.
  std::vector<StateCheck> fewer(product_state_checks().begin(), product_state_checks().end());
  std::erase_if(fewer, [](const StateCheck& check) { return check.name == GetParam().check; });
  const RequestStates without(env_.env(), ring(), fewer);
  EXPECT_TRUE(succeeded(without.open(sealed_, presented)));
}

INSTANTIATE_TEST_SUITE_P(
    EachBinding, ForeignStates,
    testing::Values(BindingChange{"purpose", [](StateBinding& b) { b.purpose = "sign-in"; }},
                    BindingChange{"principal", [](StateBinding& b) { b.principal = "http://127.0.0.1:8930\nquinn"; }},
                    BindingChange{"method", [](StateBinding& b) { b.method = "prompts/get"; }},
                    BindingChange{"name", [](StateBinding& b) { b.name = "get_order"; }},
                    BindingChange{"arguments", [](StateBinding& b) { b.arguments_digest = std::string(64, '0'); }}),
    [](const auto& param) { return std::string(param.param.check); });

TEST_F(States, RefusedWhenTheirTimeIsOver) {
  env_.clock.advance(Seconds(1199));
  EXPECT_EQ(refusal(binding_), "");
  env_.clock.advance(Seconds(1));
  EXPECT_EQ(refusal(binding_), "expiry");
}

TEST_F(States, RefusedWhenAnyCharacterIsChanged) {
  for (std::size_t i = 3; i < sealed_.size(); ++i) {
    std::string changed = sealed_;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    EXPECT_NE(refusal_of(changed, binding_), "") << i;
  }
  EXPECT_NE(refusal_of(sealed_ + "A", binding_), "");
  EXPECT_NE(refusal_of(sealed_.substr(0, sealed_.size() - 1), binding_), "");
}

TEST_F(States, RefusedWhenTheyAreNone) {
  for (const std::string& text :
       {std::string(), std::string("rs_"), std::string("rs_AAAA"), sealed_.substr(3), std::string(5000, 'A'),
        sealed_ + "-TAMPERED", std::string("eyJhcHByb3ZhbF9pZCI6IkFQUi0wMDAxIn0")}) {
    const auto opened = states_.open(text, binding_);
    ASSERT_TRUE(refused(opened, "case.request_state_refused")) << text.substr(0, 30);
    EXPECT_EQ(opened.error().disposition(), Disposition::kInvalidParams);
  }
}

TEST_F(States, RefusedUnderAnotherRing) {
  test::TemporaryFolder elsewhere;
  const RequestStates other(env_.env(), *KeyRing::open_or_create(env_.env(), elsewhere / "ring.json"));
  EXPECT_TRUE(refused(other.open(sealed_, binding_), "case.request_state_refused"));
}

TEST_F(States, DoNotDependOnTheCaseHandleOrTheOrderOfArguments) {
  const Json renewed =
      *parse_json(R"({"reason":"snapped","amount_cents":4800.0,"line_id":"LN-1","case_handle":"ch_b"})");
  EXPECT_EQ(digest_of_arguments(renewed), digest_of_arguments(arguments_));
  for (const char* other : {R"({"reason":"snapped","amount_cents":4801,"line_id":"LN-1"})",
                            R"({"reason":"snapped","amount_cents":4800,"line_id":"LN-2"})",
                            R"({"reason":"bent","amount_cents":4800,"line_id":"LN-1"})",
                            R"({"reason":"snapped","amount_cents":4800,"line_id":"LN-1","x":1})"}) {
    EXPECT_NE(digest_of_arguments(*parse_json(other)), digest_of_arguments(arguments_)) << other;
  }
}

// Decoded in every common way.
TEST_F(States, ShowNoIdTicketOrAmount) {
  std::vector<std::string> readings{sealed_};
  const std::string body = sealed_.substr(3);
  if (const auto bytes = base64url_decode(body)) readings.push_back(*bytes);
  std::string standard = body;
  std::replace(standard.begin(), standard.end(), '-', '+');
  std::replace(standard.begin(), standard.end(), '_', '/');
  while (standard.size() % 4 != 0) standard += '=';
  if (const auto bytes = base64_decode(standard)) readings.push_back(*bytes);
  ASSERT_EQ(readings.size(), 3U);
  std::string reversed = readings[1];
  std::reverse(reversed.begin(), reversed.end());
  readings.push_back(reversed);
  readings.push_back(hex(readings[1]));
  for (const std::string& reading : readings) {
    for (const char* telling :
         {"APR", "0001", "T-1042", "1042", "4800", "48.00", "rowan", "issue_refund", "refund", "dddd", "expires"}) {
      EXPECT_EQ(reading.find(telling), std::string::npos) << telling;
      EXPECT_EQ(reading.find(hex(telling)), std::string::npos) << telling;
    }
  }
}

}  // namespace
}  // namespace postern::desk
