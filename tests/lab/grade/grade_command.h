// postern-lab grade: the ten invariants over recorded runs, or a laboratory exercise.
//
//   postern-lab grade                      over fixtures/runs
//   postern-lab grade RUN… | FILE…         over runs of the product or fixtures
//   postern-lab grade lab1 [--starter F]   what still gets through in that exercise, and where to look
//   postern-lab grade lab3 --note F        whether a migration note says only what was seen
#pragma once

#include <string>
#include <vector>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

struct GradeOptions {
  std::vector<std::string> subjects;
  std::string starter;  // of an exercise: the student's file; empty: the exercise's own as committed
  std::string note;     // of lab3: a migration note; then nothing is run
  std::string program_folder;
  ReportOptions reports;
};
[[nodiscard]] int grade_command(const GradeOptions& options);

}  // namespace postern::lab
