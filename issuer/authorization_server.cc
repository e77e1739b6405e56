#include "issuer/authorization_server.h"

#include <algorithm>
#include <functional>

#include "issuer/access_token_issuer.h"
#include "issuer/authorization_endpoint.h"
#include "issuer/client_directory.h"
#include "issuer/code_store.h"
#include "issuer/device_endpoint.h"
#include "issuer/failures.h"
#include "issuer/headless_endpoint.h"
#include "issuer/page.h"
#include "issuer/refresh_tokens.h"
#include "issuer/registration_endpoint.h"
#include "issuer/revocation_endpoint.h"
#include "issuer/token_endpoint.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/metadata.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kAllMethods[] = {"none", "client_secret_basic", "client_secret_post"};

bool any_client(const AuthorizationServerOptions& options, const std::function<bool(const Client&)>& holds) {
  const auto& all = options.clients.all();
  return std::any_of(all.begin(), all.end(), [&](const ClientRef& client) { return holds(*client); });
}

bool takes_documents(const AuthorizationServerOptions& options) {
  return options.strangers.metadata_documents && options.http != nullptr;
}

// The grants that some client may use: a stranger may name each.
std::vector<std::string> grant_types_of(const AuthorizationServerOptions& options) {
  const bool strangers = options.strangers.registration || takes_documents(options);
  std::vector<std::string> names;
  for (const std::string& name : GrantTypes{true, true, true}.names()) {
    const bool used = any_client(options, [&](const Client& client) {
      const auto own = client.grants.names();
      return std::find(own.begin(), own.end(), name) != own.end();
    });
    if (used || strangers) names.push_back(name);
  }
  return names;
}

// What is listed here is honoured, and nothing else is listed.
AuthorizationServerMetadata metadata_of(const AuthorizationServerOptions& options) {
  AuthorizationServerMetadata metadata;
  const std::string& issuer = options.issuer;
  metadata.issuer = issuer;
  metadata.authorization_endpoint = issuer + "/authorize";
  metadata.token_endpoint = issuer + "/token";
  metadata.revocation_endpoint = issuer + "/revoke";
  metadata.jwks_uri = issuer + "/jwks";
  metadata.grant_types_supported = grant_types_of(options);
  const auto offers = [&](std::string_view name) {
    const auto& names = metadata.grant_types_supported;
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (offers(kDeviceGrantType)) metadata.device_authorization_endpoint = issuer + "/device_authorization";
  if (options.strangers.registration) metadata.registration_endpoint = issuer + "/register";
  metadata.client_id_metadata_document_supported = takes_documents(options);
  metadata.scopes_supported = options.strangers.scopes;
  for (const ClientRef& client : options.clients.all()) {
    metadata.scopes_supported = metadata.scopes_supported.join(client->scopes);
  }
  if (offers("refresh_token")) metadata.scopes_supported = metadata.scopes_supported.join({kOfflineAccess});
  metadata.response_types_supported = {"code"};
  metadata.code_challenge_methods_supported = {"S256"};
  for (const std::string_view method : kAllMethods) {
    const bool used =
        any_client(options, [&](const Client& client) { return name_of(client.authentication) == method; });
    if (used || method == "none" || options.strangers.registration) {
      metadata.token_endpoint_auth_methods_supported.emplace_back(method);
    }
  }
  metadata.authorization_response_iss_parameter_supported = true;
  return metadata;
}

// Against DNS rebinding: this issuer answers to its own name only.
std::optional<HttpResponse> refuse_foreign_host(const HttpRequest& request, const std::string& own_authority) {
  const auto hosts = request.headers.all("Host");
  if (hosts.size() != 1) return text_response(400, "A request must name its host once.\n");
  if (hosts.front() != own_authority) return text_response(403, "This issuer does not answer for that host.\n");
  return std::nullopt;
}

// Every answer leaves with the page's headers; the sign-in page has set its own already.
void complete_headers(HttpResponse& response) {
  if (!response.headers.has("Content-Security-Policy")) set_page_headers(response, "");
}

}  // namespace

