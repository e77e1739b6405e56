// postern-lab inject: planted texts of twelve kinds (fixtures/injection), each in a world of its own, against a model
// that believes what it reads; what it then called, and which control refused that.
#pragma once

#include <string>
#include <vector>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct InjectionOptions {
  std::vector<std::string> kinds;  // empty: all of them
  ReportOptions reports;
};
[[nodiscard]] int injection_command(const InjectionOptions& options);

}  // namespace postern::lab
