// What a server wrote for a person, as it is shown: visible, cut, and without anything that a terminal would take for a
// link. Only the checked URL of a question in URL mode is shown as one (MCP 2026-07-28 client/elicitation, "Safe URL
// Handling"). Without state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postern::bridge {

// "https://a.test" becomes "https[:]//a.test", and "www.a.test" becomes "www[.]a.test". At most `characters_max`
// characters of the source, on one line.
[[nodiscard]] std::string shown_line(std::string_view text, std::size_t characters_max);

// The same for a text of several lines: without its empty ones, at most so many bytes and lines.
[[nodiscard]] std::string shown_lines(std::string_view text, std::size_t bytes_max, std::size_t lines_max);

}  // namespace postern::bridge
