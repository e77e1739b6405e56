// Text in HTML.
#pragma once

#include <string>
#include <string_view>

namespace postern {

// Appends the text for HTML content and for attribute values in double quotes. What a stranger wrote has passed
// visible_text() or visible_line() before.
void append_html_text(std::string& out, std::string_view text);

}  // namespace postern
