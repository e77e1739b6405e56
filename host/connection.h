// Connection: the product objects between the host and one MCP server, wired once: HTTP clients, the way to sign in,
// the OAuth client and the session.
//
// Each peer has a client of its own, so that the wire log names it. Owns all of them; the Env, the terminal and the
// stack must outlive it.
#pragma once

#include <memory>

#include "bridge/oauth/oauth_client.h"
#include "bridge/oauth/user_agent.h"
#include "bridge/server_transport.h"
#include "bridge/session.h"
#include "host/config.h"
#include "host/local_stack.h"
#include "host/operator_desk.h"
#include "host/terminal.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::host {

class Connection {
 public:
  // To the local stack's desk when there is one, otherwise to the configured server. uri.malformed.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> make(Env env, Terminal& terminal, const Config& config,
                                                                const LocalStack* stack);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bridge::Session& session() { return *session_; }
  [[nodiscard]] bridge::RequestAuthorizer& authorizer() { return *oauth_; }
  [[nodiscard]] const Uri& endpoint() const { return endpoint_; }
  [[nodiscard]] OperatorDesk& desk() { return desk_; }

 private:
  Connection(Env env, Terminal& terminal, const Config& config);
  OperatorDesk desk_;
  Uri endpoint_;
  std::unique_ptr<HttpClient> server_http_;
  std::unique_ptr<HttpClient> issuer_http_;
  std::unique_ptr<bridge::UserAgent> user_agent_;
  std::unique_ptr<bridge::OAuthClient> oauth_;
  std::unique_ptr<bridge::ServerTransport> transport_;
  std::unique_ptr<bridge::Session> session_;
};

// A client whose records in the wire log are between "host" and `peer`.
[[nodiscard]] std::unique_ptr<HttpClient> client_to(Env env, std::string peer);
// "Cannot reach the desk server at URL: connection refused." and what else a person needs to know, line by line.
void print_failure(Terminal& terminal, const Failure& failure, std::string_view server, bool case_opened);

}  // namespace postern::host
