// Proves that the block can be deleted: nothing but its own folder, its tests and the places that compose a server
// names it, and the core's tests are built without it.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace postern::mcp {
namespace {

const std::string kRoot = POSTERN_SOURCE_DIR;

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool names_the_block(const std::string& text) {
  return text.find("mcp_older_era") != text.npos || text.find("OlderEraBlock") != text.npos;
}

bool may_name_it(const std::string& path) {
  static const std::vector<std::string> kPlaces = {
      "services/mcp_older_era/",
      "tests/unit/mcp_older_era/",
      "services/CMakeLists.txt",                     // the list of folders
      "services/desk/CMakeLists.txt",                // composes the desk
      "services/desk/compose.",                      //
      "tests/architecture/rules.cc",                 // the table of directions
      "tests/conformance/server/older_era_part.cc",  // composes the conformance server
      "tests/conformance/server/CMakeLists.txt",
  };
  return std::any_of(kPlaces.begin(), kPlaces.end(), [&](const std::string& place) { return path.starts_with(place); });
}

TEST(OlderEraRemoval, NothingButTheComposingPlacesNamesTheBlock) {
  std::size_t named = 0;
  for (const char* top : {"wire", "pins", "bridge", "host", "issuer", "services", "tests", "cmake"}) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kRoot + "/" + top)) {
      const std::string extension = entry.path().extension();
      if (extension != ".h" && extension != ".cc" && extension != ".txt" && extension != ".cmake") continue;
      if (!names_the_block(file_text(entry.path()))) continue;
      const std::string path = std::filesystem::relative(entry.path(), kRoot);
      EXPECT_TRUE(may_name_it(path)) << path << " names the block for older clients";
      ++named;
    }
  }
  EXPECT_GE(named, 4U);  // the folder itself was read
}

// The one passes the tests of the core, the other the conformance suite.
TEST(OlderEraRemoval, TheTestsOfTheCoreAndAConformanceServerAreBuiltWithoutIt) {
  const std::string symbol = "13OlderEraBlock";  // as it stands in the name of every member function
  EXPECT_NE(file_text("/proc/self/exe").find(symbol), std::string::npos);
  const std::filesystem::path tests = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path programs = POSTERN_BIN_DIR;
  for (const auto& program : {tests / "unit.mcp_server", programs / "postern-conformance-server-modern"}) {
    ASSERT_TRUE(std::filesystem::exists(program)) << program;
    EXPECT_EQ(file_text(program).find(symbol), std::string::npos) << program;
  }
}

TEST(OlderEraRemoval, TheFolderSaysWhenItGoes) {
  const std::string header = file_text(kRoot + "/services/mcp_older_era/older_era_block.h");
  EXPECT_NE(header.find("TO BE REMOVED on 20"), std::string::npos);
}

}  // namespace
}  // namespace postern::mcp
