// The ten invariants of the boundary, each as a question to what is left of a run.
//
// They read the evidence and nothing of the product's state; where a rule of the product is needed (which definition
// was reviewed), it is read from the reviewed record and written here a second time on purpose. Pure; thread-safe.
#pragma once

#include <span>
#include <string_view>

#include "tests/lab/grade/invariants/evidence.h"
#include "tests/lab/grade/invariants/judgement.h"
#include "tests/lab/grade/invariants/run_view.h"

namespace postern::lab {

struct Invariant {
  std::string_view id;        // "I1"
  std::string_view name;      // one line
  std::string_view shown_by;  // what it was shown to catch: a change of a recorded run in tests/invariants
  Finding (*judge)(const Evidence& evidence, const RunView& view);
};
[[nodiscard]] std::span<const Invariant> invariants();

[[nodiscard]] Finding case_stays_with_the_host(const Evidence& evidence, const RunView& view);       // I1
[[nodiscard]] Finding one_revision(const Evidence& evidence, const RunView& view);                   // I2
[[nodiscard]] Finding only_reviewed_tools(const Evidence& evidence, const RunView& view);            // I3
[[nodiscard]] Finding each_request_is_authenticated(const Evidence& evidence, const RunView& view);  // I4
[[nodiscard]] Finding token_goes_no_further(const Evidence& evidence, const RunView& view);          // I5
[[nodiscard]] Finding handles_are_bound(const Evidence& evidence, const RunView& view);              // I6
[[nodiscard]] Finding somebody_else_decided(const Evidence& evidence, const RunView& view);          // I7
[[nodiscard]] Finding approved_action_once(const Evidence& evidence, const RunView& view);           // I8
[[nodiscard]] Finding results_are_labeled(const Evidence& evidence, const RunView& view);            // I9
[[nodiscard]] Finding no_secret_is_written(const Evidence& evidence, const RunView& view);           // I10

}  // namespace postern::lab
