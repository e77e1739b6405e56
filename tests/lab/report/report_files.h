// Writes a suite as TAP 14, JUnit XML, JSON (postern.grade/1, docs/schemas/postern.grade-1.json) and one HTML file.
//
// A file is written whole or not at all: to a temporary name beside it, flushed to the disk, then renamed. Files stand
// there from begin() on, with every planned check as an error, so that a crash at any moment leaves no pass behind; one
// that has no result at the end, because the run was interrupted or threw, stays an error and is never left out. On
// SIGINT and SIGTERM the verb may stop by itself (stop(), finish()); after two seconds, or at a second signal, the
// files are written as things stand and the program ends with 130 or 143.
//
// How the verdicts that are neither a pass nor a failure are written:
//
//   verdict         TAP                                        JUnit       counts
//   error           not ok, severity: error                    <error>     as not passed; exit code 3
//   skip            ok ... # SKIP why                          <skipped>   as nothing
//   not observable  ok ... # SKIP not observable: why          <skipped>   as nothing, never as blocked or passed
//
// (A TODO of TAP would say that the check is known to fail, which nobody knows of what was not seen.)
//
// Text in the files passes the hidden-text routine and is cut at 16,384 bytes a field. One thread, and one Reports a
// program at a time.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "tests/lab/report/grade.h"
#include "wire/base/result.h"

namespace postern::lab {

// Paths; empty: not written; "-": stdout (one of them at most). What is no regular file, such as a pipe, is written
// once, at the end.
struct ReportOptions {
  std::string tap;
  std::string junit;
  std::string json;
  std::string html;
};

[[nodiscard]] std::string as_tap(const Suite& suite);
[[nodiscard]] std::string as_junit(const Suite& suite);
[[nodiscard]] std::string as_json(const Suite& suite);
[[nodiscard]] std::string as_html(const Suite& suite);
// The lines of one check for people: "FAIL    A6  accept without a decision", and below it what is wrong.
[[nodiscard]] std::string as_lines(const Check& check, std::size_t id_width);

// A report cannot be made at that path, or was asked for in a way that contradicts itself.
struct ReportFailed {
  static constexpr std::string_view kId = "lab.report_failed";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string path;  // made visible
  std::string reason;
  [[nodiscard]] std::string text() const;
};

// A verb that was used wrongly ran no check: what stood in the files from an earlier run must not be taken for this one.
// They hold one check then, an error, that says `why`.
void write_refusal(const ReportOptions& options, std::string verb, std::string why);

class Reports {
 public:
  // `planned`: id and name of each check, in order; ids are distinct. lab.report_failed when a file cannot be made
  // there.
  [[nodiscard]] static Result<Reports> begin(ReportOptions options, std::string verb, std::string target,
                                             std::vector<Check> planned);
  Reports(Reports&&) noexcept;
  Reports& operator=(Reports&&) noexcept;
  // Writes what has no result yet as an error.
  ~Reports();

  // By id, and prints its lines: to stdout, or to stderr when a report goes to stdout. REQUIRES that it was planned; a
  // second result of the same id takes the place of the first.
  void add(Check check);
  // What is known so far: planned checks without a result are errors.
  [[nodiscard]] const Suite& suite() const;
  // Requested once SIGINT or SIGTERM came: a verb that looks at it between checks can take its own world down.
  [[nodiscard]] std::stop_token stop() const;
  // Prints the lines of the checks that have no result, and the summary; writes all files, and gives the exit code: of
  // the suite, or 130 or 143 when a signal ended it. lab.report_failed: then nothing half written stands there.
  [[nodiscard]] Result<int> finish(std::string summary);

 private:
  struct State;
  explicit Reports(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace postern::lab
