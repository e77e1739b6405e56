#include "tests/support/case_file.h"

#include <algorithm>
#include <array>
#include <optional>

#include "wire/base/check.h"

namespace postern::test {
namespace {

constexpr std::size_t kBytesMax = 256 * 1024;  // a case is read by people
constexpr std::size_t kStepsMax = 32;
constexpr std::string_view kKeys[] = {"name", "attack", "fault", "public", "as",      "given",
                                      "when", "expect", "layer", "desk",   "allowed", "comment"};
constexpr std::string_view kLayers[] = {"bytes", "envelope", "http", "schema", "model", "own"};
constexpr std::string_view kKinds[] = {"attack", "fault", "public"};

template <std::size_t N>
bool among(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

bool is_lower(char c) {
  return c >= 'a' && c <= 'z';
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return is_lower(c) || (c >= 'A' && c <= 'Z');
}
// "forged-label", "a01-own-token".
bool is_slug(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(),
                                      [](char c) { return is_letter(c) || is_digit(c) || c == '-' || c == '_'; });
}
// "token.wrong_audience": words of lower case and digits, with points between them.
bool is_failure_id(std::string_view text) {
  if (text.find('.') == std::string_view::npos || text.front() == '.' || text.back() == '.') return false;
  return text.find("..") == std::string_view::npos && std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower(c) || is_digit(c) || c == '.' || c == '_';
         });
}
bool is_attack(std::string_view text) {
  if (text.size() < 2 || text.size() > 3 || text[0] != 'A' || text[1] == '0') return false;
  int number = 0;
  for (const char c : text.substr(1)) {
    if (!is_digit(c)) return false;
    number = number * 10 + (c - '0');
  }
  return number <= 12;
}
bool is_public(std::string_view text) {
  return text.size() == 5 && text.substr(0, 2) == "B-" && std::all_of(text.begin() + 2, text.end(), is_digit);
}

// What is wrong with the value of a key; empty: nothing.
std::string wrong_value(std::string_view key, std::string_view value) {
  if (key == "attack" && !is_attack(value)) return "there is no attack of that name, only A1 to A12";
  if (key == "public" && !is_public(value)) return "a public case is named as B-079 is";
  if (key == "fault" && !is_slug(value)) return "a fault's name has letters, digits and hyphens only";
  if (key == "layer" && !among(kLayers, value)) return "a layer is bytes, envelope, http, schema, model or own";
  if (key == "desk" && value != "product") return "\"desk\" is product, or is not there";
  if (key == "allowed" && !is_slug(value)) return "\"allowed\" is the name of one file, without its ending";
  if (key == "expect" && value != "success" && !is_failure_id(value)) {
    return "\"expect\" is the id of one failure, or success";
  }
  return {};
}

// Takes a text apart by its lines; counts them.
class Lines {
 public:
  explicit Lines(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool at_end() const { return rest_.empty(); }
  [[nodiscard]] int number() const { return number_; }  // of the line that was taken last
  [[nodiscard]] std::string_view rest() const { return rest_; }
  std::string_view take() {
    const std::size_t end = rest_.find('\n');
    const std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    ++number_;
    return line;
  }

 private:
  std::string_view rest_;
  int number_ = 0;
};

// The name in "-- request --", or nothing.
std::optional<std::string_view> section_of(std::string_view line) {
  if (line.size() < 7 || line.substr(0, 3) != "-- " || line.substr(line.size() - 3) != " --") return std::nullopt;
  const std::string_view name = line.substr(3, line.size() - 6);
  return is_slug(name) ? std::optional(name) : std::nullopt;
}

// Behind the quote that begins at `at`; nothing when it does not end. \" and \\ are the only escapes.
std::optional<std::size_t> end_of_quote(std::string_view text, std::size_t at, std::string& value) {
  for (++at; at < text.size(); ++at) {
    if (text[at] == '"') return at + 1;
    if (text[at] == '\\') {
      ++at;
      if (at == text.size() || (text[at] != '"' && text[at] != '\\')) return std::nullopt;
    }
    value += text[at];
  }
  return std::nullopt;
}

// One word of a step: "audience=other", "\"two words\"".
struct StepWord {
  std::string name;  // before the "="; empty: there is none
  std::string value;
  bool quoted = false;
};

Result<StepWord> take_word(std::string_view text, std::size_t& at) {
  const auto bad = [&](std::string_view reason) -> Failure {
    return BadCaseFile{"\"" + std::string(text) + "\"", 0, std::string(reason)};
  };
  StepWord word;
  bool named = false;
  while (at < text.size() && text[at] != ' ') {
    if (text[at] == '"') {
      const auto end = end_of_quote(text, at, word.value);
      if (!end) return bad("a quote does not end, or escapes what needs none");
      at = *end;
      word.quoted = true;
      if (at < text.size() && text[at] != ' ') return bad("something stands right behind a quote");
    } else if (text[at] == '=' && !named && !word.quoted) {
      named = true;
      word.name = std::move(word.value);
      word.value.clear();
      ++at;
    } else {
      word.value += text[at++];
    }
  }
  if (!named) return word;
  const bool well_named =
      !word.name.empty() && is_letter(word.name.front()) && std::all_of(word.name.begin(), word.name.end(), [](char c) {
        return is_letter(c) || is_digit(c) || c == '-' || c == '_' || c == '.';
      });
  if (!well_named) return bad("what stands before \"=\" is no name");
  if (word.value.empty() && !word.quoted) return bad("\"" + word.name + "\" has no value");
  return word;
}

}  // namespace

