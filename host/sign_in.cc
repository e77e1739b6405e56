#include "host/sign_in.h"

#include <utility>

#include "bridge/oauth/failures.h"
#include "host/headless_user_agent.h"
#include "host/loopback_user_agent.h"
#include "host/pasted_redirect_user_agent.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"
#include "wire/signing/es256_signer.h"

namespace postern::host {
namespace {

constexpr std::size_t kSecretBytesMax = 16 * 1024;

// The code that a person types on another device, where it is asked for.
class TerminalDeviceCode final : public bridge::DeviceCodeDisplay {
 public:
  explicit TerminalDeviceCode(Terminal& terminal) : terminal_(terminal) {}
  void show(const Notice& notice) override {
    terminal_.err("sign in    Open this page on any device:");
    terminal_.err("             " + visible_line(notice.verification_uri, 400));
    terminal_.err("           and type this code: " + terminal_.bold(visible_line(notice.user_code, 40)));
    if (!notice.verification_uri_complete.empty())
      terminal_.err("           or open this one, which has it already: " +
                    visible_line(notice.verification_uri_complete, 400));
    terminal_.err("           The code is good for " + minutes_seconds(notice.expires_in) + " min.");
  }

 private:
  Terminal& terminal_;
};

// In a run that may not wait for a person.
class NobodyThere final : public bridge::UserAgent {
 public:
  [[nodiscard]] Result<std::string> redirect_uri() override { return std::string("http://127.0.0.1/callback"); }
  [[nodiscard]] Result<std::string> authorize(const Uri& authorization, std::stop_token /*stop*/) override {
    return bridge::NoWayToSignIn{authorization.origin()};
  }
};
class NoDevice final : public bridge::TokenGrant {
 public:
  [[nodiscard]] Result<bridge::ClientNeeds> needs() override { return bridge::ClientNeeds{}; }
  [[nodiscard]] bool asks_a_person() const override { return true; }
  [[nodiscard]] Result<TokenResponse> obtain(const bridge::TokenGrantRequest& request,
                                             const std::stop_token& /*stop*/) override {
    return bridge::NoWayToSignIn{request.server.issuer};
  }
};

// A file that holds a secret and that nobody else can read.
Result<std::string> read_secret(const std::string& path, const std::string& place) {
  const Result<unsigned> mode = file_mode(path);
  if (!mode) return ConfigInvalid{place, "there is no such file: " + visible_line(path, 200)};
  if ((*mode & 077U) != 0) {
    return ConfigInvalid{
        place, "others can read " + visible_line(path, 200) + ". Take that away: chmod 600 " + visible_line(path, 200)};
  }
  Result<std::string> text = read_file(path, kSecretBytesMax);
  if (!text) return ConfigInvalid{place, visible_line(path, 200) + " cannot be read"};
  while (!text->empty() && (text->back() == '\n' || text->back() == '\r')) text->pop_back();
  if (text->empty()) return ConfigInvalid{place, visible_line(path, 200) + " is empty"};
  return text;
}

}  // namespace

Result<bridge::ClientRegistrationOptions> registration_of(const ServerConfig& server) {
  const OAuthConfig& oauth = server.oauth;
  const std::string place = server.where + ", mcpServers." + server.name + ".oauth";
  bridge::ClientRegistrationOptions registration;
  registration.metadata_document_url = oauth.client_metadata_url;
  registration.dynamic = oauth.dynamic_registration;
  if (oauth.client_id.empty()) return registration;
  registration.registered.emplace();
  registration.registered->issuer = oauth.issuer;
  registration.registered->client_id = oauth.client_id;
  if (!oauth.client_secret_file.empty()) {
    POSTERN_TRY(std::string secret, read_secret(oauth.client_secret_file, place + ".client_secret_file"));
    registration.registered->secret = bridge::ClientSecret::take(std::move(secret));
  }
  if (!oauth.client_key_file.empty()) {
    POSTERN_TRY(std::string pem, read_secret(oauth.client_key_file, place + ".client_key_file"));
    Result<Es256Signer> key = Es256Signer::of_pem(PrivateKeyPem::take(pem + "\n"));
    wipe(pem);
    if (!key) {
      const auto* unusable = key.error().as<UnusableKey>();
      return ConfigInvalid{place + ".client_key_file", unusable == nullptr ? key.error().text() : unusable->reason};
    }
    registration.registered->key = std::make_shared<const Es256Signer>(*std::move(key));
    registration.registered->authentication = bridge::ClientAuthentication::kPrivateKeyJwt;
  }
  return registration;
}

bridge::ClientRegistrationOptions registration_of(const Config& config) {
  bridge::ClientRegistrationOptions registration;
  registration.registered.emplace();
  registration.registered->issuer = config.issuer;
  registration.registered->client_id = config.client_id;
  return registration;
}

std::unique_ptr<HttpClient> client_to(const Outside& outside, Env env, std::string peer, HttpClientOptions options) {
  options.tap_self = "host";
  options.tap_peer = std::move(peer);
  return outside.http_client(env, std::move(options));
}

SignIn::SignIn(const SignInParts& parts, const Uri& endpoint, const std::vector<Uri>& configured,
               std::string peer_suffix, const HttpClientOptions& http)
    : server_socket_(client_to(parts.outside, parts.env, "server" + peer_suffix, http)),
      issuer_socket_(client_to(parts.outside, parts.env, "issuer" + peer_suffix, http)),
      server_http_(std::make_unique<AdmittingHttpClient>(*server_socket_, DiscoveryPolicy(endpoint, configured))),
      issuer_http_(std::make_unique<AdmittingHttpClient>(*issuer_socket_, DiscoveryPolicy(endpoint, configured))) {}

void SignIn::ask_by_browser(const SignInParts& parts, const Config& config) {
  if (parts.way == SignInWay::kPasted) {
    user_agent_ = std::make_unique<PastedRedirectUserAgent>(parts.env, parts.terminal);
  } else {
    user_agent_ = std::make_unique<LoopbackUserAgent>(parts.env, parts.terminal, config.open);
  }
  grant_ = std::make_unique<bridge::CodeGrant>(parts.env, *user_agent_);
}

void SignIn::ask_by_device(const SignInParts& parts) {
  device_display_ = std::make_unique<TerminalDeviceCode>(parts.terminal);
  grant_ = std::make_unique<bridge::DeviceGrant>(parts.env, *device_display_);
}

void SignIn::use(const SignInParts& parts, bridge::ClientRegistrationOptions registration,
                 bridge::OAuthClientOptions options) {
  registrar_ =
      std::make_unique<bridge::ClientRegistrar>(parts.env, *issuer_http_, parts.store, std::move(registration));
  client_ = std::make_unique<bridge::OAuthClient>(parts.env, *server_http_, *issuer_http_, *registrar_, *grant_,
                                                  parts.store, parts.observer, std::move(options), dpop_.get());
}

Result<std::unique_ptr<SignIn>> SignIn::at_desk(const SignInParts& parts, const Config& config, const Uri& endpoint,
                                                const LocalStack* stack) {
  const std::string issuer_text = stack != nullptr ? stack->issuer() : config.issuer;
  std::vector<Uri> configured;
  if (!issuer_text.empty()) {
    POSTERN_TRY(Uri issuer, parse_uri(issuer_text));
    configured.push_back(std::move(issuer));
  }
  HttpClientOptions http;
  http.proxy = config.proxy;
  std::unique_ptr<SignIn> made(new SignIn(parts, endpoint, configured, "", http));
  if (stack != nullptr) {
    made->user_agent_ = std::make_unique<HeadlessUserAgent>(parts.env.clock, *made->issuer_http_, configured.front(),
                                                            config.person, stack->headless_secret());
    made->grant_ = std::make_unique<bridge::CodeGrant>(parts.env, *made->user_agent_);
  } else if (parts.way == SignInWay::kDevice) {
    made->ask_by_device(parts);
  } else {
    made->ask_by_browser(parts, config);
  }
  bridge::ClientRegistrationOptions registration = registration_of(config);
  registration.registered->issuer = issuer_text;
  bridge::OAuthClientOptions options;
  options.endpoint = endpoint;
  options.issuer = issuer_text;
  options.scopes_max = ScopeSet{"desk:read", "refunds:write"};
  if (parts.is_ahead_of_a_run) options.scopes_max = options.scopes_max->join({"offline_access"});
  made->use(parts, std::move(registration), std::move(options));
  return made;
}

Result<std::unique_ptr<SignIn>> SignIn::at_server(const SignInParts& parts, const Config& config,
                                                  const ServerConfig& server, const Uri& endpoint, bool may_ask) {
  POSTERN_TRY(bridge::ClientRegistrationOptions registration, registration_of(server));
  std::vector<Uri> configured;
  if (!server.oauth.issuer.empty()) {
    POSTERN_TRY(Uri issuer, parse_uri(server.oauth.issuer));
    configured.push_back(std::move(issuer));
  }
  HttpClientOptions http;
  http.proxy = config.proxy;
  http.ca_file = server.ca_file;
  std::unique_ptr<SignIn> made(new SignIn(parts, endpoint, configured, ":" + server.name, http));
  OAuthConfig::Flow flow = server.oauth.flow;
  if (parts.way == SignInWay::kDevice) flow = OAuthConfig::Flow::kDevice;
  if (parts.way == SignInWay::kPasted) flow = OAuthConfig::Flow::kBrowser;
  switch (flow) {
    case OAuthConfig::Flow::kBrowser:
      if (may_ask) {
        made->ask_by_browser(parts, config);
      } else {
        made->user_agent_ = std::make_unique<NobodyThere>();
        made->grant_ = std::make_unique<bridge::CodeGrant>(parts.env, *made->user_agent_);
      }
      break;
    case OAuthConfig::Flow::kDevice:
      if (may_ask) {
        made->ask_by_device(parts);
      } else {
        made->grant_ = std::make_unique<NoDevice>();
      }
      break;
    case OAuthConfig::Flow::kClientCredentials:
      made->grant_ = std::make_unique<bridge::ClientCredentialsGrant>(parts.env);
      break;
  }
  if (server.oauth.dpop) made->dpop_ = std::make_unique<bridge::DpopKey>(parts.env);
  bridge::OAuthClientOptions options;
  options.endpoint = endpoint;
  options.issuer = server.oauth.issuer;
  options.scopes_max = server.oauth.scopes_max;
  made->use(parts, std::move(registration), std::move(options));
  return made;
}

}  // namespace postern::host
