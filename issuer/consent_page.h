// The page that asks a person whether a client may have what it asks for (MCP 2026-07-28 authorization: client ID
// metadata document security; RFC 9700 section 4.11).
#pragma once

#include <string>
#include <string_view>

#include "issuer/authorization_request.h"
#include "issuer/page.h"

namespace postern::issuer {

struct ConsentPage {
  const AuthorizationRequest& request;
  const Person& person;
  const Ticket& ticket;
};

// Names the client, marked when nobody here vouches for it, the scopes in plain words, and where the answer goes.
[[nodiscard]] HttpResponse consent_page(const ConsentPage& page);

// "Read tickets, customers, orders and returns" for desk:read; a scope that is not known here is shown as it is.
[[nodiscard]] std::string scope_words(std::string_view scope);

}  // namespace postern::issuer
