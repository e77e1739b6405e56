// ClientAssertion: a JWT by which a client proves at the token endpoint that it holds its key (RFC 7523 section 3).
#pragma once

#include <string>

#include "bridge/oauth/client_identity.h"
#include "wire/base/clock.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"

namespace postern::bridge {

// How long one is good for: it is used at once, so this is for clocks that differ.
inline constexpr Seconds kClientAssertionAge{60};

// client_assertion_type and client_assertion: iss and sub are the client id, aud is the issuer and nothing else (an
// assertion for a token endpoint's URL could be replayed at another server that names the same endpoint), with a `jti`
// of its own. Signed with ES256; `kid` when the identity has one. REQUIRES a key.
[[nodiscard]] FormFields client_assertion_fields(const ClientIdentity& identity, const std::string& issuer,
                                                 const Env& env);

}  // namespace postern::bridge