struct AuthorizationServer::Impl {
  Impl(Env env, AuthorizationServerOptions given, std::string own_authority)
      : options(std::move(given)),
        authority(std::move(own_authority)),
        registered(env),
        documents(env, options.http, options.strangers),
        clients(options.clients, registered, documents),
        codes(env),
        devices(env),
        refresh_tokens(env),
        tokens(env, options.issuer, options.first_key),
        desk{env,   options.issuer, {options.default_scope, options.scope_rules}, clients, options.people,
             codes, devices},
        authorization(desk),
        device(desk, authorization),
        token(clients, codes, devices, refresh_tokens, tokens),
        revocation(clients, refresh_tokens, tokens),
        registration(env, options.strangers, registered),
        headless(desk, options.headless_secret_sha256) {}

  const AuthorizationServerOptions options;
  const std::string authority;
  RegisteredClients registered;
  MetadataDocuments documents;
  ClientDirectory clients;
  CodeStore codes;
  DeviceCodes devices;
  RefreshTokens refresh_tokens;
  AccessTokenIssuer tokens;
  GrantDesk desk;
  AuthorizationEndpoint authorization;
  DeviceEndpoint device;
  TokenEndpoint token;
  RevocationEndpoint revocation;
  RegistrationEndpoint registration;
  HeadlessEndpoint headless;
};

AuthorizationServer::AuthorizationServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
AuthorizationServer::AuthorizationServer(AuthorizationServer&&) noexcept = default;
AuthorizationServer& AuthorizationServer::operator=(AuthorizationServer&&) noexcept = default;
AuthorizationServer::~AuthorizationServer() = default;

Result<AuthorizationServer> AuthorizationServer::make(Env env, AuthorizationServerOptions options) {
  const auto uri = parse_uri(options.issuer);
  const auto refuse = [&](std::string_view why) {
    return BadIssuerConfiguration{"the issuer \"" + visible_line(options.issuer, 200) + "\" " + std::string(why)};
  };
  if (!uri) return refuse("is not an http URL");
  if (!uri->is_loopback()) return refuse("is not an address of this machine, and this training issuer serves no other");
  if (uri->scheme != "http" || uri->origin() != options.issuer)
    return refuse("is not of the form http://127.0.0.1:PORT");
  return AuthorizationServer(std::make_unique<Impl>(env, std::move(options), uri->authority()));
}

Routes AuthorizationServer::routes() {
  Impl* const impl = impl_.get();
  const AuthorizationServerMetadata metadata = metadata_of(impl->options);
  Routes routes;
  routes.before([impl](const HttpRequest& request) { return refuse_foreign_host(request, impl->authority); });
  routes.after([](const HttpRequest&, HttpResponse& response) { complete_headers(response); });
  const auto add = [&](const char* method, const char* path, auto& endpoint, auto handler) {
    routes.add(method, path,
               [&endpoint, handler](const HttpRequest& request) -> HttpReply { return (endpoint.*handler)(request); });
  };
  add("GET", "/authorize", impl->authorization, &AuthorizationEndpoint::show);
  add("POST", "/authorize", impl->authorization, &AuthorizationEndpoint::choose);
  add("POST", "/consent", impl->authorization, &AuthorizationEndpoint::decide);
  add("POST", "/token", impl->token, &TokenEndpoint::redeem);
  add("POST", "/revoke", impl->revocation, &RevocationEndpoint::revoke);
  add("POST", "/headless", impl->headless, &HeadlessEndpoint::sign_in);
  if (!metadata.device_authorization_endpoint.empty()) {
    add("POST", "/device_authorization", impl->device, &DeviceEndpoint::start);
    add("GET", "/device", impl->device, &DeviceEndpoint::show);
    add("POST", "/device", impl->device, &DeviceEndpoint::enter);
  }
  if (!metadata.registration_endpoint.empty()) {
    add("POST", "/register", impl->registration, &RegistrationEndpoint::add);
  }
  routes.add("GET", "/jwks",
             [impl](const HttpRequest&) { return HttpReply(json_response(200, impl->tokens.jwk_set().dump())); });
  const auto add_document = [&routes](const char* path, std::string text) {
    routes.add("GET", path,
               [text = std::move(text)](const HttpRequest&) { return HttpReply(json_response(200, text)); });
  };
  add_document("/.well-known/oauth-authorization-server", metadata.json(false).dump());
  add_document("/.well-known/openid-configuration", metadata.json(true).dump());
  routes.add("GET", "/sign-in.css", [](const HttpRequest&) { return HttpReply(style_sheet()); });
  return routes;
}

void AuthorizationServer::rotate_keys() {
  impl_->tokens.rotate_keys();
}

}  // namespace postern::issuer
