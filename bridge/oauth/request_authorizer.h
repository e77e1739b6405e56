// RequestAuthorizer: what the HTTP transport and a call ask when a server wants credentials (MCP 2026-07-28
// basic/authorization).
//
// Implementations: OAuthClient (tokens of an authorization server), NoAuthorizer (a server that is not to get any;
// every challenge fails). Thread-safe: an event stream may be open beside a call.
#pragma once

#include <stop_token>
#include <string>

#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/http_message/http_message.h"
#include "wire/oauth/scope.h"

namespace postern::bridge {

class RequestAuthorizer {
 public:
  virtual ~RequestAuthorizer() = default;

  // Adds credentials to a request that goes to `url`, when there are any that were issued for it. A token that has run
  // out is renewed first when it can be without a person. Failures: those of a renewal that must end the request
  // (sign_in.other_person); one that merely did not work leaves the request bare, and the server's 401 says the rest.
  [[nodiscard]] virtual Status authorize(HttpRequest& request, const Uri& url, const std::stop_token& stop) = 0;
  // Every answer of the server passes here before anything else is done with it: it may bring a DPoP nonce (RFC 9449
  // section 9). True when the same request is to be sent again because of that and nothing else.
  [[nodiscard]] virtual bool take_note(const HttpResponse& /*response*/) { return false; }

  // A new operation begins: the count of authorizations starts anew.
  virtual void begin_operation() {}
  // The operation is over: what was granted beyond the scopes of an ordinary request, for it alone, is given back.
  virtual void end_operation() {}

  // Acts on a 401: discovery and a new authorization. Failures: sign_in.*, oauth.*, transport.*.
  [[nodiscard]] virtual Status sign_in(const HttpResponse& refusal, const std::stop_token& stop) = 0;
  // Acts on a 403 insufficient_scope, given its WWW-Authenticate. sign_in.scope_refused names the scope and the person.
  [[nodiscard]] virtual Status step_up(const std::string& www_authenticate, const std::stop_token& stop) = 0;

  // Display only: who signed in, and what the token may do. Empty before the first sign-in.
  [[nodiscard]] virtual std::string person() const { return {}; }
  [[nodiscard]] virtual ScopeSet granted() const { return {}; }
};

// For a server that gets no credentials: over stdio, or configured so. A challenge ends with sign_in.not_configured.
class NoAuthorizer final : public RequestAuthorizer {
 public:
  [[nodiscard]] Status authorize(HttpRequest& request, const Uri& url, const std::stop_token& stop) override;
  [[nodiscard]] Status sign_in(const HttpResponse& refusal, const std::stop_token& stop) override;
  [[nodiscard]] Status step_up(const std::string& www_authenticate, const std::stop_token& stop) override;
};

}  // namespace postern::bridge
