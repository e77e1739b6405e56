#include "wire/oauth/metadata.h"

#include <algorithm>

#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

constexpr std::string_view kResourceDocument = "protected resource metadata";
constexpr std::string_view kServerDocument = "authorization server metadata";
constexpr std::size_t kListMax = 64;

Failure malformed(std::string_view document, std::string reason) {
  return MalformedMetadata{std::string(document), std::move(reason)};
}

// A member that is absent, or an array of strings.
Result<std::vector<std::string>> strings_at(const Json& json, std::string_view name, std::string_view document) {
  std::vector<std::string> out;
  const Json* list = json.find(name);
  if (list == nullptr) return out;
  if (!list->is_array() || list->size() > kListMax) {
    return malformed(document, std::string(name) + " is not a short array of strings");
  }
  for (const Json& entry : list->elements()) {
    if (entry.string() == nullptr) return malformed(document, std::string(name) + " is not an array of strings");
    out.push_back(*entry.string());
  }
  return out;
}

// Entries that are no scope tokens are left out: they could not be asked for.
Result<ScopeSet> scopes_at(const Json& json, std::string_view document) {
  POSTERN_TRY(const auto list, strings_at(json, "scopes_supported", document));
  ScopeSet scopes;
  for (const std::string& entry : list) {
    if (auto parsed = ScopeSet::parse(entry)) scopes = scopes.join(*parsed);
  }
  return scopes;
}

Json strings_json(const std::vector<std::string>& list) {
  Json json = Json::array();
  for (const std::string& entry : list) json.push(entry);
  return json;
}

Json scopes_json(const ScopeSet& scopes) {
  Json json = Json::array();
  for (const std::string& token : scopes.tokens()) json.push(token);
  return json;
}

// A member that is absent or null (empty then), or an absolute http(s) URL.
Result<std::string> url_at(const Json& json, std::string_view name, bool required) {
  const Json* member = json.find(name);
  if (member == nullptr || member->is_null()) {
    if (required) return malformed(kServerDocument, std::string(name) + " is missing");
    return std::string();
  }
  if (member->string() == nullptr || !parse_uri(*member->string())) {
    return malformed(kServerDocument, std::string(name) + " is not an absolute http or https URL");
  }
  return *member->string();
}

// RFC 8414 section 2: authorization_endpoint may be left out when no grant type uses it. An absent list means the two
// that do.
bool goes_through_a_browser(const std::vector<std::string>& grant_types) {
  return grant_types.empty() || std::any_of(grant_types.begin(), grant_types.end(), [](const std::string& type) {
           return type == "authorization_code" || type == "implicit";
         });
}

