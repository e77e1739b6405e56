#include "services/desk/caller_limits.h"

#include <optional>

namespace postern::desk {
namespace {

Status within(std::optional<Seconds> wait) {
  if (wait) return services::RequestLimitReached{*wait};
  return {};
}

}  // namespace

CallerLimits::CallerLimits(const Clock& clock, const CallerLimitOptions& options)
    : clock_(clock),
      principals_(clock, options.principal),
      refused_(clock, options.address),
      strays_(clock, options.address) {}

Status CallerLimits::admit_call(const services::Principal& principal) {
  if (const auto wait = principals_.take(principal.key()))
    return services::CallLimitReached{principals_.limit(), *wait, clock_.now()};
  return {};
}

Status CallerLimits::admit_request(const services::Principal& principal) {
  return within(principals_.take(principal.key()));
}

Status CallerLimits::may_try(std::string_view address) const {
  return within(refused_.wait_of(services::rate_key_of_address(address)));
}

Status CallerLimits::count_refused(std::string_view address) {
  return within(refused_.take(services::rate_key_of_address(address)));
}

Status CallerLimits::count_stray(std::string_view address) {
  return within(strays_.take(services::rate_key_of_address(address)));
}

}  // namespace postern::desk
