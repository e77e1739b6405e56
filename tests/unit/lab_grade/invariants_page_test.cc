// docs/invariants.md: ten rows in order, and everything that they name is there.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "wire/base/file.h"

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

const std::string kRoot = std::string(POSTERN_SOURCE_DIR) + "/";

struct PageRow {
  std::vector<std::string> cells;
};

std::vector<PageRow> rows_of(const std::string& page) {
  std::vector<PageRow> rows;
  for (std::size_t at = page.find("\n| I"); at != page.npos; at = page.find("\n| I", at + 1)) {
    std::string line = page.substr(at + 1, page.find('\n', at + 1) - at - 1);
    PageRow row;
    for (std::size_t from = 2; from < line.size();) {
      const std::size_t end = line.find(" |", from);
      row.cells.push_back(line.substr(from, end - from));
      from = end == line.npos ? line.size() : end + 3;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

// What stands between backquotes, with the word before it: {"attack", "A5"}.
std::vector<std::pair<std::string, std::string>> named(const std::string& cell) {
  std::vector<std::pair<std::string, std::string>> out;
  for (std::size_t at = cell.find('`'); at != cell.npos;) {
    const std::size_t end = cell.find('`', at + 1);
    const std::size_t word_end = at == 0 ? 0 : at - 1;
    const std::size_t space = word_end == 0 ? cell.npos : cell.rfind(' ', word_end - 1);
    const std::size_t word = space == cell.npos ? 0 : space + 1;
    out.emplace_back(cell.substr(word, word_end - word), cell.substr(at + 1, end - at - 1));
    at = cell.find('`', end + 1);
  }
  return out;
}

std::string text_of_folder(const std::string& folder) {
  std::string text;
  for (const fs::directory_entry& entry : fs::directory_iterator(kRoot + folder)) {
    if (entry.path().extension() == ".cc") text += *read_file(entry.path().string(), 1 << 20);
  }
  return text;
}

// What of a row is not there.
std::vector<std::string> missing_in(const PageRow& row) {
  std::vector<std::string> missing;
  if (row.cells.size() != 5) return {"five cells"};
  const auto files = named(row.cells[2]);
  if (files.empty()) missing.emplace_back("a file");
  for (const auto& file : files) {
    if (!file_exists(kRoot + file.second) || file.second.substr(0, 6) == "tests/") missing.push_back(file.second);
  }
  const auto tests = named(row.cells[3]);
  if (tests.size() != 1 || !file_exists(kRoot + tests[0].second)) {
    missing.push_back("its test " + row.cells[3]);
  } else {
    const std::string test = *read_file(kRoot + tests[0].second, 1 << 20);
    const std::string build = *read_file(kRoot + "tests/invariants/CMakeLists.txt", 1 << 20);
    if (test.find("expect_broken(\"" + row.cells[0] + "\"") == test.npos) missing.push_back("a test that breaks it");
    if (build.find(fs::path(tests[0].second).filename().string()) == build.npos)
      missing.push_back("its test in the build");
  }
  const auto breaks = named(row.cells[4]);
  if (breaks.empty()) missing.emplace_back("what breaks it");
  const std::string faults = text_of_folder("tests/faults");
  const std::string controls = *read_file(kRoot + "tests/lab/world/control_set.cc", 1 << 20);
  for (const auto& [kind, name] : breaks) {
    bool there = false;
    if (kind == "attack") {
      const std::string number = (name.size() == 2 ? "A0" : "A") + name.substr(1) + "-";
      for (const fs::directory_entry& entry : fs::directory_iterator(kRoot + "fixtures/attacks"))
        there = there || entry.path().filename().string().substr(0, number.size()) == number;
    } else if (kind == "fault") {
      there = faults.find("\"" + name + "\"") != faults.npos;
    } else if (kind == "control") {
      there = controls.find("{\"" + name + "\"") != controls.npos;
    }
    if (!there) missing.push_back(kind + " " + name);
  }
  return missing;
}

std::vector<PageRow> page_rows() {
  return rows_of(*read_file(kRoot + "docs/invariants.md", 1 << 20));
}

TEST(InvariantsPage, HasTenRowsInOrder) {
  const auto rows = page_rows();
  ASSERT_EQ(rows.size(), 10U);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i].cells[0], "I" + std::to_string(i + 1));
}

TEST(InvariantsPage, NamesOnlyWhatIsThere) {
  for (const PageRow& row : page_rows()) {
    for (const std::string& what : missing_in(row)) ADD_FAILURE() << row.cells[0] << ": " << what << " is not there";
  }
}

TEST(InvariantsPage, AChangeOfEachCellIsSeen) {
  const PageRow good = page_rows().at(3);
  ASSERT_TRUE(missing_in(good).empty());
  for (const auto& [cell, text] : {std::pair<std::size_t, std::string>{2, "`services/gate/gone.cc`"},
                                   {2, "`tests/CMakeLists.txt`"},
                                   {2, "none"},
                                   {3, "`tests/invariants/gone_test.cc`"},
                                   {3, "`tests/invariants/invariant_05_token_goes_no_further_test.cc`"},
                                   {4, "attack `A13`"},
                                   {4, "fault `no-such-fault`"},
                                   {4, "control `desk.no_such`"},
                                   {4, "nothing"}}) {
    PageRow row = good;
    row.cells[cell] = text;
    EXPECT_FALSE(missing_in(row).empty()) << text;
  }
}

}  // namespace
}  // namespace postern::lab
