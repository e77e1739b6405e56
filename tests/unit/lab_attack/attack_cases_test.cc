// The committed cases: every file is played, every refusal stands beside a case that differs in one fact, and the page
// that describes them names every verb, way and end that there is.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/lab/attack/attack_play.h"
#include "tests/lab/attack/attack_run.h"
#include "tests/lab/attack/forged_token.h"
#include "tests/lab/attack/outlook.h"
#include "tests/support/refused.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

using test::CaseFile;

const std::string kFolder = std::string(POSTERN_SOURCE_DIR) + "/fixtures/attacks";

std::map<std::string, CaseFile> all_cases() {
  std::map<std::string, CaseFile> cases;
  const auto read = attack_cases();
  EXPECT_TRUE(test::succeeded(read));
  if (!read) return cases;
  for (const CaseFile& of : *read) cases.emplace(of.file().substr(0, of.file().size() - 5), of);
  return cases;
}

// What a case does, fact by fact. How many refunds there must be afterwards is no fact of the attempt.
std::vector<std::string> facts_of(const CaseFile& of) {
  std::vector<std::string> facts{"as " + of.value("as")};
  facts.insert(facts.end(), of.given().begin(), of.given().end());
  std::string when = of.value("when");
  if (const std::size_t at = when.find(" refunds="); at != std::string::npos)
    when.erase(at, when.find(' ', at + 1) - at);
  facts.push_back(when);
  return facts;
}

// The fewest facts that must be added, taken away or changed to make one list of the other.
std::size_t distance(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
    }
  }
  return d[a.size()][b.size()];
}

TEST(AttackCases, EveryFileOfTheFolderIsPlayed) {
  const auto cases = all_cases();
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".case") continue;
    ++files;
    EXPECT_EQ(cases.count(entry.path().stem().string()), 1U) << entry.path();
  }
  EXPECT_EQ(files, cases.size());
}

TEST(AttackCases, EveryAttackHasRefusalsAndNeighbours) {
  const auto cases = all_cases();
  for (const auto& [attack, about] : attack_names()) {
    int refusals = 0;
    int neighbours = 0;
    for (const auto& [file, of] : cases) {
      if (of.value("attack") == attack) ++(of.expects_success() ? neighbours : refusals);
    }
    EXPECT_GT(refusals, 0) << attack;
    EXPECT_GT(neighbours, 0) << attack;
  }
}

TEST(AttackCases, EachRefusalStandsBesideACaseThatDiffersInOneFact) {
  const auto cases = all_cases();
  for (const auto& [file, of] : cases) {
    if (of.expects_success()) continue;
    const auto beside = cases.find(of.value("allowed"));
    ASSERT_NE(beside, cases.end()) << file;
    EXPECT_TRUE(beside->second.expects_success()) << file;
    EXPECT_EQ(beside->second.value("attack"), of.value("attack")) << file;
    EXPECT_EQ(distance(facts_of(of), facts_of(beside->second)), 1U) << file;
  }
}

TEST(AttackCases, EachNeighbourIsBesideSomeRefusal) {
  const auto cases = all_cases();
  for (const auto& [file, of] : cases) {
    if (!of.expects_success()) continue;
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&name = file](const auto& other) {
      return other.second.value("allowed") == name;
    })) << file;
  }
}

TEST(AttackCases, ThePageNamesEveryVerbWayAndEnd) {
  const auto page = read_file(std::string(POSTERN_SOURCE_DIR) + "/fixtures/README.md", 1 << 20);
  ASSERT_TRUE(test::succeeded(page));
  std::vector<std::string> words = AttackPlay::given_verbs();
  for (const std::string& verb : AttackPlay::when_verbs()) words.push_back(verb);
  for (const std::string& way : forgery_ways()) words.push_back(way);
  for (const char* way : {"page", "forced-post", "forged-form", "step-up", "headless", "preselected"})
    words.emplace_back(way);
  for (const Outlook& outlook : outlooks()) words.emplace_back(outlook.id);
  for (const std::string& word : words) EXPECT_NE(page->find("`" + word + "`"), std::string::npos) << word;
}

TEST(AttackCases, EveryEndThatIsKnownIsExpectedSomewhere) {
  const auto cases = all_cases();
  for (const Outlook& outlook : outlooks()) {
    EXPECT_TRUE(std::any_of(cases.begin(), cases.end(), [&](const auto& entry) {
      return entry.second.value("expect") == outlook.id;
    })) << outlook.id;
  }
}

TEST(AttackCases, WhatDecidesOrPaysHasATargetOfItsOwn) {
  const auto cases = all_cases();
  EXPECT_TRUE(AttackPlay::disturbs(cases.at("A06-accept-after-approval")));
  EXPECT_TRUE(AttackPlay::disturbs(cases.at("A10-at-once")));
  EXPECT_TRUE(AttackPlay::disturbs(cases.at("A07-page")));
  EXPECT_FALSE(AttackPlay::disturbs(cases.at("A06-accept-while-pending")));
  EXPECT_FALSE(AttackPlay::disturbs(cases.at("A01-token-of-another-server")));
}

}  // namespace
}  // namespace postern::lab
