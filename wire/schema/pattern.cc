#include "wire/schema/pattern.h"

#include <re2/re2.h>

#include <array>
#include <cctype>
#include <cstdio>

#include "wire/base/visible_text.h"
#include "wire/schema/schema.h"

namespace postern::schema {
namespace {

// Long names of Unicode general categories that ECMA-262 allows and RE2 wants short.
struct Category {
  std::string_view name;
  std::string_view letters;
};
constexpr std::array<Category, 12> kCategories{{{"Letter", "L"},
                                                {"Lowercase_Letter", "Ll"},
                                                {"Uppercase_Letter", "Lu"},
                                                {"Titlecase_Letter", "Lt"},
                                                {"Mark", "M"},
                                                {"Number", "N"},
                                                {"Decimal_Number", "Nd"},
                                                {"digit", "Nd"},
                                                {"Punctuation", "P"},
                                                {"Symbol", "S"},
                                                {"Separator", "Z"},
                                                {"Other", "C"}}};

// White space of ECMA-262: RE2's \s is ASCII only.
constexpr std::string_view kSpaces =
    R"(\t\n\v\f\r \x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF})";

class Translator {
 public:
  explicit Translator(std::string_view ecma) : in_(ecma) {}

  std::string translate() {
    while (at_ < in_.size()) {
      const char c = in_[at_];
      if (c == '\\' && at_ + 1 < in_.size()) {
        escape();
        continue;
      }
      if (c == '[' && !in_class_)
        in_class_ = true;
      else if (c == ']')
        in_class_ = false;
      out_ += c;
      ++at_;
    }
    return std::move(out_);
  }

 private:
  void escape() {
    const char kind = in_[at_ + 1];
    switch (kind) {
      case 'u':
        return unicode();
      case 'c':
        return control();
      case 's':
        return space(false);
      case 'S':
        return space(true);
      case 'p':
      case 'P':
        return property();
      default:
        break;
    }
    out_ += '\\';
    out_ += kind;
    at_ += 2;
  }
  // \uXXXX, \u{X...}, and a surrogate pair in two escapes.
  void unicode() {
    if (at_ + 2 < in_.size() && in_[at_ + 2] == '{') {
      const std::size_t end = brace_after();
      if (end == in_.npos) return keep(2);
      out_ += "\\x" + std::string(in_.substr(at_ + 2, end - at_ - 1));
      at_ = end + 1;
      return;
    }
    unsigned value = 0;
    if (!hex4(at_ + 2, value)) return keep(2);
    at_ += 6;
    unsigned low = 0;
    if (value >= 0xD800 && value < 0xDC00 && in_.substr(at_, 2) == "\\u" && hex4(at_ + 2, low) && low >= 0xDC00 &&
        low < 0xE000) {
      value = 0x10000 + ((value - 0xD800) << 10) + (low - 0xDC00);
      at_ += 6;
    }
    code_point(value);
  }
  void control() {
    if (at_ + 2 >= in_.size() || std::isalpha(static_cast<unsigned char>(in_[at_ + 2])) == 0) return keep(2);
    code_point(static_cast<unsigned>(in_[at_ + 2]) % 32);
    at_ += 3;
  }
  void space(bool negated) {
    at_ += 2;
    if (in_class_) {
      // Inside a class a negation cannot be spelled; RE2's own ASCII form stands in.
      out_ += negated ? std::string("\\S") : std::string(kSpaces);
      return;
    }
    out_ += (negated ? "[^" : "[") + std::string(kSpaces) + "]";
  }
  void property() {
    const std::size_t end = brace_after();
    if (at_ + 2 >= in_.size() || in_[at_ + 2] != '{' || end == in_.npos) return keep(2);
    std::string_view name = in_.substr(at_ + 3, end - at_ - 3);
    for (const std::string_view prefix : {"General_Category=", "gc=", "Script=", "sc="}) {
      if (name.substr(0, prefix.size()) == prefix) name = name.substr(prefix.size());
    }
    for (const Category& category : kCategories) {
      if (category.name == name) name = category.letters;
    }
    out_ += std::string("\\") + in_[at_ + 1] + "{" + std::string(name) + "}";
    at_ = end + 1;
  }
  // The closing brace of the escape here. None is that long, so a text full of opening ones is not searched again and
  // again.
  std::size_t brace_after() const {
    constexpr std::size_t kEscapeMax = 64;
    const std::size_t brace = in_.substr(at_, kEscapeMax).find('}');
    return brace == in_.npos ? brace : at_ + brace;
  }
  bool hex4(std::size_t from, unsigned& value) const {
    if (from + 4 > in_.size()) return false;
    value = 0;
    for (const char c : in_.substr(from, 4)) {
      const auto u = static_cast<unsigned char>(c);
      if (std::isxdigit(u) == 0) return false;
      value = value * 16 + static_cast<unsigned>(std::isdigit(u) != 0 ? c - '0' : std::tolower(u) - 'a' + 10);
    }
    return true;
  }
  void code_point(unsigned value) {
    char text[16];
    std::snprintf(text, sizeof text, "\\x{%X}", value);
    out_ += text;
  }
  void keep(std::size_t count) {
    out_ += in_.substr(at_, count);
    at_ += count;
  }

  std::string_view in_;
  std::size_t at_ = 0;
  bool in_class_ = false;
  std::string out_;
};

}  // namespace

Result<Pattern> Pattern::compile(std::string_view ecma, const std::string& schema_path) {
  RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(1 << 20);
  auto program = std::make_shared<const RE2>(Translator(ecma).translate(), options);
  if (!program->ok()) return SchemaUnsupportedPattern{schema_path, visible_line(program->error(), 120)};
  const auto instructions = static_cast<std::size_t>(program->ProgramSize());
  return Pattern(std::string(ecma), std::move(program), instructions);
}

bool Pattern::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *program_);
}

}  // namespace postern::schema
