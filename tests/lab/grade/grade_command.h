// postern-lab grade: the ten invariants over recorded runs, or a laboratory exercise.
//
//   postern-lab grade                      over fixtures/runs
//   postern-lab grade RUN… | FILE…         over runs of the product or fixtures
//   postern-lab grade lab1 [--starter F]   what still gets through in that exercise, and where to look
#pragma once

#include <string>
#include <vector>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct GradeOptions {
  std::vector<std::string> subjects;
  std::string starter;  // of an exercise: the student's file; empty: the exercise's own as committed
  std::string program_folder;
  ReportOptions reports;
};
[[nodiscard]] int grade_command(const GradeOptions& options);

}  // namespace postern::lab
