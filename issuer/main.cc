// postern-issuer: the training issuer as a program. It alone holds the key that signs access tokens.
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "issuer/authorization_server.h"
#include "issuer/failures.h"
#include "issuer/hangup_signal.h"
#include "issuer/metadata_documents.h"
#include "wire/base/digest.h"
#include "wire/base/log.h"
#include "wire/base/secret.h"
#include "wire/base/uri.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"
#include "wire/transport/server_program.h"

namespace postern::issuer {
namespace {

constexpr std::size_t kHeadlessSecretBytesMin = 24;
constexpr std::string_view kUsage =
    "usage: postern-issuer serve --config FILE|-\n"
    "       postern-issuer --help | --version\n"
    "\n"
    "An OAuth issuer for training, on this machine only. FILE is a launch document in JSON, mode 0600; \"-\" reads it\n"
    "from the first line of stdin, whose end then stops the program. SIGHUP makes the next signing key. Members:\n"
    "  issuer            http://127.0.0.1:PORT; no other machine's address is taken\n"
    "  clients           [{\"client_id\", \"name\", \"application_type\": \"native\"|\"web\", \"redirect_uris\", "
    "\"scopes\",\n"
    "                    \"resources\", \"grant_types\"?, \"first_party\"?, \"headless\"?, \"client_secret_sha256\"?,\n"
    "                    \"token_endpoint_auth_method\"?}]; nobody is asked for consent to a first_party one\n"
    "  people            [{\"subject\", \"name\", \"description\"?, \"scopes\"}]; the three of the training world when "
    "absent\n"
    "  default_scope     of a request that names none; \"desk:read\" when absent\n"
    "  strangers         {\"registration\"?, \"metadata_documents\"?, \"document_hosts\"?, \"scopes\", \"resources\"}: "
    "what\n"
    "                    clients may do that are not configured; nothing when absent\n"
    "  headless_secret   lets clients marked headless sign people in without a browser; never for refunds:approve\n"
    "  port              when no socket named \"issuer\" is handed down; the one of \"issuer\" when absent\n";

struct Config {
  AuthorizationServerOptions options;
  std::uint16_t port = 0;
};

Result<std::string> read_headless_secret(LaunchReader& reader) {
  std::string secret = reader.string_or("headless_secret", "");
  if (secret.empty()) return std::string();
  const std::size_t size = secret.size();
  std::string hash = sha256(secret);
  wipe(secret);
  if (size < kHeadlessSecretBytesMin) {
    return BadIssuerConfiguration{"\"headless_secret\" is shorter than " + std::to_string(kHeadlessSecretBytesMin) +
                                  " characters"};
  }
  return hash;
}

Result<Config> read_config(const Json& document) {
  LaunchReader reader(document);
  std::string issuer = reader.string("issuer");
  const Json* clients_json = reader.json("clients");
  const Json* people_json = reader.json("people");
  const Json* strangers_json = reader.json("strangers");
  const auto default_scope = ScopeSet::parse(reader.string_or("default_scope", "desk:read"));
  POSTERN_TRY(std::string secret_hash, read_headless_secret(reader));
  const std::int64_t port = reader.integer_or("port", -1);
  POSTERN_TRY_VOID(reader.finish());
  if (clients_json == nullptr) return BadIssuerConfiguration{"\"clients\" is missing"};
  POSTERN_TRY(Clients clients, Clients::of_json(*clients_json));
  POSTERN_TRY(People people,
              people_json == nullptr ? Result<People>(People::embedded()) : People::of_json(*people_json));
  POSTERN_TRY(StrangerRules strangers, strangers_json == nullptr ? Result<StrangerRules>(StrangerRules{})
                                                                 : StrangerRules::of_json(*strangers_json));
  if (!default_scope) return BadIssuerConfiguration{"\"default_scope\" is malformed"};
  const auto uri = parse_uri(issuer);
  const std::int64_t own_port = uri ? uri->port : 0;
  if (port < -1 || port > 65535) return BadLaunchDocument{"\"port\" must be 0 to 65535"};
  return Config{{std::move(issuer), std::move(clients), std::move(people), std::move(secret_hash), *default_scope,
                 std::move(strangers)},
                static_cast<std::uint16_t>(port > 0 ? port : own_port)};
}

HttpLimits limits() {
  HttpLimits limits;
  limits.body_bytes_max = 16 * 1024;
  limits.blocking_threads = 2;  // only the documents of strange clients are waited for
  limits.blocking_queue_max = 16;
  return limits;
}

HttpClientOptions client_options() {
  HttpClientOptions options;
  options.tap_self = "issuer";
  options.tap_peer = "client";
  options.response_bytes_max = MetadataDocuments::kBytesMax;
  options.keep_alive = false;
  return options;
}

Status serve(const std::string& config_path) {
  POSTERN_TRY(Launch launch, read_launch(config_path));
  POSTERN_TRY(Config config, read_config(launch.document));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  const std::string issuer = config.options.issuer;
  HangupSignal hangup;  // before any thread
  const std::unique_ptr<HttpClient> http = make_http_client(env, client_options());
  config.options.http = http.get();
  POSTERN_TRY(AuthorizationServer authorization_server, AuthorizationServer::make(env, std::move(config.options)));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("issuer", config.port));
  // Otherwise nobody would find it where its metadata says that it is.
  if (parse_uri(issuer)->port != socket.port()) {
    return BadIssuerConfiguration{"it would listen on " + socket.origin() + " and call itself " + issuer};
  }
  log_info("listening on " + socket.origin());
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), authorization_server.routes(), limits(), "issuer"});
  HttpServer server(std::move(listeners), env);
  server.start();
  hangup.on_signal([&authorization_server] {
    authorization_server.rotate_keys();
    log_info("the next signing key is published, and signs in ten minutes");
  });
  wait_until_told_to_stop(clock, launch.from_stdin);
  server.drain(std::chrono::milliseconds(2'000));
  return {};
}

}  // namespace
}  // namespace postern::issuer

int main(int count, char** arguments) {
  using namespace postern::issuer;  // NOLINT(google-build-using-namespace): of this file alone
  return postern::run_server_program({"postern-issuer", kUsage, serve}, count, arguments);
}
