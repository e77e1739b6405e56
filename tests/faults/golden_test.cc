// Each fault's run is exactly what its golden text says: what was printed on each stream, what the model was told, the
// rung of the ladder, the exit code and the money. Nothing is written here; `postern-lab fault run --update` does that.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/faults/fault_list.h"
#include "tests/faults/fault_run.h"
#include "tests/faults/golden.h"
#include "tests/faults/run_text.h"
#include "tests/support/case_file.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::faults {
namespace {

FaultPlace place_in(const test::TemporaryFolder& folder) {
  return {folder.path(), POSTERN_BIN_DIR "/postern-lab", ""};
}

class GoldenFault : public testing::TestWithParam<Fault> {};

TEST_P(GoldenFault, IsMetAsItsGoldenTextSays) {
  const Fault& fault = GetParam();
  const test::TemporaryFolder folder;
  const Result<FaultFacts> facts = run_fault(fault, place_in(folder));
  ASSERT_TRUE(facts.has_value()) << facts.error().text();
  const std::string golden(golden_of(fault.name).value_or(""));
  EXPECT_EQ(difference(golden, golden_text(&fault, *facts)), "")
      << "If this is how it should be: postern-lab fault run " << fault.name << " --update";
  EXPECT_EQ(fault.attack.empty() ? facts->first_seen : "", fault.first_seen) << "the list of faults says otherwise";
  // Whatever is wrong: one refund at most, and not more than the policy of T-1042 allows.
  EXPECT_LE(facts->refunds.size(), 1U);
  for (const std::string& refund : facts->refunds) EXPECT_EQ(refund.substr(refund.find(' ')), " 4800 USD");
}

std::string name_of(const testing::TestParamInfo<Fault>& info) {
  std::string name(info.param.name);
  name.erase(std::remove(name.begin(), name.end(), '-'), name.end());
  return name;
}

INSTANTIATE_TEST_SUITE_P(Faults, GoldenFault, testing::ValuesIn(all_faults().begin(), all_faults().end()), name_of);

TEST(Golden, HasTheRunWithoutAFaultToo) {
  const test::TemporaryFolder folder;
  const Result<FaultFacts> facts = run_without_fault(place_in(folder));
  ASSERT_TRUE(facts.has_value()) << facts.error().text();
  EXPECT_EQ(difference(golden_of(kNoFault).value_or(""), golden_text(nullptr, *facts)), "");
  EXPECT_EQ(facts->refunds, std::vector<std::string>{"RF-0001 4800 USD"});
  EXPECT_EQ(facts->exit, 0);
}

TEST(Golden, TextsAreCases) {
  for (const Fault& fault : all_faults()) {
    const auto golden = golden_of(fault.name);
    ASSERT_TRUE(golden.has_value()) << fault.name;
    const auto read = test::CaseFile::parse(fault.name, *golden);
    ASSERT_TRUE(read.has_value()) << fault.name << ": " << read.error().text();
    EXPECT_EQ(read->value("fault"), fault.name);
    EXPECT_EQ(read->value("layer"), fault.first_seen);
  }
}

TEST(FaultsPage, HasTheRowOfEachFault) {
  const Result<std::string> page = read_file(POSTERN_SOURCE_DIR "/docs/faults.md", 1 << 20);
  ASSERT_TRUE(page.has_value());
  std::size_t rows = 0;
  for (std::size_t at = page->find("\n| `"); at != std::string::npos; at = page->find("\n| `", at + 1)) ++rows;
  EXPECT_EQ(rows, all_faults().size()) << "a row of a fault that is not there";
  for (const Fault& fault : all_faults()) EXPECT_NE(page->find(page_row(fault)), std::string::npos) << page_row(fault);
}

TEST(Golden, DifferenceNamesTheLineOnBothSides) {
  EXPECT_EQ(difference("a\nb\nc\n", "a\nB\nc\n"), "- b\n+ B\n");
  EXPECT_EQ(difference("a\nc\n", "a\nb\nc\n"), "+ b\n");
  EXPECT_EQ(difference("a\nb\n", "a\nb\n"), "");
}

}  // namespace
}  // namespace postern::faults
