#include "bridge/oauth/device_grant.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "wire/base/visible_text.h"
#include "wire/oauth/authorization_code_grant.h"
#include "wire/oauth/discovery_policy.h"

namespace postern::bridge {
namespace {

constexpr const char* kDeviceCode = "urn:ietf:params:oauth:grant-type:device_code";
constexpr Seconds kSlowDown{5};      // RFC 8628 section 3.5
constexpr Seconds kIntervalMax{60};  // of what grows from this side; a server may name a longer one

bool answer_was_lost(const Failure& failure) {
  if (failure.as<TimedOut>() != nullptr || failure.as<PeerClosed>() != nullptr || failure.as<Unreachable>() != nullptr)
    return true;
  const auto* refused = failure.as<TokenRefused>();
  return refused != nullptr && refused->error.empty() && (refused->status == 429 || refused->status >= 500);
}

// What is shown to a person as the place to go to must be a place that a person may be sent to.
Status check_shown(const std::string& issuer, const std::string& url) {
  POSTERN_TRY(Uri origin, parse_uri(issuer));
  POSTERN_TRY_VOID(DiscoveryPolicy(std::move(origin)).admit(url));
  POSTERN_TRY_VOID(check_authorization_endpoint(url));
  return {};
}

}  // namespace

Pause real_pause() {
  return [](Milliseconds time, const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any condition;
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait_for(lock, stop, time, [] { return false; });
  };
}

DeviceGrant::DeviceGrant(Env env, DeviceCodeDisplay& display, Pause pause)
    : env_(env), display_(display), pause_(std::move(pause)) {}

Result<ClientNeeds> DeviceGrant::needs() {
  return ClientNeeds{{}, {kDeviceCode, "refresh_token"}};
}

Result<TokenResponse> DeviceGrant::obtain(const TokenGrantRequest& request, const std::stop_token& stop) {
  const std::string& issuer = request.server.issuer;
  if (request.server.device_authorization_endpoint.empty()) return NoDeviceFlow{visible_line(issuer, 200)};
  const SteadyTime asked_at = env_.clock.steady_now();
  POSTERN_TRY(
      const DeviceAuthorization device,
      request.tokens.authorize_device(request.resource, request.scope, asked_at + request.request_ms_max, stop));
  POSTERN_TRY_VOID(check_shown(issuer, device.verification_uri));
  if (!device.verification_uri_complete.empty())
    POSTERN_TRY_VOID(check_shown(issuer, device.verification_uri_complete));
  display_.show(
      {issuer, device.user_code, device.verification_uri, device.verification_uri_complete, device.expires_in});
  return poll(request, device, asked_at + device.expires_in, stop);
}

Result<TokenResponse> DeviceGrant::poll(const TokenGrantRequest& request, const DeviceAuthorization& device,
                                        SteadyTime until, const std::stop_token& stop) {
  Seconds interval = device.interval;
  for (;;) {
    const auto left = std::chrono::duration_cast<Seconds>(until - env_.clock.steady_now());
    if (left < interval) return DeviceCodeExpired{visible_line(request.server.issuer, 200)};
    display_.waiting(left);
    pause_(interval, stop);
    if (stop.stop_requested()) return Cancelled{};
    FormFields grant = {{"grant_type", kDeviceCode},
                        {"device_code", std::string(device.device_code.reveal(Passkey<DeviceGrant>{}))}};
    if (!request.resource.empty()) grant.emplace_back("resource", request.resource);
    auto tokens =
        request.tokens.request(std::move(grant), request.scope, env_.clock.steady_now() + request.request_ms_max, stop);
    if (tokens) return tokens;
    const auto* refused = tokens.error().as<TokenRefused>();
    const std::string error = refused == nullptr ? "" : refused->error;
    if (error == "slow_down") {
      interval += kSlowDown;
    } else if (answer_was_lost(tokens.error())) {
      // Section 3.5: poll less often after an answer that did not come.
      interval = std::max(interval, std::min(2 * interval, kIntervalMax));
    } else if (error == "access_denied") {
      return SignInDenied{error, refused->description};
    } else if (error == "expired_token") {
      return DeviceCodeExpired{visible_line(request.server.issuer, 200)};
    } else if (error != "authorization_pending") {
      return tokens;
    }
  }
}

std::string NoDeviceFlow::text() const {
  return "The issuer " + issuer +
         " does not offer a sign-in with a code on another device. Nobody was signed in. Use a browser: "
         "without --device, and without \"flow\": \"device\" in the server's entry.";
}
std::string DeviceCodeExpired::text() const {
  return "Nobody finished the sign-in at " + issuer +
         " while the code was good. Nobody was signed in. The command can be run again.";
}

}  // namespace postern::bridge