std::string without_last_slash(std::string path) {
  if (!path.empty() && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

bool resource_matches(std::string_view resource, std::string_view endpoint, ResourceMatch match) {
  if (resource == endpoint) return true;
  const auto named = parse_uri(resource);
  const auto meant = parse_uri(endpoint);
  if (!named || !meant || named->origin() != meant->origin()) return false;
  if (named->target() == meant->target()) return true;
  if (match == ResourceMatch::kSame || named->has_query) return false;
  const std::string& prefix = named->path;
  if (meant->path.compare(0, prefix.size(), prefix) != 0) return false;
  return prefix.back() == '/' || meant->path.size() == prefix.size() || meant->path[prefix.size()] == '/';
}

Result<ProtectedResourceMetadata> ProtectedResourceMetadata::of_json(const Json& json,
                                                                     std::string_view expected_resource,
                                                                     ResourceMatch match) {
  if (!json.is_object()) return malformed(kResourceDocument, "it is not a JSON object");
  ProtectedResourceMetadata metadata;
  metadata.resource = json.string_at("resource");
  if (!resource_matches(metadata.resource, expected_resource, match)) {
    return ResourceMismatch{std::string(expected_resource), visible_line(metadata.resource, 200)};
  }
  POSTERN_TRY(metadata.authorization_servers, strings_at(json, "authorization_servers", kResourceDocument));
  if (metadata.authorization_servers.empty()) return malformed(kResourceDocument, "it names no authorization server");
  POSTERN_TRY(metadata.scopes_supported, scopes_at(json, kResourceDocument));
  metadata.resource_name = json.string_at("resource_name");
  return metadata;
}

Json ProtectedResourceMetadata::json() const {
  Json out = Json::object({{"resource", resource}, {"authorization_servers", strings_json(authorization_servers)}});
  if (!scopes_supported.empty()) out.set("scopes_supported", scopes_json(scopes_supported));
  out.set("bearer_methods_supported", Json::array({"header"}));
  if (!resource_name.empty()) out.set("resource_name", resource_name);
  return out;
}

Result<AuthorizationServerMetadata> AuthorizationServerMetadata::of_json(const Json& json,
                                                                         std::string_view expected_issuer) {
  if (!json.is_object()) return malformed(kServerDocument, "it is not a JSON object");
  AuthorizationServerMetadata metadata;
  metadata.issuer = json.string_at("issuer");
  if (metadata.issuer != expected_issuer) {
    return IssuerMismatch{std::string(expected_issuer), visible_line(metadata.issuer, 200)};
  }
  POSTERN_TRY(metadata.grant_types_supported, strings_at(json, "grant_types_supported", kServerDocument));
  const bool redirects = goes_through_a_browser(metadata.grant_types_supported);
  POSTERN_TRY(metadata.authorization_endpoint, url_at(json, "authorization_endpoint", redirects));
  POSTERN_TRY(metadata.token_endpoint, url_at(json, "token_endpoint", true));
  POSTERN_TRY(metadata.jwks_uri, url_at(json, "jwks_uri", false));
  POSTERN_TRY(metadata.registration_endpoint, url_at(json, "registration_endpoint", false));
  POSTERN_TRY(metadata.revocation_endpoint, url_at(json, "revocation_endpoint", false));
  POSTERN_TRY(metadata.device_authorization_endpoint, url_at(json, "device_authorization_endpoint", false));
  POSTERN_TRY(metadata.scopes_supported, scopes_at(json, kServerDocument));
  POSTERN_TRY(metadata.response_types_supported, strings_at(json, "response_types_supported", kServerDocument));
  POSTERN_TRY(metadata.code_challenge_methods_supported,
              strings_at(json, "code_challenge_methods_supported", kServerDocument));
  POSTERN_TRY(metadata.token_endpoint_auth_methods_supported,
              strings_at(json, "token_endpoint_auth_methods_supported", kServerDocument));
  POSTERN_TRY(metadata.token_endpoint_auth_signing_alg_values_supported,
              strings_at(json, "token_endpoint_auth_signing_alg_values_supported", kServerDocument));
  POSTERN_TRY(metadata.dpop_signing_alg_values_supported,
              strings_at(json, "dpop_signing_alg_values_supported", kServerDocument));
  metadata.authorization_response_iss_parameter_supported =
      json.boolean_at("authorization_response_iss_parameter_supported").value_or(false);
  metadata.client_id_metadata_document_supported =
      json.boolean_at("client_id_metadata_document_supported").value_or(false);
  return metadata;
}

Status AuthorizationServerMetadata::require_pkce() const {
  const auto& methods = code_challenge_methods_supported;
  if (std::find(methods.begin(), methods.end(), "S256") == methods.end()) return NoPkce{visible_line(issuer, 200)};
  return {};
}

Json AuthorizationServerMetadata::json(bool openid) const {
  Json out = Json::object(
      {{"issuer", issuer},
       {"authorization_endpoint", authorization_endpoint},
       {"token_endpoint", token_endpoint},
       {"jwks_uri", jwks_uri},
       {"scopes_supported", scopes_json(scopes_supported)},
       {"response_types_supported", strings_json(response_types_supported)},
       {"response_modes_supported", Json::array({"query"})},
       {"grant_types_supported",
        grant_types_supported.empty() ? Json::array({"authorization_code"}) : strings_json(grant_types_supported)},
       {"token_endpoint_auth_methods_supported", strings_json(token_endpoint_auth_methods_supported)},
       {"code_challenge_methods_supported", strings_json(code_challenge_methods_supported)},
       {"authorization_response_iss_parameter_supported", authorization_response_iss_parameter_supported}});
  if (!registration_endpoint.empty()) out.set("registration_endpoint", registration_endpoint);
  if (!revocation_endpoint.empty()) {
    out.set("revocation_endpoint", revocation_endpoint);
    out.set("revocation_endpoint_auth_methods_supported", strings_json(token_endpoint_auth_methods_supported));
  }
  if (!device_authorization_endpoint.empty()) out.set("device_authorization_endpoint", device_authorization_endpoint);
  if (client_id_metadata_document_supported) out.set("client_id_metadata_document_supported", true);
  if (openid) {
    out.set("subject_types_supported", Json::array({"public"}));
    out.set("id_token_signing_alg_values_supported", Json::array({"ES256"}));
  }
  return out;
}

std::string protected_resource_metadata_url(std::string_view resource) {
  const auto uri = parse_uri(resource);
  POSTERN_CHECK(uri.has_value());
  const std::string target = uri->path == "/" && !uri->has_query ? "" : uri->target();
  return uri->origin() + "/.well-known/oauth-protected-resource" + target;
}

Result<std::vector<MetadataPlace>> protected_resource_metadata_places(std::string_view endpoint,
                                                                      const std::vector<std::string>& challenged_urls) {
  POSTERN_TRY(const Uri uri, parse_uri(endpoint));
  const std::string path_form = protected_resource_metadata_url(endpoint);
  std::vector<MetadataPlace> places;
  for (const std::string& url : challenged_urls)
    places.push_back(MetadataPlace{url, url == path_form ? ResourceMatch::kSame : ResourceMatch::kCovering});
  if (!places.empty()) return places;
  places.push_back(MetadataPlace{path_form, ResourceMatch::kSame});
  if (uri.path == "/" && !uri.has_query) return places;
  places.push_back(MetadataPlace{uri.origin() + "/.well-known/oauth-protected-resource", ResourceMatch::kCovering});
  return places;
}

Result<std::vector<std::string>> authorization_server_metadata_urls(std::string_view issuer) {
  POSTERN_TRY(const Uri uri, parse_uri(issuer));
  if (uri.has_query) return malformed(kServerDocument, "the issuer identifier has a query");
  const std::string path = without_last_slash(uri.path);
  std::vector<std::string> urls = {uri.origin() + "/.well-known/oauth-authorization-server" + path,
                                   uri.origin() + "/.well-known/openid-configuration" + path};
  if (!path.empty()) urls.push_back(uri.origin() + path + "/.well-known/openid-configuration");
  return urls;
}

std::string MalformedMetadata::text() const {
  return "The " + document + " cannot be used: " + reason + ". No sign-in was started.";
}
std::string ResourceMismatch::text() const {
  return "The protected resource metadata is for \"" + received + "\" and not for " + expected +
         ". No sign-in was started: a token for another server could be misused.";
}
std::string IssuerMismatch::text() const {
  return "The authorization server metadata is of the issuer \"" + received + "\" and not of " + expected +
         ". No sign-in was started.";
}
std::string NoPkce::text() const {
  return "The issuer " + issuer +
         " does not offer PKCE with S256. No sign-in was started: a stolen code could be used by others.";
}

}  // namespace postern
