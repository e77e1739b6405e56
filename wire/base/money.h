// Money: integer minor units and an ISO 4217 currency. Never a floating-point number.
//
// "amount_cents" is the name on the wire whatever the currency: 4800 with USD is $48.00, 4800 with JPY is 4800 yen,
// 4800 with KWD is 4.800 dinars. Only the currencies of the table are known; another one is refused, because its minor
// unit would be a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postern {

class Currency {
 public:
  // "USD", "EUR", "GBP", "JPY", "KWD": exactly three capital letters of the table.
  [[nodiscard]] static std::optional<Currency> of_code(std::string_view code);
  [[nodiscard]] std::string_view code() const;
  [[nodiscard]] int minor_digits() const;
  friend bool operator==(Currency a, Currency b) = default;

 private:
  explicit Currency(std::uint8_t row) : row_(row) {}
  std::uint8_t row_;
};

struct Money {
  std::int64_t minor_units;
  Currency currency;
  friend bool operator==(const Money& a, const Money& b) = default;
};

// "$48.00", "¥4800", "KWD 4.800": the form that people read.
[[nodiscard]] std::string display(const Money& money);
// The sum, or nothing when the currencies differ or the sum overflows.
[[nodiscard]] std::optional<Money> add(const Money& a, const Money& b);

}  // namespace postern
