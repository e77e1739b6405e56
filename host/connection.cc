#include "host/connection.h"

#include <utility>

#include "bridge/failures.h"
#include "bridge/http_transport.h"
#include "bridge/oauth/failures.h"
#include "bridge/stdio_transport.h"
#include "host/environment_bearer.h"
#include "host/kept_credentials.h"
#include "pins/pin_gate.h"
#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern::host {
namespace {

bridge::SessionOptions session_options(const Terminal& terminal) {
  bridge::SessionOptions options;
  options.client = {"postern", "0.1.0"};
  options.client_capabilities = bridge::ElicitationAnswers::capabilities(terminal.can_ask());
  return options;
}

}  // namespace

Connection::Connection(Env env, Terminal& terminal, const Config& config) : desk_(terminal, env, config.open) {}

Result<std::unique_ptr<Connection>> Connection::make(const CommandContext& context, Env env, const LocalStack* stack) {
  const Config& config = context.config;
  std::unique_ptr<Connection> made(new Connection(env, context.terminal, config));
  POSTERN_TRY(made->endpoint_, parse_uri(stack != nullptr ? stack->server() : config.server));
  HttpClientOptions http;
  http.proxy = stack != nullptr ? nullptr : config.proxy;
  made->server_http_ = client_to(context.outside, env, "server", http);
  if (stack != nullptr) {
    made->credentials_ = std::make_unique<bridge::MemoryCredentialStore>();
  } else {
    made->credentials_ = open_credentials(config.state_home, config.search_path, config.session_bus);
  }
  const SignInParts parts{env, context.outside, context.terminal, made->desk_, *made->credentials_};
  POSTERN_TRY(made->sign_in_, SignIn::at_desk(parts, config, made->endpoint_, stack));
  made->authorizer_ = &made->sign_in_->client();
  made->transport_ =
      std::make_unique<bridge::HttpTransport>(env, *made->server_http_, *made->authorizer_, made->endpoint_);
  made->session_ = std::make_unique<bridge::Session>(env, *made->transport_, session_options(context.terminal));
  return made;
}

Status Connection::use_http(const CommandContext& context, Env env, const ServerConfig& server, bool may_ask) {
  const Config& config = context.config;
  POSTERN_TRY(endpoint_, parse_uri(server.url));
  HttpClientOptions http;
  http.proxy = config.proxy;
  http.ca_file = server.ca_file;
  http.response_bytes_max = server.response_bytes_max;
  server_http_ = client_to(context.outside, env, "server:" + server.name, http);
  if (!server.bearer_token_env.empty()) {
    POSTERN_TRY(EnvironmentBearer bearer, EnvironmentBearer::read(context.environment, server, endpoint_));
    own_authorizer_ = std::make_unique<EnvironmentBearer>(std::move(bearer));
  } else if (server.oauth.enabled) {
    credentials_ = open_credentials(config.state_home, config.search_path, config.session_bus);
    const SignInParts parts{env, context.outside, context.terminal, desk_, *credentials_};
    POSTERN_TRY(sign_in_, SignIn::at_server(parts, config, server, endpoint_, may_ask));
  } else {
    own_authorizer_ = std::make_unique<bridge::NoAuthorizer>();
  }
  authorizer_ = sign_in_ ? &sign_in_->client() : own_authorizer_.get();
  transport_ = std::make_unique<bridge::HttpTransport>(env, *server_http_, *authorizer_, endpoint_);
  return {};
}

Status Connection::use_stdio(Env env, const Environment& environment, const ServerConfig& server) {
  bridge::StdioTransportOptions options;
  options.name = "server:" + server.name;
  options.command = server.command;
  options.args = server.args;
  options.environment = server.environment;
  for (const std::string& name : server.environment_from) {
    const auto value = environment.get(name);
    if (!value) {
      return ConfigInvalid{server.where + ", mcpServers." + server.name + ".env_from",
                           "the variable " + name + " is not set"};
    }
    options.environment.emplace_back(name, *value);
  }
  options.working_folder = server.working_folder;
  options.line_bytes_max = server.response_bytes_max;
  own_authorizer_ = std::make_unique<bridge::NoAuthorizer>();
  authorizer_ = own_authorizer_.get();
  transport_ = std::make_unique<bridge::StdioTransport>(env, std::move(options));
  return {};
}

Result<std::unique_ptr<Connection>> Connection::to_server(const CommandContext& context, Env env,
                                                          const ServerConfig& server, bool may_ask) {
  std::unique_ptr<Connection> made(new Connection(env, context.terminal, context.config));
  if (server.is_http()) {
    POSTERN_TRY_VOID(made->use_http(context, env, server, may_ask));
  } else {
    POSTERN_TRY_VOID(made->use_stdio(env, context.environment, server));
  }
  bridge::ElicitationOptions elicitation;
  elicitation.server = {server.name,
                        server.is_http() ? made->endpoint_.authority() : visible_line(server.command, 120)};
  if (server.is_http()) elicitation.links.hosts.push_back(made->endpoint_.host);
  elicitation.links.any_https = true;
  made->answers_ = std::make_unique<bridge::ElicitationAnswers>(made->desk_, std::move(elicitation));
  bridge::SessionOptions session = session_options(context.terminal);
  session.era = server.era;
  session.request_ms_max = server.request_ms_max;
  session.silence_ms_max = server.silence_ms_max;
  // Where there is nothing to fall back to, a program that is slow to start is waited for as for any answer.
  if (server.era == bridge::EraChoice::kPin) session.probe_ms_max = server.request_ms_max;
  made->session_ = std::make_unique<bridge::Session>(env, *made->transport_, std::move(session));
  return made;
}

bridge::InputAnswerer& Connection::answerer() {
  POSTERN_CHECK(answers_ != nullptr);
  return *answers_;
}

std::string shell_word(const std::string& word) {
  constexpr std::string_view kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@%+=,";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string desk_flags(const Config& config) {
  std::string flags;
  if (!config.local()) flags += " --profile " + shell_word(config.profile);
  if (!config.server.empty()) flags += " --server " + shell_word(config.server);
  return flags;
}

void print_failure(Terminal& terminal, const Failure& failure, const Config& config, std::string_view server,
                   bool case_opened) {
  if (failure.as<bridge::StoppedByPerson>() != nullptr || failure.as<pins::PinMismatch>() != nullptr)
    return;  // said elsewhere
  constexpr std::string_view kNothingHappened = "No case was opened and nothing was sent to the model.";
  if (const auto* unreachable = failure.as<Unreachable>(); unreachable != nullptr && !case_opened) {
    const bool is_server = server.starts_with(unreachable->where);
    terminal.err("Cannot reach " + (is_server ? "the desk server at " + std::string(server) : unreachable->where) +
                 ": " + unreachable->reason + ".");
    terminal.err(kNothingHappened);
    terminal.err("  Start a local one: postern run T-1042   (without --server)");
    return;
  }
  const std::string text = failure.text();
  terminal.err(text);
  if (failure.as<bridge::VersionNotOffered>() != nullptr) {
    if (!case_opened) terminal.err("  Look at the exchange: postern wire --layer envelope --all");
    return;
  }
  const bool says_so =
      text.find("o case was opened") != std::string::npos || text.find("was sent to the model") != std::string::npos;
  if (!case_opened && !says_so) terminal.err(kNothingHappened);
  if (failure.as<bridge::NoWayToSignIn>() != nullptr) terminal.err("  Run: postern login" + desk_flags(config));
  if (failure.id() == "case.not_opened") terminal.err("Nothing was sent to the model.");
}

}  // namespace postern::host
