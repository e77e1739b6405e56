// Sealed request state: what a server hands to a client between two rounds of one request, so that it keeps nothing
// itself (MCP 2026-07-28 basic/patterns/mrtr).
//
//   "rs_" base64url( key id (8) | nonce (12) | AES-256-GCM ciphertext and tag )
//
// The client can neither read nor change it. Inside stand what it is for (purpose), who may present it (principal),
// with which method, name and arguments, until when, and a payload: what the server wants to know again. A state is not
// single-use; what must happen once is enforced where it happens.
//
//   const StateBinding binding{"two steps", call.principal.key(), "tools/call", call.params.name,
//                              digest_of_arguments(call.arguments)};
//   if (!call.params.request_state) return asking(states.seal(Json::object({{"step", 1}}), binding));
//   POSTERN_TRY(const Json payload, states.open(*call.params.request_state, binding));
//
// Immutable, thread-safe.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "services/mcp/key_ring.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::mcp {

// The request that a state belongs to.
struct StateBinding {
  std::string purpose;           // "refund approval": one server may seal for several
  std::string principal;         // Principal::key()
  std::string method;            // "tools/call"
  std::string name;              // of the tool or prompt, or the URI of the resource
  std::string arguments_digest;  // digest_of_arguments()
};
// SHA-256 in hex over the canonical JSON: the order of members and the spelling of numbers do not matter.
[[nodiscard]] std::string digest_of_arguments(const Json& arguments);

struct StateCheckContext {
  const Json& sealed;  // what was inside
  const StateBinding& presented;
  WallTime now;
};
struct StateCheck {
  std::string_view name;  // "purpose", "principal", "method", "name", "arguments", "expiry"
  bool (*holds)(const StateCheckContext& context);
};
// All of them, in that order. Products pass it whole; the lab passes it minus a row to see which attack that row stops.
[[nodiscard]] std::span<const StateCheck> product_state_checks();

class SealedStates {
 public:
  // `env` must outlive it.
  SealedStates(Env env, KeyRing keys, Seconds lifetime, std::span<const StateCheck> checks = product_state_checks())
      : env_(env), keys_(std::move(keys)), lifetime_(lifetime), checks_(checks) {}

  [[nodiscard]] std::string seal(const Json& payload, const StateBinding& binding) const;
  // The payload. `mcp.request_state_refused` names the first check that objects; "form" and "seal" come before all.
  [[nodiscard]] Result<Json> open(std::string_view text, const StateBinding& presented) const;

 private:
  Env env_;
  KeyRing keys_;
  Seconds lifetime_;
  std::span<const StateCheck> checks_;
};

}  // namespace postern::mcp
