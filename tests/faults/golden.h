// The golden texts: what each fault's run is to look like (fixtures/faults/NAME.case), and how a run is written as one.
//
// A golden text is compared whole, and is a case (tests/support/case_file.h) at the same time, so that whoever reads
// cases reads these too. Nothing is written here but by update_golden(), which a developer asks for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tests/faults/fault_list.h"
#include "tests/faults/fault_run.h"
#include "wire/base/result.h"

namespace postern::faults {

// The embedded text of that fault, or of "none"; nothing when there is none yet.
[[nodiscard]] std::optional<std::string_view> golden_of(std::string_view fault);
// A run as a golden text has it. `fault` null: the run without one.
[[nodiscard]] std::string golden_text(const Fault* fault, const FaultFacts& facts);
// The lines that are not the same, "-" for the first text and "+" for the second; empty when there are none.
[[nodiscard]] std::string difference(std::string_view before, std::string_view after);
// The row of docs/faults.md for a fault, out of the list and its golden text. "?" where there is no golden text.
[[nodiscard]] std::string page_row(const Fault& fault);
// Writes fixtures/faults/NAME.case in the source tree. own.file_failed.
[[nodiscard]] Status update_golden(std::string_view fault, std::string_view text);

}  // namespace postern::faults
