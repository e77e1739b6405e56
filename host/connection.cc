#include "host/connection.h"

#include "bridge/failures.h"
#include "bridge/http_transport.h"
#include "host/headless_user_agent.h"
#include "host/loopback_user_agent.h"
#include "pins/pin_gate.h"

namespace postern::host {

std::unique_ptr<HttpClient> client_to(Env env, std::string peer) {
  HttpClientOptions options;
  options.tap_self = "host";
  options.tap_peer = std::move(peer);
  return make_http_client(env, options);
}

Connection::Connection(Env env, Terminal& terminal, const Config& config)
    : desk_(terminal, env, config.open),
      server_http_(client_to(env, "server")),
      issuer_http_(client_to(env, "issuer")) {}

Result<std::unique_ptr<Connection>> Connection::make(Env env, Terminal& terminal, const Config& config,
                                                     const LocalStack* stack) {
  std::unique_ptr<Connection> made(new Connection(env, terminal, config));
  POSTERN_TRY(const Uri server, parse_uri(stack != nullptr ? stack->server() : config.server));
  made->endpoint_ = server;
  const std::string issuer_text = stack != nullptr ? stack->issuer() : config.issuer;
  if (stack != nullptr) {
    POSTERN_TRY(const Uri issuer, parse_uri(issuer_text));
    made->user_agent_ = std::make_unique<HeadlessUserAgent>(env.clock, *made->issuer_http_, issuer, config.person,
                                                            stack->headless_secret());
  } else {
    made->user_agent_ = std::make_unique<LoopbackUserAgent>(env, terminal, config.open);
  }
  bridge::ClientRegistrationOptions registration;
  registration.registered.emplace();
  registration.registered->issuer = issuer_text;
  registration.registered->client_id = config.client_id;
  made->registrar_ =
      std::make_unique<bridge::ClientRegistrar>(env, *made->issuer_http_, made->credentials_, std::move(registration));
  made->grant_ = std::make_unique<bridge::CodeGrant>(env, *made->user_agent_);
  bridge::OAuthClientOptions oauth;
  oauth.endpoint = server;
  oauth.issuer = issuer_text;
  oauth.scopes_max = ScopeSet{"desk:read", "refunds:write"};
  made->oauth_ =
      std::make_unique<bridge::OAuthClient>(env, *made->server_http_, *made->issuer_http_, *made->registrar_,
                                            *made->grant_, made->credentials_, made->desk_, std::move(oauth));
  bridge::SessionOptions session;
  session.client = {"postern", "0.1.0"};
  made->transport_ = std::make_unique<bridge::HttpTransport>(env, *made->server_http_, *made->oauth_, server);
  made->session_ = std::make_unique<bridge::Session>(env, *made->transport_, std::move(session));
  return made;
}

void print_failure(Terminal& terminal, const Failure& failure, std::string_view server, bool case_opened) {
  if (failure.as<bridge::StoppedByPerson>() != nullptr || failure.as<pins::PinMismatch>() != nullptr)
    return;  // said elsewhere
  constexpr std::string_view kNothingHappened = "No case was opened and nothing was sent to the model.";
  if (const auto* unreachable = failure.as<Unreachable>(); unreachable != nullptr && !case_opened) {
    const bool is_server = server.substr(0, unreachable->where.size()) == unreachable->where;
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
  if (failure.id() == "case.not_opened") terminal.err("Nothing was sent to the model.");
}

}  // namespace postern::host
