// What can go wrong between this program and an authorization server. Texts are for people: what failed, what it means,
// what to do next.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/result.h"

namespace postern::bridge {

// Nobody may be asked to sign in.
struct NoWayToSignIn {
  static constexpr std::string_view kId = "sign_in.no_way";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string issuer;
  [[nodiscard]] std::string text() const;
};
// The person may not hold a scope that the call needs, or this program may not ask for it.
struct ScopeRefused {
  static constexpr std::string_view kId = "sign_in.scope_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string person;  // empty: the configuration bounds what may be asked for
  std::string scopes;  // the ones that were missing
  [[nodiscard]] std::string text() const;
};
// The server names another issuer than the one this client is registered at.
struct ForeignIssuer {
  static constexpr std::string_view kId = "sign_in.foreign_issuer";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string expected;
  std::string named;  // made visible
  [[nodiscard]] std::string text() const;
};
// Still refused after as many authorizations as one operation may take.
struct RefusedAfterSignIn {
  static constexpr std::string_view kId = "sign_in.refused_again";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string what;  // "401 invalid_token", "403 insufficient_scope"
  [[nodiscard]] std::string text() const;
};

// The server wants credentials and the configuration has none for it.
struct SignInNotConfigured {
  static constexpr std::string_view kId = "sign_in.not_configured";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  [[nodiscard]] std::string text() const;
};
// This program is not known at the issuer, or cannot authenticate there as the configuration says.
struct NoClient {
  static constexpr std::string_view kId = "sign_in.no_client";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string issuer;
  std::string reason;  // a sentence without its full stop, which says what to do
  [[nodiscard]] std::string text() const;
};
// The issuer does not take this program as a client (RFC 7591 section 3.2.2).
struct RegistrationRefused {
  static constexpr std::string_view kId = "sign_in.registration_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string issuer;
  int status = 0;
  std::string error;        // "invalid_redirect_uri", made visible; empty when it did not say
  std::string description;  // made visible
  [[nodiscard]] std::string text() const;
};
// The revocation endpoint said no: the token may still be good.
struct RevocationRefused {
  static constexpr std::string_view kId = "sign_in.revocation_refused";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kPeer;
  std::string issuer;
  int status = 0;
  std::string error;  // made visible; empty when it did not say
  [[nodiscard]] std::string text() const;
};
// After a renewal the token was another person's. It was dropped.
struct OtherPerson {
  static constexpr std::string_view kId = "sign_in.other_person";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kForbidden;
  std::string before;  // made visible
  std::string now;     // made visible
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::bridge
