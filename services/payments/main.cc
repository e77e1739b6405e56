// postern-payments: the process that moves money, and the only one that knows what was paid. Holds no private key.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/payments/compose.h"
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

Status serve(const std::string& config_path) {
  POSTERN_TRY(Launch launch, read_launch(config_path));
  POSTERN_TRY(ServeOptions options, read_launch_document(launch.document));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  const std::uint16_t port = options.port;
  POSTERN_TRY(const auto payments, PaymentsServer::compose(env, std::move(options)));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("payments", port));
  log_info("listening on " + socket.origin());
  std::vector<HttpListener> listeners;
  Routes routes = payments->routes_at("127.0.0.1:" + std::to_string(socket.port()));
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
