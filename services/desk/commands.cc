#include "services/desk/commands.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "services/desk/launch_document.h"
#include "services/desk/tools/case_lookup.h"
#include "services/mcp/stdio_server.h"
#include "wire/base/file.h"
#include "wire/base/log.h"
#include "wire/base/random_source.h"
#include "wire/base/visible_text.h"
#include "wire/transport/launch.h"
#include "wire/transport/stdio_stream.h"

namespace postern::desk {
namespace {

constexpr int kExitDone = 0;
constexpr int kExitNo = 1;
constexpr int kExitUsage = 2;
constexpr std::chrono::milliseconds kDrainMax{5000};

struct Machine {
  SystemClock clock;
  SystemRandomSource random;
  NoTap tap;
  [[nodiscard]] Env env() { return {clock, random, tap}; }
};

int fail(const Failure& failure) {
  log_error(failure.text());
  return kExitUsage;
}

// A folder that is only read must hold a desk: opening it would make an empty one.
bool holds_a_desk(const std::string& database_dir) {
  if (file_exists(database_dir + "/customers.sqlite")) return true;
  log_error("There is no desk in " + visible_line(database_dir, 200) +
            ". Nothing was made there. To make one: postern-desk seed --db DIR");
  return false;
}

HttpClientOptions client_options(const char* peer) {
  HttpClientOptions options;
  options.tap_self = "desk";
  options.tap_peer = peer;
  return options;
}

bool was_handed_down(const Launch& launch, std::string_view name) {
  return std::any_of(launch.sockets.begin(), launch.sockets.end(),
                     [&](const NamedSocket& socket) { return socket.name == name; });
}

Status run_server(Machine& machine, const std::string& config) {
  POSTERN_TRY(Launch launch, read_launch(config));
  POSTERN_TRY(ServeOptions options, read_launch_document(launch.document));
  POSTERN_TRY(TrustedProxies proxies, TrustedProxies::parse(options.trusted_proxies));
  const auto issuer_client = make_http_client(machine.env(), client_options("issuer"));
  const auto service_client = make_http_client(machine.env(), client_options("services"));
  const std::string resource = options.desk.resource;
  POSTERN_TRY(const auto desk,
              HttpDesk::compose(machine.env(), std::move(options.desk), {*issuer_client, *service_client}));
  POSTERN_TRY(ListeningSocket socket, launch.take_socket("desk", options.port));
  log_info("serving " + resource + " on " + socket.origin());
  std::vector<HttpListener> listeners;
  listeners.push_back(HttpListener{std::move(socket), desk->routes(), {}, "desk"});
  listeners.back().proxies = std::move(proxies);
  if (options.health_port || was_handed_down(launch, "health")) {
    POSTERN_TRY(ListeningSocket health, launch.take_socket("health", options.health_port.value_or(0)));
    POSTERN_TRY(const Uri origin, parse_uri(health.origin()));
    log_info("health on " + health.origin() + "/healthz");
    listeners.push_back(HttpListener{std::move(health), desk->health().routes(origin), {}, "desk"});
  }
  HttpServer server(std::move(listeners), machine.env());
  server.on_drain([&desk] { desk->end_subscriptions(); });
  server.start();
  wait_until_told_to_stop(machine.clock, launch.from_stdin);
  server.drain(kDrainMax);  // a refund that is in flight is finished and answered
  return {};
}

// A folder of this process alone, removed with all that is in it.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(RandomSource& random)
      : path_(std::filesystem::temp_directory_path() / random_token(random, "postern-desk-", 12)) {}
  ~TemporaryFolder() {
    std::error_code ignored;  // what cannot be removed stays; there is nobody to tell
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// Turns SIGTERM and SIGINT into a stop, so that the temporary folder is removed after them too.
class StopOnSignal {
 public:
  explicit StopOnSignal(const Clock& clock)
      : thread_([this, &clock] {
          wait_until_told_to_stop(clock, false);
          source_.request_stop();
        }) {}
  ~StopOnSignal() {
    if (!source_.stop_requested())
      ::kill(::getpid(), SIGTERM);  // blocked everywhere: it wakes the thread and ends nothing
    thread_.join();
  }
  StopOnSignal(const StopOnSignal&) = delete;
  StopOnSignal& operator=(const StopOnSignal&) = delete;
  [[nodiscard]] std::stop_token token() const { return source_.get_token(); }

 private:
  std::stop_source source_;
  std::thread thread_;
};

Status run_stdio(Machine& machine, const std::string& person, const std::string& ticket, const StoreOptions& store,
                 bool older_era) {
  POSTERN_TRY(const auto desk, StdioDesk::compose(machine.env(), store, ticket, older_era));
  POSTERN_TRY_VOID(desk->admit(person));
  const services::StdioLaunch launch(person);
  mcp::StdioOptions options;
  // Work that does not heed its token must not keep the process when its client has gone: the records are in databases,
  // which bear it.
  options.on_stuck = [&store] {
    std::error_code ignored;
    if (store.throwaway) std::filesystem::remove_all(store.database_dir, ignored);
    std::_Exit(kExitDone);
  };
  const mcp::StdioServer server(desk->server(), launch.principal(), desk->older_era(), std::move(options));
  const StopOnSignal stop(machine.clock);
  LineReader in(STDIN_FILENO, {&machine.tap, "desk", "client"}, JsonBounds{}.bytes_max);
  LineWriter out(STDOUT_FILENO, {&machine.tap, "desk", "client"});
  log_info("ready for " + ticket + " as " + visible_line(person, 40));
  return server.serve(in, out, stop.token());
}

void print_line(std::string_view name, const std::string& text) {
  std::printf("%-10.*s %s\n", static_cast<int>(name.size()), name.data(), visible_line(text, 400).c_str());
}

Status print_ticket(Machine& machine, const std::string& ticket_id, const std::string& database_dir) {
  const StoreOptions store = own_store(machine.env(), database_dir, false);
  POSTERN_TRY(const DeskParts desk, open_store(machine.env(), store, product_handle_key()));
  POSTERN_TRY(const services::Ticket ticket,
              desk.customers->ticket(desk.credentials.customers, services::TicketId(ticket_id)));
  POSTERN_TRY(const services::Customer customer,
              desk.customers->customer(desk.credentials.customers, ticket.customer_id));
  print_line("ticket", ticket_id + ", " + std::string(services::name_of(ticket.status)) + ", desk " + ticket.desk);
  print_line("opened", rfc3339(ticket.opened_at));
  print_line("customer", customer.name + " (" + customer.customer_id.value() + ")");
  print_line("subject", ticket.subject);
  if (const auto order = order_of_ticket(desk, ticket, false)) {
    print_line("order", order->order_id.value() + ", " + order->status + ", " +
                            display(Money{order->total_minor(), order->currency}));
  }
  if (const auto policy = policy_of_ticket(desk, ticket, false)) {
    print_line("policy", policy->policy_id.value() + ", limit " + display(policy->limit) + ", " +
                             std::to_string(policy->window_days) + " days");
  }
  return {};
}

}  // namespace

int serve(const std::string& config) {
  prepare_signals();
  Machine machine;
  const Status served = run_server(machine, config);
  return served ? kExitDone : fail(served.error());
}

int serve_stdio(const std::string& person, const std::string& ticket, const std::string& database_dir, bool older_era) {
  if (!services::read_id<services::TicketId>(ticket)) {
    log_error(visible_line(ticket, 40) + " is no ticket: a ticket looks like T-1042.");
    return kExitUsage;
  }
  if (!database_dir.empty() && !holds_a_desk(database_dir)) return kExitUsage;
  prepare_signals();
  Machine machine;
  std::optional<TemporaryFolder> own;
  if (database_dir.empty()) own.emplace(machine.random);
  const std::string folder = own ? own->path() : database_dir;
  StoreOptions store = own_store(machine.env(), folder, own.has_value());
  store.throwaway = own.has_value();
  const Status served = run_stdio(machine, person, ticket, store, older_era);
  return served ? kExitDone : fail(served.error());
}

int seed(const std::string& database_dir) {
  Machine machine;
  const StoreOptions store = own_store(machine.env(), database_dir, true);
  const auto parts = open_store(machine.env(), store, product_handle_key());
  return parts ? kExitDone : fail(parts.error());
}

int show(const std::string& ticket, const std::string& database_dir) {
  if (!services::read_id<services::TicketId>(ticket)) {
    log_error(visible_line(ticket, 40) + " is no ticket: a ticket looks like T-1042.");
    return kExitUsage;
  }
  if (!holds_a_desk(database_dir)) return kExitUsage;
  Machine machine;
  const Status printed = print_ticket(machine, ticket, database_dir);
  if (printed) return kExitDone;
  log_error(printed.error().text());
  return printed.error().as<services::NoSuchTicket>() != nullptr ? kExitNo : kExitUsage;
}

}  // namespace postern::desk
