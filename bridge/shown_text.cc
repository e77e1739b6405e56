#include "bridge/shown_text.h"

#include <algorithm>

#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";

bool same_letter(char a, char b) {
  return (a >= 'A' && a <= 'Z' ? static_cast<char>(a + 32) : a) == b;
}

// Terminals make a link of what looks like one.
std::string inert(std::string_view text) {
  constexpr std::string_view kWww = "www.";
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const std::string_view rest = text.substr(at);
    if (rest.substr(0, 3) == "://") {
      out += "[:]//";
      at += 3;
    } else if (rest.size() >= kWww.size() &&
               std::equal(kWww.begin(), kWww.end(), rest.begin(), [](char w, char c) { return same_letter(c, w); })) {
      out.append(rest.substr(0, 3));
      out += "[.]";
      at += kWww.size();
    } else {
      out += text[at++];
    }
  }
  return out;
}

}  // namespace

std::string shown_line(std::string_view text, std::size_t characters_max) {
  return inert(visible_line(text, characters_max));
}

std::string shown_lines(std::string_view text, std::size_t bytes_max, std::size_t lines_max) {
  std::string_view cut = text.substr(0, bytes_max);
  while (cut.size() < text.size() && !cut.empty() && (static_cast<unsigned char>(text[cut.size()]) & 0xC0) == 0x80)
    cut.remove_suffix(1);
  bool whole = cut.size() == text.size();
  std::string lines;
  std::size_t count = 0;
  for (std::size_t begin = 0; begin < cut.size();) {
    const std::size_t end = std::min(cut.find('\n', begin), cut.size());
    std::string_view line = cut.substr(begin, end - begin);
    begin = end + 1;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (is_blank(line)) continue;
    if (count == lines_max) {
      whole = false;
      break;
    }
    if (count++ > 0) lines += '\n';
    lines += shown_line(line, bytes_max);
  }
  if (!whole) lines += kEllipsis;
  return lines;
}

}  // namespace postern::bridge
