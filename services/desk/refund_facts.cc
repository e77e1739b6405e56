#include "services/desk/refund_facts.h"

#include "services/mcp/failures.h"

namespace postern::desk {

using services::OrderId;

OrderRefunds RefundFacts::ask(const OrderId& order, const std::stop_token& stop) const {
  auto receipts = payments_->refunds_of_order(order, clock_.steady_now() + kAskAtMost, stop);
  if (!receipts) return {};
  return {true, *std::move(receipts)};
}

std::optional<OrderRefunds> RefundFacts::usable(const Entry& entry, SteadyTime now, bool may_block) const {
  const auto age = now - entry.fetched;
  if (entry.has_value && age < kFresh) return entry.refunds;
  if (may_block || !entry.fetching) return std::nullopt;  // who may wait goes and asks
  if (entry.has_value && age < kUsable) return entry.refunds;
  const auto waited = now - entry.asked;
  if (!entry.has_value && waited >= kPatience && waited < kUsable) return OrderRefunds{};
  return std::nullopt;
}

void RefundFacts::make_room() {
  if (entries_.size() < kOrdersMax) return;
  for (auto entry = entries_.begin(); entry != entries_.end();) {
    entry = entry->second.fetching ? std::next(entry) : entries_.erase(entry);
  }
}

Result<OrderRefunds> RefundFacts::of_order(const OrderId& order, bool may_block, const std::stop_token& stop) {
  if (payments_ == nullptr) return OrderRefunds{};
  std::uint64_t generation = 0;
  {
    const MutexLock lock(mutex_);
    const SteadyTime now = clock_.steady_now();
    const auto found = entries_.find(order.value());
    if (found == entries_.end()) {
      make_room();
    } else if (auto refunds = usable(found->second, now, may_block)) {
      return *std::move(refunds);
    }
    Entry& entry = entries_[order.value()];
    if (entry.generation == 0) entry.generation = ++generation_;
    if (!entry.fetching || now - entry.asked >= kUsable) entry.asked = now;
    entry.fetching = true;  // before the lane is reached: those who come meanwhile are not sent there too
    generation = entry.generation;
    if (!may_block) return mcp::LaneNeeded{};
  }
  OrderRefunds refunds = ask(order, stop);
  const MutexLock lock(mutex_);
  const auto found = entries_.find(order.value());
  if (found == entries_.end() || found->second.generation != generation) return refunds;
  found->second.refunds = refunds;
  found->second.fetched = clock_.steady_now();
  found->second.has_value = true;
  found->second.fetching = false;
  return refunds;
}

void RefundFacts::forget(const OrderId& order) {
  const MutexLock lock(mutex_);
  entries_.erase(order.value());
}

}  // namespace postern::desk
