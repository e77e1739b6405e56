// postern-approvals: the process in which refunds are decided. It alone holds the key that signs approval tokens, and
// it parses nothing that a model wrote but to show it.
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/approvals/approval_page.h"
#include "services/approvals/desk_services.h"
#include "services/approvals/form_guard.h"
#include "services/approvals/internal_api.h"
#include "services/approvals/settlement.h"
#include "wire/base/bytes.h"
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

struct Config {
  std::string database_dir;
  SigningSeed signing_seed;
  Json admitted;
  services::ServiceCredential customers_read;
  services::ServiceCredential orders_read;
  services::ServiceCredential returns_read;
  services::ServiceCredential payments_read;
  std::string desk_database_dir;
  std::string payments_url;
  std::string page_origin;
  std::string page_resource;
  std::string page_client_id;
  std::string issuer;
  std::int64_t request_minutes = 15;
  std::uint16_t page_port = 0;
  std::uint16_t port = 0;
};

Result<services::ServiceCredential> credential_of(const Json* credentials, std::string_view operation) {
  const std::string_view text = credentials == nullptr ? std::string_view() : credentials->string_at(operation);
  if (text.empty()) return BadLaunchDocument{"\"service_credentials\" lacks \"" + std::string(operation) + "\""};
  return services::ServiceCredential::take(std::string(text));
}

Result<std::uint16_t> port_of(std::int64_t number, std::string_view name) {
  if (number < 0 || number > 65535) return BadLaunchDocument{"\"" + std::string(name) + "\" must be 0 to 65535"};
  return static_cast<std::uint16_t>(number);
}

Result<Config> read_config(const Json& document) {
  LaunchReader reader(document);
  Config config;
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
  POSTERN_TRY(config.page_port, port_of(page_port, "page_port"));
  POSTERN_TRY(config.port, port_of(port, "port"));
  return config;
}

Result<DeskServices> open_desk(const Env& env, Config& config) {
  const auto options = [&] {
    return services::ServiceOptions{config.desk_database_dir, config.admitted, "postern-approvals"};
  };
  DeskServices desk;
  POSTERN_TRY(desk.customers, services::Customers::open(env, options()));
  POSTERN_TRY(desk.orders, services::Orders::open(env, options()));
  POSTERN_TRY(desk.returns, services::Returns::open(env, options()));
  desk.customers_read = std::move(config.customers_read);
  desk.orders_read = std::move(config.orders_read);
  desk.returns_read = std::move(config.returns_read);
  return desk;
}

Result<services::ApprovalTokenIssuer> token_issuer(const Config& config) {
  auto signer = Ed25519Signer::of_seed(config.signing_seed);
  if (!signer) return BadLaunchDocument{"\"signing_seed\" must be the base64url of 32 bytes"};
  return services::ApprovalTokenIssuer(*std::move(signer));
}

HttpClientOptions client_of(std::string peer) {
  HttpClientOptions options;
  options.tap_self = "approvals";
  options.tap_peer = std::move(peer);
  options.response_bytes_max = 1024 * 1024;
  return options;
}

Status serve(const std::string& config_path) {
  POSTERN_TRY(Launch launch, read_launch(config_path));
  POSTERN_TRY(Config config, read_config(launch.document));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};

  POSTERN_TRY(const Uri page_uri, parse_uri(config.page_origin));
  POSTERN_TRY(Uri payments_uri, parse_uri(config.payments_url));
  POSTERN_TRY(const DeskServices desk, open_desk(env, config));
  const ServiceDeskStaff staff(desk);
  const ServiceCaseFacts facts(desk);
  POSTERN_TRY(services::ApprovalTokenIssuer issuer, token_issuer(config));
  POSTERN_TRY(const std::unique_ptr<ApprovalStore> store,
              ApprovalStore::open({config.database_dir, std::chrono::minutes(config.request_minutes)}, staff,
                                  std::move(issuer)));

  const std::unique_ptr<HttpClient> payments_http = make_http_client(env, client_of("payments"));
  services::HttpPaymentsClient payments(*payments_http, std::move(payments_uri),
                                        {std::move(config.payments_read), services::ServiceCredential()},
                                        "postern-approvals");
  MoneyStates money(env, payments);
  const std::unique_ptr<HttpClient> issuer_http = make_http_client(env, client_of("issuer"));
  services::IssuerKeys keys(env, *issuer_http, config.issuer);
  services::BearerGate gate(clock, services::TokenVerifier(config.issuer, config.page_resource), keys);
  SignIn sign_in(env, *issuer_http, keys, gate,
                 {config.issuer, config.page_client_id, config.page_origin + "/callback", config.page_resource});
  PageSessions sessions(env);

  POSTERN_TRY(auto authentication, services::ServiceAuthentication::of_json(config.admitted));
  POSTERN_TRY(auto log, services::DownstreamLog::open(clock, config.database_dir, "approvals"));
  POSTERN_TRY(ListeningSocket page_socket, launch.take_socket("page", config.page_port));
  POSTERN_TRY(ListeningSocket api_socket, launch.take_socket("approvals", config.port));
  const InternalApi api(env, *store, money, services::ServiceAdmission(std::move(authentication), std::move(log)),
                        "127.0.0.1:" + std::to_string(api_socket.port()));
  log_info("page on " + page_socket.origin() + ", desk listener on " + api_socket.origin());

  HttpLimits page_limits;
  page_limits.body_bytes_max = kFormBytesMax;
  HttpLimits api_limits;
  api_limits.body_bytes_max = 64 * 1024;
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(page_socket),
                                   approval_page_routes({env, *store, staff, facts, money, gate, sign_in, sessions,
                                                         config.page_origin, page_uri.authority()}),
                                   page_limits, "approvals"});
  listeners.push_back(HttpListener{std::move(api_socket), api.routes(), api_limits, "approvals"});
  const SettlementWatch watch(env, *store, money);
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
