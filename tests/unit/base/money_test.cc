// Money is integers with a currency: two, no and three decimals.
#include "wire/base/money.h"

#include <gtest/gtest.h>

#include <limits>

namespace postern {
namespace {

Money money(std::int64_t minor_units, std::string_view code) {
  return {minor_units, *Currency::of_code(code)};
}

TEST(Money, IsShownWithTheDigitsOfItsCurrency) {
  EXPECT_EQ(display(money(4800, "USD")), "$48.00");
  EXPECT_EQ(display(money(5, "USD")), "$0.05");
  EXPECT_EQ(display(money(0, "USD")), "$0.00");
  EXPECT_EQ(display(money(-4800, "USD")), "-$48.00");
  EXPECT_EQ(display(money(4800, "JPY")), "¥4800");
  EXPECT_EQ(display(money(4800, "KWD")), "KWD 4.800");
  EXPECT_EQ(display(money(std::numeric_limits<std::int64_t>::min(), "USD")), "-$92233720368547758.08");
}

TEST(Currency, RefusesCodesThatItDoesNotKnow) {
  EXPECT_TRUE(Currency::of_code("EUR"));
  for (const auto code : {"usd", "US", "USDX", "XXX", ""}) EXPECT_FALSE(Currency::of_code(code)) << code;
}

TEST(Money, AddsOnlyWithinACurrencyAndWithoutOverflow) {
  EXPECT_EQ(add(money(4800, "USD"), money(1200, "USD")), money(6000, "USD"));
  EXPECT_EQ(add(money(1, "USD"), money(1, "JPY")), std::nullopt);
  EXPECT_EQ(add(money(std::numeric_limits<std::int64_t>::max(), "USD"), money(1, "USD")), std::nullopt);
}

}  // namespace
}  // namespace postern
