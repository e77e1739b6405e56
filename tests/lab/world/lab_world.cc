#include "tests/lab/world/lab_world.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "host/local_world.h"
#include "tests/lab/world/fresh_databases.h"
#include "tests/lab/world/host_runs.h"
#include "tests/lab/world/in_process_network.h"
#include "tests/lab/world/world_programs.h"
#include "tests/support/seeded_random.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

// Nothing is bound, so that every world may have the same.
constexpr std::uint16_t kFirstPort = 18931;
constexpr std::size_t kArtefactBytesMax = std::size_t{1} << 28U;
// How often postern-approvals writes down what was settled (services/approvals/settlement.cc).
constexpr Milliseconds kSettlesEach{2'000};

host::LocalWorld world_of(const LabWorldOptions& options) {
  test::SeededRandom random(options.seed + "/keys");
  host::LocalWorld world = host::LocalWorld::make(random, options.folder);
  std::uint16_t port = kFirstPort;
  for (const std::string_view socket : host::LocalWorld::kSockets) world.ports.emplace(socket, port++);
  return world;
}

}  // namespace

// Destroyed from the last to the first: what refers to something stands below it.
struct LabWorld::Impl {
  explicit Impl(LabWorldOptions given)
      : options(std::move(given)),
        random(options.seed + "/outside"),
        host_random(options.seed + "/host"),
        world(world_of(options)),
        programs({clock, network, world, options.controls, options.decorators, options.planted, options.seed}),
        runs({clock, host_random, network, world, options}) {}
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Env env() { return {clock, random, tap}; }
  // In the order in which the product starts them: the desk fills the databases that approvals reads.
  Status start_programs() {
    for (const std::string_view name : {"issuer", "payments", "desk", "approvals"})
      POSTERN_TRY_VOID(programs.start(name));
    return {};
  }
  // A world that ends at once.
  static Status begin_and_end(const std::string& folder);
  void settle_now_and_then() {
    clock.now_and_then(kSettlesEach, [this] { programs.settle(); });
  }

  const LabWorldOptions options;
  LabClock clock;
  test::SeededRandom random;
  test::SeededRandom host_random;
  NoTap tap;
  InProcessNetwork network;
  const host::LocalWorld world;
  WorldPrograms programs;
  HostRuns runs;
  std::unique_ptr<HttpClient> outside;
};

namespace {

Status make_folders(const std::string& folder) {
  for (const char* part : {"/payments", "/approvals", "/desk"}) POSTERN_TRY_VOID(make_folder(folder + part));
  return {};
}

bool removes_of_payments(const ControlSet& controls) {
  return std::any_of(controls.removed().begin(), controls.removed().end(),
                     [](const std::string& name) { return name.starts_with("payments."); });
}

}  // namespace

Status LabWorld::Impl::begin_and_end(const std::string& folder) {
  LabWorldOptions options;
  options.folder = folder;
  POSTERN_TRY_VOID(make_folders(folder));
  Impl impl(std::move(options));
  return impl.start_programs();
}

LabWorld::LabWorld(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
LabWorld::~LabWorld() = default;

Result<std::unique_ptr<LabWorld>> LabWorld::make(LabWorldOptions options) {
  POSTERN_TRY_VOID(make_folders(options.folder));
  const FreshDatabases& fresh = FreshDatabases::of_this_process(&Impl::begin_and_end);
  POSTERN_TRY_VOID(fresh.put_into(options.folder, {options.planted.is_null(), !removes_of_payments(options.controls)}));
  auto impl = std::make_unique<Impl>(std::move(options));
  Impl& made = *impl;
  if (made.options.decorators.answers) {
    made.network.change_answers([&made](const std::string& origin, std::string bytes) {
      for (const std::string_view name : host::LocalWorld::kSockets) {
        if (made.world.origin(name) == origin) return made.options.decorators.answers(name, std::move(bytes));
      }
      return bytes;
    });
  }
  HttpClientOptions client;
  client.tap_self = "outside";
  client.tap_peer = "anybody";
  made.outside = made.network.client(made.env(), client);
  if (made.options.decorators.http) {
    made.outside = made.options.decorators.http(std::move(made.outside), "outside", "anybody");
  }
  POSTERN_TRY_VOID(made.start_programs());
  made.settle_now_and_then();
  return std::unique_ptr<LabWorld>(new LabWorld(std::move(impl)));
}

LabClock& LabWorld::clock() {
  return impl_->clock;
}
Env LabWorld::env() {
  return impl_->env();
}
std::string LabWorld::origin(std::string_view name) const {
  return impl_->world.origin(name);
}
const host::LocalWorld& LabWorld::local_world() const {
  return impl_->world;
}
std::string LabWorld::server() const {
  return impl_->world.server();
}
HttpClient& LabWorld::network() {
  return *impl_->outside;
}
std::vector<std::string> LabWorld::strangers() const {
  return impl_->network.strangers();
}

Result<std::string> LabWorld::raw(std::string_view name, std::string_view bytes) {
  return impl_->network.exchange(origin(name), bytes);
}

Status LabWorld::stop_program(std::string_view name) {
  return impl_->programs.stop(name);
}
Status LabWorld::start_program(std::string_view name) {
  return impl_->programs.start(name);
}

std::string LabWorld::sign_as_issuer(const Json& header, const Json& claims) {
  return impl_->programs.sign_as_issuer(header, claims);
}

std::map<std::string, std::string> LabWorld::artefacts() const {
  std::map<std::string, std::string> all = impl_->runs.outputs();
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(impl_->options.folder, error)) {
    if (!entry.is_regular_file(error)) continue;
    auto content = read_file(entry.path().string(), kArtefactBytesMax);
    if (content) all.emplace(entry.path().string().substr(impl_->options.folder.size() + 1), *std::move(content));
  }
  return all;
}

Result<HostRunResult> LabWorld::host_run(const HostRunOptions& options) {
  return impl_->runs.run(options);
}

}  // namespace postern::lab
