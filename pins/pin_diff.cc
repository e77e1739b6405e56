#include "pins/pin_diff.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "wire/base/canonical_json.h"
#include "wire/base/check.h"
#include "wire/base/visible_text.h"

namespace postern::pins {
namespace {

constexpr std::size_t kNameWidth = 14;

enum class Severity { kNone, kLow, kMedium, kHigh };

// What a model reads is the worst place for a change; what only people see is the least.
Severity severity_of(std::string_view field) {
  if (field == "description" || field == "inputSchema" || field == "name") return Severity::kHigh;
  if (field == "outputSchema" || field == "annotations") return Severity::kMedium;
  return Severity::kLow;
}

std::string_view describe(Severity severity) {
  switch (severity) {
    case Severity::kHigh:
      return "high (text the model reads)";
    case Severity::kMedium:
      return "medium (what the host relies on)";
    case Severity::kLow:
      return "low (what people are shown)";
    case Severity::kNone:
      break;
  }
  return "none";
}

// Strings as they are, everything else as indented JSON: both come out line by line.
std::string plain(const Json& value) {
  const std::string* text = value.string();
  return text != nullptr ? *text : value.pretty();
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::size_t start = 0;
  while (start <= text.size()) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.push_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

std::string padded(std::string_view field) {
  std::string name = visible_line(field, 40);
  name.resize(std::max(name.size() + 1, kNameWidth), ' ');
  return "  " + name;
}

// Lines that only one of the two has. Order is kept; a moved line shows twice, which is what a reviewer should look at.
void append_lines(std::string& out, const std::vector<std::string>& from, const std::vector<std::string>& other,
                  char mark) {
  const std::set<std::string> known(other.begin(), other.end());
  for (const std::string& line : from) {
    if (known.contains(line)) continue;
    out += "    ";
    out += mark;
    out += ' ' + visible_text(line) + "\n";
  }
}

struct FieldVerdict {
  std::string line;
  bool differs = false;
};

FieldVerdict field_verdict(std::string_view field, const Json* reviewed, const Json* served) {
  FieldVerdict verdict;
  verdict.line = padded(field);
  if (reviewed != nullptr && served != nullptr && canonical_json(*reviewed) == canonical_json(*served)) {
    verdict.line += "same\n";
    return verdict;
  }
  verdict.differs = true;
  const std::string before = reviewed == nullptr ? std::string() : plain(*reviewed);
  const std::string after = served == nullptr ? std::string() : plain(*served);
  const auto count = [](const std::string& text) {
    return static_cast<std::int64_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
  };
  const std::int64_t grown = count(after) - count(before);
  verdict.line += reviewed == nullptr ? "ADDED    " : served == nullptr ? "REMOVED  " : "DIFFERS  ";
  verdict.line += (grown >= 0 ? "+" : "") + std::to_string(grown) + " characters, " +
                  std::to_string(make_visible(after).hidden) + " hidden\n";
  if (reviewed != nullptr) append_lines(verdict.line, lines_of(before), lines_of(after), '-');
  if (served != nullptr) append_lines(verdict.line, lines_of(after), lines_of(before), '+');
  return verdict;
}

}  // namespace

PinDiff diff_of(const ReviewedTool* reviewed, const mcp::Tool* served) {
  POSTERN_CHECK(reviewed != nullptr || served != nullptr);
  const std::string name = visible_line(reviewed != nullptr ? reviewed->pin.tool : served->name, 80);
  PinDiff diff;
  if (served == nullptr) {
    diff.differs = true;
    diff.text = name + "   reviewed, and no longer served\n";
    return diff;
  }
  std::vector<std::string> fields(std::begin(kPinnedMembers), std::end(kPinnedMembers));
  const auto add_others = [&](const Json& definition) {
    for (const auto& [field, value] : definition.members()) {
      if (std::find(fields.begin(), fields.end(), field) == fields.end()) fields.push_back(field);
    }
  };
  if (reviewed != nullptr) add_others(reviewed->definition);
  add_others(served->definition);

  std::string body;
  std::size_t shown = 0;
  std::size_t changed = 0;
  Severity worst = Severity::kNone;
  for (const std::string& field : fields) {
    const Json* before = reviewed == nullptr ? nullptr : reviewed->definition.find(field);
    const Json* after = served->definition.find(field);
    if (before == nullptr && after == nullptr) continue;
    ++shown;
    FieldVerdict verdict = field_verdict(field, before, after);
    if (verdict.differs) {
      ++changed;
      worst = std::max(worst, severity_of(field));
    }
    body += verdict.line;
  }
  diff.differs = changed > 0;
  diff.text = name + "   ";
  if (reviewed == nullptr) {
    diff.text += "never reviewed";
  } else {
    diff.text +=
        std::to_string(changed) + " of " + std::to_string(shown) + " fields differ" + (changed == 1 ? "s" : "");
  }
  if (diff.differs) diff.text += "                    severity: " + std::string(describe(worst));
  diff.text += "\n" + body;
  return diff;
}

}  // namespace postern::pins
