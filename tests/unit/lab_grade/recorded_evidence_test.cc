// A recorded run as evidence: whole, without its end, and without the receipt that it printed.
#include "tests/lab/grade/recorded_evidence.h"

#include <gtest/gtest.h>

#include "tests/lab/grade/invariants/invariants.h"

namespace postern::lab {
namespace {

RecordedRun happy() {
  auto run = read_recorded_run(std::string(POSTERN_SOURCE_DIR) + "/fixtures/runs/happy.run");
  EXPECT_TRUE(run);
  return run ? *std::move(run) : RecordedRun{};
}

std::string verdict_of(const Evidence& evidence, std::string_view id) {
  for (const Invariant& invariant : invariants()) {
    if (invariant.id == id) return std::string(text_of(invariant.judge(evidence, view_of(evidence)).verdict));
  }
  return "";
}

TEST(RecordedEvidence, GoesToTheEndOfItsRun) {
  EXPECT_TRUE(evidence_of(happy()));
  for (const std::size_t fewer : {3U, 6U, 20U}) {
    for (const int exit : {0, 5, 6}) {
      RecordedRun cut = happy();
      cut.lines.resize(cut.lines.size() - fewer);
      cut.legs.back().end = cut.lines.size();
      cut.legs.back().exit = exit;
      EXPECT_TRUE(failed_with(evidence_of(cut), "lab.bad_evidence")) << fewer << " " << exit;
    }
  }
}

TEST(RecordedEvidence, HasAReceiptOfWhatItPrinted) {
  RecordedRun run = happy();
  const auto whole = evidence_of(run);
  ASSERT_TRUE(whole);
  EXPECT_EQ(verdict_of(*whole, "I7"), "pass");
  EXPECT_EQ(verdict_of(*whole, "I8"), "pass");
  run.legs.back().out = "final: Refunded 4800 cents (RF-0077, approval APR-0001).\n";
  const auto other = evidence_of(run);
  ASSERT_TRUE(other);
  EXPECT_EQ(verdict_of(*other, "I7"), "fail");
  EXPECT_EQ(verdict_of(*other, "I8"), "fail");
}

}  // namespace
}  // namespace postern::lab
