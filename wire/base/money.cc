#include "wire/base/money.h"

#include <array>

namespace postern {
namespace {

struct Row {
  std::string_view code;
  std::string_view sign;
  int minor_digits;
};

constexpr std::array<Row, 5> kCurrencies{{
    {"USD", "$", 2},
    {"EUR", "€", 2},
    {"GBP", "£", 2},
    {"JPY", "¥", 0},
    {"KWD", "KWD ", 3},
}};

}  // namespace

std::optional<Currency> Currency::of_code(std::string_view code) {
  for (std::size_t i = 0; i < kCurrencies.size(); ++i) {
    if (kCurrencies[i].code == code) return Currency(static_cast<std::uint8_t>(i));
  }
  return std::nullopt;
}

std::string_view Currency::code() const {
  return kCurrencies[row_].code;
}

int Currency::minor_digits() const {
  return kCurrencies[row_].minor_digits;
}

std::string display(const Money& money) {
  const auto digits_after = static_cast<std::size_t>(money.currency.minor_digits());
  const bool negative = money.minor_units < 0;
  const auto units = static_cast<std::uint64_t>(money.minor_units);
  std::string digits = std::to_string(negative ? 0 - units : units);
  if (digits.size() <= digits_after) digits.insert(0, digits_after + 1 - digits.size(), '0');
  if (digits_after > 0) digits.insert(digits.size() - digits_after, ".");
  std::string_view sign;
  for (const Row& row : kCurrencies) {
    if (row.code == money.currency.code()) sign = row.sign;
  }
  return (negative ? "-" : "") + std::string(sign) + digits;
}

std::optional<Money> add(const Money& a, const Money& b) {
  Money sum = a;
  if (a.currency != b.currency || __builtin_add_overflow(a.minor_units, b.minor_units, &sum.minor_units)) {
    return std::nullopt;
  }
  return sum;
}

}  // namespace postern
