#include "tests/lab/removal/world_player.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "tests/lab/attack/attack_run.h"
#include "tests/lab/attack/product_target.h"
#include "tests/lab/attack/world_stack.h"
#include "tests/lab/world/control_set.h"
#include "tests/lab/world/objections.h"
#include "wire/base/check.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

// Nothing for an end as it must be, and for what cannot be seen in a world.
std::string end_of(CaseEnd end) {
  switch (end) {
    case CaseEnd::kBlocked:
    case CaseEnd::kLetThrough:
    case CaseEnd::kNotObservable:
      return {};
    case CaseEnd::kThrough:
      return "through";
    case CaseEnd::kRefusedOtherwise:
      return "otherwise";
    case CaseEnd::kNeighbourRefused:
      return "neighbour";
    case CaseEnd::kError:
      return "error";
  }
  return "error";
}

// The world's folder goes with it.
Result<std::shared_ptr<Target>> make_target(const std::string& folder, const ControlSet& controls) {
  POSTERN_TRY_VOID(make_folder(folder));
  POSTERN_TRY(auto stack, start_world_stack({folder, "attack", controls}));
  auto target = std::make_unique<ProductTarget>(std::move(stack), "world");
  return std::shared_ptr<Target>(target.release(), [folder](Target* gone) {
    delete gone;
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  });
}

// What objects without a row that could note it: these may always have.
void add_unseen(std::set<std::string>& objected) {
  for (const std::string_view name :
       {"desk.handle.principal", "desk.decision", "desk.own_credential", "payments.spent"}) {
    objected.emplace(name);
  }
}

}  // namespace

WorldPlayer::WorldPlayer() {
  const char* memory = "/dev/shm";
  const std::string place = ::access(memory, W_OK) == 0 ? memory : std::filesystem::temp_directory_path().string();
  folder_ = place + "/postern-removal-XXXXXX";
  POSTERN_CHECK(::mkdtemp(folder_.data()) != nullptr);
}

WorldPlayer::~WorldPlayer() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

Result<Played> WorldPlayer::play(const std::vector<std::string>& removed, const std::vector<std::string>& cases) {
  POSTERN_TRY(const ControlSet controls, ControlSet::without(removed));
  POSTERN_TRY(const std::vector<test::CaseFile> all, attack_cases());
  AttackRun run([&] { return make_target(folder_ + "/" + std::to_string(++worlds_), controls); });
  Played played;
  for (const test::CaseFile& of : all) {
    const std::string file = std::filesystem::path(of.file()).stem().string();
    if (!cases.empty() && std::find(cases.begin(), cases.end(), file) == cases.end()) continue;
    const Objections objections;
    const CaseOutcome outcome = run.play(of);
    PlayedCase& one = played[outcome.file];
    one = {end_of(outcome.end), objections.controls()};
    add_unseen(one.objected);
  }
  return played;
}

}  // namespace postern::lab
