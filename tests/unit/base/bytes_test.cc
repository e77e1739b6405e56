// Text forms of bytes: RFC 4648 section 10's values, and that one value has one text.
#include "wire/base/bytes.h"

#include <gtest/gtest.h>

namespace postern {
namespace {

TEST(Base64, GivesTheValuesOfTheRfc) {
  const std::pair<std::string, std::string> values[] = {{"", ""},
                                                        {"f", "Zg=="},
                                                        {"fo", "Zm8="},
                                                        {"foo", "Zm9v"},
                                                        {"foob", "Zm9vYg=="},
                                                        {"fooba", "Zm9vYmE="},
                                                        {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : values) {
    EXPECT_EQ(base64(bytes), text);
    EXPECT_EQ(base64_decode(text), bytes);
  }
}

TEST(Base64Url, UsesItsOwnAlphabetWithoutPadding) {
  EXPECT_EQ(base64url("\xFB\xFF\xFE"), "-__-");
  EXPECT_EQ(base64url("f"), "Zg");
  EXPECT_EQ(base64url_decode("-__-"), "\xFB\xFF\xFE");
}

TEST(Base64Url, RefusesASecondTextForTheSameBytes) {
  EXPECT_EQ(base64url_decode("Zg"), "f");
  EXPECT_EQ(base64url_decode("Zh"), std::nullopt);    // bits behind the end
  EXPECT_EQ(base64url_decode("Zg=="), std::nullopt);  // padding
  EXPECT_EQ(base64url_decode("Z"), std::nullopt);
  EXPECT_EQ(base64url_decode("Z g"), std::nullopt);
  EXPECT_EQ(base64url_decode("+/+/"), std::nullopt);
}

TEST(Base64, RefusesWrongPadding) {
  EXPECT_EQ(base64_decode("Zg="), std::nullopt);
  EXPECT_EQ(base64_decode("Zg==="), std::nullopt);
  EXPECT_EQ(base64_decode("Z=g="), std::nullopt);
  EXPECT_EQ(base64_decode("===="), std::nullopt);
}

TEST(Hex, ReadsBackWhatItWrote) {
  EXPECT_EQ(hex(std::string("\x00\xFF\x7A", 3)), "00ff7a");
  EXPECT_EQ(hex_decode("00ff7a"), std::string("\x00\xFF\x7A", 3));
  EXPECT_EQ(hex_decode("0"), std::nullopt);
  EXPECT_EQ(hex_decode("0g"), std::nullopt);
}

}  // namespace
}  // namespace postern
