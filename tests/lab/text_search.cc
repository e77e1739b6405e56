#include "tests/lab/text_search.h"

#include <algorithm>
#include <charconv>
#include <chrono>

namespace postern::lab {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}
bool is_space(char c) {
  return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}
bool is_word_character(char c) {
  // Bytes above ASCII belong to letters of other alphabets.
  return (c >= '0' && c <= '9') || (lower(c) >= 'a' && lower(c) <= 'z') || static_cast<unsigned char>(c) >= 0x80;
}
bool is_border(char c) {
  return is_space(c) || std::string_view("<>()[]{}\"'`,;").find(c) != std::string_view::npos;
}

template <class Number>
std::optional<Number> number(std::string_view digits) {
  Number value{};
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

std::string trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return std::string(text);
}

bool ends_sentence(std::string_view text, std::size_t at) {
  if (text[at] == '\n') return true;
  if (text[at] != '.' && text[at] != '!' && text[at] != '?') return false;
  return at + 1 == text.size() || is_space(text[at + 1]);
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(), lower);
  return out;
}

std::size_t find_ignoring_case(std::string_view text, std::string_view part, std::size_t from) {
  if (from > text.size()) return std::string_view::npos;
  const auto begin = text.begin() + static_cast<std::ptrdiff_t>(from);
  const auto found =
      std::search(begin, text.end(), part.begin(), part.end(), [](char a, char b) { return lower(a) == lower(b); });
  return found == text.end() && !part.empty() ? std::string_view::npos : static_cast<std::size_t>(found - text.begin());
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : text) {
    if (is_word_character(c)) {
      word += lower(c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

std::optional<std::string> sentence_with(std::string_view text, std::string_view part) {
  const std::size_t at = find_ignoring_case(text, part);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && !ends_sentence(text, begin - 1)) --begin;
  std::size_t end = at + part.size();
  while (end < text.size() && !ends_sentence(text, end)) ++end;
  if (end < text.size() && text[end] != '\n') ++end;
  return trimmed(text.substr(begin, end - begin));
}

std::optional<std::string> quoted_with(std::string_view text, std::string_view part) {
  const std::size_t at = find_ignoring_case(text, part);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t begin = text.rfind('"', at);
  const std::size_t end = text.find('"', at);
  if (begin == std::string_view::npos || end == std::string_view::npos) return std::nullopt;
  return std::string(text.substr(begin + 1, end - begin - 1));
}

std::optional<std::int64_t> money_in(std::string_view text) {
  for (std::size_t at = text.find('$'); at != std::string_view::npos; at = text.find('$', at + 1)) {
    std::size_t end = at + 1;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    const auto whole = number<std::int64_t>(text.substr(at + 1, end - at - 1));
    if (!whole || *whole > 1'000'000'000) continue;
    if (end + 2 < text.size() && text[end] == '.') {
      if (const auto part = number<std::int64_t>(text.substr(end + 1, 2))) return *whole * 100 + *part;
    }
    return *whole * 100;
  }
  return std::nullopt;
}

std::optional<std::string> word_with(std::string_view text, std::string_view part) {
  const std::size_t at = find_ignoring_case(text, part);
  if (at == std::string_view::npos) return std::nullopt;
  std::size_t begin = at;
  while (begin > 0 && !is_border(text[begin - 1])) --begin;
  std::size_t end = at + part.size();
  while (end < text.size() && !is_border(text[end])) ++end;
  while (end > begin && (text[end - 1] == '.' || text[end - 1] == ':' || text[end - 1] == '!' || text[end - 1] == '?'))
    --end;
  return std::string(text.substr(begin, end - begin));
}

std::optional<std::int64_t> day_number(std::string_view rfc3339) {
  if (rfc3339.size() < 10 || rfc3339[4] != '-' || rfc3339[7] != '-') return std::nullopt;
  const auto year = number<int>(rfc3339.substr(0, 4));
  const auto month = number<unsigned>(rfc3339.substr(5, 2));
  const auto day = number<unsigned>(rfc3339.substr(8, 2));
  if (!year || !month || !day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month), std::chrono::day(*day)};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch().count();
}

}  // namespace postern::lab
