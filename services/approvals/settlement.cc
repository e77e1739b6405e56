#include "services/approvals/settlement.h"

#include "wire/base/log.h"

namespace postern::approvals {
namespace {
constexpr std::chrono::seconds kPause{2};
}  // namespace

void settle_once(const Env& env, ApprovalStore& store, MoneyStates& money) {
  const Status expired = store.expire_due(env.clock.now());
  if (!expired) log_warning("expired requests were not written down: " + expired.error().text());
  const auto open = store.unsettled();
  if (!open) {
    log_warning("approved requests could not be listed: " + open.error().text());
    return;
  }
  for (const ApprovalRequest& request : *open) {
    const auto state = money.of_approval(request.id);
    if (!state) return;  // payments cannot be asked: nothing is known, nothing is written
    const Status settled = store.settle(request, *state, env.clock.now());
    if (!settled)
      log_warning("what became of " + request.id.value() + " was not written down: " + settled.error().text());
  }
}

SettlementWatch::SettlementWatch(Env env, ApprovalStore& store, MoneyStates& money)
    : env_(env), store_(store), money_(money), thread_([this] { run(); }) {}

SettlementWatch::~SettlementWatch() {
  {
    const MutexLock lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void SettlementWatch::run() {
  while (true) {
    settle_once(env_, store_, money_);
    mutex_.lock();
    changed_.wait_for(mutex_, kPause, [this]() POSTERN_REQUIRES(mutex_) { return over_; });
    const bool over = over_;
    mutex_.unlock();
    if (over) return;
  }
}

}  // namespace postern::approvals
