// Text of strangers, made safe to show.
//
// Text from a model, a server, a customer, a carrier or a peer never reaches a terminal, a page or an error raw.
// Control characters (C0, C1, ESC), characters that have no width, and those that change direction become marks such as
// [U+202E]; so do tag characters and variation selectors beyond a plain emoji's. Isolating such text does not help: an
// override inside it still paints (docs/architecture.md).
//
// Blank lines of the source stay: a line feed is kept by visible_text() and is a mark in visible_line(). Thread-safe,
// without state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postern {

struct VisibleText {
  std::string text;
  std::size_t hidden = 0;  // how many characters had to be made visible
};

// For places of several lines: LF and TAB stay.
[[nodiscard]] VisibleText make_visible(std::string_view text);
[[nodiscard]] std::string visible_text(std::string_view text);
// For one line: LF, CR and TAB become marks too. At most `width_max` characters of the source, then "…".
[[nodiscard]] std::string visible_line(std::string_view text, std::size_t width_max = 400);

// True when nothing of it would be seen: blanks of any script and hidden characters only, or nothing at all.
[[nodiscard]] bool is_blank(std::string_view text);
// JSON text with the same characters written as \uXXXX, so that it is the same value and can be looked at. Line feeds
// and tabs between values stay.
[[nodiscard]] std::string json_with_hidden_escaped(std::string_view json_text);

}  // namespace postern
