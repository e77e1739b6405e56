// The pages of the issuer: the people to choose from, and one that says what is wrong. Text only, everything escaped,
// no script.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "issuer/authorization_request.h"
#include "issuer/pending_sign_ins.h"
#include "issuer/sign_in_sessions.h"
#include "wire/base/clock.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

struct SignInPage {
  const AuthorizationRequest& request;
  const People& people;
  const PendingSignIns::Ticket& ticket;
  std::optional<SignInSession> session;  // of this browser: its person reads since when
  WallTime now{};
};

// Everybody is listed in the order of the data, nobody is marked, focused or first because of a parameter.
[[nodiscard]] HttpResponse sign_in_page(const SignInPage& page);
[[nodiscard]] HttpResponse error_page(int status, std::string_view title, std::string_view sentence);
[[nodiscard]] HttpResponse style_sheet();

// The headers of every page (form-action is the page's own). `form_target` is the origin that the form's answer
// redirects to, or empty.
void set_page_headers(HttpResponse& response, std::string_view form_target);

}  // namespace postern::issuer
