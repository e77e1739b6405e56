// Text of a check on its way into a report: made visible, bounded, and free of what XML 1.0 has no place for.
#pragma once

#include <string>
#include <string_view>

namespace postern::lab {

inline constexpr std::size_t kShownBytesMax = 16384;  // of one field, before it is made visible

// Line feeds and tabs stay.
[[nodiscard]] std::string shown_text(std::string_view text);
// One line, of at most so many characters of the source.
[[nodiscard]] std::string shown_line(std::string_view text, std::size_t width_max = kShownBytesMax + 64);

}  // namespace postern::lab
