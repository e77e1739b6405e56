#include "host/wrapped_text.h"

#include <algorithm>

namespace postern::host {
namespace {

constexpr std::size_t kNarrowest = 16;  // columns for the text itself, whatever the window is

std::size_t length_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text.front());
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  return std::min(length, text.size());
}

char32_t character_at(std::string_view text) {
  const std::size_t length = length_at(text);
  char32_t value = static_cast<unsigned char>(text.front());
  if (length == 1) return value;
  value &= 0x7FU >> length;
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return value;
}

// Unicode's East Asian Width, in its large blocks; a character that joins the one before counts as one column, which
// errs on the narrow side.
std::size_t width_of(char32_t c) {
  const bool wide = (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
                    (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
                    (c >= 0xFFE0 && c <= 0xFFE6) || (c >= 0x1F300 && c <= 0x1FAFF) || (c >= 0x20000 && c <= 0x3FFFD);
  return wide ? 2 : 1;
}

// How many bytes of `text` fit into `room` columns; at least one character.
std::size_t fitting(std::string_view text, std::size_t room) {
  std::size_t bytes = 0;
  std::size_t columns = 0;
  while (bytes < text.size()) {
    const std::string_view rest = text.substr(bytes);
    columns += width_of(character_at(rest));
    if (columns > room && bytes > 0) break;
    bytes += length_at(rest);
  }
  return bytes;
}

}  // namespace

std::size_t columns_of(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    columns += width_of(character_at(text));
    text.remove_prefix(length_at(text));
  }
  return columns;
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  const std::size_t room = std::max(kNarrowest, columns > indent ? columns - indent : 0);
  const std::string margin(indent, ' ');
  std::string out;
  bool begun = false;
  const auto add = [&](std::string_view line) {
    if (begun) out += '\n';
    begun = true;
    while (!line.empty() && line.back() == ' ') line.remove_suffix(1);
    if (line.empty()) return;
    out += margin;
    out += line;
  };
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string_view line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.empty()) add(line);
    while (!line.empty()) {
      std::size_t take = fitting(line, room);
      if (take < line.size()) {
        const std::size_t blank = line.rfind(' ', take);
        // A word that is longer than half a line is broken, so that it cannot push its beginning off alone.
        if (blank != std::string_view::npos && blank > take / 2) take = blank;
      }
      add(line.substr(0, take));
      line.remove_prefix(take);
      while (!line.empty() && line.front() == ' ') line.remove_prefix(1);
    }
  }
  return out;
}

}  // namespace postern::host
