// postern-approvals: the process in which refunds are decided. It alone holds the key that signs approval tokens, and
// it parses nothing that a model wrote but to show it.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/approvals/launch_document.h"
#include "wire/base/log.h"
#include "wire/transport/launch.h"
#include "wire/transport/server_program.h"

namespace postern::approvals {
namespace {

constexpr std::string_view kUsage =
    "usage: postern-approvals serve --config FILE|-\n"
    "       postern-approvals --help | --version\n"
    "\n"
    "Keeps refund requests, shows them on the approval page and issues the single-use tokens that payments accepts. "
    "FILE is a\n"
    "launch document in JSON, mode 0600; \"-\" reads it from the first line of stdin, whose end then stops the "
    "program. Members:\n"
    "  database_dir          folder of approvals.sqlite and downstream.jsonl\n"
    "  signing_seed          Ed25519 seed, base64url of 32 bytes\n"
    "  admitted              {\"approvals:request\", \"customers:read\", \"orders:read\", \"returns:read\": SHA-256 in "
    "hex}\n"
    "  service_credentials   {\"customers:read\", \"orders:read\", \"returns:read\", \"payments:read\": \"svc_...\"}\n"
    "  desk_database_dir     folder of the desk's databases\n"
    "  payments_url          origin of postern-payments\n"
    "  page_origin           origin of the page, as browsers see it\n"
    "  page_resource         the page's resource identifier at the issuer\n"
    "  page_client_id        the page's client at the issuer\n"
    "  issuer                the issuer's identifier\n"
    "  request_minutes       1 to 60; 15 when absent\n"
    "  page_port, port       when no sockets \"page\" and \"approvals\" are handed down; 0 takes a free one\n";

HttpClientOptions client_of(std::string peer) {
  HttpClientOptions options;
  options.tap_self = "approvals";
  options.tap_peer = std::move(peer);
  options.response_bytes_max = 1024 * 1024;
  return options;
}

Status serve(const std::string& config_path) {
  POSTERN_TRY(Launch launch, read_launch(config_path));
  POSTERN_TRY(ServeOptions options, read_launch_document(launch.document));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  const std::unique_ptr<HttpClient> payments = make_http_client(env, client_of("payments"));
  const std::unique_ptr<HttpClient> issuer = make_http_client(env, client_of("issuer"));
  POSTERN_TRY(const std::unique_ptr<ApprovalsServer> approvals,
              ApprovalsServer::compose(env, std::move(options.approvals), {*issuer, *payments}));
  POSTERN_TRY(ListeningSocket page_socket, launch.take_socket("page", options.page_port));
  POSTERN_TRY(ListeningSocket api_socket, launch.take_socket("approvals", options.port));
  log_info("page on " + page_socket.origin() + ", desk listener on " + api_socket.origin());
  const std::string api_authority = "127.0.0.1:" + std::to_string(api_socket.port());
  std::vector<HttpListener> listeners;
  listeners.push_back(
      HttpListener{std::move(page_socket), approvals->page_routes(), ApprovalsServer::page_limits(), "approvals"});
  listeners.push_back(HttpListener{std::move(api_socket), approvals->api_routes(api_authority),
                                   ApprovalsServer::api_limits(), "approvals"});
  const std::unique_ptr<SettlementWatch> watch = approvals->watch();
  HttpServer server(std::move(listeners), env);
  server.start();
  wait_until_told_to_stop(clock, launch.from_stdin);
  server.drain(std::chrono::milliseconds(3'000));
  return {};
}

}  // namespace
}  // namespace postern::approvals

int main(int count, char** arguments) {
  using namespace postern::approvals;  // NOLINT(google-build-using-namespace): of this file alone
  return postern::run_server_program({"postern-approvals", kUsage, serve}, count, arguments);
}
