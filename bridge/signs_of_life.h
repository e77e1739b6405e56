// SignsOfLife: how long a request may still wait (MCP 2026-07-28 basic/patterns/cancellation, "Timeouts").
//
// Two limits: the end that the caller set, which nothing moves, and the longest silence, which begins anew with each
// report of progress that counts (bridge/progress.h). A server that reports for ever is waited for until the end and no
// longer. One thread.
#pragma once

#include "bridge/failures.h"
#include "bridge/progress.h"
#include "bridge/server_transport.h"
#include "wire/base/clock.h"

namespace postern::bridge {

class SignsOfLife {
 public:
  // The request and the clock must outlive it. The time begins now.
  SignsOfLife(const Clock& clock, const OutgoingRequest& request);
  void take(const JsonRpcNotification& notification);
  // The sooner of the two.
  [[nodiscard]] SteadyTime deadline() const;
  // What to say when it has passed.
  [[nodiscard]] RequestTimedOut failure() const;

 private:
  [[nodiscard]] bool silence_ends_it() const;

  const Clock& clock_;
  const OutgoingRequest& request_;
  ProgressFilter filter_;
  SteadyTime begun_;
  SteadyTime last_sign_;
};

}  // namespace postern::bridge
