// postern-lab attack --mutate: takes one control away at a time, then pairs, runs the twelve attacks in a world of one
// process, and compares the matrix with the committed one (fixtures/attacks/matrix.json).
#pragma once

#include <string>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct RemovalOptions {
  bool pairs = false;
  bool update = false;   // rewrite the expected matrix and print the difference
  std::string expected;  // a file; empty: the embedded one
  ReportOptions reports;
};
[[nodiscard]] int removal_command(const RemovalOptions& options);

}  // namespace postern::lab
