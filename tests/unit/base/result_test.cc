// A failure keeps its row and its struct; POSTERN_TRY passes it on.
#include "wire/base/result.h"

#include <gtest/gtest.h>

namespace postern {
namespace {

struct TooLarge {
  static constexpr std::string_view kId = "test.too_large";
  static constexpr Layer kLayer = Layer::kSchema;
  static constexpr Disposition kDisposition = Disposition::kTooLarge;
  int limit = 0;
  [[nodiscard]] std::string text() const { return "More than " + std::to_string(limit) + "."; }
};
struct Other {
  static constexpr std::string_view kId = "test.other";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  [[nodiscard]] std::string text() const { return "Other."; }
};

Result<int> at_most(int value, int limit) {
  if (value > limit) return TooLarge{limit};
  return value;
}

Result<std::string> shown(int value) {
  POSTERN_TRY(const int checked, at_most(value, 9));
  return std::to_string(checked);
}

TEST(Result, CarriesAValueOrAFailure) {
  EXPECT_EQ(*shown(9), "9");
  const auto refused = shown(10);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().id(), "test.too_large");
  EXPECT_EQ(refused.error().layer(), Layer::kSchema);
  EXPECT_EQ(refused.error().disposition(), Disposition::kTooLarge);
  EXPECT_EQ(refused.error().text(), "More than 9.");
}

TEST(Failure, GivesItsStructToThoseWhoAskForThatKind) {
  const Failure failure = TooLarge{7};
  ASSERT_NE(failure.as<TooLarge>(), nullptr);
  EXPECT_EQ(failure.as<TooLarge>()->limit, 7);
  EXPECT_EQ(failure.as<Other>(), nullptr);
}

}  // namespace
}  // namespace postern
