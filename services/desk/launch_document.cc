#include "services/desk/launch_document.h"

#include <utility>

#include "wire/transport/launch.h"

namespace postern::desk {

using services::ServiceCredential;

namespace {

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

Result<Uri> read_origin(const std::string& text, std::string_view name) {
  auto uri = parse_uri(text);
  if (!uri || uri->target() != "/") return BadLaunchDocument{"\"" + std::string(name) + "\" must be an origin"};
  return uri;
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
  const Json* credentials = reader.json("service_credentials");
  const Json* admitted = reader.json("admitted");
  const std::string approvals_url = reader.string("approvals_url");
  const std::string payments_url = reader.string("payments_url");
  desk.page_origin = reader.string("page_origin");
  desk.key_ring_file = reader.string("key_ring_file");
  const std::int64_t port = reader.integer_or("port", 0);
  POSTERN_TRY_VOID(reader.finish());
  if (seed != nullptr && !seed->is_bool()) return BadLaunchDocument{"\"seed\" must be true or false"};
  if (admitted == nullptr || !admitted->is_object()) return BadLaunchDocument{"\"admitted\" must be an object"};
  if (port < 0 || port > 65535) return BadLaunchDocument{"\"port\" must be 0 to 65535"};
  POSTERN_TRY_VOID(check_credentials(credentials));
  const auto resource = parse_uri(desk.resource);
  if (!resource || resource->path == "/" || resource->has_query) {
    return BadLaunchDocument{"\"resource\" must be the URI of the endpoint, with a path and without a query"};
  }
  POSTERN_TRY(desk.approvals_url, read_origin(approvals_url, "approvals_url"));
  POSTERN_TRY(desk.payments_url, read_origin(payments_url, "payments_url"));
  POSTERN_TRY(const Uri page, read_origin(desk.page_origin, "page_origin"));
  desk.page_origin = page.origin();
  desk.store.seed = seed != nullptr && *seed->boolean();
  desk.store.admitted = *admitted;
  options.port = static_cast<std::uint16_t>(port);
  Json& secrets = *document.find("service_credentials");
  desk.store.credentials = {take_credential(secrets, "customers:read"), take_credential(secrets, "orders:read"),
                            take_credential(secrets, "returns:read")};
  desk.approvals = take_credential(secrets, "approvals:request");
  desk.payments = {take_credential(secrets, "payments:read"), take_credential(secrets, "payments:refund")};
  return options;
}

}  // namespace postern::desk
