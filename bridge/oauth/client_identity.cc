#include "bridge/oauth/client_identity.h"

#include <algorithm>
#include <utility>

#include "bridge/oauth/credential_store.h"
#include "bridge/oauth/failures.h"
#include "wire/base/json.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"
#include "wire/oauth/client_metadata.h"
#include "wire/oauth/discovery_policy.h"

namespace postern::bridge {
namespace {

constexpr JsonBounds kAnswerBounds{64 * 1024, 8};
constexpr std::pair<ClientAuthentication, std::string_view> kMethods[] = {
    {ClientAuthentication::kNone, "none"},
    {ClientAuthentication::kSecretBasic, "client_secret_basic"},
    {ClientAuthentication::kSecretPost, "client_secret_post"},
    {ClientAuthentication::kPrivateKeyJwt, "private_key_jwt"},
};

// The same but for the port of an address of this machine, which an issuer must not look at (RFC 8252 section 7.3).
bool same_redirect(const std::string& registered, const std::string& wanted) {
  if (registered == wanted) return true;
  const auto a = parse_uri(registered);
  const auto b = parse_uri(wanted);
  if (!a || !b) return false;
  const bool loopback_address = a->host == "127.0.0.1" || a->host == "::1";
  return loopback_address && a->scheme == "http" && a->scheme == b->scheme && a->host == b->host &&
         a->target() == b->target();
}

bool covers(const ClientIdentity& client, const ClientNeeds& needs) {
  if (client.redirect_uris.empty()) return true;
  return std::all_of(needs.redirect_uris.begin(), needs.redirect_uris.end(), [&](const std::string& wanted) {
    return std::any_of(client.redirect_uris.begin(), client.redirect_uris.end(),
                       [&](const std::string& registered) { return same_redirect(registered, wanted); });
  });
}

// How a client that registers itself will authenticate: not at all, when the server takes that, because a secret of a
// program that many people run is none; otherwise the first way that the server names and that needs no key.
std::optional<ClientAuthentication> authentication_to_register(const AuthorizationServerMetadata& server) {
  const auto& methods = server.token_endpoint_auth_methods_supported;
  if (methods.empty()) return ClientAuthentication::kSecretBasic;  // RFC 8414 section 2
  if (std::find(methods.begin(), methods.end(), "none") != methods.end()) return ClientAuthentication::kNone;
  for (const std::string& method : methods) {
    const auto known = client_authentication_of(method);
    if (known && *known != ClientAuthentication::kPrivateKeyJwt) return known;
  }
  return std::nullopt;
}

// The client id of a Client ID Metadata Document (draft-ietf-oauth-client-id-metadata-document section 3): https, a
// path, and nothing that two readers could take for two URLs.
Status check_document_url(const std::string& url, const std::string& issuer) {
  const auto uri = parse_uri(url);
  const bool dotted = url.find("/./") != std::string::npos || url.find("/../") != std::string::npos;
  if (uri && uri->scheme == "https" && uri->path != "/" && !dotted) return {};
  return NoClient{visible_line(issuer, 200), "the URL of the client's metadata document, \"" + visible_line(url, 200) +
                                                 "\", is not an https URL with a path"};
}

Failure refusal_of(const HttpResponse& response, const std::string& issuer) {
  RegistrationRefused refused{visible_line(issuer, 200), response.status, "", ""};
  if (const auto json = parse_json(response.body, kAnswerBounds)) {
    refused.error = visible_line(json->string_at("error"), 60);
    refused.description = visible_line(json->string_at("error_description"), 200);
  }
  return refused;
}

// RFC 7591 section 3.2.1: the server may have registered something else than was asked for, and says so.
Result<ClientIdentity> read_registration(HttpResponse& response, const std::string& issuer,
                                         ClientAuthentication asked) {
  const auto unusable = [&](std::string reason) {
    return RegistrationRefused{visible_line(issuer, 200), response.status, "", std::move(reason)};
  };
  auto json = parse_json(response.body, kAnswerBounds);
  wipe(response.body);
  if (!json || !json->is_object()) return unusable("the answer is not a JSON object");
  ClientIdentity client;
  client.issuer = issuer;
  client.client_id = json->string_at("client_id");
  if (client.client_id.empty()) return unusable("the answer holds no client_id");
  if (Json* secret = json->find("client_secret"); secret != nullptr && secret->string() != nullptr)
    client.secret = ClientSecret::take(std::move(*secret->string()));
  const std::string_view method = json->string_at("token_endpoint_auth_method");
  client.authentication = method.empty() ? asked : client_authentication_of(method);
  if (!client.authentication || *client.authentication == ClientAuthentication::kPrivateKeyJwt)
    return unusable("it wants the client to authenticate by " + visible_line(method, 60));
  if (*client.authentication == ClientAuthentication::kNone) client.secret = ClientSecret();
  if (*client.authentication != ClientAuthentication::kNone && client.secret.empty())
    return unusable("it wants a client secret and gave none");
  return client;
}

}  // namespace

std::optional<ClientAuthentication> client_authentication_of(std::string_view method) {
  for (const auto& [value, name] : kMethods) {
    if (name == method) return value;
  }
  return std::nullopt;
}

std::string_view text_of(ClientAuthentication method) {
  for (const auto& [value, name] : kMethods) {
    if (value == method) return name;
  }
  return "none";
}

ClientIdentity ClientIdentity::duplicate() const {
  ClientIdentity copy;
  copy.issuer = issuer;
  copy.client_id = client_id;
  copy.authentication = authentication;
  copy.secret = secret.duplicate();
  copy.key = key;
  copy.key_id = key_id;
  copy.redirect_uris = redirect_uris;
  return copy;
}

ClientRegistrar::ClientRegistrar(Env env, HttpClient& issuer_http, CredentialStore& store,
                                 ClientRegistrationOptions options)
    : env_(env), issuer_http_(issuer_http), store_(store), options_(std::move(options)) {
  if (options_.registered) registered_issuer_ = options_.registered->issuer;
}

Result<std::optional<ClientIdentity>> ClientRegistrar::known_at(const AuthorizationServerMetadata& metadata) {
  const std::string& issuer = metadata.issuer;
  if (options_.registered) {
    // A client that was registered at one issuer is shown to no other (basic/authorization/client-registration,
    // "Authorization Server Binding").
    if (!registered_issuer_.empty() && registered_issuer_ != issuer)
      return ForeignIssuer{visible_line(registered_issuer_, 200), visible_line(issuer, 200)};
    registered_issuer_ = issuer;
    ClientIdentity client = options_.registered->duplicate();
    client.issuer = issuer;
    return std::optional(std::move(client));
  }
  if (!options_.metadata_document_url.empty() && metadata.client_id_metadata_document_supported) {
    POSTERN_TRY_VOID(check_document_url(options_.metadata_document_url, issuer));
    ClientIdentity client;
    client.issuer = issuer;
    client.client_id = options_.metadata_document_url;
    client.authentication = ClientAuthentication::kNone;
    return std::optional(std::move(client));
  }
  return store_.client(issuer);
}

Result<ClientIdentity> ClientRegistrar::identity_at(const AuthorizationServerMetadata& metadata,
                                                    const ClientNeeds& needs, SteadyTime deadline,
                                                    const std::stop_token& stop) {
  POSTERN_TRY(std::optional<ClientIdentity> known, known_at(metadata));
  if (known && covers(*known, needs)) return *std::move(known);
  const auto no_client = [&](std::string reason) {
    return NoClient{visible_line(metadata.issuer, 200), std::move(reason)};
  };
  const bool offers = !metadata.registration_endpoint.empty();
  if (offers && options_.dynamic) return register_at(metadata, needs, deadline, stop);
  if (offers)
    return no_client(
        "this program is not known there. Name a client_id in the configuration, or allow dynamic_registration, which "
        "the issuer offers");
  if (metadata.client_id_metadata_document_supported)
    return no_client(
        "this program is not known there. Name a client_id in the configuration, or a client_metadata_url: the issuer "
        "reads such documents");
  return no_client(
      "this program is not known there, and the issuer lets no program register itself. Register a client with whoever "
      "runs it, and name its client_id in the configuration");
}

Result<ClientIdentity> ClientRegistrar::register_at(const AuthorizationServerMetadata& metadata,
                                                    const ClientNeeds& needs, SteadyTime deadline,
                                                    const std::stop_token& stop) {
  const auto method = authentication_to_register(metadata);
  if (!method)
    return NoClient{visible_line(metadata.issuer, 200),
                    "it takes no way of authentication that a program can register for by itself. Name a client_id in "
                    "the configuration"};
  POSTERN_TRY(Uri issuer, parse_uri(metadata.issuer));
  POSTERN_TRY(const Uri endpoint, DiscoveryPolicy(std::move(issuer)).admit(metadata.registration_endpoint));
  ClientMetadata client;
  client.client_name = options_.client_name;
  client.redirect_uris = needs.redirect_uris;
  client.grant_types = needs.grant_types;
  if (!needs.redirect_uris.empty()) client.response_types = {"code"};
  client.token_endpoint_auth_method = text_of(*method);
  // Without it OpenID Connect Registration means "web", which may not redirect to this machine.
  client.application_type = "native";
  HttpRequest request;
  request.method = "POST";
  request.headers = {{"Content-Type", "application/json"}, {"Accept", "application/json"}};
  request.body = client.json().dump();
  POSTERN_TRY(HttpResponse response, issuer_http_.send(endpoint, request, deadline, stop));
  if (response.status != 200 && response.status != 201) return refusal_of(response, metadata.issuer);
  POSTERN_TRY(ClientIdentity registered, read_registration(response, metadata.issuer, *method));
  registered.redirect_uris = needs.redirect_uris;
  POSTERN_TRY_VOID(store_.keep_client(registered));
  return registered;
}

bool ClientRegistrar::forget(const std::string& issuer) {
  if (options_.registered) return false;
  const auto known = store_.client(issuer);
  return known && *known && store_.forget_client(issuer).has_value();
}

}  // namespace postern::bridge
