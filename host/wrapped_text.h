// Text in lines of a terminal, all of them indented alike: what a stranger wrote never begins at the left edge, where
// the program's own lines begin, however narrow the window is. Without state.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace postern::host {

// Lines of at most `columns` columns, each behind `indent` blanks, joined by line feeds. Breaks at blanks, and within a
// word that is longer than a line. Line feeds of the text stay. REQUIRES visible text.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns);

// The columns that visible UTF-8 text takes up: two for East Asian wide characters and emoji.
[[nodiscard]] std::size_t columns_of(std::string_view text);

}  // namespace postern::host
