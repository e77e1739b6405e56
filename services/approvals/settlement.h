// Writes down, now and then, what happened without anybody pressing anything: requests whose time is over, and what
// payments says of approved ones. The page does not depend on it (it asks the clock and payments itself); the audit
// trail does.
#pragma once

#include <chrono>
#include <condition_variable>
#include <thread>

#include "services/approvals/approval_store.h"
#include "services/approvals/money_state.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"

namespace postern::approvals {

// One round; what cannot be known now is left for the next one.
void settle_once(const Env& env, ApprovalStore& store, MoneyStates& money);

// A thread that does a round each two seconds until it is destroyed. The references must outlive it.
class SettlementWatch {
 public:
  SettlementWatch(Env env, ApprovalStore& store, MoneyStates& money);
  ~SettlementWatch();
  SettlementWatch(const SettlementWatch&) = delete;
  SettlementWatch& operator=(const SettlementWatch&) = delete;

 private:
  void run();
  Env env_;
  ApprovalStore& store_;
  MoneyStates& money_;
  Mutex mutex_;
  ConditionVariable changed_;
  bool over_ POSTERN_GUARDED_BY(mutex_) = false;
  std::thread thread_;  // last: it uses all the others
};

}  // namespace postern::approvals
