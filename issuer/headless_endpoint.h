// POST /headless: a sign-in without a browser, for the local profile.
//
// The parameters of an authorization request, plus `person` and `secret`, in a form. It works only when a secret was
// handed over at start, only for a client that is marked headless, never when refunds:approve is asked for, and never
// for a browser. The answer is the redirect that a browser would get; whoever asked reads it and does not follow it.
#pragma once

#include <string>
#include <utility>

#include "issuer/authorization_endpoint.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe.
class HeadlessEndpoint {
 public:
  // `secret_sha256`: 32 raw bytes, or empty for none.
  HeadlessEndpoint(GrantDesk& desk, std::string secret_sha256)
      : desk_(desk), secret_sha256_(std::move(secret_sha256)) {}

  [[nodiscard]] HttpResponse sign_in(const HttpRequest& request);

 private:
  [[nodiscard]] bool secret_is_right(std::string_view secret) const;
  [[nodiscard]] Result<CodeGrant> grant_of(const ReturnAddress& address, const FormFields& fields,
                                           std::string_view person) const;

  GrantDesk& desk_;
  std::string secret_sha256_;
};

}  // namespace postern::issuer
