// JSON: postern.grade/1, as docs/schemas/postern.grade-1.json has it.

#include <algorithm>

#include "tests/lab/report/report_files.h"
#include "tests/lab/report/shown_text.h"
#include "wire/base/json.h"

namespace postern::lab {
namespace {

Json as_value(const Check& check) {
  return Json::object({{"id", shown_line(check.id)},
                       {"name", shown_line(check.name)},
                       {"verdict", text_of(check.verdict)},
                       {"expected", shown_text(check.expected)},
                       {"got", shown_text(check.got)},
                       {"run", shown_line(check.run)},
                       {"next", shown_line(check.next)},
                       {"shown_by", shown_line(check.shown_by)},
                       {"duration_ms", std::max<std::int64_t>(check.took.count(), 0)}});
}

Json counts_of(const Suite& suite) {
  Json counts = Json::object();
  for (const Verdict verdict :
       {Verdict::kPass, Verdict::kFail, Verdict::kError, Verdict::kSkip, Verdict::kNotObservable}) {
    const auto count = std::count_if(suite.checks.begin(), suite.checks.end(),
                                     [verdict](const Check& check) { return check.verdict == verdict; });
    counts.set(std::string(text_of(verdict)), static_cast<std::int64_t>(count));
  }
  return counts;
}

}  // namespace

std::string as_json(const Suite& suite) {
  const int exit = exit_code_of(suite);
  Json checks = Json::array();
  for (const Check& check : suite.checks) checks.push(as_value(check));
  return Json::object({{"format", "postern.grade/1"},
                       {"verb", shown_line(suite.verb)},
                       {"target", shown_line(suite.target)},
                       {"verdict", exit == 0   ? "pass"
                                   : exit == 1 ? "fail"
                                               : "error"},
                       {"summary", shown_line(suite.summary)},
                       {"counts", counts_of(suite)},
                       {"checks", std::move(checks)}})
             .pretty() +
         "\n";
}

}  // namespace postern::lab
