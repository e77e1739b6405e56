// Lines for people.

#include "tests/lab/report/report_files.h"
#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

constexpr std::size_t kVerdictWidth = 8;

std::string_view mark_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kPass:
      return "ok";
    case Verdict::kFail:
      return "FAIL";
    case Verdict::kError:
      return "ERROR";
    case Verdict::kSkip:
      return "skip";
    case Verdict::kNotObservable:
      return "unseen";
  }
  return "ERROR";
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.append(width - text.size(), ' ');
  return text;
}

}  // namespace

std::string as_lines(const Check& check, std::size_t id_width) {
  const bool bad = check.verdict == Verdict::kFail || check.verdict == Verdict::kError;
  std::string out = padded(std::string(mark_of(check.verdict)), kVerdictWidth) +
                    padded(visible_line(check.id, 80), id_width) + "  " + visible_line(check.name);
  if (!bad && !check.got.empty()) out += ": " + visible_line(check.got);
  out += '\n';
  if (!bad) return out;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    out += std::string(kVerdictWidth, ' ') + padded(std::string(name) + ":", 10) + visible_line(value) + "\n";
  };
  line("expected", check.expected);
  line("got", check.got);
  line("run", check.run);
  line("next", check.next);
  return out;
}

}  // namespace postern::lab
