// Connection: the product objects between the host and one MCP server, wired once: transport, the way to sign in, the
// credentials and the session.
//
// Each server has all of these for itself, so that nothing of one can reach another, and each peer has a name of its
// own in the wire log: "server" and "issuer" for the desk, "server:files" and "issuer:files" for the server that the
// configuration calls files. Owns all of them; the context, the Env and the stack must outlive it.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "bridge/input_answers.h"
#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/request_authorizer.h"
#include "bridge/server_transport.h"
#include "bridge/session.h"
#include "host/command.h"
#include "host/config.h"
#include "host/local_stack.h"
#include "host/operator_desk.h"
#include "host/servers.h"
#include "host/sign_in.h"
#include "host/terminal.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/transport/http_client.h"

namespace postern::host {

class Connection final : public ServerLink {
 public:
  // To the local stack's desk when there is one, otherwise to the configured server. uri.malformed.
  [[nodiscard]] static Result<std::unique_ptr<Connection>> make(const CommandContext& context, Env env,
                                                                const LocalStack* stack);
  // To a server beside the desk. Nothing is sent or started yet. `may_ask`: whether a person may be asked to sign in.
  // Failures: uri.malformed, own.config_invalid (a variable of the environment that is not set).
  [[nodiscard]] static Result<std::unique_ptr<Connection>> to_server(const CommandContext& context, Env env,
                                                                     const ServerConfig& server, bool may_ask);
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  [[nodiscard]] bridge::Session& session() override { return *session_; }
  [[nodiscard]] bridge::RequestAuthorizer& authorizer() override { return *authorizer_; }
  // REQUIRES a server beside the desk: the desk's questions are its run's (host/run_ticket.h).
  [[nodiscard]] bridge::InputAnswerer& answerer() override;
  [[nodiscard]] bridge::CallObserver& observer() override { return desk_; }
  [[nodiscard]] bool sleep(std::chrono::milliseconds how_long, const std::stop_token& stop) override {
    return desk_.sleep(how_long, stop);
  }
  [[nodiscard]] OperatorDesk& desk() { return desk_; }
  // Of a server over HTTP.
  [[nodiscard]] const Uri& endpoint() const { return endpoint_; }

 private:
  Connection(Env env, Terminal& terminal, const Config& config);
  Status use_http(const CommandContext& context, Env env, const ServerConfig& server, bool may_ask);
  Status use_stdio(Env env, const Environment& environment, const ServerConfig& server);

  OperatorDesk desk_;
  std::unique_ptr<bridge::ElicitationAnswers> answers_;
  std::unique_ptr<bridge::CredentialStore> credentials_;  // of the profile local: in memory
  Uri endpoint_;                                          // of HTTP
  std::unique_ptr<HttpClient> server_http_;
  std::unique_ptr<SignIn> sign_in_;                            // null: this server gets no tokens of an issuer
  std::unique_ptr<bridge::RequestAuthorizer> own_authorizer_;  // then
  bridge::RequestAuthorizer* authorizer_ = nullptr;            // the one of both that there is
  std::unique_ptr<bridge::ServerTransport> transport_;
  std::unique_ptr<bridge::Session> session_;
};

// "Cannot reach the desk server at URL: connection refused." and what else a person needs to know, line by line.
void print_failure(Terminal& terminal, const Failure& failure, const Config& config, std::string_view server,
                   bool case_opened);
// A word as a shell takes it.
[[nodiscard]] std::string shell_word(const std::string& word);
// What a suggested command needs to be about the same desk: " --profile shop"; empty for the local one.
[[nodiscard]] std::string desk_flags(const Config& config);

}  // namespace postern::host
