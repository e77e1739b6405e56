#include "tests/public/verbs.h"

#include <cstdlib>

namespace postern::test {

Status answered(int status, std::string words) {
  switch (status) {
    case 400:
      return Answered<400>{std::move(words)};
    case 403:
      return Answered<403>{std::move(words)};
    case 405:
      return Answered<405>{std::move(words)};
    case 413:
      return Answered<413>{std::move(words)};
    case 414:
      return Answered<414>{std::move(words)};
    case 415:
      return Answered<415>{std::move(words)};
    case 417:
      return Answered<417>{std::move(words)};
    case 431:
      return Answered<431>{std::move(words)};
    case 501:
      return Answered<501>{std::move(words)};
    case 505:
      return Answered<505>{std::move(words)};
    default:
      return Answered<0>{std::to_string(status) + " " + words};
  }
}

Result<std::string> section_of(const CaseFile& file, std::string_view name) {
  const std::string* text = file.section(name);
  if (text == nullptr) return BadCaseFile{file.file(), 0, "there is no section " + std::string(name)};
  std::string out;
  std::string_view rest = *text;
  while (true) {
    const std::size_t at = rest.find("${");
    const std::size_t end = rest.find('}', at);
    if (at == std::string_view::npos || end == std::string_view::npos) return out + std::string(rest);
    const std::string_view inside = rest.substr(at + 2, end - at - 2);
    const std::size_t star = inside.find('*');
    if (star == std::string_view::npos) return BadCaseFile{file.file(), 0, "a repetition without a star"};
    out += rest.substr(0, at);
    const long times = std::strtol(std::string(inside.substr(0, star)).c_str(), nullptr, 10);
    for (long i = 0; i < times; ++i) out += inside.substr(star + 1);
    rest.remove_prefix(end + 1);
  }
}

Result<Json> json_of(const CaseFile& file, std::string_view name) {
  POSTERN_TRY(const std::string text, section_of(file, name));
  return parse_json(text);
}

Status same_as_named(const CaseStep& step, std::string_view parameter, std::string_view got) {
  const auto named = step.parameters.find(parameter);
  if (named == step.parameters.end() || named->second == got) return {};
  return AnotherValue{named->second, std::string(got)};
}

Result<CaseStep> given_of(const CaseFile& file, std::string_view verb) {
  for (const std::string& text : file.given()) {
    POSTERN_TRY(CaseStep step, parse_step(text));
    if (step.verb == verb) return step;
  }
  return BadCaseFile{file.file(), 0, "nothing is given of '" + std::string(verb) + "'"};
}

bool has_given(const CaseFile& file, std::string_view verb) {
  return given_of(file, verb).has_value();
}

}  // namespace postern::test
