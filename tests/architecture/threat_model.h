// docs/threat-model.md as rows, and what is wrong with them: a threat that is missing, a control or a test that is not
// there. The rule is a function over text, so that a test can run it on the page and on planted bad pages.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tests/architecture/rules.h"

namespace postern::architecture {

struct NamedTest {
  std::string file;   // "tests/unit/desk/case_handles_test.cc"
  std::string suite;  // empty together with `name`: the file as a whole, as in tests/compile_fail
  std::string name;
};

// One row of a table: | name | threat | held by | shown by |
struct ThreatRow {
  int line = 0;
  std::string section;  // the heading above its table, without the signs
  std::string name;
  std::string threat;
  std::vector<std::string> controls;  // files
  std::vector<NamedTest> tests;
};

[[nodiscard]] std::vector<ThreatRow> threat_rows(std::string_view page);
// Names of the tools that the desk serves, as its catalog's header spells them.
[[nodiscard]] std::vector<std::string> served_tools(const std::vector<SourceFile>& files);
// `files`: the project, as read_project() gives it.
[[nodiscard]] Findings check_threat_model(std::string_view page, const std::vector<SourceFile>& files);

}  // namespace postern::architecture
