// One authorization request, checked in two steps (RFC 6749 section 4.1.1, RFC 7636, RFC 8707, OpenID Connect Core
// section 3.1.2.1).
//
// First who asks and where the answer may go: until that is known nothing is sent anywhere (issuer.untrusted_request, a
// page). Then the rest, whose failures go back to the client by redirect (issuer.oauth_error). No parameter says who is
// to sign in; login_hint is not read.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "issuer/client_directory.h"
#include "issuer/scope_rules.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/oauth/pkce.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

// Where an answer may go. For a device (RFC 8628) there is no redirect: it asks by itself.
struct ReturnAddress {
  ClientRef client;
  std::string redirect_uri;  // empty for a device
  std::string state;         // may be empty; printable ASCII
};
// `issuer.untrusted_request`.
[[nodiscard]] Result<ReturnAddress> read_return_address(ClientDirectory& clients, const FormFields& fields);

struct AuthorizationRequest {
  ReturnAddress address;
  std::optional<CodeChallenge> challenge;  // nothing for a device
  std::string resource;
  ScopeSet scope;
  std::string nonce;
  std::optional<Seconds> max_age;
  bool fresh_sign_in = false;  // prompt=login
  bool fresh_consent = false;  // prompt=consent
  std::string device_id;       // of a device: its place in the DeviceCodes
  std::string user_code;       // of a device: what its screen shows
};
// `issuer.oauth_error`.
[[nodiscard]] Result<AuthorizationRequest> read_authorization_request(ReturnAddress address, const FormFields& fields,
                                                                      const ScopePolicy& policy);

// What is asked for in scope and resource, within what that client may have. offline_access without the grant type
// refresh_token is left out (OpenID Connect Core section 11).
struct Asked {
  ScopeSet scope;
  std::string resource;
};
[[nodiscard]] Result<Asked> read_asked(const Client& client, const FormFields& fields, const ScopePolicy& policy);

// The redirect that carries the answer: redirect_uri with code or error, state, and iss (RFC 9207), each
// percent-encoded.
[[nodiscard]] std::string answer_location(const ReturnAddress& address, std::string_view issuer, FormFields answer);

// A missing parameter reads as an empty one (RFC 6749 section 3.1: a parameter without a value is treated as omitted).
[[nodiscard]] std::string value_of(const FormFields& fields, std::string_view name);
// The first name that is there twice, or null.
[[nodiscard]] const std::string* repeated_name(const FormFields& fields);

}  // namespace postern::issuer
