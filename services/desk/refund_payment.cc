#include "services/desk/refund_payment.h"

#include <chrono>

#include "services/desk/failures.h"

namespace postern::desk {

using services::ApprovalId;
using services::PaymentsRefused;
using services::PaymentState;
using services::PaymentStatus;
using services::RefundReceipt;

namespace {

// Each question has its own time, so that a slow answer to one leaves enough for the next. A client that hangs up does
// not cut them short: money that was sent for is followed to its end.
constexpr std::chrono::milliseconds kStepMax{4000};

SteadyTime step_deadline(const DeskParts& desk) {
  return desk.env.clock.steady_now() + kStepMax;
}

Failure refused(const PaymentsRefused& refusal) {
  return ServiceRefused{refusal.remote_text};
}

}  // namespace

Result<RefundReceipt> pay_refund(const DeskParts& desk, const ApprovedAction& approved) {
  constexpr int kAttempts = 2;
  const MoneyUnknown unknown{display(approved.action.amount), approved.approval_id.value()};
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const auto paid =
        desk.payments->refund(approved.token, approved.action, approved.request_digest, step_deadline(desk), {});
    desk.refund_facts->forget(approved.action.order_id);
    if (paid) return paid->receipt;
    if (const auto* refusal = paid.error().as<PaymentsRefused>()) return refused(*refusal);
    const auto state = desk.payments->state_of_approval(approved.approval_id, step_deadline(desk), {});
    if (!state) return unknown;
    switch (state->status) {
      case PaymentStatus::kPaid:
        return *state->receipt;
      case PaymentStatus::kRefused:
        return ServiceRefused{state->refusal};
      case PaymentStatus::kNone:
        break;  // it never arrived, or is still under way: the same refund again settles it
    }
  }
  return unknown;
}

Result<RefundReceipt> find_refund(const DeskParts& desk, const ApprovalId& approval_id, const std::string& amount,
                                  const Failure& otherwise) {
  const auto state = desk.payments->state_of_approval(approval_id, step_deadline(desk), {});
  if (!state) return MoneyUnknown{amount, approval_id.value()};
  switch (state->status) {
    case PaymentStatus::kPaid:
      return *state->receipt;
    case PaymentStatus::kRefused:
      return ServiceRefused{state->refusal};
    case PaymentStatus::kNone:
      return otherwise;
  }
  return otherwise;
}

}  // namespace postern::desk
