// The state of a refund between two rounds of issue_refund: what a client keeps for the desk (services/mcp's
// sealed_state.h says how it is sealed and to what it is bound).
//
// The case handle is not among the arguments that are bound: a handle may run out while a supervisor decides, and the
// case is then opened anew for the same principal and ticket.
//
// Immutable, thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "services/domain/ids.h"
#include "services/gate/principal.h"
#include "services/mcp/key_ring.h"
#include "services/mcp/sealed_state.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::desk {

using mcp::product_state_checks;
using mcp::StateBinding;
using mcp::StateCheck;

// Of the arguments without case_handle.
[[nodiscard]] std::string digest_of_arguments(const Json& arguments);

// What the desk wants to know again in the next round.
struct RefundState {
  services::ApprovalId approval_id;
  std::string request_digest;
  services::TicketId ticket_id;
};

class RequestStates {
 public:
  static constexpr Seconds kLifetime{1200};  // a request for approval (15 min) and the time to use the approval (5 min)

  // `env` must outlive it.
  RequestStates(Env env, mcp::KeyRing keys, std::span<const StateCheck> checks = product_state_checks())
      : sealed_(env, std::move(keys), kLifetime, checks) {}

  [[nodiscard]] std::string seal(const RefundState& state, const StateBinding& binding) const;
  // `case.request_state_refused` names the first check that objects.
  [[nodiscard]] Result<RefundState> open(std::string_view text, const StateBinding& presented) const;

 private:
  mcp::SealedStates sealed_;
};

}  // namespace postern::desk
