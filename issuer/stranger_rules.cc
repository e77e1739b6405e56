#include "issuer/stranger_rules.h"

#include <algorithm>
#include <optional>

#include "issuer/failures.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kMembers[] = {"registration", "metadata_documents", "document_hosts", "scopes", "resources"};
constexpr std::size_t kRedirectsMax = 16;
constexpr std::size_t kNameCharactersMax = 80;

Failure bad(std::string_view what) {
  return BadIssuerConfiguration{"\"strangers\" " + std::string(what)};
}

Result<std::vector<std::string>> read_strings(const Json& json, std::string_view name) {
  std::vector<std::string> out;
  const Json* list = json.find(name);
  if (list == nullptr) return out;
  if (!list->is_array()) return bad("has no array in " + std::string(name));
  for (const Json& entry : list->elements()) {
    if (entry.string() == nullptr) return bad("has something other than strings in " + std::string(name));
    out.push_back(*entry.string());
  }
  return out;
}

Failure refuse_metadata(std::string reason) {
  return ClientRefused{"invalid_client_metadata", std::move(reason)};
}

Result<ApplicationType> application_type_of(const ClientMetadata& metadata) {
  if (metadata.application_type == "native") return ApplicationType::kNative;
  if (metadata.application_type == "web") return ApplicationType::kWeb;
  if (!metadata.application_type.empty()) return refuse_metadata("application_type is neither \"native\" nor \"web\"");
  const auto& uris = metadata.redirect_uris;
  const bool any_here = std::any_of(uris.begin(), uris.end(), is_loopback_redirect);
  return any_here ? ApplicationType::kNative : ApplicationType::kWeb;
}

Status read_redirects(const ClientMetadata& metadata, bool drop_redirects, Client& client) {
  if (metadata.redirect_uris.size() > kRedirectsMax) {
    return ClientRefused{"invalid_redirect_uri", "there are more than " + std::to_string(kRedirectsMax)};
  }
  for (const std::string& uri : metadata.redirect_uris) {
    const auto fault = redirect_uri_fault(uri, client.type);
    if (!fault) {
      client.redirect_uris.push_back(uri);
    } else if (!drop_redirects) {
      return ClientRefused{"invalid_redirect_uri", "\"" + visible_line(uri, 100) + "\" " + *fault};
    }
  }
  if (client.redirect_uris.empty() && client.grants.authorization_code) {
    return ClientRefused{"invalid_redirect_uri", "none of redirect_uris can be used here"};
  }
  return {};
}

Status read_name(const ClientMetadata& metadata, Client& client) {
  if (is_blank(metadata.client_name)) return refuse_metadata("client_name is missing");
  client.name = visible_line(metadata.client_name, kNameCharactersMax);
  return {};
}

}  // namespace

Result<StrangerRules> StrangerRules::of_json(const Json& json) {
  if (!json.is_object()) return bad("is no object");
  for (const auto& [name, value] : json.members()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      return bad("has the unknown member " + visible_line(name, 40));
    }
  }
  StrangerRules rules;
  for (const auto& [name, flag] :
       {std::pair{"registration", &rules.registration}, std::pair{"metadata_documents", &rules.metadata_documents}}) {
    const Json* value = json.find(name);
    if (value != nullptr && !value->is_bool())
      return bad("has something other than true or false in " + std::string(name));
    *flag = json.boolean_at(name).value_or(false);
  }
  POSTERN_TRY(rules.document_hosts, read_strings(json, "document_hosts"));
  POSTERN_TRY(rules.resources, read_strings(json, "resources"));
  POSTERN_TRY(const auto scopes, read_strings(json, "scopes"));
  for (const std::string& entry : scopes) {
    const auto scope = ScopeSet::parse(entry);
    if (!scope) return bad("has a malformed scope");
    rules.scopes = rules.scopes.join(*scope);
  }
  if (rules.scopes.contains("refunds:approve")) return bad("must not have refunds:approve");
  if (rules.scopes.contains(kOfflineAccess)) {
    return bad("has the scope offline_access, which comes with the grant type refresh_token");
  }
  if (rules.scopes.empty() || rules.resources.empty()) return bad("needs \"scopes\" and \"resources\"");
  return rules;
}

Result<Client> client_of_metadata(const ClientMetadata& metadata, const StrangerRules& rules, bool drop_redirects) {
  Client client;
  POSTERN_TRY_VOID(read_name(metadata, client));
  POSTERN_TRY(client.type, application_type_of(metadata));
  if (!metadata.grant_types.empty()) {
    const auto grants = GrantTypes::of_names(metadata.grant_types);
    if (!grants) return refuse_metadata("grant_types names none that is offered here");
    client.grants = *grants;
  }
  const auto& responses = metadata.response_types;
  if (client.grants.authorization_code && !responses.empty() &&
      std::find(responses.begin(), responses.end(), "code") == responses.end()) {
    return refuse_metadata("response_types does not name \"code\", the only one that is offered here");
  }
  POSTERN_TRY_VOID(read_redirects(metadata, drop_redirects, client));
  const ScopeSet asked = metadata.scope.without({kOfflineAccess});
  client.scopes = asked.empty() ? rules.scopes : asked.intersect(rules.scopes);
  if (client.scopes.empty()) return refuse_metadata("scope names none that strangers may have here");
  client.resources = rules.resources;
  return client;
}

std::string ClientRefused::text() const {
  return "The client is not taken: " + reason + ". Nobody was signed in.";
}

}  // namespace postern::issuer
