#include "host/credentials_document.h"

#include <algorithm>
#include <utility>

#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

void add(Json& json, const char* name, std::string value) {
  if (!value.empty()) json.set(name, std::move(value));
}

}  // namespace

Json CredentialsWriter::json_of(const TokenKey& key, const StoredTokens& tokens) {
  using Key = Passkey<CredentialsWriter>;
  Json json = Json::object({{"issuer", key.issuer},
                            {"resource", key.resource},
                            {"access_token", std::string(tokens.access_token.reveal(Key{}))},
                            {"token_type", tokens.token_type}});
  add(json, "refresh_token", std::string(tokens.refresh_token.reveal(Key{})));
  if (tokens.expires_at) json.set("expires_at", unix_seconds(*tokens.expires_at));
  add(json, "granted", tokens.granted.text());
  add(json, "requested", tokens.requested.text());
  add(json, "client_id", tokens.client_id);
  add(json, "subject", tokens.subject);
  add(json, "name", tokens.name);
  return json;
}

Json CredentialsWriter::json_of(const ClientIdentity& client) {
  Json json = Json::object({{"issuer", client.issuer}, {"client_id", client.client_id}});
  if (client.authentication) json.set("authentication", text_of(*client.authentication));
  add(json, "client_secret", std::string(client.secret.reveal(Passkey<CredentialsWriter>{})));
  Json uris = Json::array();
  for (const std::string& uri : client.redirect_uris) uris.push(uri);
  if (!client.redirect_uris.empty()) json.set("redirect_uris", std::move(uris));
  return json;
}

}  // namespace postern::bridge

