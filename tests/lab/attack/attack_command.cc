#include "tests/lab/attack/attack_command.h"

#include <algorithm>
#include <iostream>
#include <optional>

#include "tests/lab/attack/attack_run.h"
#include "tests/lab/attack/process_stack.h"
#include "tests/lab/attack/product_target.h"
#include "tests/lab/attack/server_target.h"
#include "tests/lab/exercise/starter.h"
#include "tests/lab/world/control_set.h"

namespace postern::lab {
namespace {

constexpr int kWrongUse = 2;
constexpr int kCouldNotRun = 3;

// In the order of their numbers, each once; nothing when one of them is no attack.
std::optional<std::vector<std::string>> wanted(const std::vector<std::string>& named) {
  std::vector<std::string> ids;
  const bool all = named.empty() || std::find(named.begin(), named.end(), "all") != named.end();
  for (const auto& [id, name] : attack_names()) {
    if (all || std::find(named.begin(), named.end(), id) != named.end()) ids.push_back(id);
  }
  for (const std::string& id : named) {
    if (id != "all" && std::find(ids.begin(), ids.end(), id) == ids.end()) return std::nullopt;
  }
  return ids;
}

struct Aim {
  std::string name;
  TargetMaker fresh;
};

// One target for all: what a server of somebody else keeps cannot be taken back.
Result<Aim> aim_of_server(const AttackOptions& options) {
  struct Machine {
    SystemClock clock;
    SystemRandomSource random;
    NoTap tap;
  };
  static Machine machine;
  POSTERN_TRY(Profile profile, read_profile(options.profile));
  POSTERN_TRY(auto made,
              make_server_target(Env{machine.clock, machine.random, machine.tap}, options.server, std::move(profile)));
  const std::shared_ptr<Target> target = std::move(made);
  return Aim{target->name(), [target]() -> Result<std::shared_ptr<Target>> { return target; }};
}

Result<Aim> aim_of(const AttackOptions& options) {
  if (!options.server.empty()) return aim_of_server(options);
  std::vector<std::string> removed;
  std::string name = "product";
  if (!options.starter.empty()) {
    POSTERN_TRY(const Starter starter, read_starter(options.starter));
    removed = starter.controls_removed;
    POSTERN_TRY_VOID(ControlSet::without(removed));  // a control that nobody knows
    name = "starter " + starter.name;
  }
  const ProcessStackOptions stack{options.program_folder, removed};
  return Aim{name, [stack, name]() -> Result<std::shared_ptr<Target>> {
               POSTERN_TRY(auto started, start_process_stack(stack));
               return std::shared_ptr<Target>(std::make_shared<ProductTarget>(std::move(started), name));
             }};
}

int wrong_use(const Failure& failure) {
  std::cerr << failure.text() << "\n";
  return failure.disposition() == Disposition::kUsage ? kWrongUse : kCouldNotRun;
}

}  // namespace

int attack_command(const AttackOptions& options) {
  const auto ids = wanted(options.attacks);
  if (!ids) {
    std::cerr << "The attacks are A1 to A12, and all.\n";
    return kWrongUse;
  }
  const auto aim = aim_of(options);
  if (!aim) return wrong_use(aim.error());
  std::vector<Check> planned;
  for (const auto& [id, name] : attack_names()) {
    if (std::find(ids->begin(), ids->end(), id) != ids->end()) {
      planned.emplace_back();
      planned.back().id = id;
      planned.back().name = name;
    }
  }
  auto reports = Reports::begin(options.reports, "attack", aim->name, std::move(planned));
  if (!reports) return wrong_use(reports.error());
  AttackRun run(aim->fresh);
  for (const std::string& id : *ids) {
    if (reports->stop().stop_requested()) break;
    reports->add(run.check(id));
  }
  const auto exit = reports->finish(attack_summary(reports->suite().checks));
  return exit ? *exit : wrong_use(exit.error());
}

}  // namespace postern::lab
