// Grades: what a verb of the laboratory found, as values. report_files.h writes them.
//
// A check that could not run is an error and never a pass; what cannot be seen from outside is not observable and never
// counts as blocked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "wire/base/clock.h"

namespace postern::lab {

enum class Verdict {
  kPass,
  kFail,
  kError,          // could not run: a crash, a missing peer, a broken fixture
  kSkip,           // not asked for, with a reason
  kNotObservable,  // nothing of it can be seen from where we stand, with a reason
};
[[nodiscard]] std::string_view text_of(Verdict verdict);  // "pass", "fail", "error", "skip", "not_observable"

struct Check {
  std::string id;    // "A6", "I3", "fault.slow-peer"
  std::string name;  // one line for people
  Verdict verdict = Verdict::kError;
  std::string expected;
  std::string got;       // for a pass: what was seen, for a skip or not observable: why
  std::string run;       // of the evidence: a run id or a folder; may be empty
  std::string next;      // a command that shows more; may be empty
  std::string shown_by;  // the mutation that this check was shown to catch: "without desk.token.audience"
  Milliseconds took{0};
};

struct Suite {
  std::string verb;    // "attack"
  std::string target;  // what was graded: "product", "http://127.0.0.1:4310/mcp", "starter lab1"
  std::vector<Check> checks;
  std::string summary;  // the last line for people: "11 of 12 blocked. A6 got through."
};

// 0 all passed (skipped and not observable ones aside), 1 a check failed, 3 one could not run, or nothing was seen to
// pass at all.
[[nodiscard]] int exit_code_of(const Suite& suite);

}  // namespace postern::lab
