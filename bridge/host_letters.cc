#include "bridge/host_letters.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <set>

#include "wire/base/visible_text.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kPrefix = "xn--";

// RFC 3492 section 5.
constexpr std::uint32_t kBase = 36;
constexpr std::uint32_t kTMin = 1;
constexpr std::uint32_t kTMax = 26;
constexpr std::uint32_t kSkew = 38;
constexpr std::uint32_t kDamp = 700;
constexpr std::uint32_t kFirstBias = 72;
constexpr std::uint32_t kFirstCodePoint = 128;
constexpr std::uint32_t kLastCodePoint = 0x10FFFF;

std::optional<std::uint32_t> digit_of(char c) {
  if (c >= 'a' && c <= 'z') return static_cast<std::uint32_t>(c - 'a');
  if (c >= 'A' && c <= 'Z') return static_cast<std::uint32_t>(c - 'A');
  if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0') + 26;
  return std::nullopt;
}

// Section 6.1.
std::uint32_t adapted(std::uint32_t delta, std::uint32_t points, bool first) {
  delta = first ? delta / kDamp : delta / 2;
  delta += delta / points;
  std::uint32_t k = 0;
  while (delta > ((kBase - kTMin) * kTMax) / 2) {
    delta /= kBase - kTMin;
    k += kBase;
  }
  return k + (kBase - kTMin + 1) * delta / (delta + kSkew);
}

struct Script {
  std::string_view name;
  char32_t first;
  char32_t last;
};
// Blocks of the letters that host names are mostly written in; the rest is "other" letters. Han, kana and Hangul stand
// together, as they do in ordinary text.
constexpr auto kScripts = std::to_array<Script>({
    {"Latin", 0x41, 0x24F},
    {"Greek", 0x370, 0x3FF},
    {"Cyrillic", 0x400, 0x52F},
    {"Armenian", 0x530, 0x58F},
    {"Hebrew", 0x590, 0x5FF},
    {"Arabic", 0x600, 0x6FF},
    {"Devanagari", 0x900, 0x97F},
    {"Thai", 0xE00, 0xE7F},
    {"Georgian", 0x10A0, 0x10FF},
    {"East Asian", 0x1100, 0x11FF},
    {"Latin", 0x1E00, 0x1EFF},
    {"Greek", 0x1F00, 0x1FFF},
    {"East Asian", 0x3040, 0x30FF},
    {"East Asian", 0x3400, 0x9FFF},
    {"East Asian", 0xAC00, 0xD7AF},
});

// Digits, hyphens and dots are of every script.
std::string_view script_of(char32_t c) {
  if (c < 0x80 && !((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))) return {};
  for (const Script& script : kScripts) {
    if (c >= script.first && c <= script.last) return script.name;
  }
  return "other";
}

void append_utf8(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

}  // namespace

std::optional<std::u32string> punycode_decode(std::string_view label) {
  std::u32string out;
  std::size_t at = 0;
  if (const std::size_t hyphen = label.rfind('-'); hyphen != std::string_view::npos) {
    for (const char c : label.substr(0, hyphen)) {
      if (static_cast<unsigned char>(c) >= 0x80) return std::nullopt;
      out += static_cast<char32_t>(c);
    }
    at = hyphen + 1;
  }
  if (at == label.size()) return std::nullopt;
  std::uint32_t point = kFirstCodePoint;
  std::uint32_t bias = kFirstBias;
  std::uint32_t index = 0;
  while (at < label.size()) {
    const std::uint32_t before = index;
    std::uint32_t weight = 1;
    for (std::uint32_t k = kBase;; k += kBase) {
      if (at == label.size()) return std::nullopt;
      const std::optional<std::uint32_t> digit = digit_of(label[at++]);
      if (!digit || *digit > (std::numeric_limits<std::uint32_t>::max() - index) / weight) return std::nullopt;
      index += *digit * weight;
      const std::uint32_t threshold = k <= bias ? kTMin : std::min(k - bias, kTMax);
      if (*digit < threshold) break;
      if (weight > std::numeric_limits<std::uint32_t>::max() / (kBase - threshold)) return std::nullopt;
      weight *= kBase - threshold;
    }
    const auto length = static_cast<std::uint32_t>(out.size()) + 1;
    bias = adapted(index - before, length, before == 0);
    if (index / length > kLastCodePoint - point) return std::nullopt;
    point += index / length;
    index %= length;
    if (point >= 0xD800 && point <= 0xDFFF) return std::nullopt;
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(index), static_cast<char32_t>(point));
    ++index;
  }
  return out;
}

std::string host_letters(std::string_view host) {
  std::string painted;
  std::set<std::string_view> scripts;
  bool any = false;
  bool mixed = false;
  for (std::size_t begin = 0; begin <= host.size();) {
    const std::size_t end = std::min(host.find('.', begin), host.size());
    const std::string_view label = host.substr(begin, end - begin);
    begin = end + 1;
    if (!painted.empty()) painted += '.';
    if (label.substr(0, kPrefix.size()) != kPrefix) {
      painted += label;
      continue;
    }
    any = true;
    const std::optional<std::u32string> letters = punycode_decode(label.substr(kPrefix.size()));
    if (!letters) return "is no name that could be written in letters";
    std::set<std::string_view> of_label;
    for (const char32_t c : *letters) {
      if (const std::string_view script = script_of(c); !script.empty()) of_label.insert(script);
      append_utf8(painted, c);
    }
    mixed = mixed || of_label.size() > 1;
    scripts.insert(of_label.begin(), of_label.end());
  }
  if (!any) return {};
  std::string names;
  for (const std::string_view script : scripts) {
    if (!names.empty()) names += " and ";
    names += script;
  }
  return "paints as \"" + visible_line(painted, 253) + "\", in " + names + " letters" +
         (mixed ? " mixed in one word" : "");
}

}  // namespace postern::bridge
