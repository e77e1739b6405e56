// POST /device_authorization for the device, /device for the person (RFC 8628 sections 3.1 to 3.3).
#pragma once

#include "issuer/authorization_endpoint.h"
#include "issuer/rate_bound.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe.
class DeviceEndpoint {
 public:
  static constexpr int kWrongCodesMax = 10;  // in a minute, by everybody together
  static constexpr int kStartsMax = 60;      // in a minute

  DeviceEndpoint(GrantDesk& desk, AuthorizationEndpoint& authorization)
      : desk_(desk),
        authorization_(authorization),
        wrong_codes_(desk.env, kWrongCodesMax, Seconds(60)),
        starts_(desk.env, kStartsMax, Seconds(60)) {}

  // The device asks: a device code, a user code and where to enter it. Blocks in the lane when the client's document
  // has to be fetched first.
  [[nodiscard]] HttpReply start(const HttpRequest& request);
  // GET /device: the field for the user code; `user_code` in the query only fills it in.
  [[nodiscard]] HttpResponse show(const HttpRequest& request) const;
  // POST /device: a person has entered a code. Wrong ones are bounded, because a code is short.
  [[nodiscard]] HttpResponse enter(const HttpRequest& request);

 private:
  [[nodiscard]] HttpResponse start_known(const HttpRequest& request, const FormFields& fields);

  GrantDesk& desk_;
  AuthorizationEndpoint& authorization_;
  RateBound wrong_codes_;
  RateBound starts_;
};

}  // namespace postern::issuer
