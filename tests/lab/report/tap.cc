// TAP version 14: a plan, a line a check, a YAML block of diagnostics below what did not pass.

#include <algorithm>
#include <cctype>

#include "tests/lab/report/report_files.h"
#include "tests/lab/report/shown_text.h"
#include "wire/base/json.h"

namespace postern::lab {
namespace {

// "\" and "#" of a text would be read as an escape and as the start of a directive.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : shown_line(text)) {
    if (c == '\\' || c == '#') out += '\\';
    out += c;
  }
  return out;
}

// What stands behind " # " must not read as a directive by chance.
std::string remark(std::string_view text) {
  std::string start(text.substr(0, 4));
  std::transform(start.begin(), start.end(), start.begin(), [](unsigned char c) { return std::tolower(c); });
  const bool directive = start == "skip" || start == "todo";
  return (directive ? " # seen: " : " # ") + escaped(text);
}

// A plain scalar where every reader of YAML takes it for the same string, else a quoted one: a JSON string is one.
std::string scalar(std::string_view text) {
  const std::string shown = shown_text(text);
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || c == ' ' || c == '_' || c == '-' || c == '/' || c == '.' || c == ',' || c == '(' ||
           c == ')';
  };
  const bool words = shown.find(' ') != shown.npos || shown.find('-') != shown.npos;  // no "true", "null" or number
  if (!shown.empty() && std::isalpha(static_cast<unsigned char>(shown[0])) != 0 && shown.back() != ' ' && words &&
      std::all_of(shown.begin(), shown.end(), plain)) {
    return shown;
  }
  std::string out;
  Json::append_quoted(out, shown);
  return out;
}

void append_diagnostics(std::string& out, const Check& check) {
  out += "  ---\n";
  out += "  severity: " + std::string(text_of(check.verdict)) + "\n";
  const auto line = [&out](std::string_view name, const std::string& value) {
    if (!value.empty()) out += "  " + std::string(name) + ": " + scalar(value) + "\n";
  };
  line("expected", check.expected);
  line("got", check.got);
  line("run", check.run);
  line("next", check.next);
  line("shown_by", check.shown_by);
  out += "  duration_ms: " + std::to_string(check.took.count()) + "\n";
  out += "  ...\n";
}

}  // namespace

std::string as_tap(const Suite& suite) {
  std::string out = "TAP version 14\n1.." + std::to_string(suite.checks.size()) + "\n";
  std::size_t number = 0;
  for (const Check& check : suite.checks) {
    const bool bad = check.verdict == Verdict::kFail || check.verdict == Verdict::kError;
    out += bad ? "not ok " : "ok ";
    out += std::to_string(++number) + " - " + escaped(check.id) + " " + escaped(check.name);
    if (check.verdict == Verdict::kPass && !check.got.empty()) out += remark(check.got);
    if (check.verdict == Verdict::kSkip) out += " # SKIP " + escaped(check.got);
    if (check.verdict == Verdict::kNotObservable) out += " # SKIP not observable: " + escaped(check.got);
    out += '\n';
    if (bad) append_diagnostics(out, check);
  }
  if (!suite.summary.empty()) out += "# " + escaped(suite.summary) + "\n";
  return out;
}

}  // namespace postern::lab
