#include "tests/lab/report/grade.h"

#include <algorithm>

namespace postern::lab {

std::string_view text_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "pass";
    case Verdict::kFail:
      return "fail";
    case Verdict::kError:
      return "error";
    case Verdict::kSkip:
      return "skip";
    case Verdict::kNotObservable:
      return "not_observable";
  }
  return "error";
}

int exit_code_of(const Suite& suite) {
  const auto any = [&suite](Verdict verdict) {
    return std::any_of(suite.checks.begin(), suite.checks.end(),
                       [verdict](const Check& check) { return check.verdict == verdict; });
  };
  if (any(Verdict::kError)) return 3;
  if (any(Verdict::kFail)) return 1;
  return any(Verdict::kPass) ? 0 : 3;
}

}  // namespace postern::lab
