// postern-lab fault list | run NAME: a run of the host against peers with one fault, and where it is first seen.
#pragma once

#include <string>
#include <vector>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct FaultOptions {
  std::vector<std::string> names;  // empty: all of them
  std::string ticket;              // empty: the fault's own
  bool update = false;             // rewrite the golden texts that differ, and print the difference
  std::string lab_program;         // empty: this program
  ReportOptions reports;
};
[[nodiscard]] int list_faults(bool json);
[[nodiscard]] int fault_command(const FaultOptions& options);

}  // namespace postern::lab
