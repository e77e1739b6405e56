// With each starter exactly the committed attacks get through, and each checkpoint ends with the words that its page
// shows. The attacks run against real processes over real HTTP.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <string>
#include <vector>

#include "tests/lab/exercise/exercise.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"
#include "wire/base/json.h"

namespace postern::lab {
namespace {

struct Finished {
  int exit = -1;
  std::string out;
  std::vector<std::string> through;  // the attacks that were not blocked
  std::vector<std::string> not_run;

  [[nodiscard]] std::string last_line() const {
    const std::size_t end = out.find_last_not_of('\n');
    if (end == out.npos) return "";
    const std::size_t begin = out.rfind('\n', end);
    return out.substr(begin == out.npos ? 0 : begin + 1, end - (begin == out.npos ? 0 : begin + 1) + 1);
  }
};

class Checkpoints : public testing::Test {
 protected:
  Finished grade(const std::string& exercise, const std::string& starter) {
    const std::string report = folder_ / "report.json";
    const std::string command = std::string("exec ") + POSTERN_BIN_DIR + "/postern-lab grade " + exercise +
                                " --starter " + starter + " --report-json " + report + " </dev/null";
    Finished finished;
    FILE* pipe = ::popen(command.c_str(), "r");
    if (pipe == nullptr) return finished;
    char piece[4096];
    for (std::size_t got = 0; (got = std::fread(piece, 1, sizeof piece, pipe)) > 0;) finished.out.append(piece, got);
    const int status = ::pclose(pipe);
    finished.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    const auto json = parse_json(read_file(report, 1024 * 1024).value_or(""));
    EXPECT_TRUE(json.has_value()) << finished.out;
    if (!json || json->find("checks") == nullptr) return finished;
    for (const Json& check : json->find("checks")->elements()) {
      const std::string verdict(check.string_at("verdict"));
      if (verdict == "fail" || verdict == "skip") finished.through.emplace_back(check.string_at("id"));
      if (verdict == "error" || verdict == "not_observable") finished.not_run.emplace_back(check.string_at("id"));
    }
    return finished;
  }

  // The page of the exercise shows the last line that whoever is done sees.
  static void expect_on_page(const std::string& exercise, const std::string& line) {
    const auto page = read_file(std::string(POSTERN_SOURCE_DIR) + "/docs/lab/" + exercise + ".md", 1024 * 1024);
    ASSERT_TRUE(page.has_value());
    EXPECT_NE(page->find("\n" + line + "\n"), std::string::npos)
        << "docs/lab/" << exercise << ".md does not show: " << line;
  }

  test::TemporaryFolder folder_;
};

TEST_F(Checkpoints, TheFirstStarterLetsTheCommittedSetThrough) {
  const Finished finished = grade("lab1", "lab1");
  EXPECT_EQ(finished.exit, 1) << finished.out;
  EXPECT_EQ(finished.through, exercise_of("lab1").through_at_start) << finished.out;
  EXPECT_TRUE(finished.not_run.empty()) << finished.out;
}

TEST_F(Checkpoints, OfTheFirstExerciseIsWhereTheSecondBegins) {
  const Finished finished = grade("lab1", "lab2");
  EXPECT_EQ(finished.exit, 0) << finished.out;
  EXPECT_EQ(finished.through, exercise_of("lab2").through_at_start) << finished.out;
  EXPECT_TRUE(finished.not_run.empty()) << finished.out;
  expect_on_page("lab1", finished.last_line());
}

TEST_F(Checkpoints, OfTheSecondExerciseLeavesOneAttack) {
  const Finished finished = grade("lab2", "lab3");
  EXPECT_EQ(finished.exit, 0) << finished.out;
  EXPECT_EQ(finished.through, std::vector<std::string>{"A6"}) << finished.out;
  EXPECT_TRUE(finished.not_run.empty()) << finished.out;
  expect_on_page("lab2", finished.last_line());
}

TEST_F(Checkpoints, OfTheThirdExerciseIsTheProduct) {
  const std::string mine = folder_ / "mine.json";
  ASSERT_TRUE(replace_file(mine, R"({"controls_removed": []})").has_value());
  const Finished finished = grade("lab3", mine);
  EXPECT_EQ(finished.exit, 0) << finished.out;
  EXPECT_TRUE(finished.through.empty()) << finished.out;
  EXPECT_TRUE(finished.not_run.empty()) << finished.out;
  expect_on_page("lab3", finished.last_line());
}

}  // namespace
}  // namespace postern::lab
