#include "issuer/clients.h"

#include <algorithm>

#include "issuer/failures.h"
#include "wire/base/bytes.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kMembers[] = {"client_id",
                                         "name",
                                         "application_type",
                                         "redirect_uris",
                                         "scopes",
                                         "resources",
                                         "headless",
                                         "first_party",
                                         "grant_types",
                                         "client_secret_sha256",
                                         "token_endpoint_auth_method"};
constexpr std::size_t kClientsMax = 100;

Failure bad(const Client& client, std::string_view what) {
  return BadIssuerConfiguration{"the client " + visible_line(client.client_id, 40) + " " + std::string(what)};
}

Result<std::vector<std::string>> read_strings(const Json& json, const Client& client, std::string_view name) {
  const Json* list = json.find(name);
  if (list == nullptr || !list->is_array()) return bad(client, "has no array \"" + std::string(name) + "\"");
  std::vector<std::string> out;
  for (const Json& entry : list->elements()) {
    if (entry.string() == nullptr)
      return bad(client, "has something other than strings in \"" + std::string(name) + "\"");
    out.push_back(*entry.string());
  }
  return out;
}

// A configured web client may have http on this machine: the approval page of a local stack is one.
Status check_redirect_uri(const Client& client, const std::string& redirect_uri) {
  if (const auto fault = redirect_uri_fault(redirect_uri, ApplicationType::kNative)) {
    return bad(client, "has a redirect URI that " + *fault);
  }
  return {};
}

Result<bool> read_flag(const Json& json, const Client& client, std::string_view name) {
  const Json* flag = json.find(name);
  if (flag != nullptr && !flag->is_bool()) {
    return bad(client, "has a \"" + std::string(name) + "\" that is not true or false");
  }
  return json.boolean_at(name).value_or(false);
}

Status read_authentication(const Json& json, Client& client) {
  const Json* secret = json.find("client_secret_sha256");
  const Json* method = json.find("token_endpoint_auth_method");
  if (secret != nullptr) {
    const auto hash = secret->string() == nullptr ? std::nullopt : hex_decode(*secret->string());
    if (!hash || hash->size() != 32) return bad(client, "has a \"client_secret_sha256\" that is not 64 hex digits");
    client.secret_sha256 = *hash;
    client.authentication = ClientAuthentication::kSecretBasic;
  }
  if (method != nullptr) {
    const auto named = method->string() == nullptr ? std::nullopt : client_authentication_of(*method->string());
    if (!named) return bad(client, "has a \"token_endpoint_auth_method\" that is not offered here");
    client.authentication = *named;
  }
  if ((client.authentication == ClientAuthentication::kNone) != client.secret_sha256.empty()) {
    return bad(client, "has a secret without a method that uses it, or a method without its secret");
  }
  return {};
}

Status read_grants(const Json& json, Client& client) {
  if (json.has("grant_types")) {
    POSTERN_TRY(const auto names, read_strings(json, client, "grant_types"));
    const auto grants = GrantTypes::of_names(names);
    if (!grants || grants->names().size() != names.size()) {
      return bad(client, "has \"grant_types\" that are not offered here");
    }
    client.grants = *grants;
  }
  POSTERN_TRY(client.redirect_uris, read_strings(json, client, "redirect_uris"));
  for (const std::string& redirect_uri : client.redirect_uris)
    POSTERN_TRY_VOID(check_redirect_uri(client, redirect_uri));
  return {};
}

Status check_members(const Json& json, const Client& client) {
  for (const auto& [name, value] : json.members()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      return bad(client, "has the unknown member " + visible_line(name, 40));
    }
  }
  return {};
}

