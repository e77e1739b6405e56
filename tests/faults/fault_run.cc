#include "tests/faults/fault_run.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <utility>

#include "host/ladder/ladder.h"
#include "host/ladder/wire_run.h"
#include "pins/pin_file.h"
#include "pins/pin_gate.h"
#include "services/store/database.h"
#include "tests/faults/control_run.h"
#include "tests/faults/run_text.h"
#include "tests/lab/world/lab_world.h"
#include "wire/base/check.h"
#include "wire/base/file.h"
#include "wire/tap/wire_log.h"

POSTERN_EMBEDDED(services_payments_migrations)

namespace postern::faults {
namespace {

constexpr std::string_view kBeside = "bench";  // our word for the server over stdio

// The desk's six read tools, as they were reviewed at the desk.
std::string bench_pins() {
  Result<pins::PinFile> file = pins::embedded_pins();
  POSTERN_CHECK(file.has_value());
  auto& tools = file->tools;
  tools.erase(std::remove_if(tools.begin(), tools.end(),
                             [](const pins::ReviewedTool& tool) { return tool.pin.tool == "issue_refund"; }),
              tools.end());
  return pins::serialise(*file);
}

// The faults of lines need a server over stdio, which the host has beside its desk.
void add_bench(Scene& scene, const Fault& fault, const FaultPlace& place) {
  const std::string pins = scene.world.folder + "/bench-pins.json";
  POSTERN_CHECK(replace_file(pins, bench_pins()).has_value());
  add_server(scene, std::string(kBeside),
             Json::object({{"command", place.lab_program},
                           {"args", Json::array({"faulty", fault.name, "--as", "rowan", "--ticket", fault.ticket})},
                           {"pins", pins},
                           {"limits", Json::object({{"request", "1s"}})}}));
}

Result<std::vector<std::string>> refunds_of(const std::string& folder, const std::string& ticket) {
  std::string path;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().filename() == "payments.sqlite") path = entry.path().string();
  }
  if (path.empty()) return std::vector<std::string>();  // payments was never started: nothing was paid
  services::DatabaseOptions options;
  options.path = path;
  options.migrations = embedded::services_payments_migrations();
  POSTERN_TRY(const auto database, services::Database::open(options));
  return database->read<std::vector<std::string>>(
      [&](services::Connection& connection) -> Result<std::vector<std::string>> {
        services::Statement row = connection.statement(
            "SELECT refund_id, amount_minor, currency FROM refunds WHERE ticket_id = ?1 ORDER BY number");
        row.bind(ticket);
        std::vector<std::string> refunds;
        for (;;) {
          POSTERN_TRY(const bool found, row.step());
          if (!found) return refunds;
          refunds.push_back(row.text(0) + " " + std::to_string(row.integer(1)) + " " + row.text(2));
        }
      });
}

Result<std::string> first_rung(const lab::HostRunResult& run, const std::string& ticket) {
  POSTERN_TRY(const host::WireRun wire, host::read_wire_log(run.wire_file, run.run, ticket));
  const host::Ladder ladder = host::climb(wire);
  for (const host::LadderRung& rung : ladder.rungs) {
    if (!rung.to_read.empty()) return std::string(layer_name(rung.layer));
  }
  return std::string("own");
}

struct Ran {
  lab::HostRunResult run;
  std::string folder;
};

// Once, in a world of its own in that folder. `json`: the report as a document.
Result<Ran> play(const Fault* fault, const FaultPlace& place, const std::string& name, bool json) {
  Scene scene;
  scene.world.folder = place.folder + "/" + name;
  POSTERN_TRY_VOID(make_folder(scene.world.folder));
  scene.run.ticket = place.ticket;
  scene.run.supervisor = lab::SupervisorOptions{};
  if (fault != nullptr && fault->put_in != nullptr) fault->put_in(scene);
  if (fault != nullptr && fault->removed != nullptr) {
    POSTERN_TRY(scene.world.controls, lab::ControlSet::without(fault->removed()));
  }
  if (fault != nullptr && fault->lines != nullptr) add_bench(scene, *fault, place);
  const std::string folder = scene.world.folder;
  POSTERN_TRY(const std::unique_ptr<lab::LabWorld> world, lab::LabWorld::make(std::move(scene.world)));
  *scene.made = world.get();
  const SystemClock real;
  if (fault != nullptr && fault->lines != nullptr) world->clock().go_with(real);
  if (scene.goes_on) {
    lab::HostRunOptions first = scene.run;
    first.supervisor.reset();
    first.arguments.insert(first.arguments.end(), {"--wait", "10s"});
    POSTERN_TRY(const lab::HostRunResult waits, world->host_run(first));
    scene.run.resume = waits.run;
  }
  if (json) scene.run.arguments.emplace_back("--json");
  POSTERN_TRY(lab::HostRunResult run, world->host_run(scene.run));
  *scene.made = nullptr;
  return Ran{std::move(run), folder};
}

// What ended or marked a run, by its report.
std::string failure_of(const Json& report, const lab::HostRunResult& run) {
  if (const Json* failure = report.find("failure")) return std::string(failure->string_at("id"));
  const Json* pins = report.find("pins");
  const Json* refused = pins == nullptr ? nullptr : pins->find("refused");
  if (refused != nullptr && refused->size() > 0) return std::string(pins::PinMismatch::kId);
  return failure_in(told_in(run.model_requests), run.err);
}

Result<FaultFacts> facts_of(const Fault* fault, FaultPlace place) {
  const std::string name(fault == nullptr ? kNoFault : fault->name);
  if (place.ticket.empty()) place.ticket = fault == nullptr ? "T-1042" : std::string(fault->ticket);
  POSTERN_TRY(const Ran shown, play(fault, place, name, false));
  POSTERN_TRY(const Ran counted, play(fault, place, name + "-json", true));
  const Result<Json> report = parse_json(counted.run.out);
  if (!report) return FaultNotRun{name, "its report is no JSON: " + counted.run.out + counted.run.err};
  FaultFacts facts;
  const Aliases aliases{shown.folder, shown.run.run, place.lab_program, fault != nullptr && fault->lines != nullptr};
  facts.failure = failure_of(*report, counted.run);
  facts.out = aliases.in(shown.run.out);
  facts.err = aliases.in(shown.run.err);
  facts.exit = shown.run.exit;
  facts.offered = offered_in(shown.run.model_requests);
  facts.told = told_in(shown.run.model_requests);
  for (Told& told : facts.told) told.text = aliases.in(told.text);
  POSTERN_TRY(facts.first_seen, first_rung(shown.run, place.ticket));
  POSTERN_TRY(facts.refunds, refunds_of(shown.folder, place.ticket));
  if (fault != nullptr && fault->removed != nullptr) {
    facts.removed = fault->removed();
    POSTERN_TRY(facts.attack, attack_without(*fault, place.folder));
  }
  return facts;
}

}  // namespace

Result<FaultFacts> run_without_fault(const FaultPlace& place) {
  return facts_of(nullptr, place);
}

Result<FaultFacts> run_fault(const Fault& fault, const FaultPlace& place) {
  return facts_of(&fault, place);
}

}  // namespace postern::faults
