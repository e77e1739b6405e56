#include "services/approvals/launch_document.h"

#include <string>
#include <utility>

#include "wire/base/bytes.h"
#include "wire/transport/launch.h"

namespace postern::approvals {
namespace {

Result<services::ServiceCredential> credential_of(const Json* credentials, std::string_view operation) {
  const std::string_view text = credentials == nullptr ? std::string_view() : credentials->string_at(operation);
  if (text.empty()) return BadLaunchDocument{"\"service_credentials\" lacks \"" + std::string(operation) + "\""};
  return services::ServiceCredential::take(std::string(text));
}

Result<std::uint16_t> port_of(std::int64_t number, std::string_view name) {
  if (number < 0 || number > 65535) return BadLaunchDocument{"\"" + std::string(name) + "\" must be 0 to 65535"};
  return static_cast<std::uint16_t>(number);
}

}  // namespace

Result<ServeOptions> read_launch_document(const Json& document) {
  LaunchReader reader(document);
  ServeOptions options;
  ApprovalsOptions& config = options.approvals;
  config.database_dir = reader.string("database_dir");
  auto seed = base64url_decode(reader.string("signing_seed"));
  if (const Json* admitted = reader.json("admitted")) config.admitted = *admitted;
  const Json* credentials = reader.json("service_credentials");
  config.desk_database_dir = reader.string("desk_database_dir");
  config.payments_url = reader.string("payments_url");
  config.page_origin = reader.string("page_origin");
  config.page_resource = reader.string("page_resource");
  config.page_client_id = reader.string("page_client_id");
  config.issuer = reader.string("issuer");
  config.request_minutes = reader.integer_or("request_minutes", 15);
  const std::int64_t page_port = reader.integer_or("page_port", 0);
  const std::int64_t port = reader.integer_or("port", 0);
  POSTERN_TRY_VOID(reader.finish());
  if (!seed) return BadLaunchDocument{"\"signing_seed\" must be the base64url of 32 bytes"};
  config.signing_seed = SigningSeed::take(std::move(*seed));
  POSTERN_TRY(config.customers_read, credential_of(credentials, "customers:read"));
  POSTERN_TRY(config.orders_read, credential_of(credentials, "orders:read"));
  POSTERN_TRY(config.returns_read, credential_of(credentials, "returns:read"));
  POSTERN_TRY(config.payments_read, credential_of(credentials, "payments:read"));
  if (config.request_minutes < 1 || config.request_minutes > 60) {
    return BadLaunchDocument{"\"request_minutes\" must be 1 to 60"};
  }
  POSTERN_TRY(options.page_port, port_of(page_port, "page_port"));
  POSTERN_TRY(options.port, port_of(port, "port"));
  return options;
}

}  // namespace postern::approvals
