// The documents speak of files that exist, and docs/failures.md names every failure of the product.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/architecture/rules.h"

namespace postern::architecture {
namespace {

namespace fs = std::filesystem;

const fs::path kRoot = POSTERN_SOURCE_DIR;

std::string text_of(const std::string& path) {
  for (const SourceFile& file : read_project(POSTERN_SOURCE_DIR)) {
    if (file.path == path) return file.text;
  }
  return "";
}

TEST(Documents, ExistForTheReaderWhoComesFirst) {
  for (const auto name :
       {"README.md", "CONTRIBUTING.md", "SECURITY.md", "LICENSE", "docs/architecture.md", "docs/failures.md"}) {
    EXPECT_TRUE(fs::exists(kRoot / name)) << name;
  }
}

TEST(Documents, NameEveryFailure) {
  const std::string document = text_of("docs/failures.md");
  for (const std::string& id : failure_ids(read_project(POSTERN_SOURCE_DIR))) {
    EXPECT_NE(document.find("`" + id + "`"), std::string::npos) << id << " is missing in docs/failures.md";
  }
}

TEST(Documents, NameNoFailureThatIsGone) {
  const auto ids = failure_ids(read_project(POSTERN_SOURCE_DIR));
  const std::string document = text_of("docs/failures.md");
  for (std::size_t at = 0; (at = document.find("| `", at)) != document.npos; ++at) {
    const std::string id = document.substr(at + 3, document.find('`', at + 3) - at - 3);
    EXPECT_NE(std::find(ids.begin(), ids.end(), id), ids.end())
        << id << " stands in docs/failures.md, but not in the code";
  }
}

}  // namespace
}  // namespace postern::architecture
