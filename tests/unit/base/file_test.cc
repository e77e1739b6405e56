// Files are private, replaced whole, and their failures name what failed.
#include "wire/base/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "tests/support/refused.h"

namespace postern {
namespace {

class Files : public testing::Test {
 protected:
  void SetUp() override { ASSERT_NE(mkdtemp(folder_.data()), nullptr); }
  void TearDown() override { ASSERT_EQ(std::system(("rm -rf " + folder_).c_str()), 0); }
  std::string folder_ = "/tmp/postern-file-XXXXXX";
};

TEST_F(Files, ReplacesAFileWithModeSixHundred) {
  const std::string path = folder_ + "/a";
  umask(0);
  ASSERT_TRUE(test::succeeded(replace_file(path, "one")));
  ASSERT_TRUE(test::succeeded(replace_file(path, "two")));
  EXPECT_EQ(*read_file(path, 10), "two");
  EXPECT_EQ(*file_mode(path), 0600U);
}

TEST_F(Files, PutsNoFileInThePlaceOfADeviceOrAPipe) {
  const std::string pipe = folder_ + "/pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_TRUE(test::refused(replace_file(pipe, "x"), "own.file_failed"));
  struct stat there {};
  ASSERT_EQ(::stat(pipe.c_str(), &there), 0);
  EXPECT_TRUE(S_ISFIFO(there.st_mode));
  EXPECT_TRUE(test::refused(replace_file(folder_, "x"), "own.file_failed"));
}

TEST_F(Files, RefusesToReadMoreThanItsBound) {
  ASSERT_TRUE(test::succeeded(replace_file(folder_ + "/a", "12345")));
  EXPECT_TRUE(test::succeeded(read_file(folder_ + "/a", 5)));
  EXPECT_TRUE(test::refused(read_file(folder_ + "/a", 4), "own.file_failed"));
}

TEST_F(Files, MakesFoldersForTheirOwnerOnly) {
  ASSERT_TRUE(test::succeeded(make_folder(folder_ + "/x/y/z")));
  ASSERT_TRUE(test::succeeded(make_folder(folder_ + "/x/y/z")));
  EXPECT_EQ(*file_mode(folder_ + "/x/y/z"), 0700U);
  ASSERT_TRUE(test::succeeded(replace_file(folder_ + "/file", "")));
  const auto refused = make_folder(folder_ + "/file/below");
  ASSERT_TRUE(test::refused(refused, "own.file_failed"));
  EXPECT_EQ(refused.error().text(), "Cannot make the folder " + folder_ + "/file: Not a directory.");
}

TEST_F(Files, AppendsWholeLinesFromSeveralWriters) {
  const auto first = LineFile::open(folder_ + "/log");
  const auto second = LineFile::open(folder_ + "/log");
  ASSERT_TRUE(first && second);
  ASSERT_TRUE(test::succeeded(first->append("a")));
  ASSERT_TRUE(test::succeeded(second->append("b")));
  ASSERT_TRUE(test::succeeded(first->append("c")));
  EXPECT_EQ(*read_file(folder_ + "/log", 100), "a\nb\nc\n");
  EXPECT_EQ(*file_mode(folder_ + "/log"), 0600U);
}

}  // namespace
}  // namespace postern
