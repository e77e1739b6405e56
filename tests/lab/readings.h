// Readings: every way in which a willing reader can read a text.
//
// What a text hides is undone, as a real model could: base64, hex, percent coding, rot13, two of them in each other,
// entities of HTML, escape sequences of terminals, letters written as tags or variation selectors, bits written as
// characters without width, text in the other direction. Marks such as [U+200B], by which a host shows what cannot be
// seen, are read back into what they stand for. Bounded; never fails. Without state.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace postern::lab {

// The text as it can be seen first, then what is in it; each once. Digits of other alphabets are ASCII digits in all.
[[nodiscard]] std::vector<std::string> readings_of(std::string_view text);

}  // namespace postern::lab
