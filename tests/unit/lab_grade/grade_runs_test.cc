// Several runs as checks: the worst counts, what no run exercised is no pass, and a log that is not whole is an error.
#include "tests/lab/grade/invariants/grade_runs.h"

#include <gtest/gtest.h>

#include "tests/invariants/approved_run.h"

namespace postern::lab {
namespace {

const Check& check_of(const std::vector<Check>& checks, std::string_view id) {
  for (const Check& check : checks) {
    if (check.id == id) return check;
  }
  ADD_FAILURE() << id;
  return checks.front();
}

TEST(GradeRuns, TenInvariantsHoldInAnApprovedRun) {
  const auto checks = grade_runs({{"run", approved_run()}});
  ASSERT_EQ(checks.size(), 11U);
  for (const Check& check : checks) {
    EXPECT_EQ(text_of(check.verdict), "pass") << check.id << ": " << check.got;
    EXPECT_FALSE(check.got.empty());
    EXPECT_FALSE(check.shown_by.empty()) << check.id;
  }
}

TEST(GradeRuns, PlansWhatItWillSay) {
  const auto planned = invariant_checks();
  const auto checks = grade_runs({{"run", approved_run()}});
  ASSERT_EQ(planned.size(), checks.size());
  for (std::size_t i = 0; i < checks.size(); ++i) EXPECT_EQ(planned[i].id, checks[i].id);
}

TEST(GradeRuns, OneBrokenRunAmongGoodOnesFails) {
  Evidence broken = approved_run();
  broken.name = "broken";
  set_header(entry(broken, 20), "mcp-protocol-version", "2025-11-25");
  const auto checks = grade_runs({{"a", approved_run()}, {"b", broken}, {"c", approved_run()}});
  EXPECT_EQ(text_of(check_of(checks, "I2").verdict), "fail");
  EXPECT_EQ(check_of(checks, "I2").got.substr(0, 17), "broken: entry 20,");
  EXPECT_EQ(check_of(checks, "I2").run, "broken");
  EXPECT_EQ(text_of(check_of(checks, "I3").verdict), "pass");
}

TEST(GradeRuns, WhatNoRunExercisedIsNoPass) {
  Evidence no_money = cut_before(approved_run(), 54);
  no_money.world->refunds.clear();
  auto checks = grade_runs({{"a", no_money}});
  EXPECT_EQ(text_of(check_of(checks, "I8").verdict), "not_observable");
  checks = grade_runs({{"a", no_money}, {"b", approved_run()}});
  EXPECT_EQ(text_of(check_of(checks, "I8").verdict), "pass");
  EXPECT_EQ(check_of(checks, "I8").got, "held in 1 run, not exercised in 1");
}

TEST(GradeRuns, ALogThatIsNotWholeIsAnError) {
  const auto checks = grade_runs({{"a", approved_run()}, {"b", Failure(BadEvidence{"b", "3 entries are missing"})}});
  EXPECT_EQ(text_of(check_of(checks, "logs").verdict), "error");
  Suite suite;
  suite.checks = checks;
  EXPECT_EQ(exit_code_of(suite), 3);
}

TEST(GradeRuns, ARequestThatWasNotKeptWholeIsAnError) {
  Evidence run = approved_run();
  entry(run, 24).cut = 10;
  EXPECT_EQ(text_of(check_of(grade_runs({{"a", run}}), "I1").verdict), "error");
}

TEST(GradeRuns, AFaultOfAPeerHasToBeSeen) {
  Evidence run = approved_run();
  run.scenario = "fault-stdout-noise";
  const auto checks = grade_runs({{"a", run}});
  EXPECT_EQ(text_of(check_of(checks, "I10").verdict), "fail");
  EXPECT_NE(check_of(checks, "I10").got.find("must break it and was not seen"), std::string::npos);
}

TEST(GradeRuns, NoRunAtAllIsNoPass) {
  for (const Check& check : grade_runs({})) {
    if (check.id == "logs") continue;
    EXPECT_EQ(text_of(check.verdict), "not_observable");
  }
}

}  // namespace
}  // namespace postern::lab
