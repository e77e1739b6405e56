// What became of the money of an approved request. Only payments knows; this asks it, and keeps each answer for one
// second, so that the polls of many open pages cost payments one question a second.
//
// Thread-safe. Blocks for as long as payments does, at most two seconds: call it in the blocking lane.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "services/payments_client/payments_client.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"

namespace postern::approvals {

class MoneyStates {
 public:
  // `payments` and the Env must outlive it.
  MoneyStates(Env env, services::PaymentsClient& payments) : env_(env), payments_(payments) {}

  // A failure means: nobody knows yet.
  [[nodiscard]] Result<services::PaymentState> of_approval(const services::ApprovalId& id);
  // Asked each time.
  [[nodiscard]] Result<std::vector<services::RefundReceipt>> of_order(const services::OrderId& id);

 private:
  struct Kept {
    SteadyTime asked_at;
    services::PaymentState state;
  };
  [[nodiscard]] SteadyTime deadline() const;

  Env env_;
  services::PaymentsClient& payments_;
  Mutex mutex_;
  std::map<std::string, Kept> kept_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::approvals
