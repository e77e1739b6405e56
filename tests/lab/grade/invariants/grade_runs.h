// The ten invariants over several runs, as checks.
//
// One check an invariant, over all runs that are evidence; and one, "logs", that every log is whole: what cannot be
// read, is cut off or has a gap is an error of it and never a pass. An invariant that no run exercised is not
// observable. A recorded run with a fault may have to break some: then the break is what is expected, and its absence
// fails.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/grade/invariants/evidence.h"
#include "tests/lab/report/grade.h"

namespace postern::lab {

// "logs", "I1" to "I10", without results.
[[nodiscard]] std::vector<Check> invariant_checks();
// A run that was to be read, and what came of it.
struct SubjectRun {
  std::string path;
  Result<Evidence> evidence;
};
// With results, in the same order.
[[nodiscard]] std::vector<Check> grade_runs(const std::vector<SubjectRun>& runs);
// The invariants that a recorded run of that scenario must break, because its peer was given a fault: {"I10"} for
// "stdout-noise".
[[nodiscard]] std::span<const std::string_view> must_break(std::string_view scenario);

}  // namespace postern::lab