namespace postern::host {
namespace {

constexpr std::string_view kSchema = "postern.credentials/1";
constexpr JsonBounds kDocumentBounds{1024 * 1024, 8};

bool belongs_to(const Json& entry, const bridge::TokenKey& key) {
  return entry.string_at("issuer") == key.issuer && entry.string_at("resource") == key.resource;
}

// The array of that name with `entry` in the place of the one that `is_it` finds, or without it when there is none.
template <class IsIt>
void replace_in(Json& document, const char* name, const IsIt& is_it, std::optional<Json> entry) {
  Json::Array kept;
  if (const Json* list = document.find(name)) {
    for (const Json& element : list->elements()) {
      if (!is_it(element)) {
        kept.push_back(element);
      } else if (entry) {
        kept.push_back(*std::exchange(entry, std::nullopt));
      }
    }
  }
  if (entry) kept.push_back(*std::move(entry));
  document.set(name, Json::array_of(std::move(kept)));
}

// Each entry has what it is found by, and no two are found by the same.
bool well_formed(const Json& list, bool with_resource) {
  if (!list.is_array()) return false;
  std::vector<bridge::TokenKey> seen;
  for (const Json& entry : list.elements()) {
    bridge::TokenKey key{std::string(entry.string_at("issuer")), std::string(entry.string_at("resource"))};
    if (key.issuer.empty() || (with_resource && key.resource.empty())) return false;
    if (std::find(seen.begin(), seen.end(), key) != seen.end()) return false;
    seen.push_back(std::move(key));
  }
  return true;
}

}  // namespace

CredentialsDocument::CredentialsDocument()
    : json_(Json::object({{"schema", kSchema}, {"tokens", Json::array()}, {"clients", Json::array()}})) {}

Result<CredentialsDocument> CredentialsDocument::parse(std::string_view text) {
  auto json = parse_json(text, kDocumentBounds);
  if (!json || !json->is_object()) return CredentialsMalformed{"it is not a JSON object"};
  if (json->string_at("schema") != kSchema)
    return CredentialsMalformed{"its schema is \"" + visible_line(json->string_at("schema"), 60) + "\" and not " +
                                std::string(kSchema)};
  const Json* tokens = json->find("tokens");
  const Json* clients = json->find("clients");
  if (tokens == nullptr || !well_formed(*tokens, true)) return CredentialsMalformed{"its list of tokens is damaged"};
  if (clients == nullptr || !well_formed(*clients, false))
    return CredentialsMalformed{"its list of clients is damaged"};
  CredentialsDocument document;
  document.json_ = *std::move(json);
  return document;
}

std::string CredentialsDocument::text() const {
  return json_.pretty() + "\n";
}

bool CredentialsDocument::empty() const {
  return json_.find("tokens")->size() == 0 && json_.find("clients")->size() == 0;
}

const Json* CredentialsDocument::find(const bridge::TokenKey& key) const {
  for (const Json& entry : json_.find("tokens")->elements()) {
    if (belongs_to(entry, key)) return &entry;
  }
  return nullptr;
}

std::optional<bridge::StoredTokens> CredentialsDocument::tokens(const bridge::TokenKey& key) const {
  const Json* entry = find(key);
  if (entry == nullptr) return std::nullopt;
  bridge::StoredTokens tokens;
  tokens.access_token = AccessToken::take(std::string(entry->string_at("access_token")));
  tokens.refresh_token = RefreshToken::take(std::string(entry->string_at("refresh_token")));
  if (!entry->string_at("token_type").empty()) tokens.token_type = entry->string_at("token_type");
  if (const auto at = entry->integer_at("expires_at")) tokens.expires_at = wall_time_of_unix_seconds(*at);
  tokens.granted = ScopeSet::parse(entry->string_at("granted")).value_or(ScopeSet());
  tokens.requested = ScopeSet::parse(entry->string_at("requested")).value_or(ScopeSet());
  tokens.client_id = entry->string_at("client_id");
  tokens.subject = entry->string_at("subject");
  tokens.name = entry->string_at("name");
  return tokens;
}

void CredentialsDocument::keep(const bridge::TokenKey& key, const bridge::StoredTokens& tokens) {
  replace_in(
      json_, "tokens", [&](const Json& entry) { return belongs_to(entry, key); },
      bridge::CredentialsWriter::json_of(key, tokens));
}

void CredentialsDocument::forget(const bridge::TokenKey& key) {
  replace_in(
      json_, "tokens", [&](const Json& entry) { return belongs_to(entry, key); }, std::nullopt);
}

std::vector<bridge::TokenKey> CredentialsDocument::keys() const {
  std::vector<bridge::TokenKey> keys;
  for (const Json& entry : json_.find("tokens")->elements())
    keys.push_back({std::string(entry.string_at("issuer")), std::string(entry.string_at("resource"))});
  return keys;
}

std::optional<bridge::ClientIdentity> CredentialsDocument::client(const std::string& issuer) const {
  for (const Json& entry : json_.find("clients")->elements()) {
    if (entry.string_at("issuer") != issuer) continue;
    bridge::ClientIdentity client;
    client.issuer = issuer;
    client.client_id = entry.string_at("client_id");
    client.authentication = bridge::client_authentication_of(entry.string_at("authentication"));
    client.secret = bridge::ClientSecret::take(std::string(entry.string_at("client_secret")));
    if (const Json* uris = entry.find("redirect_uris")) {
      for (const Json& uri : uris->elements()) {
        if (uri.string() != nullptr) client.redirect_uris.push_back(*uri.string());
      }
    }
    return client;
  }
  return std::nullopt;
}

void CredentialsDocument::keep_client(const bridge::ClientIdentity& client) {
  replace_in(
      json_, "clients", [&](const Json& entry) { return entry.string_at("issuer") == client.issuer; },
      bridge::CredentialsWriter::json_of(client));
}

void CredentialsDocument::forget_client(const std::string& issuer) {
  replace_in(
      json_, "clients", [&](const Json& entry) { return entry.string_at("issuer") == issuer; }, std::nullopt);
}

std::string CredentialsMalformed::text() const {
  return "What is kept of your sign-ins cannot be read: " + reason + ". Nothing in it was changed.";
}

}  // namespace postern::host
