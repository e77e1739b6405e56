#include "tests/faults/control_run.h"

#include <memory>
#include <utility>

#include "tests/lab/attack/attack_run.h"
#include "tests/lab/attack/product_target.h"
#include "tests/lab/attack/world_stack.h"
#include "tests/lab/world/control_set.h"
#include "wire/base/check.h"
#include "wire/base/file.h"

namespace postern::faults {

Result<std::string> attack_without(const Fault& fault, const std::string& folder) {
  POSTERN_CHECK(fault.removed != nullptr);
  POSTERN_TRY(const lab::ControlSet controls, lab::ControlSet::without(fault.removed()));
  int worlds = 0;
  lab::AttackRun attacks([&]() -> Result<std::shared_ptr<lab::Target>> {
    lab::WorldStackOptions options;
    options.folder = folder + "/attack-" + std::to_string(++worlds);
    options.controls = controls;
    POSTERN_TRY_VOID(make_folder(options.folder));
    POSTERN_TRY(std::unique_ptr<lab::ProductStack> stack, lab::start_world_stack(std::move(options)));
    return std::shared_ptr<lab::Target>(std::make_shared<lab::ProductTarget>(std::move(stack), "product"));
  });
  std::string lines;
  std::string error;
  for (const lab::CaseOutcome& outcome : attacks.play(fault.attack)) {
    if (outcome.end == lab::CaseEnd::kThrough)
      lines += outcome.file + ": " + std::string(lab::text_of(outcome.end)) + "\n";
    // A case that cannot be played without the control says nothing; the others do.
    if (outcome.end == lab::CaseEnd::kError) error = outcome.file + ": " + outcome.seen;
  }
  if (lines.empty() && !error.empty()) return FaultNotRun{std::string(fault.name), error};
  return lines.empty() ? std::string("nothing got through\n") : lines;
}

}  // namespace postern::faults
