// Replays the hand-made inputs, and every beginning of each, through the fuzzer's targets, in the ordinary build.
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/fuzz/targets.h"
#include "wire/base/file.h"

namespace postern::fuzz {
namespace {

namespace fs = std::filesystem;

class FuzzCorpus : public testing::TestWithParam<Target> {};

TEST_P(FuzzCorpus, HoldsItsProperties) {
  std::size_t files = 0;
  for (const auto& entry :
       fs::directory_iterator(fs::path(POSTERN_SOURCE_DIR) / "tests/fuzz/corpus" / GetParam().name)) {
    const auto text = read_file(entry.path().string(), 64 * 1024);
    ASSERT_TRUE(text.has_value()) << entry.path();
    SCOPED_TRACE(entry.path().filename().string());
    for (std::size_t size = 0; size <= text->size(); ++size) GetParam().run(std::string_view(*text).substr(0, size));
    ++files;
  }
  EXPECT_GE(files, 5U);
}

INSTANTIATE_TEST_SUITE_P(Targets, FuzzCorpus, testing::ValuesIn(kTargets),
                         [](const auto& entry) { return std::string(entry.param.name); });

}  // namespace
}  // namespace postern::fuzz