Result<Client> read_client(const Json& json) {
  Client client;
  client.client_id = json.string_at("client_id");
  client.name = json.string_at("name");
  if (client.client_id.empty() || client.name.empty())
    return BadIssuerConfiguration{"a client needs a client_id and a name"};
  if (parse_uri(client.client_id)) return bad(client, "has a URL for its id, which stands for a metadata document");
  POSTERN_TRY_VOID(check_members(json, client));
  const std::string_view type = json.string_at("application_type");
  if (type != "native" && type != "web") return bad(client, "is neither \"native\" nor \"web\"");
  client.type = type == "native" ? ApplicationType::kNative : ApplicationType::kWeb;
  POSTERN_TRY_VOID(read_grants(json, client));
  POSTERN_TRY(client.resources, read_strings(json, client, "resources"));
  POSTERN_TRY(const auto scopes, read_strings(json, client, "scopes"));
  for (const std::string& entry : scopes) {
    const auto scope = ScopeSet::parse(entry);
    if (!scope) return bad(client, "has a malformed scope");
    client.scopes = client.scopes.join(*scope);
  }
  if (client.scopes.contains(kOfflineAccess)) {
    return bad(client, "has the scope offline_access, which comes with the grant type refresh_token");
  }
  POSTERN_TRY(client.headless, read_flag(json, client, "headless"));
  POSTERN_TRY(client.first_party, read_flag(json, client, "first_party"));
  if (client.headless && client.type != ApplicationType::kNative) return bad(client, "is headless and not native");
  POSTERN_TRY_VOID(read_authentication(json, client));
  return client;
}

}  // namespace

std::optional<ClientAuthentication> client_authentication_of(std::string_view name) {
  for (const auto method :
       {ClientAuthentication::kNone, ClientAuthentication::kSecretBasic, ClientAuthentication::kSecretPost}) {
    if (name == name_of(method)) return method;
  }
  return std::nullopt;
}

std::string_view name_of(ClientAuthentication method) {
  switch (method) {
    case ClientAuthentication::kNone:
      return "none";
    case ClientAuthentication::kSecretBasic:
      return "client_secret_basic";
    case ClientAuthentication::kSecretPost:
      return "client_secret_post";
  }
  return "none";
}

std::optional<GrantTypes> GrantTypes::of_names(const std::vector<std::string>& names) {
  const auto has = [&](std::string_view name) { return std::find(names.begin(), names.end(), name) != names.end(); };
  const GrantTypes grants{has("authorization_code"), has("refresh_token"), has(kDeviceGrantType)};
  if (!grants.authorization_code && !grants.device_code) return std::nullopt;
  return grants;
}

std::vector<std::string> GrantTypes::names() const {
  std::vector<std::string> names;
  if (authorization_code) names.emplace_back("authorization_code");
  if (refresh_token) names.emplace_back("refresh_token");
  if (device_code) names.emplace_back(kDeviceGrantType);
  return names;
}

bool Client::may_redirect_to(std::string_view redirect_uri) const {
  return std::any_of(redirect_uris.begin(), redirect_uris.end(),
                     [&](const std::string& registered) { return is_redirect_of(registered, redirect_uri, type); });
}

bool Client::may_ask_for_resource(std::string_view resource) const {
  return std::find(resources.begin(), resources.end(), resource) != resources.end();
}

bool Client::redirects_to_this_machine_only() const {
  return !redirect_uris.empty() && std::all_of(redirect_uris.begin(), redirect_uris.end(), is_loopback_redirect);
}

Result<Clients> Clients::of_json(const Json& json) {
  if (!json.is_array() || json.size() == 0 || json.size() > kClientsMax) {
    return BadIssuerConfiguration{"\"clients\" is not an array of 1 to " + std::to_string(kClientsMax) + " clients"};
  }
  Clients clients;
  for (const Json& entry : json.elements()) {
    POSTERN_TRY(Client client, read_client(entry));
    if (clients.find(client.client_id) != nullptr) return bad(client, "is there twice");
    clients.clients_.push_back(std::make_shared<const Client>(std::move(client)));
  }
  return clients;
}

ClientRef Clients::find(std::string_view client_id) const {
  const auto found = std::find_if(clients_.begin(), clients_.end(),
                                  [&](const ClientRef& client) { return client->client_id == client_id; });
  return found == clients_.end() ? nullptr : *found;
}

}  // namespace postern::issuer
