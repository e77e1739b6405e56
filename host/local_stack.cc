#include "host/local_stack.h"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <thread>
#include <utility>

#include "host/local_world.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"
#include "wire/transport/child_process.h"
#include "wire/transport/http_client.h"
#include "wire/transport/listening_socket.h"

namespace postern::host {
namespace {

constexpr std::chrono::seconds kReadyIn{20};

struct Member {
  std::string name;  // "desk"
  std::string program;
  std::vector<std::string> sockets;
  Json document;
};

// A process that is known by its id and the time it started, so that another one that got the same id later is left
// alone.
struct KnownProcess {
  int id = 0;
  std::string started;  // field 22 of /proc/ID/stat
};

std::string start_time_of(int id) {
  const Result<std::string> stat = read_file("/proc/" + std::to_string(id) + "/stat", 4096);
  if (!stat) return {};
  std::size_t at = stat->rfind(')');  // the name before it may hold anything
  for (int field = 2; field < 22 && at != std::string::npos; ++field) at = stat->find(' ', at + 1);
  if (at == std::string::npos) return {};
  return stat->substr(at + 1, stat->find(' ', at + 1) - at - 1);
}

bool lives(const KnownProcess& process) {
  return process.id > 1 && !process.started.empty() && start_time_of(process.id) == process.started;
}

void end_known(const std::vector<KnownProcess>& processes) {
  for (const KnownProcess& process : processes) {
    if (lives(process)) kill(process.id, SIGTERM);
  }
  for (int waited = 0; waited < 40; ++waited) {
    if (std::none_of(processes.begin(), processes.end(), lives)) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  for (const KnownProcess& process : processes) {
    if (lives(process)) kill(process.id, SIGKILL);
  }
}

std::vector<KnownProcess> known_of(const Json& record) {
  std::vector<KnownProcess> known;
  const Json* processes = record.find("processes");
  if (processes == nullptr) return known;
  for (const auto& [name, process] : processes->members()) {
    known.push_back(
        {static_cast<int>(process.integer_at("id").value_or(0)), std::string(process.string_at("started"))});
  }
  return known;
}

class ProcessStack final : public LocalStack {
 public:
  explicit ProcessStack(LocalWorld world) : world_(std::move(world)) {}
  ~ProcessStack() override { stop(); }
  ProcessStack(const ProcessStack&) = delete;
  ProcessStack& operator=(const ProcessStack&) = delete;

  Status start(Env env, const LocalStackOptions& options, std::vector<NamedSocket> sockets,
               const std::stop_token& stop);

  [[nodiscard]] std::string issuer() const override { return world_.origin("issuer"); }
  [[nodiscard]] std::string server() const override { return world_.server(); }
  [[nodiscard]] std::string page_origin() const override { return world_.origin("page"); }
  [[nodiscard]] std::string model_url() const override { return world_.origin("model"); }
  [[nodiscard]] HeadlessSecret headless_secret() const override;
  [[nodiscard]] Json record() const override;
  void stay_until(WallTime time) override;
  void forget_keys() override;

 private:
  Status spawn(const Member& member, const LocalStackOptions& options, std::vector<NamedSocket>& sockets);
  Status wait_ready(Env env, const Member& member, ChildProcess& child, const std::stop_token& stop);
  [[nodiscard]] std::vector<Member> members(const LocalStackOptions& options) const;
  [[nodiscard]] std::string log_of(std::string_view name) const {
    return world_.folder() + "/" + std::string(name) + ".log";
  }
  void stop();

  LocalWorld world_;
  std::vector<std::pair<std::string, ChildProcess>> children_;
  bool ended_ = false;
};

std::vector<Member> ProcessStack::members(const LocalStackOptions& options) const {
  std::vector<Member> list;
  if (!options.model_only) {
    list.push_back({"issuer", "postern-issuer", {"issuer"}, world_.issuer_document()});
    list.push_back({"payments", "postern-payments", {"payments"}, world_.payments_document()});
    list.push_back({"desk", "postern-desk", {"desk"}, world_.desk_document()});
    list.push_back({"approvals", "postern-approvals", {"page", "approvals"}, world_.approvals_document()});
  }
  if (!options.model_script.empty()) {
    list.push_back({"model", "postern-lab", {"model"}, world_.model_document(options.model_script)});
  }
  return list;
}

Status ProcessStack::spawn(const Member& member, const LocalStackOptions& options, std::vector<NamedSocket>& sockets) {
  ChildOptions child_options;
  child_options.argv.push_back(options.program_folder + "/" + member.program);
  if (!file_exists(child_options.argv.front())) {
    return StackFailed{member.program, "it is not beside this program, in " + options.program_folder, ""};
  }
  if (member.name == "model") child_options.argv.push_back("model");
  for (const char* argument : {"serve", "--config", "-"}) child_options.argv.push_back(argument);
  for (const NamedSocket& socket : sockets) {
    const auto& names = member.sockets;
    if (std::find(names.begin(), names.end(), socket.name) != names.end()) {
      child_options.sockets.emplace_back(socket.name, socket.socket.descriptor());
    }
  }
  child_options.stderr_file = log_of(member.name);
  POSTERN_TRY(ChildProcess child, ChildProcess::spawn(child_options));
  std::string document = member.document.dump() + "\n";
  const Status written = child.write(document);
  wipe(document);
  if (!written) return StackFailed{member.program, "it ended before it could be told its task", log_of(member.name)};
  children_.emplace_back(member.name, std::move(child));
  return {};
}

// Ready is who answers: any response of HTTP will do, because the sockets were bound before.
Status ProcessStack::wait_ready(Env env, const Member& member, ChildProcess& child, const std::stop_token& stop) {
  NoTap no_tap;
  const auto client = make_http_client(Env{env.clock, env.random, no_tap}, {});
  const SteadyTime until = env.clock.steady_now() + kReadyIn;
  for (const std::string& socket : member.sockets) {
    POSTERN_TRY(Uri uri, parse_uri(world_.origin(socket) + "/"));
    HttpRequest request;
    request.method = "GET";
    request.target = uri.target();
    while (true) {
      if (stop.stop_requested()) return Cancelled{};
      if (const auto status = child.exit_status()) {
        return StackFailed{member.program, "it ended with exit code " + std::to_string(*status), log_of(member.name)};
      }
      if (env.clock.steady_now() >= until)
        return StackFailed{member.program, "it gave no answer in 20 s", log_of(member.name)};
      if (client->send(uri, request, env.clock.steady_now() + std::chrono::milliseconds(500), stop)) break;
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  return {};
}

Status ProcessStack::start(Env env, const LocalStackOptions& options, std::vector<NamedSocket> sockets,
                           const std::stop_token& stop) {
  const std::vector<Member> list = members(options);
  for (const Member& member : list) POSTERN_TRY_VOID(spawn(member, options, sockets));
  // From here on only the children hold the sockets: one that ended is "connection refused" and no silence.
  sockets.clear();
  for (std::size_t i = 0; i < list.size(); ++i) {
    POSTERN_TRY_VOID(wait_ready(env, list[i], children_[i].second, stop));
  }
  return {};
}

HeadlessSecret ProcessStack::headless_secret() const {
  std::string copy = world_.headless_secret;
  return HeadlessSecret::take(std::move(copy));
}

Json ProcessStack::record() const {
  Json ports = Json::object();
  for (const auto& [name, port] : world_.ports) ports.append_member(name, static_cast<std::int64_t>(port));
  Json processes = Json::object();
  for (const auto& [name, child] : children_) {
    const int id = child.process_id();
    processes.append_member(name, Json::object({{"id", id}, {"started", start_time_of(id)}}));
  }
  return Json::object({{"ports", std::move(ports)}, {"processes", std::move(processes)}});
}

void ProcessStack::stay_until(WallTime time) {
  for (auto& [name, child] : children_) {
    // A child that cannot be told ends with our end of its stdin, which is what happens without a word, too.
    if (child.write("stay until " + std::to_string(unix_seconds(time)) + "\n")) child.release();
  }
  ended_ = true;
}

void ProcessStack::stop() {
  if (std::exchange(ended_, true)) return;
  for (auto& [name, child] : children_) child.close_stdin();
  for (auto& [name, child] : children_) child.stop();
}

void ProcessStack::forget_keys() {
  std::error_code error;
  std::filesystem::remove(world_.keys_file(), error);
}

}  // namespace

Result<std::unique_ptr<LocalStack>> start_local_stack(Env env, const LocalStackOptions& options, std::stop_token stop) {
  const bool again = file_exists(options.world_folder + "/keys.json");
  LocalWorld world = LocalWorld::make(env.random, options.world_folder);
  if (again) {
    POSTERN_TRY(world, LocalWorld::load(options.world_folder));
  } else {
    for (const char* part : {"", "/payments", "/approvals", "/desk"}) {
      POSTERN_TRY_VOID(make_folder(options.world_folder + part));
    }
  }
  std::vector<NamedSocket> sockets;
  for (const std::string_view name : LocalWorld::kSockets) {
    const std::uint16_t port = again ? world.ports.find(name)->second : std::uint16_t{0};
    POSTERN_TRY(ListeningSocket socket, ListeningSocket::on_loopback(port));
    world.ports.insert_or_assign(std::string(name), socket.port());
    sockets.push_back({std::string(name), std::move(socket)});
  }
  POSTERN_TRY_VOID(world.save());
  auto stack = std::make_unique<ProcessStack>(std::move(world));
  POSTERN_TRY_VOID(stack->start(env, options, std::move(sockets), stop));
  return std::unique_ptr<LocalStack>(std::move(stack));
}

void stop_recorded_stack(const Json& record) {
  end_known(known_of(record));
}

std::string own_program_folder() {
  std::array<char, 4096> path{};
  const ssize_t size = readlink("/proc/self/exe", path.data(), path.size() - 1);
  POSTERN_CHECK(size > 0);
  const std::string_view full(path.data(), static_cast<std::size_t>(size));
  return std::string(full.substr(0, full.rfind('/')));
}

std::string StackFailed::text() const {
  std::string line = "The local stack did not start: " + program + ": " + visible_line(reason, 300) +
                     ".\nNo case was opened and nothing was sent to the model.";
  if (!log.empty()) line += "\n  Its own words: " + log;
  return line;
}

}  // namespace postern::host
