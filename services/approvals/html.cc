#include "services/approvals/html.h"

#include "wire/base/visible_text.h"
#include "wire/http_message/html_text.h"

namespace postern::approvals {
namespace {

constexpr std::size_t kLineWidthMax = 1000;

// Combining marks are not hidden, but a pile of them paints over the lines around it: three in a row are enough for any
// script.
std::string without_pile_up(std::string_view text) {
  constexpr int kMarksMax = 3;
  std::string out;
  out.reserve(text.size());
  int marks = 0;
  for (std::size_t i = 0; i < text.size();) {
    const auto first = static_cast<unsigned char>(text[i]);
    const auto second = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0U;
    const std::size_t size = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    // U+0300 to U+036F: CC 80 to CD AF.
    const bool mark = first == 0xCC || (first == 0xCD && second < 0xB0);
    marks = mark ? marks + 1 : 0;
    if (marks <= kMarksMax) out.append(text, i, size);
    i += size;
  }
  return out;
}

}  // namespace

Html& Html::text(std::string_view text) {
  append_html_text(markup_, without_pile_up(visible_line(text, kLineWidthMax)));
  return *this;
}

Html& Html::lines(std::string_view text) {
  append_html_text(markup_, without_pile_up(visible_text(text)));
  return *this;
}

void Html::append_value(std::string_view value) {
  markup_ += "=\"";
  append_html_text(markup_, visible_line(value, kLineWidthMax));
  markup_ += '"';
}

std::string clock_text(WallTime time) {
  constexpr std::size_t kClockOffset = 11;  // of "2026-11-30T02:51:07.123Z"
  return rfc3339(time).substr(kClockOffset, 8) + " UTC";
}

Html& Html::time(WallTime time, bool with_day) {
  const std::string stamp = rfc3339(time);
  constexpr std::size_t kSecondsEnd = 19;
  raw("<time").attribute("datetime", stamp.substr(0, kSecondsEnd) + "Z").raw(">");
  if (with_day) text(stamp.substr(0, 10)).raw(" ");
  return text(clock_text(time)).raw("</time>");
}

Html& Html::money(const Money& money) {
  return raw("<span class=\"money\">").text(display(money)).raw("</span>");
}

}  // namespace postern::approvals
