// What a run printed and what its model was told, as text that is the same in every run.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/faults/fault_run.h"
#include "wire/base/json.h"

namespace postern::faults {

// How the run without a fault is called, here and in fixtures/faults.
inline constexpr std::string_view kNoFault = "none";

// What stands for that which differs from run to run.
struct Aliases {
  std::string folder;
  std::string run;
  std::string lab_program;
  bool real_time = false;  // milliseconds were measured
  [[nodiscard]] std::string in(std::string text) const;
};

// The tools of the newest request to the model, by name.
[[nodiscard]] std::vector<std::string> offered_in(const std::vector<Json>& requests);
// The tool results of the newest request, which has all that went before.
[[nodiscard]] std::vector<Told> told_in(const std::vector<Json>& requests);
// The failure that the run went on after, by what the model was told or the host printed: a failure of one call has no
// id in the report. "success" when there was none.
[[nodiscard]] std::string failure_in(const std::vector<Told>& told, std::string_view printed);

}  // namespace postern::faults
