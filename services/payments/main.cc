// postern-payments: the process that moves money, and the only one that knows what was paid. Holds no private key.
#include <string>
#include <string_view>
#include <vector>

#include "services/payments/payments_api.h"
#include "services/payments/payments_records.h"
#include "services/world/world.h"
#include "wire/base/bytes.h"
#include "wire/base/log.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"
#include "wire/transport/server_program.h"

namespace postern::payments {
namespace {

constexpr std::string_view kUsage =
    "usage: postern-payments serve --config FILE|-\n"
    "       postern-payments --help | --version\n"
    "\n"
    "Pays approved refunds, once each, over loopback HTTP. FILE is a launch document in JSON, mode 0600; \"-\" reads "
    "it\n"
    "from the first line of stdin, whose end then stops the program. Members:\n"
    "  database_dir          folder of payments.sqlite and downstream.jsonl\n"
    "  approval_public_key   Ed25519 key of the approvals service, base64url of 32 bytes\n"
    "  admitted              {\"payments:refund\": SHA-256 in hex, \"payments:read\": SHA-256 in hex}\n"
    "  seed                  true: fill an empty database with the synthetic world\n"
    "  port                  when no socket named \"payments\" is handed down; 0 takes a free one\n";

struct Config {
  std::string database_dir;
  std::string approval_public_key;
  Json admitted;
  bool seed = false;
  std::uint16_t port = 0;
};

Result<Config> read_config(const Json& document) {
  LaunchReader reader(document);
  Config config;
  config.database_dir = reader.string("database_dir");
  config.approval_public_key = reader.string("approval_public_key");
  if (const Json* admitted = reader.json("admitted")) config.admitted = *admitted;
  const Json* seed = reader.json("seed");
  const std::int64_t port = reader.integer_or("port", 0);
  POSTERN_TRY_VOID(reader.finish());
  if (seed != nullptr && !seed->is_bool()) return BadLaunchDocument{"\"seed\" must be true or false"};
  config.seed = seed != nullptr && *seed->boolean();
  if (port < 0 || port > 65535) return BadLaunchDocument{"\"port\" must be 0 to 65535"};
  config.port = static_cast<std::uint16_t>(port);
  return config;
}

Result<Ed25519PublicKey> read_key(const std::string& text) {
  const auto bytes = base64url_decode(text);
  auto key = bytes ? Ed25519PublicKey::of_bytes(*bytes) : std::nullopt;
  if (!key) return BadLaunchDocument{"\"approval_public_key\" must be the base64url of 32 bytes"};
  return *std::move(key);
}

Status serve(const std::string& config_path) {
  POSTERN_TRY(Launch launch, read_launch(config_path));
  POSTERN_TRY(const Config config, read_config(launch.document));
  POSTERN_TRY(Ed25519PublicKey key, read_key(config.approval_public_key));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  POSTERN_TRY(auto authentication, services::ServiceAuthentication::of_json(config.admitted));
  POSTERN_TRY(auto log, services::DownstreamLog::open(clock, config.database_dir, "payments"));
  POSTERN_TRY(const auto payments, Payments::open(env, {config.database_dir, std::move(key)}));
  if (config.seed) POSTERN_TRY_VOID(payments->fill_if_empty(records_of(services::World(clock.now()))));
  const PaymentsApi api(*payments, services::ServiceAdmission(std::move(authentication), std::move(log)));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("payments", config.port));
  log_info("listening on " + socket.origin());
  std::vector<HttpListener> listeners;
  Routes routes = api.routes_at("127.0.0.1:" + std::to_string(socket.port()));
  listeners.push_back(HttpListener{std::move(socket), std::move(routes), {}, "payments"});
  HttpServer server(std::move(listeners), env);
  server.start();
  wait_until_told_to_stop(clock, launch.from_stdin);
  // A refund that is in flight is finished and answered.
  server.drain(std::chrono::milliseconds(5'000));
  return {};
}

}  // namespace
}  // namespace postern::payments

int main(int count, char** arguments) {
  using namespace postern::payments;  // NOLINT(google-build-using-namespace): of this file alone
  return postern::run_server_program({"postern-payments", kUsage, serve}, count, arguments);
}
