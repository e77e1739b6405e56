#include "issuer/failures.h"

namespace postern::issuer {

std::string OAuthError::text() const {
  return std::string(code) + ": " + description;
}
std::string UntrustedRequest::text() const {
  return reason + " Nobody was signed in and nothing was sent anywhere.";
}
std::string BadIssuerConfiguration::text() const {
  return "The issuer cannot start: " + reason + ".";
}

}  // namespace postern::issuer
