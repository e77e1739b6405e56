// An exercise is graded by what its attacks came to: what still gets through fails and says where to look, what belongs
// to a later one is left out, and the name of a control is printed nowhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "tests/lab/grade/lab_exercises.h"
#include "tests/lab/world/control_set.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

struct Graded {
  int exit = 0;
  std::string out;
  std::string err;
};

class GradeExercise : public testing::Test {
 protected:
  // `through`: the attacks that get through.
  Graded grade(const std::string& exercise, const std::set<std::string>& through) {
    options_.subjects = {exercise};
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    Graded graded;
    graded.exit = grade_exercise(options_, [&](const Starter& starter) -> PlayAttack {
      begun_.push_back(starter.name);
      return [&through](const std::string& attack) {
        Check check;
        check.id = attack;
        check.name = "attempt " + attack;
        check.verdict = through.contains(attack) ? Verdict::kFail : Verdict::kPass;
        check.shown_by = "without desk.token.audience";
        return check;
      };
    });
    graded.out = testing::internal::GetCapturedStdout();
    graded.err = testing::internal::GetCapturedStderr();
    return graded;
  }
  void file(const std::string& text) {
    options_.starter = folder_ / "mine.json";
    ASSERT_TRUE(replace_file(options_.starter, text).has_value());
  }
  static std::set<std::string> set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

  test::TemporaryFolder folder_;
  GradeOptions options_;
  std::vector<std::string> begun_;
};

TEST_F(GradeExercise, BeginsWithWhatItsStarterLetsThrough) {
  for (const std::string_view name : exercise_names()) {
    const Exercise exercise = exercise_of(name);
    const Graded graded = grade(std::string(name), set_of(exercise.through_at_start));
    EXPECT_EQ(graded.exit, 1) << graded.out;
    EXPECT_NE(graded.out.find("Checkpoint of " + exercise.name + " not reached."), std::string::npos) << graded.out;
    for (const std::string& attack : exercise.through_at_start) {
      if (exercise.may_get_through(attack)) continue;
      EXPECT_NE(graded.out.find("look at " + exercise.place_of(attack)->file), std::string::npos) << graded.out;
    }
  }
}

TEST_F(GradeExercise, IsReachedWhenOnlyLaterAttacksGetThrough) {
  for (const std::string_view name : exercise_names()) {
    const Exercise exercise = exercise_of(name);
    const Graded graded = grade(std::string(name), set_of(exercise.through_at_checkpoint));
    EXPECT_EQ(graded.exit, 0) << graded.out;
    EXPECT_NE(graded.out.find("Checkpoint of " + exercise.name + " reached."), std::string::npos) << graded.out;
  }
  EXPECT_NE(grade("lab2", {"A6"}).out.find("11 of 12 blocked. For later: A6."), std::string::npos);
  EXPECT_NE(grade("lab2", {"A6"}).out.find("lab3 is about it"), std::string::npos);
}

TEST_F(GradeExercise, IsNotReachedWithAnAttackThatGotThroughSince) {
  const Graded graded = grade("lab2", {"A6", "A10"});
  EXPECT_EQ(graded.exit, 1) << graded.out;
  EXPECT_NE(graded.out.find("what did you take away since?"), std::string::npos) << graded.out;
}

TEST_F(GradeExercise, PrintsNoNameOfAControl) {
  for (const std::string_view name : exercise_names()) {
    const Graded graded = grade(std::string(name), set_of(exercise_of(name).through_at_start));
    for (const Control& control : ControlSet::all()) {
      EXPECT_EQ(graded.out.find(control.name), std::string::npos) << control.name << "\n" << graded.out;
      EXPECT_EQ(lab_file(std::string(name) + "/expected.json").find(control.name), std::string_view::npos)
          << control.name;
    }
  }
}

TEST_F(GradeExercise, RefusesAControlThatThereIsNotAndNamesTheNearest) {
  file(R"({"controls_removed": ["desk.token.audiense"]})");
  const Graded graded = grade("lab2", {});
  EXPECT_EQ(graded.exit, 2);
  EXPECT_NE(graded.err.find("The nearest is \"desk.token.audience\"."), std::string::npos) << graded.err;
  EXPECT_TRUE(begun_.empty());
}

TEST_F(GradeExercise, SaysThatNothingIsRemoved) {
  file(R"({"controls_removed": []})");
  const Graded graded = grade("lab3", {});
  EXPECT_EQ(graded.exit, 0);
  EXPECT_NE(graded.out.find("removes nothing: this is the product as it is."), std::string::npos) << graded.out;
  EXPECT_NE(graded.out.find("12 of 12 blocked."), std::string::npos) << graded.out;
}

TEST_F(GradeExercise, RefusesAStarterThatIsNone) {
  options_.starter = folder_ / "nobodys.json";
  EXPECT_EQ(grade("lab1", {}).exit, 2);
  file("{}");
  EXPECT_EQ(grade("lab1", {}).exit, 2);
  EXPECT_TRUE(begun_.empty());
}

TEST_F(GradeExercise, TakesWhatCannotBeSeenForAnErrorAndNeverForBlocked) {
  const Exercise exercise = exercise_of("lab2");
  Check unseen;
  unseen.id = "A12";
  unseen.verdict = Verdict::kNotObservable;
  EXPECT_EQ(graded(exercise, {}, unseen).verdict, Verdict::kError);
  unseen.verdict = Verdict::kPass;
  EXPECT_EQ(graded(exercise, {}, unseen).verdict, Verdict::kPass);
}

TEST_F(GradeExercise, ChecksANoteOfLab3AndRunsNothing) {
  const std::string docs = std::string(POSTERN_SOURCE_DIR) + "/docs/lab/";
  options_.note = docs + "migration-note-example.md";
  EXPECT_EQ(grade("lab3", {}).exit, 0);
  EXPECT_EQ(grade("lab1", {}).exit, 2);
  options_.note = docs + "README.md";
  EXPECT_EQ(grade("lab3", {}).exit, 1);
  options_.note = docs + "nobodys.md";
  EXPECT_EQ(grade("lab3", {}).exit, 2);
  EXPECT_TRUE(begun_.empty());
}

TEST(ControlsOfStarters, ThereAre) {
  for (const std::string_view name : exercise_names()) {
    const auto starter = read_starter(name);
    ASSERT_TRUE(starter.has_value()) << name;
    EXPECT_TRUE(ControlSet::without(starter->controls_removed).has_value()) << name;
  }
}

}  // namespace
}  // namespace postern::lab
