// Sealed request state: what the desk hands to a client between two rounds of one call, so that it keeps nothing itself
// (MCP 2026-07-28 basic/patterns/mrtr).
//
//   "rs_" base64url( key id (8) | nonce (12) | AES-256-GCM ciphertext and tag )
//
// The client can neither read nor change it. Inside stand what it is for (purpose), who may present it (principal),
// with which method, tool and arguments, until when, and what the desk wants to know again. The case handle is not
// among the arguments that are bound: a handle may run out while a supervisor decides, and the case is then opened anew
// for the same principal and ticket. A state is not single-use; what must happen once is enforced where the money is.
//
// Immutable, thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "services/desk/key_ring.h"
#include "services/domain/ids.h"
#include "services/gate/principal.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::desk {

// The call that a state belongs to.
struct StateBinding {
  std::string purpose;           // "refund approval"
  std::string principal;         // Principal::key()
  std::string method;            // "tools/call"
  std::string tool;              // "issue_refund"
  std::string arguments_digest;  // digest_of_arguments()
};
// SHA-256 in hex over the canonical JSON of the arguments without case_handle.
[[nodiscard]] std::string digest_of_arguments(const Json& arguments);

// What the desk wants to know again in the next round.
struct RefundState {
  services::ApprovalId approval_id;
  std::string request_digest;
  services::TicketId ticket_id;
};

struct StateCheckContext {
  const Json& sealed;  // what was inside
  const StateBinding& presented;
  WallTime now;
};
struct StateCheck {
  std::string_view name;  // "purpose", "principal", "method", "tool", "arguments", "expiry"
  bool (*holds)(const StateCheckContext& context);
};
// All of them, in that order. The product passes it whole; the lab passes it minus a row to see which attack that row
// stops.
[[nodiscard]] std::span<const StateCheck> product_state_checks();

class RequestStates {
 public:
  static constexpr Seconds kLifetime{1200};  // a request for approval (15 min) and the time to use the approval (5 min)

  // `env` must outlive it.
  RequestStates(Env env, KeyRing keys, std::span<const StateCheck> checks = product_state_checks())
      : env_(env), keys_(std::move(keys)), checks_(checks) {}

  [[nodiscard]] std::string seal(const RefundState& state, const StateBinding& binding) const;
  // `case.request_state_refused` names the first check that objects.
  [[nodiscard]] Result<RefundState> open(std::string_view text, const StateBinding& presented) const;

 private:
  Env env_;
  KeyRing keys_;
  std::span<const StateCheck> checks_;
};

}  // namespace postern::desk
