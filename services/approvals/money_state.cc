#include "services/approvals/money_state.h"

namespace postern::approvals {
namespace {
constexpr std::chrono::milliseconds kKeptFor{1000};
constexpr std::chrono::milliseconds kPatience{2000};
constexpr std::size_t kKeptMax = 256;
}  // namespace

SteadyTime MoneyStates::deadline() const {
  return env_.clock.steady_now() + kPatience;
}

Result<services::PaymentState> MoneyStates::of_approval(const services::ApprovalId& id) {
  const SteadyTime now = env_.clock.steady_now();
  {
    const MutexLock lock(mutex_);
    const auto kept = kept_.find(id.value());
    if (kept != kept_.end() && now - kept->second.asked_at < kKeptFor) return kept->second.state;
  }
  POSTERN_TRY(services::PaymentState state, payments_.state_of_approval(id, deadline()));
  const MutexLock lock(mutex_);
  if (kept_.size() >= kKeptMax) kept_.clear();
  kept_.insert_or_assign(id.value(), Kept{now, state});
  return state;
}

Result<std::vector<services::RefundReceipt>> MoneyStates::of_order(const services::OrderId& id) {
  return payments_.refunds_of_order(id, deadline());
}

}  // namespace postern::approvals
