// SignIn: what it takes to get and keep tokens for one MCP server: the client's identity, the way to a person, the
// store and the OAuth client, wired once.
//
// Everything here fetches at the word of that server and its issuer, so both HTTP clients are held against the
// discovery policy of the server (wire/oauth/admitting_http_client.h); what the configuration names is believed. Owns
// all of it; the Env, the terminal, the observer and the store must outlive it.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "bridge/oauth/client_credentials_grant.h"
#include "bridge/oauth/client_identity.h"
#include "bridge/oauth/code_grant.h"
#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/device_grant.h"
#include "bridge/oauth/dpop_key.h"
#include "bridge/oauth/oauth_client.h"
#include "bridge/oauth/sign_in_observer.h"
#include "bridge/oauth/user_agent.h"
#include "host/config.h"
#include "host/local_stack.h"
#include "host/outside.h"
#include "host/terminal.h"
#include "wire/base/result.h"
#include "wire/base/uri.h"
#include "wire/env/env.h"
#include "wire/oauth/admitting_http_client.h"
#include "wire/transport/http_client.h"

namespace postern::host {

// How a person signs in when the command line says so: with a code on another device, or with a browser on another
// machine whose answer is pasted.
enum class SignInWay { kConfigured, kDevice, kPasted };

struct SignInParts {
  Env env;
  const Outside& outside;
  Terminal& terminal;
  bridge::SignInObserver& observer;
  bridge::CredentialStore& store;
  SignInWay way = SignInWay::kConfigured;
  bool is_ahead_of_a_run = false;  // what is got is to last: a refresh token is asked for at the desk too
};

// How this program is known at the issuers of a server, and at the desk's. own.config_invalid (a secret or key that
// cannot be read).
[[nodiscard]] Result<bridge::ClientRegistrationOptions> registration_of(const ServerConfig& server);
[[nodiscard]] bridge::ClientRegistrationOptions registration_of(const Config& config);

class SignIn {
 public:
  // The desk: the local stack's own issuer and person, or what the configuration says. uri.malformed.
  [[nodiscard]] static Result<std::unique_ptr<SignIn>> at_desk(const SignInParts& parts, const Config& config,
                                                               const Uri& endpoint, const LocalStack* stack);
  // A server beside the desk. `may_ask`: whether a person may be asked; otherwise sign_in.no_way when one would have to
  // be. Failures: own.config_invalid (a secret or key that cannot be read).
  [[nodiscard]] static Result<std::unique_ptr<SignIn>> at_server(const SignInParts& parts, const Config& config,
                                                                 const ServerConfig& server, const Uri& endpoint,
                                                                 bool may_ask);
  SignIn(const SignIn&) = delete;
  SignIn& operator=(const SignIn&) = delete;

  [[nodiscard]] bridge::OAuthClient& client() { return *client_; }

 private:
  SignIn(const SignInParts& parts, const Uri& endpoint, const std::vector<Uri>& configured, std::string peer_suffix,
         const HttpClientOptions& http);
  void ask_by_browser(const SignInParts& parts, const Config& config);
  void ask_by_device(const SignInParts& parts);
  void use(const SignInParts& parts, bridge::ClientRegistrationOptions registration,
           bridge::OAuthClientOptions options);

  std::unique_ptr<HttpClient> server_socket_;
  std::unique_ptr<HttpClient> issuer_socket_;
  std::unique_ptr<AdmittingHttpClient> server_http_;
  std::unique_ptr<AdmittingHttpClient> issuer_http_;
  std::unique_ptr<bridge::UserAgent> user_agent_;
  std::unique_ptr<bridge::DeviceCodeDisplay> device_display_;
  std::unique_ptr<bridge::TokenGrant> grant_;
  std::unique_ptr<bridge::ClientRegistrar> registrar_;
  std::unique_ptr<bridge::DpopKey> dpop_;
  std::unique_ptr<bridge::OAuthClient> client_;
};

// A client whose records in the wire log are between "host" and `peer`.
[[nodiscard]] std::unique_ptr<HttpClient> client_to(const Outside& outside, Env env, std::string peer,
                                                    HttpClientOptions options = {});

}  // namespace postern::host
