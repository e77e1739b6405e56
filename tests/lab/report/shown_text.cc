#include "tests/lab/report/shown_text.h"

#include "wire/base/visible_text.h"

namespace postern::lab {
namespace {

// At most the bound, not in the middle of a character.
std::string bounded(std::string_view text) {
  if (text.size() <= kShownBytesMax) return std::string(text);
  std::size_t end = kShownBytesMax;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "… (" + std::to_string(text.size()) + " bytes in all)";
}

// U+FFFE and U+FFFF are characters that no XML document may hold (XML 1.0 section 2.2), and that nobody sees.
std::string without_noncharacters(std::string text) {
  for (const auto& [bytes, mark] : {std::pair<std::string_view, std::string_view>{"\xEF\xBF\xBE", "[U+FFFE]"},
                                    std::pair<std::string_view, std::string_view>{"\xEF\xBF\xBF", "[U+FFFF]"}}) {
    for (std::size_t at = 0; (at = text.find(bytes, at)) != std::string::npos; at += mark.size()) {
      text.replace(at, bytes.size(), mark);
    }
  }
  return text;
}

}  // namespace

std::string shown_text(std::string_view text) {
  return without_noncharacters(visible_text(bounded(text)));
}

std::string shown_line(std::string_view text, std::size_t width_max) {
  return without_noncharacters(visible_line(bounded(text), width_max));
}

}  // namespace postern::lab
