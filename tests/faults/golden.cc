#include "tests/faults/golden.h"

#include <algorithm>
#include <vector>

#include "tests/faults/run_text.h"
#include "tests/support/case_file.h"
#include "wire/base/embedded.h"
#include "wire/base/file.h"

POSTERN_EMBEDDED(fixtures_faults_goldens)

namespace postern::faults {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between, std::string_view otherwise) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text.empty() ? std::string(otherwise) : text;
}

std::string section(std::string_view name, std::string_view body) {
  // A case has no empty section.
  std::string text = "-- " + std::string(name) + " --\n" + (body.empty() ? "(nothing)" : std::string(body));
  if (text.back() != '\n') text += '\n';
  return text;
}

// What came of a call, as the model has it: refusals whole, data by its size unless the fault is in it.
std::string told_text(const Fault* fault, const FaultFacts& facts) {
  std::string text = "offered: " + joined(facts.offered, ", ", "nothing, the model was not asked") + "\n";
  for (const Told& told : facts.told) {
    const bool whole = told.is_error || (fault != nullptr && fault->shown_tool == told.tool);
    text += told.tool + (told.is_error ? " (error): " : ": ");
    text += whole ? told.text : "labeled data, " + std::to_string(told.text.size()) + " bytes";
    text += '\n';
  }
  return text;
}

// The first line of a section of a golden text, for a table.
std::string first_line(std::string_view golden, std::string_view section_name) {
  const Result<test::CaseFile> read = test::CaseFile::parse("golden", golden);
  const std::string* body = read ? read->section(section_name) : nullptr;
  return body == nullptr ? "?" : body->substr(0, body->find('\n'));
}

// The run without a control, beside the one with all of them: nobody who looks at a run alone sees that one is missing.
std::string beside_no_fault(FaultFacts facts) {
  facts.attack.clear();
  facts.removed.clear();
  const std::string changed = difference(golden_of(kNoFault).value_or(""), golden_text(nullptr, facts));
  return changed.empty() ? "As without a fault, line for line." : changed;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return lines;
}

}  // namespace

std::optional<std::string_view> golden_of(std::string_view fault) {
  const std::string name = std::string(fault) + ".case";
  for (const EmbeddedFile& file : embedded::fixtures_faults_goldens()) {
    if (file.name == name) return file.content;
  }
  return std::nullopt;
}

std::string golden_text(const Fault* fault, const FaultFacts& facts) {
  std::string text;
  const auto line = [&text](std::string_view key, std::string_view value) {
    text += std::string(key) + ": " + std::string(value) + "\n";
  };
  line("name", fault == nullptr ? "The run without a fault, which is let through." : fault->about);
  line("fault", fault == nullptr ? kNoFault : fault->name);
  line("as", "rowan");
  for (const std::string& control : facts.removed) line("given", "without " + control);
  if (fault != nullptr && facts.removed.empty()) line("given", "decorator " + std::string(fault->decorator));
  if (fault != nullptr && fault->lines != nullptr) line("given", "server bench transport=stdio");
  const bool goes_on = fault != nullptr && fault->name == "rug-pull";
  line("when", goes_on ? "resume a run of " + std::string(fault->ticket) + " that waited"
                       : "run " + std::string(fault == nullptr ? "T-1042" : fault->ticket));
  line("expect", facts.failure);
  if (facts.attack.empty()) line("layer", facts.first_seen);
  if (facts.failure != "success") line("allowed", kNoFault);
  text += '\n';
  if (!facts.attack.empty()) return text + section("attack", facts.attack) + section("run", beside_no_fault(facts));
  text += section("stdout", facts.out);
  text += section("stderr", facts.err);
  text += section("model", told_text(fault, facts));
  text += section("exit", std::to_string(facts.exit));
  return text + section("money", joined(facts.refunds, "\n", "nothing"));
}

std::string difference(std::string_view before, std::string_view after) {
  const std::vector<std::string_view> a = lines_of(before);
  const std::vector<std::string_view> b = lines_of(after);
  // Lengths of the longest common parts, from the end.
  std::vector<std::vector<int>> common(a.size() + 1, std::vector<int>(b.size() + 1, 0));
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      common[i][j] = a[i] == b[j] ? common[i + 1][j + 1] + 1 : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::string text;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() || j < b.size()) {
    if (i < a.size() && j < b.size() && a[i] == b[j]) {
      ++i;
      ++j;
    } else if (i < a.size() && (j == b.size() || common[i + 1][j] >= common[i][j + 1])) {
      text += "- " + std::string(a[i++]) + "\n";
    } else {
      text += "+ " + std::string(b[j++]) + "\n";
    }
  }
  return text;
}

std::string page_row(const Fault& fault) {
  // The run without a control is the run without a fault.
  const std::string_view golden = golden_of(fault.attack.empty() ? fault.name : kNoFault).value_or("");
  const std::string file = fault.file();
  return "| `" + std::string(fault.name) + "` | " + std::string(fault.about) + " | " + std::string(fault.seam) +
         " | [`" + file.substr(file.rfind('/') + 1) + "`](../" + file + ") | " + fault.seen() + " | " +
         first_line(golden, "exit") + " | " + first_line(golden, "money") + " |";
}

Status update_golden(std::string_view fault, std::string_view text) {
  return replace_file(POSTERN_SOURCE_DIR "/fixtures/faults/" + std::string(fault) + ".case", text);
}

}  // namespace postern::faults
