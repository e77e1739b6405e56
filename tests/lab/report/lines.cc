// Lines for people.

#include "tests/lab/report/report_files.h"
#include "tests/lab/report/shown_text.h"

namespace postern::lab {
namespace {

constexpr std::size_t kVerdictWidth = 8;
constexpr std::size_t kIdWidthMax = 80;
constexpr std::size_t kLineMax = 400;  // characters of a field: the files hold the whole

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
                    padded(shown_line(check.id, kIdWidthMax), id_width) + "  " + shown_line(check.name, kLineMax);
  if (!bad && !check.got.empty()) out += ": " + shown_line(check.got, kLineMax);
  out += '\n';
  if (!bad) return out;
  const auto line = [&](std::string_view name, const std::string& value) {
    if (value.empty()) return;
    out += std::string(kVerdictWidth, ' ') + padded(std::string(name) + ":", 10) + shown_line(value, kLineMax) + "\n";
  };
  line("expected", check.expected);
  line("got", check.got);
  line("run", check.run);
  line("next", check.next);
  return out;
}

}  // namespace postern::lab
