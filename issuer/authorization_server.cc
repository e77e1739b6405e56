#include "issuer/authorization_server.h"

#include "issuer/access_token_issuer.h"
#include "issuer/authorization_endpoint.h"
#include "issuer/code_store.h"
#include "issuer/failures.h"
#include "issuer/headless_endpoint.h"
#include "issuer/sign_in_page.h"
#include "issuer/token_endpoint.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/metadata.h"

namespace postern::issuer {
namespace {

AuthorizationServerMetadata metadata_of(const std::string& issuer, const Clients& clients) {
  AuthorizationServerMetadata metadata;
  metadata.issuer = issuer;
  metadata.authorization_endpoint = issuer + "/authorize";
  metadata.token_endpoint = issuer + "/token";
  metadata.jwks_uri = issuer + "/jwks";
  for (const Client& client : clients.all()) metadata.scopes_supported = metadata.scopes_supported.join(client.scopes);
  metadata.response_types_supported = {"code"};
  metadata.code_challenge_methods_supported = {"S256"};
  metadata.token_endpoint_auth_methods_supported = {"none"};
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
        codes(env),
        tokens(env, options.issuer),
        authorization(env, options.issuer, options.clients, options.people, codes),
        token(codes, tokens),
        headless(env, options.issuer, options.clients, options.people, codes, options.headless_secret_sha256) {}

  const AuthorizationServerOptions options;
  const std::string authority;
  CodeStore codes;
  const AccessTokenIssuer tokens;
  AuthorizationEndpoint authorization;
  TokenEndpoint token;
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
  Routes routes;
  routes.before([impl](const HttpRequest& request) { return refuse_foreign_host(request, impl->authority); });
  routes.after([](const HttpRequest&, HttpResponse& response) { complete_headers(response); });
  routes.add("GET", "/authorize",
             [impl](const HttpRequest& request) { return HttpReply(impl->authorization.show(request)); });
  routes.add("POST", "/authorize",
             [impl](const HttpRequest& request) { return HttpReply(impl->authorization.choose(request)); });
  routes.add("POST", "/token", [impl](const HttpRequest& request) { return HttpReply(impl->token.redeem(request)); });
  routes.add("POST", "/headless",
             [impl](const HttpRequest& request) { return HttpReply(impl->headless.sign_in(request)); });
  routes.add("GET", "/jwks",
             [impl](const HttpRequest&) { return HttpReply(json_response(200, impl->tokens.jwk_set().dump())); });
  const AuthorizationServerMetadata metadata = metadata_of(impl->options.issuer, impl->options.clients);
  const auto add_metadata = [&routes](const char* path, std::string text) {
    routes.add("GET", path,
               [text = std::move(text)](const HttpRequest&) { return HttpReply(json_response(200, text)); });
  };
  add_metadata("/.well-known/oauth-authorization-server", metadata.json(false).dump());
  add_metadata("/.well-known/openid-configuration", metadata.json(true).dump());
  routes.add("GET", "/sign-in.css", [](const HttpRequest&) { return HttpReply(style_sheet()); });
  return routes;
}

}  // namespace postern::issuer
