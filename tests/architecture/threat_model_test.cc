// docs/threat-model.md has a row for everything that the boundary meets, each with the file that holds it and the test
// that shows it; and the rule objects to planted pages with one thing wrong.
#include "tests/architecture/threat_model.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace postern::architecture {
namespace {

const std::vector<SourceFile>& project() {
  static const std::vector<SourceFile> files = read_project(POSTERN_SOURCE_DIR);
  return files;
}

std::string page() {
  for (const SourceFile& file : project()) {
    if (file.path == "docs/threat-model.md") return file.text;
  }
  return "";
}

std::string shown(const Findings& findings) {
  std::string out;
  for (const std::string& finding : findings) out += "\n  " + finding;
  return out;
}

// The page with one thing changed; each must be objected to once, and for that.
Findings with(const std::string& from, const std::string& to) {
  std::string changed = page();
  const std::size_t at = changed.find(from);
  EXPECT_NE(at, changed.npos) << from;
  if (at != changed.npos) changed.replace(at, from.size(), to);
  return check_threat_model(changed, project());
}

void expect_objection(const Findings& findings, const std::string& words) {
  ASSERT_EQ(findings.size(), 1U) << shown(findings);
  EXPECT_NE(findings.front().find(words), std::string::npos) << findings.front();
}

std::string line_of(const std::string& name) {
  const std::string text = page();
  const std::size_t at = text.find("\n| " + name + " |");
  EXPECT_NE(at, text.npos) << name;
  return text.substr(at, text.find('\n', at + 1) - at);
}

TEST(ThreatModel, HoldsForTheProject) {
  const Findings findings = check_threat_model(page(), project());
  EXPECT_TRUE(findings.empty()) << shown(findings);
}

TEST(ThreatModel, SpeaksOfTheToolsThatAreServed) {
  EXPECT_EQ(served_tools(project()), (std::vector<std::string>{"open_case", "get_ticket", "get_customer", "get_order",
                                                               "get_policy", "get_tracking", "issue_refund"}));
}

TEST(ThreatModel, ObjectsToAToolWithoutARow) {
  expect_objection(with(line_of("`get_tracking`"), ""), "no row for \"get_tracking\"");
  std::vector<SourceFile> files = project();
  const auto catalog = std::find_if(files.begin(), files.end(),
                                    [](const SourceFile& file) { return file.path == "services/desk/tool_catalog.h"; });
  ASSERT_NE(catalog, files.end());
  catalog->text += "\ninline constexpr std::string_view kCloseCase = \"close_case\";\n";
  expect_objection(check_threat_model(page(), files), "no row for \"close_case\"");
}

TEST(ThreatModel, ObjectsToAToolThatIsNotServed) {
  std::string row = line_of("`get_tracking`");
  row.replace(row.find("get_tracking"), 12, "get_nothing!");
  expect_objection(with(line_of("`get_tracking`"), line_of("`get_tracking`") + row), "\"get_nothing!\"");
}

TEST(ThreatModel, ObjectsToEachOtherRowThatIsMissingOrRepeated) {
  for (const char* name : {"local launch", "mix-up", "carrier page", "two-person approval by URL elicitation"}) {
    expect_objection(with(line_of(name), ""), "no row for \"" + std::string(name) + "\"");
    expect_objection(with(line_of(name), line_of(name) + line_of(name)), "more than one row for");
  }
}

TEST(ThreatModel, ObjectsToAControlThatIsNotThereAndToOneOfTheTests) {
  expect_objection(with("`services/desk/tools/get_tracking.cc`", "`services/desk/tools/tracked.cc`"),
                   "there is no file services/desk/tools/tracked.cc");
  expect_objection(with("`services/desk/tools/get_tracking.cc`", "`tests/support/served.h`"),
                   "is no part of the product");
}

TEST(ThreatModel, ObjectsToATestThatIsNotThere) {
  expect_objection(with("`Handles.RefuseAnotherCaller`", "`Handles.RefuseAnother`"),
                   "there is no test Handles.RefuseAnother in");
  expect_objection(with("`tests/compile_fail/unreviewed_tool_is_offered.cc`", "`tests/compile_fail/unreviewed.cc`"),
                   "there is no file tests/compile_fail/unreviewed.cc");
}

TEST(ThreatModel, ObjectsToATestThatMayBeSkipped) {
  expect_objection(
      with("`OAuthSignIn.FetchesNothingAtALinkLocalAddress`", "`OAuthSignIn.RefusesMetadataOfAnotherResource`"),
      "is skipped where its data is missing");
}

TEST(ThreatModel, ObjectsToAnAttackThatNothingIsSaidOf) {
  expect_objection(with("(A11)", "(A112)"), "nothing is said of the attack A11");
  expect_objection(with("(A7)", ""), "nothing is said of the attack A7");
}

TEST(ThreatModel, ObjectsToARowThatNamesNothing) {
  const std::string row = "| local launch | x | y | z |";
  const Findings findings = with(line_of("local launch"), "\n" + row);
  ASSERT_EQ(findings.size(), 2U) << shown(findings);
  EXPECT_NE(findings[0].find("names no file"), std::string::npos) << findings[0];
  EXPECT_NE(findings[1].find("names no test"), std::string::npos) << findings[1];
}

}  // namespace
}  // namespace postern::architecture
