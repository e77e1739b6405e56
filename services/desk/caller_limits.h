// How much the desk does for one caller: a verified one by its principal, any other by the address of its peer.
//
// A caller whose token was verified draws from its principal's bucket alone, whatever address it comes from. A request
// that brings no good token, or asks for a path that is not there, draws from its address; from an address whose bucket
// is empty only tokens that were verified before are taken, and no other is looked at. The two offences have buckets of
// their own: a page in somebody's browser can ask for paths of this machine, and must not be able to lock its caller
// out of the endpoint.
//
// Thread-safe. MCP 2026-07-28 server/tools, "Security considerations": servers rate-limit tool calls.
#pragma once

#include <string_view>

#include "services/gate/principal.h"
#include "services/gate/rate_limits.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"

namespace postern::desk {

struct CallerLimitOptions {
  // A model calls a tool every few seconds, and a ticket is about a dozen calls. 20 a second is a hundred tickets at
  // once by one person, and a small part of what one process answers; the burst lets a client that was away ask again
  // for all it had.
  services::RateLimit principal{20, 200};
  // An honest client is refused once in a sign-in and once in a step-up. 5 a second and a burst of 100 is an office
  // behind one address in which everybody signs in at nine; it is no pace for trying tokens, and each costs a
  // signature.
  services::RateLimit address{5, 100};
};

class CallerLimits {
 public:
  // `clock` must outlive it.
  CallerLimits(const Clock& clock, const CallerLimitOptions& options);

  // One tool call of a verified caller: `gate.call_limit_reached`.
  [[nodiscard]] Status admit_call(const services::Principal& principal);
  // Any other request of a verified caller: `gate.request_limit_reached`. Both draw from the same bucket.
  [[nodiscard]] Status admit_request(const services::Principal& principal);

  // Whether a new token that comes from there is looked at. Draws nothing. `gate.request_limit_reached`.
  [[nodiscard]] Status may_try(std::string_view address) const;
  // One request that brought no good token. A failure when that one too was over the limit.
  [[nodiscard]] Status count_refused(std::string_view address);
  // One request for a path that is not there.
  [[nodiscard]] Status count_stray(std::string_view address);

 private:
  const Clock& clock_;
  services::RateLimits principals_;
  services::RateLimits refused_;
  services::RateLimits strays_;
};

}  // namespace postern::desk