Result<CaseStep> parse_step(std::string_view text) {
  CaseStep step;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == ' ') {
      ++at;
      continue;
    }
    POSTERN_TRY(StepWord word, take_word(text, at));
    const auto bad = [&](std::string_view reason) -> Failure {
      return BadCaseFile{"\"" + std::string(text) + "\"", 0, std::string(reason)};
    };
    if (step.verb.empty()) {
      if (!word.name.empty() || word.quoted || word.value.empty()) return bad("a step begins with its verb");
      step.verb = std::move(word.value);
    } else if (word.name.empty()) {
      step.words.push_back(std::move(word.value));
    } else if (!step.parameters.emplace(word.name, std::move(word.value)).second) {
      return bad("\"" + word.name + "\" stands twice");
    }
  }
  if (step.verb.empty()) return BadCaseFile{"a step", 0, "it has no verb"};
  return step;
}

namespace {

struct Header {
  std::map<std::string, std::string, std::less<>> values;
  std::vector<std::string> given;
};

// What is wrong with one line of the header; empty: nothing, and it is in `header`.
std::string read_header_line(std::string_view line, Header& header) {
  if (std::any_of(line.begin(), line.end(), [](char c) { return c < ' ' || c > '~'; })) {
    return "a character that is not printable ASCII stands before the sections";
  }
  const std::size_t colon = line.find(": ");
  const std::string_view key = line.substr(0, std::min(colon, line.find(':')));
  if (!among(kKeys, key)) return "there is no key \"" + std::string(key) + "\"";
  if (colon == std::string_view::npos) return "\"" + std::string(key) + "\" has no value";
  const std::string_view value = line.substr(colon + 2);
  if (value.empty() || value.front() == ' ' || value.back() == ' ') {
    return value.find_first_not_of(' ') == std::string_view::npos
               ? "\"" + std::string(key) + "\" has no value"
               : "blanks stand around the value of \"" + std::string(key) + "\"";
  }
  if (std::string wrong = wrong_value(key, value); !wrong.empty()) return wrong;
  if (key == "given" || key == "when") {
    if (const auto step = parse_step(value); !step) return step.error().as<BadCaseFile>()->reason;
  }
  if (key == "given") {
    header.given.emplace_back(value);
    return header.given.size() > kStepsMax ? "more steps than anybody reads" : "";
  }
  if (!header.values.emplace(key, value).second) return "\"" + std::string(key) + "\" stands twice";
  return {};
}

std::string what_is_missing(const Header& header) {
  for (const std::string_view key : {"name", "when", "expect"}) {
    if (header.values.find(key) == header.values.end()) return "it has no \"" + std::string(key) + "\"";
  }
  const auto kinds = std::count_if(std::begin(kKinds), std::end(kKinds), [&](std::string_view kind) {
    return header.values.find(kind) != header.values.end();
  });
  if (kinds != 1) return "it must have exactly one of \"attack\", \"fault\" and \"public\"";
  const bool success = header.values.find("expect")->second == "success";
  const bool has_neighbour = header.values.find("allowed") != header.values.end();
  if (!success && !has_neighbour) return "a refusal names in \"allowed\" the nearest case that is let through";
  if (success && has_neighbour) return "a case that is let through has no \"allowed\"";
  return {};
}

}  // namespace

Result<CaseFile> CaseFile::parse(std::string_view file, std::string_view text) {
  const auto bad = [&](int line, std::string reason) -> Failure {
    return BadCaseFile{std::string(file), line, std::move(reason)};
  };
  if (text.size() > kBytesMax) return bad(0, "it is longer than 256 KiB");
  if (!text.empty() && text.back() != '\n') return bad(0, "its last line does not end");
  Header header;
  Lines lines(text);
  while (!lines.at_end()) {
    const std::string_view line = lines.take();
    if (line.empty()) break;
    if (std::string wrong = read_header_line(line, header); !wrong.empty())
      return bad(lines.number(), std::move(wrong));
  }
  if (std::string missing = what_is_missing(header); !missing.empty()) return bad(0, std::move(missing));
  CaseFile made;
  made.file_ = file;
  made.values_ = std::move(header.values);
  made.given_ = std::move(header.given);
  std::string* body = nullptr;
  while (!lines.at_end()) {
    const std::string_view line = lines.take();
    if (const auto name = section_of(line)) {
      const auto [place, is_new] = made.sections_.emplace(*name, "");
      if (!is_new) return bad(lines.number(), "section \"" + std::string(*name) + "\" stands twice");
      body = &place->second;
    } else if (body == nullptr) {
      return bad(lines.number(), "something stands before the first section");
    } else {
      body->append(line).push_back('\n');
    }
  }
  for (auto& [name, bytes] : made.sections_) {
    if (bytes.empty()) return bad(0, "section \"" + name + "\" is empty");
    bytes.pop_back();  // the end of its last line
  }
  return made;
}

const std::string& CaseFile::value(std::string_view key) const {
  static const std::string kNone;
  POSTERN_CHECK(among(kKeys, key) && key != "given");
  const auto found = values_.find(key);
  return found == values_.end() ? kNone : found->second;
}

const std::string* CaseFile::section(std::string_view name) const {
  const auto found = sections_.find(name);
  if (found == sections_.end()) return nullptr;
  used_.emplace(name);
  return &found->second;
}

Status CaseFile::all_used() const {
  for (const auto& [name, bytes] : sections_) {
    if (used_.count(name) == 0) return BadCaseFile{file_, 0, "nobody asked for section \"" + name + "\""};
  }
  return {};
}

}  // namespace postern::test
