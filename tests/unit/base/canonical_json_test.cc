// RFC 8785: own values, and the public vectors where they are present.
#include "wire/base/canonical_json.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "wire/base/file.h"

namespace postern {
namespace {

std::string canonical(std::string_view text) {
  return canonical_json(*parse_json(text));
}

TEST(CanonicalJson, SortsMembersAndDropsWhiteSpace) {
  EXPECT_EQ(canonical("{ \"b\" : [ 1 , true ] , \"a\" : null }"), R"({"a":null,"b":[1,true]})");
}

TEST(CanonicalJson, SortsByUtf16Units) {
  // U+1F600 is D83D DE00 in UTF-16 and so stands before U+FB33, though its UTF-8 form is greater.
  EXPECT_EQ(canonical("{\"\\ufb33\":1,\"\\ud83d\\ude00\":2}"), "{\"\U0001F600\":2,\"\uFB33\":1}");
}

TEST(CanonicalJson, WritesNumbersAsEcmaScriptDoes) {
  EXPECT_EQ(canonical("[1.0,-0.0,1e21,1e20,1e-6,1e-7,4.50,333333333.33333329,1E30]"),
            "[1,0,1e+21,100000000000000000000,0.000001,1e-7,4.5,333333333.3333333,1e+30]");
}

TEST(CanonicalJson, KeepsTheDigitsOfLargeIntegers) {
  EXPECT_EQ(canonical("[9007199254740993]"), "[9007199254740993]");
}

TEST(CanonicalJson, GivesThePublicVectors) {
  namespace fs = std::filesystem;
  const fs::path vectors = fs::path(POSTERN_SOURCE_DIR) / "../shared/vectors/jcs";
  if (!fs::exists(vectors)) GTEST_SKIP() << "the JCS vectors are not here";
  std::size_t compared = 0;
  for (const auto& entry : fs::directory_iterator(vectors / "input")) {
    const auto expected = vectors / "output" / entry.path().filename();
    ASSERT_TRUE(fs::exists(expected)) << expected;
    EXPECT_EQ(canonical(*read_file(entry.path().string(), 1 << 20)), *read_file(expected.string(), 1 << 20))
        << entry.path();
    ++compared;
  }
  EXPECT_GE(compared, 5U);
}

}  // namespace
}  // namespace postern
