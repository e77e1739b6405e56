// Sign-ins of devices that have no browser (RFC 8628): a device code for the device, a user code for the person.
//
// A user code has eight letters of twenty that look and sound apart (RFC 8628 section 6.1): 34 bits, which a bound on
// wrong entries (DeviceEndpoint) makes enough for ten minutes. A device that asks sooner than it was told is told to
// slow down, by five seconds each time. Device codes are kept by SHA-256 only. Bounded: the oldest leaves when there
// are too many. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "issuer/code_store.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::issuer {

// "bcdf ghjk" and "BCDFGHJK" as "BCDF-GHJK"; empty for what cannot be a user code.
[[nodiscard]] std::string normal_user_code(std::string_view entered);

class DeviceCodes {
 public:
  static constexpr Seconds kLifetime{600};
  static constexpr Seconds kInterval{5};
  static constexpr std::size_t kDevicesMax = 256;

  explicit DeviceCodes(Env env) : env_(env) {}

  struct Started {
    std::string device_code;  // "dc_" and 256 bits
    std::string user_code;    // "BCDF-GHJK"
  };
  [[nodiscard]] Started start(ClientRef client, Asked asked) POSTERN_EXCLUDES(mutex_);
  // What the device with that user code asks for, as long as nobody has decided; nothing otherwise.
  [[nodiscard]] std::optional<AuthorizationRequest> find(std::string_view user_code) POSTERN_EXCLUDES(mutex_);
  // The person's word, once; false when there was one before, and when it is too late.
  [[nodiscard]] bool allow(std::string_view device_id, Grant grant) POSTERN_EXCLUDES(mutex_);
  [[nodiscard]] bool deny(std::string_view device_id) POSTERN_EXCLUDES(mutex_);
  // For the device that asks: the grant, once. Otherwise an OAuthError: authorization_pending, slow_down,
  // access_denied, expired_token, invalid_grant.
  [[nodiscard]] Result<Grant> poll(std::string_view device_code, std::string_view client_id) POSTERN_EXCLUDES(mutex_);

 private:
  enum class State { kWaiting, kAllowed, kDenied };
  struct Entry {
    ClientRef client;
    Asked asked;
    std::string user_code;
    WallTime expires_at{};
    Seconds interval = kInterval;
    std::optional<WallTime> asked_at;
    State state = State::kWaiting;
    std::optional<Grant> grant;
  };
  using Entries = std::unordered_map<std::string, Entry>;  // by the SHA-256 of the device code

  [[nodiscard]] Entry* waiting(std::string_view device_id) POSTERN_REQUIRES(mutex_);
  [[nodiscard]] std::string new_user_code() POSTERN_REQUIRES(mutex_);
  Env env_;
  Mutex mutex_;
  Entries entries_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
