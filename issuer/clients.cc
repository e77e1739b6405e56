#include "issuer/clients.h"

#include <algorithm>
#include <optional>

#include "issuer/failures.h"
#include "wire/base/uri.h"
#include "wire/base/visible_text.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kMembers[] = {"client_id", "name",      "application_type", "redirect_uris",
                                         "scopes",    "resources", "headless"};
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

Status check_redirect_uri(const Client& client, const std::string& redirect_uri) {
  const auto uri = parse_uri(redirect_uri);
  if (!uri || (uri->scheme == "http" && !uri->is_loopback())) {
    return bad(client, "has a redirect URI that is neither https nor http on this machine");
  }
  return {};
}

Result<Client> read_client(const Json& json) {
  Client client;
  client.client_id = json.string_at("client_id");
  client.name = json.string_at("name");
  if (client.client_id.empty() || client.name.empty())
    return BadIssuerConfiguration{"a client needs a client_id and a name"};
  for (const auto& [name, value] : json.members()) {
    if (std::find(std::begin(kMembers), std::end(kMembers), name) == std::end(kMembers)) {
      return bad(client, "has the unknown member " + visible_line(name, 40));
    }
  }
  const std::string_view type = json.string_at("application_type");
  if (type != "native" && type != "web") return bad(client, "is neither \"native\" nor \"web\"");
  client.type = type == "native" ? ApplicationType::kNative : ApplicationType::kWeb;
  POSTERN_TRY(client.redirect_uris, read_strings(json, client, "redirect_uris"));
  POSTERN_TRY(client.resources, read_strings(json, client, "resources"));
  for (const std::string& redirect_uri : client.redirect_uris)
    POSTERN_TRY_VOID(check_redirect_uri(client, redirect_uri));
  POSTERN_TRY(const auto scopes, read_strings(json, client, "scopes"));
  for (const std::string& entry : scopes) {
    const auto scope = ScopeSet::parse(entry);
    if (!scope) return bad(client, "has a malformed scope");
    client.scopes = client.scopes.join(*scope);
  }
  const Json* headless = json.find("headless");
  if (headless != nullptr && !headless->is_bool()) return bad(client, "has a \"headless\" that is not true or false");
  client.headless = json.boolean_at("headless").value_or(false);
  if (client.headless && client.type != ApplicationType::kNative) return bad(client, "is headless and not native");
  return client;
}

// "http://127.0.0.1:49152/callback" without ":49152", when that is an http URI on a loopback address. On the characters
// as they are, so that nothing that a parser would mend can match.
std::optional<std::string> without_loopback_port(std::string_view uri) {
  for (const std::string_view host : {"http://127.0.0.1", "http://[::1]"}) {
    if (uri.substr(0, host.size()) != host) continue;
    std::string_view rest = uri.substr(host.size());
    if (rest.substr(0, 1) == ":") {
      if (rest.substr(0, 2) == ":0") return std::nullopt;
      rest.remove_prefix(std::min(rest.find_first_not_of("0123456789", 1), rest.size()));
    }
    if (rest.empty() || rest.front() != '/') return std::nullopt;
    return std::string(host).append(rest);
  }
  return std::nullopt;
}

}  // namespace

bool Client::may_redirect_to(std::string_view redirect_uri) const {
  return std::any_of(redirect_uris.begin(), redirect_uris.end(), [&](const std::string& registered) {
    if (redirect_uri == registered) return true;
    if (type != ApplicationType::kNative) return false;
    const auto asked = without_loopback_port(redirect_uri);
    return asked && asked == without_loopback_port(registered) && parse_uri(redirect_uri).has_value();
  });
}

bool Client::may_ask_for_resource(std::string_view resource) const {
  return std::find(resources.begin(), resources.end(), resource) != resources.end();
}

Result<Clients> Clients::of_json(const Json& json) {
  if (!json.is_array() || json.size() == 0 || json.size() > kClientsMax) {
    return BadIssuerConfiguration{"\"clients\" is not an array of 1 to " + std::to_string(kClientsMax) + " clients"};
  }
  Clients clients({});
  for (const Json& entry : json.elements()) {
    POSTERN_TRY(Client client, read_client(entry));
    if (clients.find(client.client_id) != nullptr) return bad(client, "is there twice");
    clients.clients_.push_back(std::move(client));
  }
  return clients;
}

const Client* Clients::find(std::string_view client_id) const {
  const auto found = std::find_if(clients_.begin(), clients_.end(),
                                  [&](const Client& client) { return client.client_id == client_id; });
  return found == clients_.end() ? nullptr : &*found;
}

}  // namespace postern::issuer
