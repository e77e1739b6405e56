#include "services/domain/ids.h"

#include <algorithm>

namespace postern::services {
namespace {

constexpr std::size_t kIdCharactersMax = 32;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_character(char c) {
  return is_digit(c) || (c >= 'A' && c <= 'Z') || c == '-';
}

}  // namespace

bool is_numbered(std::string_view text, std::string_view prefix, std::size_t digits_min) {
  if (text.size() > kIdCharactersMax || !text.starts_with(prefix)) return false;
  const std::string_view digits = text.substr(prefix.size());
  return digits.size() >= digits_min && std::all_of(digits.begin(), digits.end(), is_digit);
}

bool is_named(std::string_view text, std::string_view prefix) {
  if (text.size() > kIdCharactersMax || !text.starts_with(prefix) || text.size() == prefix.size()) return false;
  return std::all_of(text.begin(), text.end(), is_name_character);
}

std::string numbered(std::string_view prefix, std::int64_t number) {
  std::string digits = std::to_string(number);
  if (digits.size() < 4) digits.insert(0, 4 - digits.size(), '0');
  return std::string(prefix) + digits;
}

}  // namespace postern::services
