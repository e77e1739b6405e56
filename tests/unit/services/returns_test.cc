#include "services/returns/returns.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/service_credentials.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"

namespace postern::services {
namespace {

class ReturnsService : public testing::Test {
 protected:
  ReturnsService() {
    returns_ = *Returns::open(env_.env(), {folder_.path(), test::admitted({"returns:read", "customers:read"}), "test"});
    ReturnsRecords records;
    records.policies.push_back(
        {PolicyId("POL-DOA-30"), Money{6000, *Currency::of_code("USD")}, 30, "Damaged on arrival."});
    records.applies.emplace_back(TicketId("T-1042"), PolicyId("POL-DOA-30"));
    EXPECT_TRUE(test::succeeded(returns_->fill_if_empty(records)));
  }

  test::TemporaryFolder folder_;
  test::TestEnv env_;
  std::unique_ptr<Returns> returns_;
  ServiceCredential credential_ = test::credential_of("returns:read");
};

TEST_F(ReturnsService, GivesThePolicyOfATicketWithItsCurrency) {
  const auto policy = returns_->policy_of_ticket(credential_, TicketId("T-1042"));
  ASSERT_TRUE(test::succeeded(policy));
  EXPECT_EQ(policy->policy_id, PolicyId("POL-DOA-30"));
  EXPECT_EQ(display(policy->limit), "$60.00");
  EXPECT_EQ(policy->window_days, 30);
  EXPECT_EQ(returns_->policy(credential_, PolicyId("POL-DOA-30"))->text, "Damaged on arrival.");
}

TEST_F(ReturnsService, RefusesWhatIsNotThereAndEveryOtherCredential) {
  EXPECT_TRUE(test::refused(returns_->policy_of_ticket(credential_, TicketId("T-1043")), "returns.no_policy"));
  EXPECT_TRUE(test::refused(returns_->policy(credential_, PolicyId("POL-X")), "returns.no_policy"));
  const ServiceCredential foreign = test::credential_of("customers:read");
  EXPECT_TRUE(test::refused(returns_->policy_of_ticket(foreign, TicketId("T-1042")), "service.foreign_credential"));
  EXPECT_TRUE(test::refused(returns_->policy(foreign, PolicyId("POL-DOA-30")), "service.foreign_credential"));
}

}  // namespace
}  // namespace postern::services
