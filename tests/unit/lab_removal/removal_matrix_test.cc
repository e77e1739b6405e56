#include "tests/lab/removal/removal_matrix.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "tests/lab/world/control_set.h"
#include "tests/support/refused.h"
#include "wire/base/embedded.h"
#include "wire/base/file.h"

POSTERN_EMBEDDED(fixtures_attacks_matrix)

namespace postern::lab {
namespace {

using postern::test::refused;
using Names = std::vector<std::string>;

bool has(const Names& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A server with three controls: a door, and a lock and a chain of which each is enough. The fourth does nothing.
Played everything_played(const Names& removed) {
  Played played;
  PlayedCase& walk = played["A01-walks-in"];
  if (has(removed, "door")) {
    walk.end = "through";
  } else {
    walk.objected = {"door"};
  }
  PlayedCase& climb = played["A05-climbs"];
  const bool lock = has(removed, "lock");
  const bool chain = has(removed, "chain");
  if (lock && chain) climb.end = "through";
  if (lock && !chain) climb = {"otherwise", {"chain"}};
  if (!lock) climb.objected = {"lock"};
  return played;
}

Result<Played> played(const Names& removed, const Names& cases) {
  Played all = everything_played(removed);
  if (cases.empty()) return all;
  Played some;
  for (const std::string& file : cases) some.emplace(file, all.at(file));
  return some;
}

Matrix play_all(bool pairs) {
  MatrixOptions options;
  options.controls = {"chain", "door", "lock", "ornament"};
  options.pairs = pairs;
  return play_matrix(options, played).value();
}

TEST(RemovalMatrix, HasARowForEachControlAndOnlyPairsThatShowMore) {
  const Matrix matrix = play_all(true);
  ASSERT_EQ(matrix.singles.size(), 4U);
  EXPECT_EQ(matrix.singles.at("door"), (Ends{{"A01-walks-in", "through"}}));
  EXPECT_EQ(matrix.singles.at("lock"), (Ends{{"A05-climbs", "otherwise"}}));
  EXPECT_TRUE(matrix.singles.at("chain").empty());
  ASSERT_EQ(matrix.pairs.size(), 1U);  // "door + lock" shows what door and lock show
  EXPECT_EQ(matrix.pairs.at("chain + lock"), (Ends{{"A05-climbs", "through"}}));
}

// The point of it all: a control that does no work is found.
TEST(RemovalMatrix, FindsTheControlThatDoesNoWork) {
  const Matrix matrix = play_all(true);
  EXPECT_EQ(idle_controls(matrix, matrix), Names{"ornament"});
  // Without pairs nobody knows yet what the chain is for.
  EXPECT_EQ(idle_controls(matrix, play_all(false)), (Names{"chain", "ornament"}));
}

TEST(RemovalMatrix, TakesASentenceThatNamesATestForWorkThatNoAttackShows) {
  Matrix matrix = play_all(true);
  matrix.explained["ornament"] = "It is for a case that no attack has: tests/unit/x_test.cc.";
  EXPECT_TRUE(idle_controls(matrix, matrix).empty());
  EXPECT_TRUE(wrong_explanations(matrix, matrix).empty());
  matrix.explained["ornament"] = "It is beautiful.";
  EXPECT_EQ(wrong_explanations(matrix, matrix).size(), 1U);
  matrix.explained = {{"door", "tests/unit/x_test.cc"}};
  EXPECT_EQ(wrong_explanations(matrix, matrix).size(), 1U) << "what shows needs no sentence";
  matrix.explained = {{"window", "tests/unit/x_test.cc"}};
  EXPECT_EQ(wrong_explanations(matrix, matrix).size(), 1U) << "there is no such control";
}

TEST(RemovalMatrix, NamesEachCaseThatEndsOtherwiseThanExpected) {
  EXPECT_TRUE(differences("door", {{"A01-walks-in", "through"}}, {{"A01-walks-in", "through"}}).empty());
  EXPECT_EQ(
      differences("door", {{"A01-walks-in", "through"}}, {{"A01-walks-in", "otherwise"}, {"A02-late", "through"}}),
      (Names{"door: A01-walks-in ends otherwise, and not through", "door: A02-late ends through, and not as it must"}));
  EXPECT_EQ(differences("door", {{"A01-walks-in", "through"}}, {}),
            Names{"door: A01-walks-in ends as it must, and not through"});
}

TEST(RemovalMatrix, IsTheSameOnOneThreadAndOnFour) {
  MatrixOptions options;
  options.controls = {"chain", "door", "lock", "ornament"};
  options.pairs = true;
  options.threads = 1;
  const std::string one = to_text(play_matrix(options, played).value());
  options.threads = 4;
  EXPECT_EQ(to_text(play_matrix(options, played).value()), one);
}

// Each of the two objected while the other was gone: that case has to be played, and no other.
TEST(RemovalMatrix, PlaysOfAPairOnlyWhatBothOfThemTouch) {
  MatrixOptions options;
  options.controls = {"chain", "door", "lock", "ornament"};
  options.pairs = true;
  options.threads = 1;
  std::vector<std::pair<Names, Names>> pairs;
  const auto counting = [&](const Names& removed, const Names& cases) {
    if (removed.size() == 2) pairs.emplace_back(removed, cases);
    return played(removed, cases);
  };
  const Matrix matrix = play_matrix(options, counting).value();
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].first, (Names{"chain", "lock"}));
  EXPECT_EQ(pairs[0].second, Names{"A05-climbs"});
  EXPECT_EQ(matrix.pairs.size(), 1U);
}

// What rests on plays being the same says so when they are not.
TEST(RemovalMatrix, RefusesToSpeakOfPairsWhenTwoPlaysDifferWithoutAReason) {
  MatrixOptions options;
  options.controls = {"door", "ornament"};
  options.pairs = true;
  const auto unsteady = [](const Names& removed, const Names& cases) -> Result<Played> {
    POSTERN_TRY(Played all, played(removed, cases));
    if (removed == Names{"ornament"}) all["A05-climbs"].end = "through";
    return all;
  };
  EXPECT_TRUE(refused(play_matrix(options, unsteady), "lab.plays_differ"));
}

TEST(RemovalMatrix, EndsWithTheFailureOfAPlayAndWhenItIsStopped) {
  MatrixOptions options;
  options.controls = {"door", "lock"};
  const auto failing = [](const Names& removed, const Names&) -> Result<Played> {
    if (removed == Names{"lock"}) return BadMatrix{"planted"};
    return Played{};
  };
  EXPECT_TRUE(refused(play_matrix(options, failing), "lab.bad_matrix"));
  options.stopped = [] { return true; };
  EXPECT_TRUE(refused(play_matrix(options, played), "lab.removal_stopped"));
}

TEST(RemovalMatrix, ReadsWhatItWroteAndNothingElse) {
  Matrix matrix = play_all(true);
  matrix.explained["ornament"] = "See tests/unit/x_test.cc.";
  const std::string text = to_text(matrix);
  const auto read = read_matrix(text);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(to_text(*read), text);
  for (const char* wrong : {"", "[]", "{}", R"({"singles":{},"pairs":{}})",
                            R"({"singles":{"a":{"A01":"maybe"}},"pairs":{},"explained":{}})",
                            R"({"singles":{},"pairs":{},"explained":{"a":1}})"}) {
    EXPECT_TRUE(refused(read_matrix(wrong), "lab.bad_matrix")) << wrong;
  }
}

TEST(RemovalMatrix, PrintsARowAControlAndAColumnAnAttack) {
  const std::string table = table_of(play_all(true));
  EXPECT_NE(table.find("without"), std::string::npos);
  EXPECT_NE(table.find("  A1  A2  A3"), std::string::npos) << table;
  EXPECT_NE(table.find("door           T   .   ."), std::string::npos) << table;
  EXPECT_NE(table.find("chain + lock   .   .   .   .   T"), std::string::npos) << table;
  EXPECT_NE(table.find("lock           .   .   .   .   o"), std::string::npos) << table;
}

// The committed matrix has a row of every control, and its sentences name tests that are there.
TEST(RemovalMatrix, IsCommittedForEveryControl) {
  const auto committed = read_matrix(embedded::fixtures_attacks_matrix().front().content);
  ASSERT_TRUE(committed.has_value());
  for (const Control& control : ControlSet::all()) {
    EXPECT_TRUE(committed->singles.contains(std::string(control.name))) << control.name;
  }
  EXPECT_EQ(committed->singles.size(), ControlSet::all().size());
  EXPECT_TRUE(idle_controls(*committed, *committed).empty());
  // "See Suite.Name, tests/unit/..._test.cc.": and that test is there.
  const std::regex see("See ([A-Za-z0-9]+)\\.([A-Za-z0-9]+), (tests/[a-z0-9_/]+\\.cc)\\.");
  for (const auto& [name, sentence] : committed->explained) {
    std::smatch found;
    ASSERT_TRUE(std::regex_search(sentence, found, see)) << name;
    const auto text = read_file(std::string(POSTERN_SOURCE_DIR) + "/" + found[3].str(), 1 << 20);
    ASSERT_TRUE(text) << name << ": " << found[3].str();
    const std::regex test("TEST(_F|_P)?\\(" + found[1].str() + ", " + found[2].str() + "\\)");
    EXPECT_TRUE(std::regex_search(*text, test)) << name << ": " << found.str();
  }
}

}  // namespace
}  // namespace postern::lab
