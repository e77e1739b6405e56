// The handout fits on two pages, and the pages of the laboratory lead to each other and to files that are there.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "wire/base/file.h"

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

const fs::path kLab = fs::path(POSTERN_SOURCE_DIR) / "docs/lab";

std::string text_of(const fs::path& path) {
  return read_file(path.string(), 1024 * 1024).value_or("");
}

// A4 or letter with margins of 2 cm in 10 point type: 54 lines of about 95 characters, headings and tables taller.
constexpr std::size_t kCharactersOfALine = 95;
constexpr double kLinesOfTwoPages = 2 * 54;

double height_of(const std::string& line) {
  if (line.empty()) return 0.5;
  if (line.front() == '#') return 2;
  if (line.substr(0, 4) == "|---") return 0;
  const double rows = static_cast<double>((line.size() + kCharactersOfALine - 1) / kCharactersOfALine);
  return line.front() == '|' ? rows * 1.25 : rows;
}

double height_of_page(const std::string& text) {
  double lines = 0;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines += height_of(line);
  return lines;
}

TEST(Handout, FitsOnTwoPages) {
  const std::string handout = text_of(kLab / "handout.md");
  ASSERT_FALSE(handout.empty());
  EXPECT_LE(height_of_page(handout), kLinesOfTwoPages);
  EXPECT_GT(height_of_page(handout), kLinesOfTwoPages / 2) << "one page would do";
}

TEST(Handout, WouldNotWithAThirdPage) {
  const std::string handout = text_of(kLab / "handout.md");
  EXPECT_GT(height_of_page(handout + handout), kLinesOfTwoPages);
}

TEST(LabPages, LeadToFilesThatAreThere) {
  int links = 0;
  for (const auto& entry : fs::directory_iterator(kLab)) {
    if (entry.path().extension() != ".md") continue;
    const std::string text = text_of(entry.path());
    for (std::size_t at = text.find("]("); at != text.npos; at = text.find("](", at + 1)) {
      const std::string target = text.substr(at + 2, text.find(')', at) - at - 2);
      EXPECT_TRUE(fs::exists(kLab / target.substr(0, target.find('#')))) << entry.path().filename() << ": " << target;
      ++links;
    }
  }
  EXPECT_GT(links, 5);
}

}  // namespace
}  // namespace postern::lab
