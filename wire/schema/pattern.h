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
  // Steps of the work budget that a match against so many bytes may cost: each instruction at each byte in the worst
  // case. Small programs have few states, each of which RE2 works out once.
  [[nodiscard]] std::size_t steps_for(std::size_t bytes) const {
    constexpr std::size_t kSmall = 12;
    return 1 + (instructions_ <= kSmall ? bytes / 32 : bytes * instructions_ / 12);
  }
  [[nodiscard]] std::size_t instructions() const { return instructions_; }
  [[nodiscard]] const std::string& source() const { return source_; }

 private:
  Pattern(std::string source, std::shared_ptr<const re2::RE2> program, std::size_t instructions)
      : source_(std::move(source)), program_(std::move(program)), instructions_(instructions) {}
  std::string source_;
  std::shared_ptr<const re2::RE2> program_;
  std::size_t instructions_;
};

}  // namespace postern::schema
