#include "wire/base/visible_text.h"

#include <cstdint>
#include <cstdio>

namespace postern {
namespace {

struct Decoded {
  char32_t value = 0;
  std::size_t length = 1;
  bool valid = false;
};

Decoded decode_utf8(std::string_view text) {
  const auto at = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return {first, 1, true};
  std::size_t length = first >= 0xC2 && first < 0xE0   ? 2
                       : first >= 0xE0 && first < 0xF0 ? 3
                       : first >= 0xF0 && first < 0xF5 ? 4
                                                       : 0;
  if (length == 0 || text.size() < length) return {first, 1, false};
  char32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return {first, 1, false};
    value = (value << 6) | (at(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (value < kSmallest[length] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000)) return {first, 1, false};
  return {value, length, true};
}

struct Range {
  char32_t first;
  char32_t last;
};

// Unicode 15: Cc, Cf, Zl, Zp, Default_Ignorable_Code_Point, and the fillers that are drawn as nothing.
constexpr Range kHidden[] = {
    {0x00, 0x08},       {0x0B, 0x1F},       {0x7F, 0x9F},       {0xAD, 0xAD},       {0x34F, 0x34F},
    {0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x890, 0x891},
    {0x8E2, 0x8E2},     {0x115F, 0x1160},   {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},
    {0x2028, 0x202E},   {0x2060, 0x206F},   {0x2800, 0x2800},   {0x3164, 0x3164},   {0xFE00, 0xFE0E},
    {0xFEFF, 0xFEFF},   {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
    {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF},
};

bool is_hidden(char32_t c) {
  for (const Range& range : kHidden) {
    if (c >= range.first && c <= range.last) return true;
  }
  return false;
}

void append_mark(std::string& out, const char* format, std::uint32_t value) {
  char text[24];
  std::snprintf(text, sizeof text, format, value);
  out += text;
}

// `one_line` marks LF and TAB as well; stops after `width_max` characters of the source.
VisibleText convert(std::string_view text, bool one_line, std::size_t width_max) {
  VisibleText out;
  out.text.reserve(text.size());
  std::size_t width = 0;
  while (!text.empty()) {
    if (width++ >= width_max) {
      out.text += "…";
      break;
    }
    const Decoded decoded = decode_utf8(text);
    const bool line_character = decoded.value == '\n' || decoded.value == '\t';
    if (!decoded.valid) {
      append_mark(out.text, "[byte %02X]", static_cast<std::uint32_t>(decoded.value));
      ++out.hidden;
    } else if (is_hidden(decoded.value) || (line_character && one_line)) {
      append_mark(out.text, "[U+%04X]", static_cast<std::uint32_t>(decoded.value));
      ++out.hidden;
    } else {
      out.text.append(text, 0, decoded.length);
    }
    text.remove_prefix(decoded.length);
  }
  return out;
}

}  // namespace

VisibleText make_visible(std::string_view text) {
  return convert(text, false, text.size());
}

std::string visible_text(std::string_view text) {
  return make_visible(text).text;
}

std::string visible_line(std::string_view text, std::size_t width_max) {
  return convert(text, true, width_max).text;
}

bool is_blank(std::string_view text) {
  constexpr Range kBlanks[] = {{0x09, 0x0D},     {0x20, 0x20},     {0xA0, 0xA0},     {0x1680, 0x1680},
                               {0x2000, 0x200A}, {0x202F, 0x202F}, {0x205F, 0x205F}, {0x3000, 0x3000}};
  while (!text.empty()) {
    const Decoded decoded = decode_utf8(text);
    bool unseen = decoded.valid && is_hidden(decoded.value);
    for (const Range& range : kBlanks) unseen = unseen || (decoded.value >= range.first && decoded.value <= range.last);
    if (!unseen) return false;
    text.remove_prefix(decoded.length);
  }
  return true;
}

std::string json_with_hidden_escaped(std::string_view json_text) {
  std::string out;
  out.reserve(json_text.size());
  while (!json_text.empty()) {
    const Decoded decoded = decode_utf8(json_text);
    const bool space = decoded.value == '\r' || decoded.value == '\n' || decoded.value == '\t';
    if (!decoded.valid || space || !is_hidden(decoded.value)) {
      out.append(json_text, 0, decoded.length);
    } else if (decoded.value < 0x10000) {
      append_mark(out, "\\u%04x", static_cast<std::uint32_t>(decoded.value));
    } else {
      const auto above = static_cast<std::uint32_t>(decoded.value) - 0x10000;
      append_mark(out, "\\u%04x", 0xD800 + (above >> 10));
      append_mark(out, "\\u%04x", 0xDC00 + (above & 0x3FF));
    }
    json_text.remove_prefix(decoded.length);
  }
  return out;
}

}  // namespace postern
