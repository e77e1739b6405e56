#include "tests/lab/readings.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>
#include <utility>

#include "tests/lab/text_search.h"
#include "wire/base/bytes.h"

namespace postern::lab {
namespace {

constexpr std::size_t kReadingsMax = 64;
constexpr int kDepthMax = 3;
constexpr std::size_t kTokenMin = 16;  // shorter ones decode to anything

using CodePoints = std::u32string;

std::optional<char32_t> hex_number(std::string_view digits) {
  std::uint32_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

// "[U+200B]" at the beginning of `text`: the character, and how long the mark is.
std::optional<std::pair<char32_t, std::size_t>> mark_at(std::string_view text) {
  if (!text.starts_with("[U+")) return std::nullopt;
  const std::size_t end = text.find(']');
  if (end == std::string_view::npos || end > 9) return std::nullopt;
  const auto value = hex_number(text.substr(3, end - 3));
  if (!value) return std::nullopt;
  return std::pair{*value, end + 1};
}

// One character of valid UTF-8; what is not valid is one byte.
std::pair<char32_t, std::size_t> character_at(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  const std::size_t length = first < 0xC0 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (length == 1 || length > text.size()) return {first, 1};
  char32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) value = (value << 6) | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {value, length};
}

CodePoints decoded(std::string_view text) {
  CodePoints out;
  while (!text.empty()) {
    const auto mark = mark_at(text);
    const auto [value, length] = mark ? *mark : character_at(text);
    out.push_back(value);
    text.remove_prefix(length);
  }
  return out;
}

void append_utf8(std::string& out, char32_t c) {
  const auto byte = [&out](char32_t value) { out.push_back(static_cast<char>(static_cast<unsigned char>(value))); };
  if (c < 0x80) {
    byte(c);
  } else if (c < 0x800) {
    byte(0xC0 | (c >> 6));
    byte(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    byte(0xE0 | (c >> 12));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  } else {
    byte(0xF0 | (c >> 18));
    byte(0x80 | ((c >> 12) & 0x3F));
    byte(0x80 | ((c >> 6) & 0x3F));
    byte(0x80 | (c & 0x3F));
  }
}

bool is_within(char32_t c, char32_t first, char32_t last) {
  return c >= first && c <= last;
}
bool is_selector(char32_t c) {
  return is_within(c, 0xFE00, 0xFE0F) || is_within(c, 0xE0100, 0xE01EF);
}
bool is_unseen(char32_t c) {
  return is_within(c, 0x200B, 0x200F) || is_within(c, 0x202A, 0x202E) || is_within(c, 0x2060, 0x206F) || c == 0xAD ||
         c == 0xFEFF || c >= 0xE0000 || is_selector(c);
}

// Digits and letters of full width, and digits of Arabic and Devanagari, are ASCII.
char32_t plain_character(char32_t c) {
  if (is_within(c, 0x660, 0x669)) return c - 0x660 + '0';
  if (is_within(c, 0x966, 0x96F)) return c - 0x966 + '0';
  if (is_within(c, 0xFF01, 0xFF5E)) return c - 0xFF01 + '!';
  return c;
}

// What stands between an override and its end is read from its end.
CodePoints in_reading_direction(const CodePoints& text) {
  CodePoints out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != 0x202E) {
      out.push_back(text[i]);
      continue;
    }
    const std::size_t end = std::min(text.find(U'\x202C', i), text.size());
    out.append(text.rbegin() + static_cast<std::ptrdiff_t>(text.size() - end),
               text.rbegin() + static_cast<std::ptrdiff_t>(text.size() - i - 1));
    i = end;
  }
  return out;
}

// The end of a terminal's sequence that begins at `at` with ESC "[" or the one character for both; else `at`.
std::size_t end_of_sequence(const CodePoints& text, std::size_t at) {
  std::size_t i = at;
  if (text[i] == 0x9B) {
    ++i;
  } else if (text[i] == 0x1B && i + 1 < text.size() && text[i + 1] == '[') {
    i += 2;
  } else {
    return at;
  }
  while (i < text.size() && !is_within(text[i], 0x40, 0x7E)) ++i;
  return i < text.size() ? i + 1 : i;
}

// What a person would see of it, and of links the address.
std::string seen(const CodePoints& raw) {
  const CodePoints text = in_reading_direction(raw);
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_sequence(text, i);
    if (end != i) {
      i = end;
      continue;
    }
    const char32_t c = plain_character(text[i++]);
    if (is_unseen(c)) continue;
    if (c == '\r') {
      out += '\n';
    } else if (c < 0x20 || is_within(c, 0x7F, 0x9F)) {
      if (c == '\n' || c == '\t' || c == 0x1B || c == 0x07) out += c == '\n' ? '\n' : ' ';
    } else {
      append_utf8(out, c);
    }
  }
  return out;
}

