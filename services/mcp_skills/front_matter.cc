#include "services/mcp_skills/front_matter.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "services/mcp_skills/failures.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kFence = "---";

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Words that some YAML reads as a flag or as nothing.
bool is_reserved(std::string_view word) {
  static constexpr std::array<std::string_view, 9> kWords = {"y",   "n",    "yes",   "no",  "on",
                                                             "off", "true", "false", "null"};
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool is_key(std::string_view key) {
  return !key.empty() && is_letter(key.front()) && !is_reserved(key) && std::all_of(key.begin(), key.end(), [](char c) {
    return is_letter(c) || (c >= '0' && c <= '9') || c == '-' || c == '_';
  });
}

bool is_plain(std::string_view value) {
  return !value.empty() && is_letter(value.front()) && value.back() != ':' && value.back() != ' ' &&
         !is_reserved(value) && value.find(": ") == std::string_view::npos &&
         value.find(" #") == std::string_view::npos && std::all_of(value.begin(), value.end(), [](char c) {
           return static_cast<unsigned char>(c) >= 0x20 && c != 0x7f;
         });
}

std::optional<std::string> read_value(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(' ');
  if (begin == std::string_view::npos) return std::nullopt;
  text.remove_prefix(begin);
  if (is_plain(text)) return std::string(text);
  if (text.front() != '"') return std::nullopt;
  const auto quoted = parse_json(text);
  if (!quoted || !quoted->is_string()) return std::nullopt;
  return *quoted->string();
}

// The next line without its line feed; nothing at the end of the text, or when the last line has none.
std::optional<std::string_view> take_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end + 1);
  return line;
}

}  // namespace

Result<Json> read_front_matter(std::string_view skill_md, const std::string& uri) {
  if (take_line(skill_md) != kFence) return BadSkill{uri, "its SKILL.md does not begin with a line of three hyphens"};
  Json front = Json::object();
  for (int number = 2;; ++number) {
    const std::string where = "line " + std::to_string(number) + " of its SKILL.md ";
    const auto line = take_line(skill_md);
    if (!line) return BadSkill{uri, "its front matter does not end"};
    if (*line == kFence) return front;
    if (line->empty() || line->front() == '#') continue;
    const std::size_t colon = line->find(':');
    const std::string_view key = line->substr(0, colon);
    if (colon == std::string_view::npos || !is_key(key) || line->substr(colon, 2) != ": ")
      return BadSkill{uri, where + "is not `key: value`"};
    if (front.has(key)) return BadSkill{uri, where + "repeats a key"};
    auto value = read_value(line->substr(colon + 2));
    if (!value) return BadSkill{uri, where + "holds a value that not every YAML reads as the same text (quote it)"};
    front.append_member(std::string(key), *std::move(value));
  }
}

}  // namespace postern::mcp
