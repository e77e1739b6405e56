// The page with the people to choose from.
#pragma once

#include <optional>

#include "issuer/authorization_request.h"
#include "issuer/page.h"
#include "issuer/sign_in_sessions.h"
#include "wire/base/clock.h"

namespace postern::issuer {

struct SignInPage {
  const AuthorizationRequest& request;
  const People& people;
  const Ticket& ticket;
  std::optional<SignInSession> session;  // of this browser: its person reads since when
  WallTime now{};
};

// Everybody is listed in the order of the data, nobody is marked, focused or first because of a parameter.
[[nodiscard]] HttpResponse sign_in_page(const SignInPage& page);

}  // namespace postern::issuer
