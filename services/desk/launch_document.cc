#include "services/desk/launch_document.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <utility>

#include "wire/transport/launch.h"

namespace postern::desk {

using services::ServiceCredential;

namespace {

constexpr std::int64_t kNoPort = std::numeric_limits<std::int64_t>::min();
constexpr std::string_view kReadNames[] = {"customers:read", "orders:read", "returns:read"};
constexpr std::string_view kCredentialNames[] = {"customers:read",    "orders:read",     "returns:read",
                                                 "approvals:request", "payments:refund", "payments:read"};

// Moves one credential out of the document.
ServiceCredential take_credential(Json& credentials, std::string_view name) {
  Json* member = credentials.find(name);
  return member == nullptr || !member->is_string() ? ServiceCredential()
                                                   : ServiceCredential::take(std::move(*member->string()));
}

Status check_credentials(const Json* credentials) {
  if (credentials == nullptr || !credentials->is_object())
    return BadLaunchDocument{"\"service_credentials\" must be an object"};
  for (const std::string_view name : kCredentialNames) {
    if (credentials->string_at(name).empty()) {
      return BadLaunchDocument{"\"service_credentials\" has no \"" + std::string(name) + "\""};
    }
  }
  if (credentials->size() != std::size(kCredentialNames)) {
    return BadLaunchDocument{"\"service_credentials\" has a member that the desk does not use"};
  }
  return {};
}

// Keys, tokens and credentials that cross a network in the clear are anybody's (basic/authorization, "Communication
// Security"); and a link that a person opens leads to a sign-in (client/elicitation, "Safe URL Handling").
bool is_private(const Uri& uri) {
  return uri.scheme == "https" || uri.is_loopback();
}

Result<Uri> read_origin(const std::string& text, std::string_view name) {
  auto uri = parse_uri(text);
  const std::string member = "\"" + std::string(name) + "\"";
  if (!uri || uri->target() != "/") return BadLaunchDocument{member + " must be an origin"};
  if (!is_private(*uri)) return BadLaunchDocument{member + " must be https, unless it is on this machine"};
  return uri;
}

// The services know their credentials by these digests: without one, each of its calls would be refused.
Status check_admitted(const Json* admitted) {
  if (admitted == nullptr || !admitted->is_object()) return BadLaunchDocument{"\"admitted\" must be an object"};
  for (const std::string_view name : kReadNames) {
    if (!admitted->has(name)) return BadLaunchDocument{"\"admitted\" has no \"" + std::string(name) + "\""};
  }
  return {};
}

Result<std::uint16_t> read_port(std::int64_t port, std::string_view name) {
  if (port < 0 || port > 65535) return BadLaunchDocument{"\"" + std::string(name) + "\" must be 0 to 65535"};
  return static_cast<std::uint16_t>(port);
}

bool knows_only(const Json& object, std::initializer_list<std::string_view> names) {
  return std::all_of(object.members().begin(), object.members().end(), [&](const Json::Member& member) {
    return std::find(names.begin(), names.end(), member.first) != names.end();
  });
}

// {"per_second": 20, "burst": 200}, both there.
bool read_limit(const Json& json, services::RateLimit& limit) {
  const Json* per_second = json.find("per_second");
  const double rate = per_second == nullptr ? 0 : per_second->number().value_or(0);
  const std::int64_t burst = json.integer_at("burst").value_or(0);
  if (!knows_only(json, {"per_second", "burst"})) return false;
  if (rate < services::RateLimit::kPerSecondMin || rate > services::RateLimit::kPerSecondMax) return false;
  if (burst < 1 || burst > services::RateLimit::kBurstMax) return false;
  limit = {rate, burst};
  return true;
}

Status read_limits(const Json* json, CallerLimitOptions& limits) {
  if (json == nullptr) return {};
  bool good = json->is_object() && knows_only(*json, {"principal", "address"});
  if (const Json* principal = json->find("principal")) good = good && read_limit(*principal, limits.principal);
  if (const Json* address = json->find("address")) good = good && read_limit(*address, limits.address);
  if (!good) {
    return BadLaunchDocument{
        "\"limits\" must have \"principal\" or \"address\", each with \"per_second\" (0.0003 to 1000000) and "
        "\"burst\" (1 to 1000000)"};
  }
  return {};
}

Status read_proxies(const Json* json, std::vector<std::string>& proxies) {
  if (json == nullptr) return {};
  for (const Json& element : json->elements()) {
    if (const std::string* proxy = element.string()) proxies.push_back(*proxy);
  }
  if (!json->is_array() || proxies.size() != json->size())
    return BadLaunchDocument{"\"trusted_proxies\" must be a list of addresses and networks"};
  return {};
}

}  // namespace

Result<ServeOptions> read_launch_document(Json& document) {
  LaunchReader reader(document);
  ServeOptions options;
  HttpDeskOptions& desk = options.desk;
  desk.issuer = reader.string("issuer");
  desk.resource = reader.string("resource");
  desk.store.database_dir = reader.string("database_dir");
  const Json* seed = reader.json("seed");
  const Json* older_era = reader.json("older_era");
  const Json* credentials = reader.json("service_credentials");
  const Json* admitted = reader.json("admitted");
  const std::string approvals_url = reader.string("approvals_url");
  const std::string payments_url = reader.string("payments_url");
  desk.page_origin = reader.string("page_origin");
  desk.key_ring_file = reader.string("key_ring_file");
  const std::int64_t port = reader.integer_or("port", 0);
  const std::int64_t health_port = reader.integer_or("health_port", kNoPort);
  const Json* proxies = reader.json("trusted_proxies");
  const Json* limits = reader.json("limits");
  POSTERN_TRY_VOID(reader.finish());
  if (seed != nullptr && !seed->is_bool()) return BadLaunchDocument{"\"seed\" must be true or false"};
  if (older_era != nullptr && !older_era->is_bool()) return BadLaunchDocument{"\"older_era\" must be true or false"};
  POSTERN_TRY_VOID(check_admitted(admitted));
  POSTERN_TRY(options.port, read_port(port, "port"));
  if (health_port != kNoPort) {
    POSTERN_TRY(options.health_port, read_port(health_port, "health_port"));
  }
  POSTERN_TRY_VOID(read_proxies(proxies, options.trusted_proxies));
  POSTERN_TRY_VOID(read_limits(limits, desk.limits));
  POSTERN_TRY_VOID(check_credentials(credentials));
  const auto resource = parse_uri(desk.resource);
  if (!resource || resource->path == "/" || resource->has_query) {
    return BadLaunchDocument{"\"resource\" must be the URI of the endpoint, with a path and without a query"};
  }
  if (!is_private(*resource))
    return BadLaunchDocument{"\"resource\" must be https, unless its clients are on this machine"};
  const auto issuer = parse_uri(desk.issuer);
  if (!issuer || issuer->has_query || !is_private(*issuer))
    return BadLaunchDocument{"\"issuer\" must be a URL of https, unless the issuer is on this machine"};
  POSTERN_TRY(desk.approvals_url, read_origin(approvals_url, "approvals_url"));
  POSTERN_TRY(desk.payments_url, read_origin(payments_url, "payments_url"));
  POSTERN_TRY(const Uri page, read_origin(desk.page_origin, "page_origin"));
  desk.page_origin = page.origin();
  desk.store.seed = seed != nullptr && *seed->boolean();
  desk.older_era = older_era != nullptr && *older_era->boolean();
  desk.store.admitted = *admitted;
  Json& secrets = *document.find("service_credentials");
  desk.store.credentials = {take_credential(secrets, "customers:read"), take_credential(secrets, "orders:read"),
                            take_credential(secrets, "returns:read")};
  desk.approvals = take_credential(secrets, "approvals:request");
  desk.payments = {take_credential(secrets, "payments:read"), take_credential(secrets, "payments:refund")};
  return options;
}

}  // namespace postern::desk
