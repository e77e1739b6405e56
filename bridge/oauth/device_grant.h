// DeviceGrant: a person signs in on another device, with a code that this program shows (RFC 8628).
//
// The code and the address are shown, then the token endpoint is asked at the interval that the server named: five
// seconds more each time that it says slow_down, twice as long after an answer that did not come (section 3.5). It ends
// with tokens, with a refusal, when the code has run out, or when it is stopped. Not thread-safe.
#pragma once

#include <functional>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/oauth/token_grant.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::bridge {

// Shows what a person needs on the other device. The host implements it.
class DeviceCodeDisplay {
 public:
  virtual ~DeviceCodeDisplay() = default;
  struct Notice {
    std::string issuer;
    std::string user_code;
    std::string verification_uri;           // checked by the discovery policy
    std::string verification_uri_complete;  // empty: none
    Seconds expires_in{};
  };
  virtual void show(const Notice& notice) = 0;
  // Before each poll: how long the code is still good. The default says nothing.
  virtual void waiting(Seconds /*left*/) {}
};

// Waits that long, or until it is stopped. Given so that tests need not wait.
using Pause = std::function<void(Milliseconds, const std::stop_token&)>;
[[nodiscard]] Pause real_pause();

class DeviceGrant final : public TokenGrant {
 public:
  // `display` must outlive it.
  DeviceGrant(Env env, DeviceCodeDisplay& display, Pause pause = real_pause());
  [[nodiscard]] Result<ClientNeeds> needs() override;
  [[nodiscard]] bool asks_a_person() const override { return true; }
  // Failures: sign_in.no_device_flow, sign_in.denied, sign_in.device_code_expired, those of TokenClient, of
  // read_device_authorization() and of the discovery policy, transport.cancelled.
  [[nodiscard]] Result<TokenResponse> obtain(const TokenGrantRequest& request, const std::stop_token& stop) override;

 private:
  [[nodiscard]] Result<TokenResponse> poll(const TokenGrantRequest& request, const DeviceAuthorization& device,
                                           SteadyTime until, const std::stop_token& stop);
  Env env_;
  DeviceCodeDisplay& display_;
  Pause pause_;
};

// The authorization server has no device authorization endpoint.
struct NoDeviceFlow {
  static constexpr std::string_view kId = "sign_in.no_device_flow";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string issuer;
  [[nodiscard]] std::string text() const;
};
// Nobody typed the code in its time.
struct DeviceCodeExpired {
  static constexpr std::string_view kId = "sign_in.device_code_expired";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string issuer;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
