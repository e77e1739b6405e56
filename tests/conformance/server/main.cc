// postern-conformance-server: the product's MCP core with the fixtures of the conformance suite, over HTTP or stdio.
//
//   --port N [--until-eof]   HTTP on 127.0.0.1; N may be 0. Prints the URL on a line. Ends by SIGTERM, SIGINT, or the
//                            end of stdin where it is told to
//   --stdio                  the same over stdio
//
// With --older-era clients that open with `initialize` are answered too.
//
// The suite sends no bearer, and the core takes no request without a verified token. So this program is its own issuer:
// it signs one token for one caller at start, has it verified as every token is, and serves every request with it.
#include <unistd.h>

#include <charconv>
#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "services/gate/host_origin_check.h"
#include "services/gate/token_verifier.h"
#include "services/mcp/http_endpoint.h"
#include "services/mcp/stdio_server.h"
#include "tests/conformance/server/conformance_server.h"
#include "tests/conformance/server/older_era_part.h"
#include "wire/base/log.h"
#include "wire/signing/es256_signer.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"
#include "wire/transport/stdio_stream.h"

namespace postern::conformance {
namespace {

constexpr std::string_view kIssuer = "http://127.0.0.1/conformance";
constexpr std::string_view kCaller = "tester";
constexpr std::chrono::milliseconds kDrainMax{2000};

struct Machine {
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  [[nodiscard]] Env env() { return {clock, random, tap}; }
};

struct Options {
  bool stdio = false;
  bool until_eof = false;
  bool older_era = false;
  std::optional<std::uint16_t> port;
};

std::optional<Options> read_options(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == "--stdio") {
      options.stdio = true;
    } else if (argument == "--until-eof") {
      options.until_eof = true;
    } else if (argument == "--older-era") {
      options.older_era = true;
    } else if (argument == "--port" && i + 1 < count) {
      const std::string_view text = arguments[++i];
      std::uint16_t port = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), port);
      if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
      options.port = port;
    } else {
      return std::nullopt;
    }
  }
  if (options.stdio == options.port.has_value()) return std::nullopt;
  if (options.older_era && older_versions().empty()) return std::nullopt;  // this build cannot
  return options;
}

Result<std::shared_ptr<const services::VerifiedAccessToken>> own_token(const Clock& clock,
                                                                       const std::string& resource) {
  constexpr std::int64_t kLifetimeSeconds = 24 * 60 * 60;
  const Es256Signer signer = Es256Signer::generate();
  const Json header = Json::object({{"alg", "ES256"}, {"typ", "at+jwt"}, {"kid", "1"}});
  const Json claims = Json::object({{"iss", kIssuer},
                                    {"sub", kCaller},
                                    {"aud", resource},
                                    {"scope", ""},
                                    {"exp", unix_seconds(clock.now()) + kLifetimeSeconds}});
  POSTERN_TRY(const JwkSet keys, JwkSet::of_json(Json::object({{"keys", Json::array({signer.public_jwk("1")})}})));
  const services::TokenVerifier verifier{std::string(kIssuer), resource};
  POSTERN_TRY(auto token, verifier.verify(signer.compact_jws(header, claims), keys, clock.now()));
  return std::make_shared<const services::VerifiedAccessToken>(std::move(token));
}

Result<std::unique_ptr<ConformanceServer>> make_fixtures(Env env, const Options& options) {
  return ConformanceServer::make(env, options.older_era ? older_versions() : std::vector<std::string>());
}

Status serve_http(Machine& machine, const Options& options) {
  POSTERN_TRY(const auto fixtures, make_fixtures(machine.env(), options));
  POSTERN_TRY(ListeningSocket socket, ListeningSocket::on_loopback(*options.port));
  POSTERN_TRY(const Uri origin, parse_uri(socket.origin()));
  const std::string url = origin.origin() + "/mcp";
  POSTERN_TRY(const auto token, own_token(machine.clock, url));
  const auto older_era = options.older_era ? make_older_era(fixtures->server()) : nullptr;
  const mcp::HttpEndpoint endpoint(fixtures->server(), origin.origin() + "/.well-known/oauth-protected-resource/mcp",
                                   older_era.get());
  Routes routes;
  routes.before(services::host_origin_check_of(origin));
  routes.add_any("/mcp", [&](const HttpRequest& request) -> HttpReply {
    if (auto refusal = mcp::HttpEndpoint::method_refusal(request)) return *std::move(refusal);
    return endpoint.handle(request, token);
  });
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), std::move(routes), {}, "conformance-server"});
  HttpServer server(std::move(listeners), machine.env());
  server.start();
  std::printf("%s\n", url.c_str());
  std::fflush(stdout);
  wait_until_told_to_stop(machine.clock, options.until_eof);
  fixtures->server().subscriptions().end_all();
  server.drain(kDrainMax);
  return {};
}

Status serve_stdio(Machine& machine, const Options& options) {
  POSTERN_TRY(const auto fixtures, make_fixtures(machine.env(), options));
  const services::StdioLaunch launch{std::string(kCaller)};
  const auto older_era = options.older_era ? make_older_era(fixtures->server()) : nullptr;
  const mcp::StdioServer server(fixtures->server(), launch.principal(), older_era.get());
  LineReader in(STDIN_FILENO, {&machine.tap, "conformance-server", "client"}, JsonBounds{}.bytes_max);
  LineWriter out(STDOUT_FILENO, {&machine.tap, "conformance-server", "client"});
  return server.serve(in, out);
}

int run(int count, char** arguments) {
  constexpr int kExitFailed = 1;
  constexpr int kExitUsage = 2;
  start_log("postern-conformance-server", LogLevel::kInfo);
  const auto options = read_options(count, arguments);
  if (!options) {
    std::fputs("usage: postern-conformance-server --port N [--until-eof] [--older-era] | --stdio [--older-era]\n",
               stderr);
    return kExitUsage;
  }
  Machine machine;
  if (!options->stdio) prepare_signals();
  const Status served = options->stdio ? serve_stdio(machine, *options) : serve_http(machine, *options);
  if (served) return 0;
  log_error(served.error().text());
  return kExitFailed;
}

}  // namespace
}  // namespace postern::conformance

int main(int count, char** arguments) {
  return postern::conformance::run(count, arguments);
}
