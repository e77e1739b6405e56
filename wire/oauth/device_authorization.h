// The answer of a device authorization endpoint (RFC 8628 section 3.2): what a person is to type, and where.
#pragma once

#include <string>

#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/secret.h"
#include "wire/http_message/http_message.h"

namespace postern {

namespace bridge {
class DeviceGrant;
}

// Whoever has it gets the tokens that the person consents to. Opened to be sent to the token endpoint.
struct DeviceCodeTag {
  using RevealedBy = Reveals<bridge::DeviceGrant>;
};
using DeviceCode = Secret<DeviceCodeTag>;

struct DeviceAuthorization {
  DeviceCode device_code;
  std::string user_code;                  // to be shown: visible characters only
  std::string verification_uri;           // an http(s) URL; whether it may be shown is the policy's word
  std::string verification_uri_complete;  // with the code in it; empty when there is none
  Seconds expires_in{};                   // from now, 1 s to a day
  Seconds interval{5};                    // between two polls, 1 s at least
};

// Failures: sign_in.token_refused (the issuer's error), sign_in.malformed_device_code.
[[nodiscard]] Result<DeviceAuthorization> read_device_authorization(const HttpResponse& response);

struct MalformedDeviceAuthorization {
  static constexpr std::string_view kId = "sign_in.malformed_device_code";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern
