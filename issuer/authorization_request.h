// One authorization request, checked in two steps (RFC 6749 section 4.1.1, RFC 7636, RFC 8707, OpenID Connect Core
// section 3.1.2.1).
//
// First who asks and where the answer may go: until that is known nothing is sent anywhere (issuer.untrusted_request, a
// page). Then the rest, whose failures go back to the client by redirect (issuer.oauth_error). No parameter says who is
// to sign in; login_hint is not read.
#pragma once

#include <optional>
#include <string>

#include "issuer/clients.h"
#include "issuer/people.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/oauth/pkce.h"
#include "wire/oauth/scope.h"

namespace postern::issuer {

// Where an answer may go.
struct ReturnAddress {
  const Client* client = nullptr;  // lives as long as the Clients
  std::string redirect_uri;
  std::string state;  // may be empty; printable ASCII
};
// `issuer.untrusted_request`.
[[nodiscard]] Result<ReturnAddress> read_return_address(const Clients& clients, const FormFields& fields);

struct AuthorizationRequest {
  ReturnAddress address;
  CodeChallenge challenge;
  std::string resource;
  ScopeSet scope;
  std::string nonce;
  std::optional<Seconds> max_age;
  bool fresh_sign_in = false;  // prompt=login
};
// `issuer.oauth_error`.
[[nodiscard]] Result<AuthorizationRequest> read_authorization_request(ReturnAddress address, const FormFields& fields);

// Whether this person may hold all that is asked for; the failure names the first scope and the person.
[[nodiscard]] Status check_person(const Person& person, const ScopeSet& scope);

// The redirect that carries the answer: redirect_uri with code or error, state, and iss (RFC 9207), each
// percent-encoded.
[[nodiscard]] std::string answer_location(const ReturnAddress& address, std::string_view issuer, FormFields answer);

}  // namespace postern::issuer
