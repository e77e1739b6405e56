#include "bridge/oauth/failures.h"

#include "wire/base/visible_text.h"

namespace postern::bridge {

std::string NoWayToSignIn::text() const {
  return "You are not signed in at " + issuer + ", and nobody can be asked here.";
}

std::string ScopeRefused::text() const {
  if (person.empty())
    return "The server wants " + visible_line(scopes, 200) +
           ", and the configuration lets this program not ask for it. Nobody was asked to sign in. Nothing was "
           "refunded.";
  return person + " may not hold " + visible_line(scopes, 200) +
         ". The issuer refused the step-up. Nothing was refunded.";
}

std::string ForeignIssuer::text() const {
  const std::string ours = expected.empty() ? "no issuer is configured" : "this program is registered at " + expected;
  return "The server names the issuer " + named + ", but " + ours + ". No sign-in was tried there.";
}

std::string RefusedAfterSignIn::text() const {
  return "The server still refuses after a new sign-in (" + what + "). Nothing more is tried.";
}

std::string SignInNotConfigured::text() const {
  return "The server wants a sign-in, and the configuration names none for it. Nothing was sent to the model.";
}

std::string NoClient::text() const {
  return "This program cannot get a token at " + issuer + ": " + reason + ". No sign-in was started there.";
}

std::string RegistrationRefused::text() const {
  std::string out = "The issuer " + issuer + " did not register this program (status " + std::to_string(status);
  if (!error.empty()) out += ", " + error;
  out += ")";
  if (!description.empty()) out += ": " + description;
  if (error == "invalid_redirect_uri") out += ". It does not take the redirect URI, which is one of this machine";
  return out + ". Nobody was signed in. Register a client there by hand and name it as client_id in the configuration.";
}

std::string RevocationRefused::text() const {
  return "The issuer " + issuer + " did not revoke the token (status " + std::to_string(status) +
         (error.empty() ? "" : ", " + error) + "). It may be good until it runs out: revoke it at the issuer.";
}

std::string OtherPerson::text() const {
  return "The sign-in was begun by " + before + " and went on as " + now +
         ". The new token was dropped and nothing was sent with it. Sign in again as one person.";
}

}  // namespace postern::bridge
