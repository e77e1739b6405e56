#include "services/payments/compose.h"

#include <utility>

#include "services/payments/payments_records.h"
#include "services/world/world.h"
#include "wire/base/bytes.h"
#include "wire/transport/launch.h"

namespace postern::payments {
namespace {

Result<Ed25519PublicKey> read_key(const std::string& text) {
  const auto bytes = base64url_decode(text);
  auto key = bytes ? Ed25519PublicKey::of_bytes(*bytes) : std::nullopt;
  if (!key) return BadLaunchDocument{"\"approval_public_key\" must be the base64url of 32 bytes"};
  return *std::move(key);
}

}  // namespace

Result<ServeOptions> read_launch_document(const Json& document) {
  LaunchReader reader(document);
  std::string database_dir = reader.string("database_dir");
  const std::string key_text = reader.string("approval_public_key");
  const Json* admitted = reader.json("admitted");
  const Json* seed = reader.json("seed");
  const std::int64_t port = reader.integer_or("port", 0);
  POSTERN_TRY_VOID(reader.finish());
  if (seed != nullptr && !seed->is_bool()) return BadLaunchDocument{"\"seed\" must be true or false"};
  if (port < 0 || port > 65535) return BadLaunchDocument{"\"port\" must be 0 to 65535"};
  POSTERN_TRY(Ed25519PublicKey key, read_key(key_text));
  return ServeOptions{std::move(database_dir), std::move(key), admitted == nullptr ? Json() : *admitted,
                      seed != nullptr && *seed->boolean(), static_cast<std::uint16_t>(port)};
}

Result<std::unique_ptr<PaymentsServer>> PaymentsServer::compose(Env env, ServeOptions options,
                                                                const PaymentsControls& controls) {
  POSTERN_TRY(auto authentication, services::ServiceAuthentication::of_json(options.admitted));
  POSTERN_TRY(auto log, services::DownstreamLog::open(env.clock, options.database_dir, "payments"));
  POSTERN_TRY(auto payments,
              Payments::open(env, {std::move(options.database_dir), std::move(options.approval_key), controls}));
  if (options.seed) POSTERN_TRY_VOID(payments->fill_if_empty(records_of(services::World(env.clock.now()))));
  return std::unique_ptr<PaymentsServer>(
      new PaymentsServer(std::move(payments), services::ServiceAdmission(std::move(authentication), std::move(log))));
}

}  // namespace postern::payments
