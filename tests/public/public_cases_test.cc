// The cases of public bug reports whose right value is a refusal (fixtures/public/*.case), each beside the nearest one
// that is let through.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "tests/public/verbs.h"
#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "wire/base/file.h"

namespace postern::test {
namespace {

const std::string kFolder = std::string(POSTERN_SOURCE_DIR) + "/fixtures/public";

std::map<std::string, CaseFile> cases() {
  std::map<std::string, CaseFile> all;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (entry.path().extension() != ".case") continue;
    const auto text = read_file(entry.path().string(), 1 << 20);
    EXPECT_TRUE(succeeded(text));
    auto file = CaseFile::parse(entry.path().filename().string(), text ? *text : "");
    EXPECT_TRUE(succeeded(file));
    if (file) all.emplace(entry.path().stem().string(), *std::move(file));
  }
  return all;
}

const Verb* verb_named(std::string_view name) {
  for (const auto verbs : {format_verbs(), definition_verbs(), identity_verbs(), exchange_verbs(), money_verbs()}) {
    for (const Verb& verb : verbs) {
      if (verb.name == name) return &verb;
    }
  }
  return nullptr;
}

TEST(PublicCases, EndAsTheyMust) {
  int played = 0;
  for (const auto& one : cases()) {
    const CaseFile& file = one.second;
    const auto step = parse_step(file.value("when"));
    ASSERT_TRUE(succeeded(step)) << one.first;
    const Verb* verb = verb_named(step->verb);
    ASSERT_NE(verb, nullptr) << one.first << ": there is no verb " << step->verb;
    const Status outcome = verb->play(file, *step);
    if (file.expects_success()) {
      EXPECT_TRUE(succeeded(outcome)) << one.first;
    } else {
      EXPECT_TRUE(refused(outcome, file.value("expect"))) << one.first;
    }
    EXPECT_TRUE(succeeded(file.all_used())) << one.first;
    ++played;
  }
  EXPECT_GT(played, 100);
}

TEST(PublicCases, StandBesideTheNearestOneThatIsLetThrough) {
  const auto all = cases();
  for (const auto& one : all) {
    EXPECT_TRUE(one.first.starts_with(one.second.value("public") + "-")) << one.first;
    if (one.second.expects_success()) continue;
    const auto neighbour = all.find(one.second.value("allowed"));
    ASSERT_NE(neighbour, all.end()) << one.first << " names no neighbour";
    EXPECT_TRUE(neighbour->second.expects_success()) << one.first;
    const auto verb = [](const CaseFile& file) { return parse_step(file.value("when"))->verb; };
    EXPECT_EQ(verb(neighbour->second), verb(one.second)) << one.first;
  }
}

// The table of fixtures/public/README.md: "| B-002 | why it has no refusal |".
std::map<std::string, std::string> reasons() {
  std::map<std::string, std::string> rows;
  const auto text = read_file(kFolder + "/README.md", 1 << 20);
  EXPECT_TRUE(succeeded(text));
  std::istringstream lines(text ? *text : "");
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("| B-")) continue;
    const std::size_t end = line.find(" |", 7);
    rows[line.substr(2, 5)] = line.substr(10, end - 10);
  }
  return rows;
}

TEST(PublicCases, CoverEveryCaseOrSayWhyNot) {
  POSTERN_SHARED_TEXT(readme, "cases/README.md");
  std::set<std::string> listed;
  std::istringstream lines(readme);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("| B-")) listed.insert(line.substr(2, 5));
  }
  EXPECT_GE(listed.size(), 80U);
  std::set<std::string> refusals;
  for (const auto& one : cases()) {
    EXPECT_TRUE(listed.contains(one.second.value("public"))) << one.first << " is of a case that there is not";
    if (!one.second.expects_success()) refusals.insert(one.second.value("public"));
  }
  const auto without = reasons();
  for (const std::string& id : listed) {
    EXPECT_NE(refusals.contains(id), without.contains(id)) << id << " has neither a refusal nor a reason, or both";
  }
  for (const auto& row : without) {
    EXPECT_TRUE(listed.contains(row.first)) << row.first;
    EXPECT_GT(row.second.size(), 20U) << row.first << " needs a reason";
  }
}

}  // namespace
}  // namespace postern::test
