// What the issuer says no to.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/failure.h"

namespace postern::issuer {

// An OAuth error (RFC 6749 sections 4.1.2.1 and 5.2, RFC 8707, OpenID Connect Core section 3.1.2.6): sent to the client
// by redirect or as JSON. `code` is one of the registered error codes, `description` a sentence that a person may read.
struct OAuthError {
  static constexpr std::string_view kId = "issuer.oauth_error";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string_view code;
  std::string description;
  [[nodiscard]] std::string text() const;
};

// A request whose client or redirect URI is not known: shown as a page, never sent anywhere (RFC 6749 section 4.1.2.1).
struct UntrustedRequest {
  static constexpr std::string_view kId = "issuer.untrusted_request";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

// A mistake in what this program was started with.
struct BadIssuerConfiguration {
  static constexpr std::string_view kId = "issuer.bad_configuration";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::issuer
