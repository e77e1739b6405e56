// A starter is read whole or refused: the exercises' own, and files of students.
#include "tests/lab/exercise/starter.h"

#include <gtest/gtest.h>

#include "tests/lab/exercise/exercise.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "wire/base/file.h"

namespace postern::lab {
namespace {

class StarterFile : public testing::Test {
 protected:
  Result<Starter> read(const std::string& text) {
    EXPECT_TRUE(replace_file(path_, text).has_value());
    return read_starter(path_);
  }
  std::string refusal(const std::string& text) {
    const auto starter = read(text);
    EXPECT_TRUE(test::refused(starter, "lab.bad_starter")) << text;
    return starter ? "" : starter.error().text();
  }

  test::TemporaryFolder folder_;
  std::string path_ = folder_.path() + "/mine.json";
};

TEST_F(StarterFile, GivesWhatItRemoves) {
  const auto starter = read(R"({"about": "mine", "controls_removed": ["b", "a"]})");
  ASSERT_TRUE(test::succeeded(starter));
  EXPECT_EQ(starter->name, path_);
  EXPECT_EQ(starter->about, "mine");
  EXPECT_EQ(starter->controls_removed, (std::vector<std::string>{"b", "a"}));
  EXPECT_TRUE(read(R"({"controls_removed": []})")->controls_removed.empty());
}

TEST_F(StarterFile, IsRefusedWhenItIsNotOfTheForm) {
  EXPECT_NE(refusal("[]").find("not an object"), std::string::npos);
  EXPECT_NE(refusal("{").find("is no starter"), std::string::npos);
  EXPECT_NE(refusal(R"({"about": "x"})").find("no list \"controls_removed\""), std::string::npos);
  EXPECT_NE(refusal(R"({"controls_removed": "a"})").find("no list"), std::string::npos);
  EXPECT_NE(refusal(R"({"controls_removed": [1]})").find("is no text"), std::string::npos);
  EXPECT_NE(refusal(R"({"controls_removed": ["a", "a"]})").find("a stands in it twice"), std::string::npos);
  EXPECT_NE(refusal(R"({"controls_removed": [], "comment": ""})").find("a member \"comment\""), std::string::npos);
}

TEST_F(StarterFile, IsRefusedWhenItIsNotThere) {
  const auto starter = read_starter(folder_.path() + "/nobodys.json");
  ASSERT_TRUE(test::refused(starter, "lab.bad_starter"));
  EXPECT_NE(starter.error().text().find("nobodys.json"), std::string::npos);
}

TEST(CommittedStarters, AreOfTheForm) {
  std::size_t before = 1000;
  for (const std::string_view name : exercise_names()) {
    const auto starter = read_starter(name);
    ASSERT_TRUE(test::succeeded(starter)) << name;
    EXPECT_FALSE(starter->about.empty()) << name;
    EXPECT_FALSE(starter->controls_removed.empty()) << name;
    EXPECT_LT(starter->controls_removed.size(), before) << name << " removes less than the one before it";
    before = starter->controls_removed.size();
  }
}

}  // namespace
}  // namespace postern::lab
