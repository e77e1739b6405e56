#include "wire/oauth/client_metadata.h"

#include <optional>
#include <utility>

namespace postern {
namespace {

constexpr std::size_t kListMax = 32;
constexpr std::size_t kTextBytesMax = 2048;

Failure malformed(std::string_view member, const std::string& reason) {
  const bool redirect = member == "redirect_uris";
  return MalformedClientMetadata{redirect ? "invalid_redirect_uri" : "invalid_client_metadata",
                                 std::string(member) + " " + reason};
}

Status read_text(const Json& json, std::string_view name, std::string& to) {
  const Json* member = json.find(name);
  if (member == nullptr || member->is_null()) return {};
  if (member->string() == nullptr) return malformed(name, "is not a string");
  if (member->string()->size() > kTextBytesMax) return malformed(name, "is too long");
  to = *member->string();
  return {};
}

Status read_list(const Json& json, std::string_view name, std::vector<std::string>& to) {
  const Json* member = json.find(name);
  if (member == nullptr || member->is_null()) return {};
  if (!member->is_array() || member->size() > kListMax) return malformed(name, "is not a short array of strings");
  for (const Json& entry : member->elements()) {
    if (entry.string() == nullptr || entry.string()->size() > kTextBytesMax)
      return malformed(name, "is not an array of short strings");
    to.push_back(*entry.string());
  }
  return {};
}

}  // namespace

Result<ClientMetadata> ClientMetadata::of_json(const Json& json) {
  if (!json.is_object()) return MalformedClientMetadata{"invalid_client_metadata", "it is not a JSON object"};
  ClientMetadata out;
  POSTERN_TRY_VOID(read_text(json, "client_id", out.client_id));
  POSTERN_TRY_VOID(read_text(json, "client_name", out.client_name));
  POSTERN_TRY_VOID(read_text(json, "client_uri", out.client_uri));
  POSTERN_TRY_VOID(read_list(json, "redirect_uris", out.redirect_uris));
  POSTERN_TRY_VOID(read_list(json, "grant_types", out.grant_types));
  POSTERN_TRY_VOID(read_list(json, "response_types", out.response_types));
  POSTERN_TRY_VOID(read_text(json, "token_endpoint_auth_method", out.token_endpoint_auth_method));
  POSTERN_TRY_VOID(read_text(json, "application_type", out.application_type));
  POSTERN_TRY_VOID(read_text(json, "jwks_uri", out.jwks_uri));
  std::string scope;
  POSTERN_TRY_VOID(read_text(json, "scope", scope));
  const std::optional<ScopeSet> scopes = ScopeSet::parse(scope);
  if (!scopes) return malformed("scope", "is not a list of scopes");
  out.scope = *scopes;
  if (const Json* jwks = json.find("jwks"); jwks != nullptr && !jwks->is_null()) {
    if (!jwks->is_object()) return malformed("jwks", "is not a key set");
    out.jwks = *jwks;
  }
  return out;
}

Json ClientMetadata::json() const {
  Json out = Json::object();
  const auto text = [&](const char* name, const std::string& value) {
    if (!value.empty()) out.set(name, value);
  };
  const auto list = [&](const char* name, const std::vector<std::string>& values) {
    if (values.empty()) return;
    Json array = Json::array();
    for (const std::string& value : values) array.push(value);
    out.set(name, std::move(array));
  };
  text("client_id", client_id);
  text("client_name", client_name);
  text("client_uri", client_uri);
  list("redirect_uris", redirect_uris);
  list("grant_types", grant_types);
  list("response_types", response_types);
  text("token_endpoint_auth_method", token_endpoint_auth_method);
  text("application_type", application_type);
  text("scope", scope.text());
  text("jwks_uri", jwks_uri);
  if (!jwks.is_null()) out.set("jwks", jwks);
  return out;
}

std::string MalformedClientMetadata::text() const {
  return "The client's metadata cannot be used: " + reason + ".";
}

}  // namespace postern
