#include "tests/lab/removal/part_command.h"

#include <memory>
#include <utility>
#include <vector>

#include "issuer/launch_document.h"
#include "services/approvals/launch_document.h"
#include "services/desk/launch_document.h"
#include "services/payments/compose.h"
#include "tests/lab/removal/signing_desk.h"
#include "tests/lab/world/control_set.h"
#include "tests/lab/world/weak_desk.h"
#include "wire/base/log.h"
#include "wire/base/random_source.h"
#include "wire/transport/http_server.h"
#include "wire/transport/launch.h"

namespace postern::lab {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitUsage = 2;
constexpr std::chrono::milliseconds kDrainMax{5'000};

struct Machine {
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  [[nodiscard]] Env env() { return {clock, random, tap}; }
  [[nodiscard]] std::unique_ptr<HttpClient> client(std::string self, std::string peer) {
    HttpClientOptions options;
    options.tap_self = std::move(self);
    options.tap_peer = std::move(peer);
    return make_http_client(env(), std::move(options));
  }
};

// Takes the member out of the document, which the product's own reader then reads as strictly as ever.
Result<ControlSet> take_controls(Json& document) {
  std::vector<std::string> names;
  if (const Json* removed = document.find("controls_removed")) {
    if (!removed->is_array()) return BadLaunchDocument{"\"controls_removed\" must be an array of names"};
    for (const Json& name : removed->elements()) {
      if (!name.is_string()) return BadLaunchDocument{"\"controls_removed\" must be an array of names"};
      names.push_back(*name.string());
    }
    document.erase("controls_removed");
  }
  for (const std::string& name : names) log_warning("without the control " + name);
  return ControlSet::without(names);
}

void run(Machine& machine, const Launch& launch, std::vector<HttpListener> listeners,
         std::function<void()> on_drain = {}) {
  HttpServer server(std::move(listeners), machine.env());
  if (on_drain) server.on_drain(std::move(on_drain));
  server.start();
  wait_until_told_to_stop(machine.clock, launch.from_stdin);
  server.drain(kDrainMax);
}

Status serve_desk(Machine& machine, Launch& launch, const ControlSet& controls) {
  POSTERN_TRY(desk::ServeOptions options, desk::read_launch_document(launch.document));
  const auto issuer = machine.client("desk", "issuer");
  const auto browser = machine.client("desk", "page");
  const WeakDesk weak(machine.env(), controls, *browser, options.desk.page_origin);
  const auto services = weak.services(machine.client("desk", "services"));
  const std::string resource = options.desk.resource;
  POSTERN_TRY(const auto desk, desk::HttpDesk::compose(machine.env(), std::move(options.desk), {*issuer, *services},
                                                       controls.desk(), weak.decorators()));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("desk", options.port));
  log_info("serving " + resource + " on " + socket.origin());
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), weak.routes(desk->routes()), {}, "desk"});
  run(machine, launch, std::move(listeners), [&desk] { desk->end_subscriptions(); });
  return {};
}

Status serve_payments(Machine& machine, Launch& launch, const ControlSet& controls) {
  POSTERN_TRY(payments::ServeOptions options, payments::read_launch_document(launch.document));
  const std::uint16_t port = options.port;
  POSTERN_TRY(const auto payments,
              payments::PaymentsServer::compose(machine.env(), std::move(options), controls.payments()));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("payments", port));
  log_info("listening on " + socket.origin());
  Routes routes = payments->routes_at("127.0.0.1:" + std::to_string(socket.port()));
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), std::move(routes), {}, "payments"});
  run(machine, launch, std::move(listeners));
  return {};
}

Status serve_approvals(Machine& machine, Launch& launch, const ControlSet& controls) {
  POSTERN_TRY(approvals::ServeOptions options, approvals::read_launch_document(launch.document));
  const auto payments = machine.client("approvals", "payments");
  const auto issuer = machine.client("approvals", "issuer");
  POSTERN_TRY(const auto approvals, approvals::ApprovalsServer::compose(machine.env(), std::move(options.approvals),
                                                                        {*issuer, *payments}, controls.approvals()));
  POSTERN_TRY(ListeningSocket page, launch.take_socket("page", options.page_port));
  POSTERN_TRY(ListeningSocket api, launch.take_socket("approvals", options.port));
  log_info("page on " + page.origin() + ", desk listener on " + api.origin());
  Routes api_routes = approvals->api_routes("127.0.0.1:" + std::to_string(api.port()));
  std::vector<HttpListener> listeners;
  listeners.push_back(
      HttpListener{std::move(page), approvals->page_routes(), approvals::ApprovalsServer::page_limits(), "approvals"});
  listeners.push_back(
      HttpListener{std::move(api), std::move(api_routes), approvals::ApprovalsServer::api_limits(), "approvals"});
  const auto watch = approvals->watch();
  run(machine, launch, std::move(listeners));
  return {};
}

Status serve_issuer(Machine& machine, Launch& launch, const ControlSet& controls) {
  POSTERN_TRY(std::optional<SigningDesk> signing, SigningDesk::take(launch.document));
  POSTERN_TRY(issuer::ServeOptions options, issuer::read_launch_document(launch.document));
  const auto documents = machine.client("issuer", "client");
  options.issuer.http = documents.get();
  options.issuer.scope_rules = controls.issuer();
  if (signing) options.issuer.first_key = signing->key();
  POSTERN_TRY(issuer::AuthorizationServer server,
              issuer::AuthorizationServer::make(machine.env(), std::move(options.issuer)));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("issuer", options.port));
  log_info("listening on " + socket.origin());
  Routes routes = server.routes();
  if (signing) signing->add_to(routes);
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), std::move(routes), issuer::listener_limits(), "issuer"});
  run(machine, launch, std::move(listeners));
  return {};
}

Status serve(const std::string& part, const std::string& config) {
  POSTERN_TRY(Launch launch, read_launch(config));
  POSTERN_TRY(const ControlSet controls, take_controls(launch.document));
  Machine machine;
  if (part == "desk") return serve_desk(machine, launch, controls);
  if (part == "payments") return serve_payments(machine, launch, controls);
  if (part == "approvals") return serve_approvals(machine, launch, controls);
  return serve_issuer(machine, launch, controls);
}

}  // namespace

int part_command(const std::string& part, const std::string& config) {
  start_log("postern-lab part " + part, LogLevel::kInfo);
  prepare_signals();
  const Status served = serve(part, config);
  if (served) return kExitDone;
  log_error(served.error().text());
  return kExitUsage;
}

}  // namespace postern::lab
