#include "issuer/registration_endpoint.h"

#include "issuer/client_answer.h"
#include "issuer/failures.h"
#include "wire/oauth/client_metadata.h"

namespace postern::issuer {
namespace {

constexpr std::size_t kBytesMax = 16 * 1024;

// Browsers of strange pages cannot send this type without asking first, and are never allowed to.
Result<ClientMetadata> read_metadata(const HttpRequest& http) {
  const std::string* type = http.headers.find("Content-Type");
  if (type == nullptr || media_type(*type) != "application/json") {
    return ClientRefused{"invalid_client_metadata", "the body is not application/json"};
  }
  const auto json = parse_json(http.body, {kBytesMax, 16});
  if (!json) return ClientRefused{"invalid_client_metadata", "the body is not JSON that can be read"};
  auto metadata = ClientMetadata::of_json(*json);
  if (!metadata) {
    const auto* malformed = metadata.error().as<MalformedClientMetadata>();
    if (malformed == nullptr) return metadata.error();
    return ClientRefused{malformed->error, malformed->reason};
  }
  return metadata;
}

Result<Client> read_client(const HttpRequest& http, const StrangerRules& rules) {
  POSTERN_TRY(ClientMetadata metadata, read_metadata(http));
  // MCP clients that are too old to know what to call themselves are still clients.
  if (metadata.client_name.empty()) metadata.client_name = "a client without a name";
  POSTERN_TRY(Client client, client_of_metadata(metadata, rules, false));
  const std::string& method = metadata.token_endpoint_auth_method;
  const auto named = client_authentication_of(method.empty() ? "client_secret_basic" : method);
  if (!named) return ClientRefused{"invalid_client_metadata", "token_endpoint_auth_method is not offered here"};
  client.authentication = *named;
  return client;
}

Json registered_json(const RegisteredClients::Registered& registered, std::int64_t now) {
  const Client& client = *registered.client;
  ClientMetadata metadata;
  metadata.client_id = client.client_id;
  metadata.client_name = client.name;
  metadata.redirect_uris = client.redirect_uris;
  metadata.grant_types = client.grants.names();
  if (client.grants.authorization_code) metadata.response_types = {"code"};
  metadata.token_endpoint_auth_method = name_of(client.authentication);
  metadata.application_type = client.type == ApplicationType::kNative ? "native" : "web";
  metadata.scope = client.scopes;
  if (client.grants.refresh_token) metadata.scope = metadata.scope.join({kOfflineAccess});
  Json json = metadata.json();
  json.set("client_id_issued_at", now);
  if (!registered.secret.empty()) json.set("client_secret", registered.secret).set("client_secret_expires_at", 0);
  return json;
}

HttpResponse refuse(const Failure& failure) {
  const auto* refused = failure.as<ClientRefused>();
  if (refused == nullptr) return client_error(failure);
  return client_answer(400, Json::object({{"error", refused->error}, {"error_description", refused->reason + "."}}));
}

}  // namespace

HttpResponse RegistrationEndpoint::add(const HttpRequest& http) {
  auto client = read_client(http, rules_);
  if (!client) return refuse(client.error());
  if (!registrations_.admit()) return client_busy(registrations_.window());
  const auto registered = clients_.add(*std::move(client));
  return client_answer(201, registered_json(registered, unix_seconds(env_.clock.now())));
}

}  // namespace postern::issuer
