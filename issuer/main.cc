// postern-issuer: the training issuer as a program. It alone holds the key that signs access tokens.
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "issuer/authorization_server.h"
#include "issuer/failures.h"
#include "issuer/hangup_signal.h"
#include "issuer/launch_document.h"
#include "issuer/metadata_documents.h"
#include "wire/base/log.h"
#include "wire/base/uri.h"
#include "wire/transport/http_client.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"
#include "wire/transport/server_program.h"

namespace postern::issuer {
namespace {

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
  POSTERN_TRY(ServeOptions options, read_launch_document(launch.document));
  const SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  const Env env{clock, random, tap};
  const std::string issuer = options.issuer.issuer;
  HangupSignal hangup;  // before any thread
  const std::unique_ptr<HttpClient> http = make_http_client(env, client_options());
  options.issuer.http = http.get();
  POSTERN_TRY(AuthorizationServer authorization_server, AuthorizationServer::make(env, std::move(options.issuer)));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("issuer", options.port));
  // Otherwise nobody would find it where its metadata says that it is.
  if (parse_uri(issuer)->port != socket.port()) {
    return BadIssuerConfiguration{"it would listen on " + socket.origin() + " and call itself " + issuer};
  }
  log_info("listening on " + socket.origin());
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), authorization_server.routes(), listener_limits(), "issuer"});
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
