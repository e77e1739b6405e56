// Suites that the tests of the reports write.
#pragma once

#include <string>

#include "tests/lab/report/report_files.h"

namespace postern::lab {

inline Check a_check(std::string id, std::string name, Verdict verdict, std::string expected, std::string got) {
  Check check;
  check.id = std::move(id);
  check.name = std::move(name);
  check.verdict = verdict;
  check.expected = std::move(expected);
  check.got = std::move(got);
  return check;
}

// One check of each verdict.
inline Suite a_suite() {
  Suite suite;
  suite.verb = "attack";
  suite.target = "product";
  suite.summary = "1 of 5 blocked. A6 got through.";
  suite.checks.push_back(a_check("A1", "token for another server", Verdict::kPass, "401 invalid_token",
                                 "blocked: 401 invalid_token (audience)"));
  suite.checks.back().took = Milliseconds(412);
  suite.checks.back().shown_by = "without desk.token.audience";
  suite.checks.push_back(a_check("A6", "accept without a decision", Verdict::kFail, "Nothing was refunded",
                                 "1 refund(s) on T-1042, $48.00"));
  suite.checks.back().run = "attack-A6-20261130T025001";
  suite.checks.back().next = "postern wire attack-A6-20261130T025001";
  suite.checks.push_back(a_check("A7", "approves the own refund", Verdict::kError, "refused", "the page is not there"));
  suite.checks.push_back(a_check("A9", "larger amount", Verdict::kSkip, "payments refuses", "not asked for"));
  suite.checks.push_back(
      a_check("A12", "token downstream", Verdict::kNotObservable, "none", "no log can be read from outside"));
  return suite;
}

}  // namespace postern::lab
