#include "bridge/signs_of_life.h"

namespace postern::bridge {

SignsOfLife::SignsOfLife(const Clock& clock, const OutgoingRequest& request)
    : clock_(clock),
      request_(request),
      filter_(request.method, request.params),
      begun_(clock.steady_now()),
      last_sign_(begun_) {}

void SignsOfLife::take(const JsonRpcNotification& notification) {
  if (filter_.admit(notification)) last_sign_ = clock_.steady_now();
}

bool SignsOfLife::silence_ends_it() const {
  return request_.silence_ms_max.count() > 0 && last_sign_ + request_.silence_ms_max < request_.deadline;
}

SteadyTime SignsOfLife::deadline() const {
  return silence_ends_it() ? last_sign_ + request_.silence_ms_max : request_.deadline;
}

RequestTimedOut SignsOfLife::failure() const {
  const bool silent = silence_ends_it();
  const auto waited = silent ? request_.silence_ms_max : std::chrono::ceil<Milliseconds>(request_.deadline - begun_);
  return {request_.method, waited.count(), silent, {}};
}

}  // namespace postern::bridge
