// What was refunded on an order, as payments told it a moment ago: for get_order, which is read often.
//
// Payments is another process, and get_order is answered on the event loop; so its answer is kept for a fifth of a
// second, and one call at a time fetches it anew while others are given what was known a moment before. Nothing that
// decides about money looks here: issue_refund asks payments itself. Bounded, thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "services/domain/ids.h"
#include "services/domain/refund_receipt.h"
#include "services/payments_client/payments_client.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"

namespace postern::desk {

// Nothing in `receipts`' place: payments could not be asked.
struct OrderRefunds {
  bool known = false;
  std::vector<services::RefundReceipt> receipts;
};

class RefundFacts {
 public:
  static constexpr std::chrono::milliseconds kFresh{200};
  static constexpr std::chrono::milliseconds kAskAtMost{2000};
  // While somebody fetches, others use what was known, so that a payments that hangs never fills the blocking lane with
  // readers...
  static constexpr std::chrono::milliseconds kUsable{2500};
  // ... and where nothing was known yet they wait with it for so long, then say that it is unknown.
  static constexpr std::chrono::milliseconds kPatience{250};
  static constexpr std::size_t kOrdersMax = 1024;

  // `payments` is null over stdio: then nothing is known. Both must outlive it.
  RefundFacts(const Clock& clock, services::PaymentsClient* payments) : clock_(clock), payments_(payments) {}

  // `mcp.lane_needed` when payments has to be asked and `may_block` is false.
  [[nodiscard]] Result<OrderRefunds> of_order(const services::OrderId& order, bool may_block,
                                              const std::stop_token& stop);
  // Money moved, or may have: what is known of that order is forgotten.
  void forget(const services::OrderId& order);

 private:
  struct Entry {
    OrderRefunds refunds;
    SteadyTime fetched{};
    SteadyTime asked{};
    bool has_value = false;
    bool fetching = false;
    std::uint64_t generation = 0;  // an answer from before forget() is not kept
  };
  // What can be said without asking payments now.
  [[nodiscard]] std::optional<OrderRefunds> usable(const Entry& entry, SteadyTime now, bool may_block) const;
  [[nodiscard]] OrderRefunds ask(const services::OrderId& order, const std::stop_token& stop) const;
  void make_room() POSTERN_REQUIRES(mutex_);

  const Clock& clock_;
  services::PaymentsClient* payments_;
  Mutex mutex_;
  std::map<std::string, Entry> entries_ POSTERN_GUARDED_BY(mutex_);
  std::uint64_t generation_ POSTERN_GUARDED_BY(mutex_) = 0;
};

}  // namespace postern::desk
