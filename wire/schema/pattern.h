// The "pattern" keyword: ECMA-262 regular expressions, run by RE2 in linear time.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/result.h"

namespace re2 {
class RE2;
}

namespace postern::schema {

// Immutable, thread-safe.
class Pattern {
 public:
  // `schema.unsupported_pattern` for what RE2 cannot express (lookaround, back references) and for what is no pattern
  // at all.
  [[nodiscard]] static Result<Pattern> compile(std::string_view ecma, const std::string& schema_path);
  // Found anywhere in the text: patterns are not anchored.
  [[nodiscard]] bool matches(std::string_view text) const;
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  Pattern(std::string source, std::shared_ptr<const re2::RE2> program)
      : source_(std::move(source)), program_(std::move(program)) {}
  std::string source_;
  std::shared_ptr<const re2::RE2> program_;
};

}  // namespace postern::schema
