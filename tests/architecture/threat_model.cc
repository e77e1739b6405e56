#include "tests/architecture/threat_model.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>
#include <set>

namespace postern::architecture {
namespace {

constexpr std::string_view kToolsSection = "The tools of the desk";
constexpr int kAttacks = 12;
constexpr std::string_view kCatalog = "services/desk/tool_catalog.h";

struct Section {
  std::string_view heading;
  std::vector<std::string_view> names;  // what must have a row, and nothing else may
};

// The rows that the boundary's design asks for by name. The tools come from the catalog.
const std::vector<Section>& sections() {
  static const std::vector<Section> kSections = {
      {kToolsSection, {}},
      {"The MCP boundary", {"tool definitions", "tool results", "tokens", "handles and request state", "local launch"}},
      {"Practices of the revision's security document",
       {"confused deputy", "token passthrough", "SSRF in discovery", "state handle hijacking",
        "local server compromise", "authorization URL validation", "stdio behind a proxy", "mix-up",
        "localhost redirect impersonation", "CIMD trust", "scope minimization"}},
      {"Untrusted inputs",
       {"request", "ticket text", "customer record", "carrier page", "tool definition", "tool result",
        "server instructions", "metadata documents", "token", "handle", "request state", "elicitation URL",
        "model output", "approval note", "configuration file of a cloned folder", "launch command"}},
      {"The two-person approval", {"two-person approval by URL elicitation"}},
  };
  return kSections;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == text.npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(' ') - begin + 1));
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line.remove_prefix(1);
  while (!line.empty()) {
    const std::size_t end = std::min(line.find('|'), line.size());
    cells.push_back(trimmed(line.substr(0, end)));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return cells;
}

std::vector<std::string> code_spans(std::string_view cell) {
  std::vector<std::string> spans;
  for (std::size_t at = cell.find('`'); at != cell.npos; at = cell.find('`', at)) {
    const std::size_t end = cell.find('`', at + 1);
    if (end == cell.npos) break;
    spans.emplace_back(cell.substr(at + 1, end - at - 1));
    at = end + 1;
  }
  return spans;
}

// `file` `Suite.Name` `Suite.Name` `file`: a file stands before its tests; one without any stands for itself.
std::vector<NamedTest> tests_of(std::string_view cell) {
  std::vector<NamedTest> tests;
  std::string file;
  bool named = true;
  for (const std::string& span : code_spans(cell)) {
    const std::size_t dot = span.find('.');
    if (span.find('/') != span.npos) {
      if (!named) tests.push_back({file, "", ""});
      file = span;
      named = false;
    } else {
      tests.push_back({file, span.substr(0, dot), dot == span.npos ? "" : span.substr(dot + 1)});
      named = true;
    }
  }
  if (!named) tests.push_back({file, "", ""});
  return tests;
}

ThreatRow row_of(int line, const std::string& section, const std::vector<std::string>& cells) {
  const auto cell = [&](std::size_t i) { return i < cells.size() ? cells[i] : std::string(); };
  ThreatRow row{line, section, cell(0), cell(1), code_spans(cell(2)), tests_of(cell(3))};
  std::erase(row.name, '`');
  return row;
}

// What stands between the name of a test and the end of its function; nothing when there is no such test.
std::optional<std::string> body_of_test(const std::string& text, const NamedTest& test) {
  for (std::size_t at = text.find("\nTEST"); at != text.npos; at = text.find("\nTEST", at + 1)) {
    const std::size_t open = text.find('(', at);
    const std::size_t close = open == text.npos ? text.npos : text.find(')', open);
    if (close == text.npos) return std::nullopt;
    std::string named = text.substr(open + 1, close - open - 1);
    std::erase_if(named, [](char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; });
    if (named != test.suite + "," + test.name) continue;
    return text.substr(close, text.find("\n}\n", close) - close);
  }
  return std::nullopt;
}

class ThreatModelCheck {
 public:
  ThreatModelCheck(std::string_view page, const std::vector<SourceFile>& files)
      : page_(page), rows_(threat_rows(page)) {
    for (const SourceFile& file : files) texts_[file.path] = &file.text;
    tools_ = served_tools(files);
  }

  Findings run() {
    if (tools_.empty()) findings_.push_back("no tool was found in " + std::string(kCatalog));
    for (const Section& section : sections()) {
      const bool tools = section.heading == kToolsSection;
      std::vector<std::string> names(section.names.begin(), section.names.end());
      check_names(section.heading, tools ? tools_ : names);
    }
    for (const ThreatRow& row : rows_) check_row(row);
    for (int i = 1; i <= kAttacks; ++i) {
      const std::string attack = "A" + std::to_string(i);
      if (!speaks_of(attack)) findings_.push_back("nothing is said of the attack " + attack);
    }
    return std::move(findings_);
  }

