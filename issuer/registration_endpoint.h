// POST /register (RFC 7591): a client says what it is and gets an id.
#pragma once

#include "issuer/rate_bound.h"
#include "issuer/registered_clients.h"
#include "issuer/stranger_rules.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

// The references must outlive it. Thread-safe.
class RegistrationEndpoint {
 public:
  static constexpr int kRegistrationsMax = 20;  // in a minute, by everybody together

  RegistrationEndpoint(Env env, const StrangerRules& rules, RegisteredClients& clients)
      : env_(env), rules_(rules), clients_(clients), registrations_(env, kRegistrationsMax, Seconds(60)) {}
  // 201 with what was registered, or 400 with invalid_redirect_uri or invalid_client_metadata (section 3.2.2).
  [[nodiscard]] HttpResponse add(const HttpRequest& request);

 private:
  Env env_;
  const StrangerRules& rules_;
  RegisteredClients& clients_;
  RateBound registrations_;
};

}  // namespace postern::issuer