std::string of_tags(const CodePoints& text) {
  std::string out;
  for (const char32_t c : text) {
    if (is_within(c, 0xE0020, 0xE007E)) out.push_back(static_cast<char>(c - 0xE0000));
  }
  return out;
}

std::string of_selectors(const CodePoints& text) {
  std::string out;
  for (const char32_t c : text) {
    if (is_selector(c)) out.push_back(static_cast<char>(c < 0xE0100 ? c - 0xFE00 : c - 0xE0100 + 16));
  }
  return out;
}

// Bits as two characters without width, eight to a byte.
std::string of_bits(const CodePoints& text) {
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char32_t c : text) {
    if (c != 0x200B && c != 0x200C) continue;
    bits = (bits << 1) | (c == 0x200C ? 1U : 0U);
    if (++count % 8 == 0) out.push_back(static_cast<char>(bits & 0xFF));
  }
  return count % 8 == 0 ? out : "";
}

// Text and not what a wrong key gives: no controls, and mostly ASCII.
bool is_text(std::string_view bytes) {
  if (bytes.size() < 4) return false;
  const auto odd = std::count_if(bytes.begin(), bytes.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte > 0x7E || (byte < 0x20 && c != '\n' && c != '\t');
  });
  return static_cast<std::size_t>(odd) * 20 <= bytes.size();
}

bool is_base64_character(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '+' || c == '/' ||
         c == '-' || c == '_';
}

std::optional<std::string> from_base64(std::string token) {
  std::replace(token.begin(), token.end(), '+', '-');
  std::replace(token.begin(), token.end(), '/', '_');
  auto bytes = base64url_decode(token);
  if (!bytes) return std::nullopt;
  return *std::move(bytes);
}

// Runs of the alphabet, also over line ends where a long line was broken.
void find_base64(const std::string& text, std::vector<std::string>& found) {
  std::string token;
  std::size_t line = 0;  // characters of the token on this line
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    if (is_base64_character(c)) {
      token += c;
      ++line;
      continue;
    }
    if (token.size() >= kTokenMin) {
      if (auto bytes = from_base64(token); bytes && is_text(*bytes)) found.push_back(*std::move(bytes));
    }
    if (c == '\n' && line >= 2 * kTokenMin) {
      line = 0;
      continue;
    }
    token.clear();
    line = 0;
  }
}

// Pairs of digits, with "\x" or a blank between them or nothing.
void find_hex(const std::string& text, std::vector<std::string>& found) {
  const auto digit = [&text](std::size_t i) {
    const char c = i < text.size() ? text[i] : ' ';
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  };
  for (std::size_t i = 0; i < text.size();) {
    std::string bytes;
    std::size_t at = i;
    while (digit(at) && digit(at + 1)) {
      bytes.push_back(static_cast<char>(hex_number(std::string_view(text).substr(at, 2)).value_or(0)));
      at += 2;
      if (text.compare(at, 2, "\\x") == 0) at += 2;
      if (at < text.size() && text[at] == ' ' && digit(at + 1) && digit(at + 2)) ++at;
    }
    if (bytes.size() >= kTokenMin / 2 && is_text(bytes)) found.push_back(bytes);
    i = std::max(at, i + 1);
  }
}

