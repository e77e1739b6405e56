// Payments on a database of the test's own, with the limit of POL-DOA-30, and approvals for it to pay.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "services/payments/payments.h"
#include "tests/support/issued_approval.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"

namespace postern::test {

class PaymentsWorld {
 public:
  PaymentsWorld() { payments_ = open(); }

  // Another handle on the same database, as another process has it.
  std::unique_ptr<payments::Payments> open() {
    payments::PaymentsOptions options{folder_.path(), issuer_.public_key()};
    auto opened = payments::Payments::open(env_.env(), std::move(options));
    EXPECT_TRUE(opened.has_value());
    payments::PaymentsRecords records;
    records.limits.push_back({services::PolicyId("POL-DOA-30"), Money{6000, *Currency::of_code("USD")}});
    EXPECT_TRUE((*opened)->fill_if_empty(records).has_value());
    return *std::move(opened);
  }
  // The token of approval `number` for that action.
  services::ApprovalToken token(const services::RefundAction& action, std::int64_t number = 1) {
    return issuer_.issue(approval_of(action, number, approved_at_));
  }
  static std::string digest(const services::RefundAction& action) {
    return request_digest(action, approval_of(action, 1, WallTime()).requester);
  }
  // Approved and presented as one.
  Result<payments::Paid> pay(const services::RefundAction& action, std::int64_t number = 1) {
    return payments_->refund(token(action, number), action, digest(action));
  }
  std::size_t refunds_of_ticket(const char* id = "T-1042") {
    return payments_->refunds_of_ticket(services::TicketId(id))->size();
  }

  TemporaryFolder folder_;
  TestEnv env_;
  WallTime approved_at_ = env_.clock.now();
  services::ApprovalTokenIssuer issuer_ = issuer_of_seed('k');
  std::unique_ptr<payments::Payments> payments_;
};

}  // namespace postern::test
