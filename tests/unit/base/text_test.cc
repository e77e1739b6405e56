// What a stranger wrote is shown with its tricks visible; times have one form.
#include <gtest/gtest.h>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/visible_text.h"

namespace postern {
namespace {

TEST(VisibleText, MarksControlAndHiddenCharacters) {
  EXPECT_EQ(visible_text("gnp.00.84$\u202E"), "gnp.00.84$[U+202E]");
  EXPECT_EQ(visible_text("a\x1B[31mred"), "a[U+001B][31mred");
  EXPECT_EQ(visible_text("zero\u200Bwidth"), "zero[U+200B]width");
  EXPECT_EQ(visible_text("tag\U000E0041"), "tag[U+E0041]");
  EXPECT_EQ(visible_text("\xC2\x9B"
                         "c1"),
            "[U+009B]c1");
  EXPECT_EQ(visible_text("bad\xFF"), "bad[byte FF]");
  EXPECT_EQ(make_visible("\u2066a\u2069").hidden, 2U);
}

TEST(VisibleText, LeavesOrdinaryTextAsItIs) {
  for (const std::string_view text : {"Zoë paid 48 €", "日本語", "two\nlines\tand a tab", "😀"}) {
    const auto visible = make_visible(text);
    EXPECT_EQ(visible.text, text);
    EXPECT_EQ(visible.hidden, 0U);
  }
}

TEST(VisibleLine, IsOneLineAndBounded) {
  EXPECT_EQ(visible_line("a\nb\tc\r"), "a[U+000A]b[U+0009]c[U+000D]");
  EXPECT_EQ(visible_line("abcdef", 3), "abc…");
  EXPECT_EQ(visible_line("abc", 3), "abc");
}

TEST(BlankText, HoldsNothingThatCanBeSeen) {
  for (const std::string_view text : {"", " \t\n", "\u200B", "\u3000", "\u00A0\u2060 "}) EXPECT_TRUE(is_blank(text));
  for (const std::string_view text : {"a", " .", "\u200Bx", "\xFF"}) EXPECT_FALSE(is_blank(text));
}

TEST(JsonText, IsTheSameValueWithItsHiddenCharactersEscaped) {
  const Json value = Json::object({{"a\u200B", "x\u202Ey"}, {"tag", "\U000E0041"}, {"plain", "é 😀"}});
  const std::string shown = json_with_hidden_escaped(value.pretty());
  EXPECT_NE(shown.find("\"a\\u200b\": \"x\\u202ey\""), std::string::npos) << shown;
  EXPECT_NE(shown.find("\\udb40\\udc41"), std::string::npos) << shown;
  EXPECT_EQ(make_visible(shown).hidden, 0U);
  EXPECT_EQ(*parse_json(shown), value);
}

TEST(Clock, WritesRfc3339AndShortForms) {
  const WallTime time = wall_time_of_unix_seconds(1'796'007'107) + Milliseconds(123);
  EXPECT_EQ(rfc3339(time), "2026-11-30T02:51:47.123Z");
  EXPECT_EQ(rfc3339(wall_time_of_unix_seconds(0)), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(rfc3339(wall_time_of_unix_seconds(951'782'400) - Milliseconds(1)), "2000-02-28T23:59:59.999Z");
  EXPECT_EQ(rfc3339(wall_time_of_unix_seconds(951'782'400) + Milliseconds(5)), "2000-02-29T00:00:00.005Z");
  EXPECT_EQ(compact_utc(time), "20261130T025147");
  EXPECT_EQ(unix_seconds(time), 1'796'007'107);
  EXPECT_EQ(minutes_seconds(Seconds(768)), "12:48");
  EXPECT_EQ(minutes_seconds(Seconds(41)), "0:41");
  EXPECT_EQ(minutes_seconds(Seconds(-5)), "0:00");
}

}  // namespace
}  // namespace postern
