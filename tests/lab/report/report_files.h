// Writes a suite as TAP 14, JUnit XML, JSON (postern.grade/1, docs/schemas/postern.grade-1.json) and one HTML file.
//
// A file is written whole or not at all: to a temporary name beside it, then renamed. Reports are begun with the ids of
// every check that will run; one that has no result at the end, because the run was interrupted or threw, stands in the
// files as an error and is never left out. Text in them passes the hidden-text routine. One thread.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/report/grade.h"
#include "wire/base/result.h"

namespace postern::lab {

struct ReportOptions {  // paths; empty: not written; "-": stdout (one of them at most)
  std::string tap;
  std::string junit;
  std::string json;
  std::string html;
};

[[nodiscard]] std::string as_tap(const Suite& suite);
[[nodiscard]] std::string as_junit(const Suite& suite);
[[nodiscard]] std::string as_json(const Suite& suite);
[[nodiscard]] std::string as_html(const Suite& suite);

class Reports {
 public:
  // `planned`: id and name of each check, in order. lab.report_failed when a file cannot be made there.
  [[nodiscard]] static Result<Reports> begin(ReportOptions options, std::string verb, std::string target,
                                             std::vector<Check> planned);
  Reports(Reports&&) noexcept;
  Reports& operator=(Reports&&) noexcept;
  // Writes what has no result yet as an error.
  ~Reports();

  // By id. REQUIRES that it was planned.
  void add(Check check);
  [[nodiscard]] const Suite& suite() const;
  // Writes all files, prints a line a check and the summary (unless a report goes to stdout, then to stderr), and gives
  // the exit code. lab.report_failed: then nothing half written stands there.
  [[nodiscard]] Result<int> finish(std::string summary);

 private:
  struct State;
  explicit Reports(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace postern::lab
