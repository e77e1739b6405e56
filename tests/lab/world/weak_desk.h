// Two controls of the desk are no rows, because in the product there is no code to leave out: a decision is nowhere
// taken from a client, and a caller's token is not among the parts that a tool gets. Taking them away means to put code
// around the desk that does what it must not. Here that code is.
//
// With all controls in place everything here gives back what it is given. Thread-safe; the clients and the environment
// must outlive it.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "services/desk/compose.h"
#include "tests/lab/world/control_set.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"

namespace postern::lab {

class WeakDesk {
 public:
  // `page_origin` of the approval page, which `browser` reaches as it reaches the issuer.
  WeakDesk(Env env, const ControlSet& controls, HttpClient& browser, std::string page_origin);
  ~WeakDesk();
  WeakDesk(const WeakDesk&) = delete;
  WeakDesk& operator=(const WeakDesk&) = delete;

  // Without desk.decision: once a client accepts, a supervisor's sign-in approves whatever it was, unread.
  [[nodiscard]] desk::DeskDecorators decorators(std::function<void(mcp::ServerFeatures&)> features = {}) const;
  // Without desk.own_credential: the token of whoever called last goes along to the services.
  [[nodiscard]] std::unique_ptr<HttpClient> services(std::unique_ptr<HttpClient> client) const;
  [[nodiscard]] Routes routes(Routes of_the_desk) const;

  // What a token is sent on in, beside the desk's own credential.
  static constexpr std::string_view kCallersHeader = "X-Forwarded-Authorization";

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace postern::lab