std::string from_percent(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto value =
        text[i] == '%' && i + 2 < text.size() ? hex_number(std::string_view(text).substr(i + 1, 2)) : std::nullopt;
    out.push_back(value ? static_cast<char>(*value) : text[i]);
    if (value) i += 2;
  }
  return out;
}

std::string from_rot13(std::string text) {
  for (char& c : text) {
    const char base = c >= 'a' && c <= 'z' ? 'a' : c >= 'A' && c <= 'Z' ? 'A' : '\0';
    if (base != '\0') c = static_cast<char>(base + (c - base + 13) % 26);
  }
  return text;
}

// How much of a text is words that people use at a desk.
std::size_t known_words(std::string_view text) {
  std::size_t count = 0;
  for (const std::string_view word :
       {"the ", "read", "ticket", "order", "refund", "fetch", "open", "pay", "please", "call", "run "}) {
    for (std::size_t at = find_ignoring_case(text, word); at != std::string_view::npos;
         at = find_ignoring_case(text, word, at + 1)) {
      ++count;
    }
  }
  return count;
}

// Every text has such a reading; a sentence has one when that makes more sense than the sentence.
std::string turned_sentences(const std::string& text) {
  std::string out;
  for (std::size_t begin = 0; begin < text.size();) {
    std::size_t end = begin;
    while (
        end < text.size() && text[end] != '\n' &&
        !(text[end] == ' ' && end > begin && std::string_view(".:!?").find(text[end - 1]) != std::string_view::npos)) {
      ++end;
    }
    const std::string sentence = text.substr(begin, end - begin);
    const std::string turned = from_rot13(sentence);
    if (known_words(turned) > known_words(sentence)) out += turned + "\n";
    begin = end + 1;
  }
  return out;
}

std::string from_entities(const std::string& text) {
  constexpr std::pair<std::string_view, char> kNames[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}};
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t end = text[i] == '&' ? text.find(';', i) : std::string::npos;
    const std::string_view name = end == std::string::npos || end - i > 9
                                      ? std::string_view()
                                      : std::string_view(text).substr(i + 1, end - i - 1);
    std::optional<char32_t> value;
    for (const auto& known : kNames) {
      if (name == known.first) value = static_cast<char32_t>(known.second);
    }
    if (name.starts_with("#x")) value = hex_number(name.substr(2));
    if (name.starts_with("#") && !value) {
      std::uint32_t number = 0;
      if (std::from_chars(name.data() + 1, name.data() + name.size(), number).ec == std::errc()) value = number;
    }
    if (value) {
      append_utf8(out, *value);
      i = end;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace

std::vector<std::string> readings_of(std::string_view text) {
  std::vector<std::string> readings;
  std::vector<int> depths;
  const auto add = [&](std::string reading, int depth) {
    if (reading.size() < 4 || readings.size() >= kReadingsMax || depth > kDepthMax) return;
    if (std::find(readings.begin(), readings.end(), reading) != readings.end()) return;
    readings.push_back(std::move(reading));
    depths.push_back(depth);
  };
  const CodePoints points = decoded(text);
  add(seen(points), 0);
  for (std::string hidden : {of_tags(points), of_selectors(points), of_bits(points)}) {
    if (is_text(hidden)) add(std::move(hidden), 1);
  }
  for (std::size_t i = 0; i < readings.size(); ++i) {
    const std::string reading = readings[i];
    const int depth = depths[i] + 1;
    std::vector<std::string> found;
    find_base64(reading, found);
    find_hex(reading, found);
    if (std::count(reading.begin(), reading.end(), '%') >= 3) found.push_back(from_percent(reading));
    if (reading.find('&') != std::string::npos) found.push_back(from_entities(reading));
    found.push_back(turned_sentences(reading));
    for (std::string& one : found) add(std::move(one), depth);
  }
  return readings;
}

}  // namespace postern::lab