 private:
  // As a word: A1 is not A12.
  [[nodiscard]] bool speaks_of(const std::string& attack) const {
    for (std::size_t at = page_.find(attack); at != page_.npos; at = page_.find(attack, at + 1)) {
      const std::size_t end = at + attack.size();
      if (end == page_.size() || std::isdigit(static_cast<unsigned char>(page_[end])) == 0) return true;
    }
    return false;
  }

  void check_names(std::string_view heading, const std::vector<std::string>& wanted) {
    std::map<std::string, int> seen;
    for (const ThreatRow& row : rows_) {
      if (row.section == heading) ++seen[row.name];
    }
    for (const std::string& name : wanted) {
      const int times = seen[name];
      seen.erase(name);
      const std::string what = "\"" + name + "\" under \"" + std::string(heading) + "\"";
      if (times == 0) findings_.push_back("no row for " + what);
      if (times > 1) findings_.push_back("more than one row for " + what);
    }
    for (const auto& other : seen) {
      findings_.push_back("the row \"" + other.first + "\" under \"" + std::string(heading) + "\" speaks of nothing");
    }
  }

  void check_row(const ThreatRow& row) {
    const auto object = [&](const std::string& what) {
      findings_.push_back("docs/threat-model.md:" + std::to_string(row.line) + " (" + row.name + "): " + what);
    };
    if (row.threat.empty()) object("says no threat");
    if (row.controls.empty()) object("names no file that holds it");
    if (row.tests.empty()) object("names no test that shows it");
    for (const std::string& control : row.controls) {
      if (!texts_.contains(control)) object("there is no file " + control);
      if (control.rfind("tests/", 0) == 0) object(control + " is no part of the product");
    }
    for (const NamedTest& test : row.tests) {
      if (const std::string fault = fault_of(test); !fault.empty()) object(fault);
    }
  }

  // Why a test shows nothing; empty: it shows something.
  [[nodiscard]] std::string fault_of(const NamedTest& test) const {
    const auto file = texts_.find(test.file);
    if (file == texts_.end()) return "there is no file " + (test.file.empty() ? "before " + test.suite : test.file);
    if (test.file.rfind("tests/", 0) != 0) return test.file + " holds no tests";
    if (test.suite.empty()) {
      if (test.file.rfind("tests/compile_fail/", 0) == 0) return "";
      return test.file + " is named without a test of it";
    }
    const std::string name = test.suite + "." + test.name;
    const auto body = body_of_test(*file->second, test);
    if (!body) return "there is no test " + name + " in " + test.file;
    if (body->find("POSTERN_SHARED") != body->npos || body->find("GTEST_SKIP") != body->npos) {
      return name + " is skipped where its data is missing, so it cannot stand here";
    }
    return "";
  }

  std::string_view page_;
  std::vector<ThreatRow> rows_;
  std::map<std::string, const std::string*> texts_;
  std::vector<std::string> tools_;
  Findings findings_;
};

}  // namespace

std::vector<ThreatRow> threat_rows(std::string_view page) {
  std::vector<ThreatRow> rows;
  std::string section;
  int number = 0;
  bool in_rows = false;  // below the line under a table's head
  const SourceFile text{"docs/threat-model.md", std::string(page)};
  for (const std::string_view line : text.lines()) {
    ++number;
    if (line.substr(0, 3) == "## ") section = trimmed(line.substr(3));
    if (line.empty() || line.front() != '|') {
      in_rows = false;
    } else if (line.substr(0, 4) == "|---") {
      in_rows = true;
    } else if (in_rows) {
      rows.push_back(row_of(number, section, cells_of(line)));
    }
  }
  return rows;
}

std::vector<std::string> served_tools(const std::vector<SourceFile>& files) {
  std::vector<std::string> names;
  for (const SourceFile& file : files) {
    if (file.path != kCatalog) continue;
    for (const std::string_view line : file.lines()) {
      const std::size_t open = line.find(" = \"");
      if (line.substr(0, 34) != "inline constexpr std::string_view " || open == line.npos) continue;
      names.emplace_back(line.substr(open + 4, line.find('"', open + 4) - open - 4));
    }
  }
  return names;
}

Findings check_threat_model(std::string_view page, const std::vector<SourceFile>& files) {
  return ThreatModelCheck(page, files).run();
}

}  // namespace postern::architecture
