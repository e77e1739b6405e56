// The three exercises as they are written down: they follow one another, and every pointer leads somewhere.
#include "tests/lab/exercise/exercise.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "wire/base/file.h"

namespace postern::lab {
namespace {

const std::string kRoot = POSTERN_SOURCE_DIR;

TEST(Exercises, FollowOneAnother) {
  std::vector<std::string> before;
  for (const std::string_view name : exercise_names()) {
    const Exercise exercise = exercise_of(name);
    EXPECT_FALSE(exercise.title.empty());
    if (!before.empty()) {
      EXPECT_EQ(exercise.through_at_start, before) << name << " begins where the one before it ends";
    }
    EXPECT_LT(exercise.through_at_checkpoint.size(), exercise.through_at_start.size()) << name;
    for (const std::string& attack : exercise.through_at_checkpoint) {
      const auto& start = exercise.through_at_start;
      EXPECT_NE(std::find(start.begin(), start.end(), attack), start.end()) << name << " " << attack;
    }
    before = exercise.through_at_checkpoint;
  }
  EXPECT_TRUE(before.empty()) << "at the end nothing gets through";
}

TEST(Exercises, BeginAndEndWhereTheBoundarySays) {
  const Exercise first = exercise_of("lab1");
  for (const char* attack : {"A1", "A3", "A5", "A6", "A8"}) {
    EXPECT_NE(std::find(first.through_at_start.begin(), first.through_at_start.end(), attack),
              first.through_at_start.end())
        << attack;
  }
  EXPECT_EQ(exercise_of("lab2").through_at_checkpoint, std::vector<std::string>{"A6"});
  EXPECT_TRUE(exercise_of("lab2").may_get_through("A6"));
  EXPECT_FALSE(exercise_of("lab3").may_get_through("A6"));
}

TEST(Exercises, SayWhereToLookForEachAttackThatGetsThrough) {
  for (const std::string_view name : exercise_names()) {
    const Exercise exercise = exercise_of(name);
    EXPECT_EQ(exercise.places.size(), exercise.through_at_start.size()) << name;
    for (const std::string& attack : exercise.through_at_start) {
      const Place* place = exercise.place_of(attack);
      ASSERT_NE(place, nullptr) << name << " " << attack;
      EXPECT_TRUE(std::filesystem::exists(kRoot + "/" + place->file)) << place->file;
      const auto page = read_file(kRoot + "/" + place->page, 1024 * 1024);
      ASSERT_TRUE(page.has_value()) << place->page;
      EXPECT_NE(page->find("\n## " + place->section + "\n"), std::string::npos) << place->page << " " << place->section;
      const std::string rungs = " bytes envelope http schema model own ";
      EXPECT_NE(rungs.find(" " + place->rung + " "), std::string::npos) << place->rung;
      EXPECT_TRUE(place->question.ends_with("?")) << place->question;
    }
  }
}

TEST(Exercises, AreTheFilesThatStandInTheFolder) {
  for (const std::string_view name : exercise_names()) {
    for (const char* file : {"/starter.json", "/expected.json"}) {
      const auto text = read_file(kRoot + "/docs/lab/" + std::string(name) + file, 64 * 1024);
      ASSERT_TRUE(text.has_value()) << name;
      EXPECT_EQ(lab_file(std::string(name) + file), *text);
    }
  }
  EXPECT_EQ(lab_file("lab4/starter.json"), "");
}

}  // namespace
}  // namespace postern::lab
