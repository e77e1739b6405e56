// What a typed line means for a field of a form.
#include "host/typed_answer.h"

#include <gtest/gtest.h>

#include "host/wrapped_text.h"
#include "tests/support/refused.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

bridge::FormField field_of(std::string_view schema) {
  const Json form = *parse_json(R"({"type":"object","properties":{"f":)" + std::string(schema) + "}}");
  return bridge::ElicitationForm::read(form)->fields()[0];
}

// The answer as JSON text, or what was said instead.
std::string answer(std::string_view schema, std::string_view typed) {
  const Result<Json> read = typed_answer(field_of(schema), typed);
  if (read) return read->dump();
  const auto* refusal = read.error().as<bridge::AnswerRefused>();
  return refusal == nullptr ? read.error().text() : refusal->reason;
}

constexpr std::string_view kColors =
    R"({"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"2","title":"Green"}]})";
constexpr std::string_view kTags = R"({"type":"array","items":{"type":"string","enum":["x","y","z"]},"minItems":1})";

TEST(TypedAnswer, IsOfTheTypeOfItsField) {
  EXPECT_EQ(answer(R"({"type":"string"})", "  Rowan Diaz \t"), "\"Rowan Diaz\"");
  EXPECT_EQ(answer(R"({"type":"string"})", "12"), "\"12\"");
  EXPECT_EQ(answer(R"({"type":"integer"})", "-12"), "-12");
  EXPECT_EQ(answer(R"({"type":"integer"})", "12.0"), "12");
  EXPECT_EQ(answer(R"({"type":"number"})", "1.5"), "1.5");
  for (const char* yes : {"y", "Yes"}) EXPECT_EQ(answer(R"({"type":"boolean"})", yes), "true");
  EXPECT_EQ(answer(R"({"type":"boolean"})", "N"), "false");
}

TEST(TypedAnswer, SaysWhatIsWanted) {
  for (const char* typed : {"1.5", "1,000", "0x10", "twelve", "9007199254740993", "[1]", "\"1\"", "+1"})
    EXPECT_EQ(answer(R"({"type":"integer"})", typed), "A whole number is wanted, such as 12.") << typed;
  for (const char* typed : {"1,5", "NaN", ".5", "true"})
    EXPECT_EQ(answer(R"({"type":"number"})", typed), "A number is wanted, such as 12.5.") << typed;
  EXPECT_EQ(answer(R"({"type":"boolean"})", "maybe"), "Type y or n.");
  EXPECT_EQ(answer(R"({"type":"integer","minimum":3})", "2"), "It must be at least 3.");
}

TEST(TypedAnswer, AChoiceIsItsNumberAndNeverItsText) {
  EXPECT_EQ(answer(kColors, "1"), "\"#f00\"");
  EXPECT_EQ(answer(kColors, "2"), "\"2\"");
  for (const char* typed : {"0", "3", "Red", "#f00", "1 2", "-1", "1x"})
    EXPECT_EQ(answer(kColors, typed), "Type a number from 1 to 2.") << typed;
}

TEST(TypedAnswer, SeveralChoicesAreTheirNumbers) {
  EXPECT_EQ(answer(kTags, "1,3"), R"(["x","z"])");
  EXPECT_EQ(answer(kTags, "3 , 1"), R"(["z","x"])");
  EXPECT_EQ(answer(kTags, "2 3"), R"(["y","z"])");
  EXPECT_EQ(answer(kTags, "1,4"), "Numbers from 1 to 3 are wanted, with commas between them, or none.");
  EXPECT_EQ(answer(kTags, "1,1"), "A choice is named twice.");
  EXPECT_EQ(answer(kTags, "none"), "It must have at least 1 items, and it has 0 items.");
  EXPECT_EQ(answer(R"({"type":"array","items":{"type":"string","enum":["x"]}})", "None"), "[]");
}

TEST(TypedAnswer, WhatATerminalMangledIsNoAnswer) {
  for (const char* typed : {"a\x1b[31mb", "a\x01", "caf\xE9", "a\x7f"})
    EXPECT_EQ(answer(R"({"type":"string"})", typed), "It holds characters that are no text.");
  EXPECT_EQ(answer(R"({"type":"string"})", "caf\xC3\xA9"), "\"caf\xC3\xA9\"");
}

TEST(TypedAnswer, IsShownAsAPersonReadsIt) {
  EXPECT_EQ(shown_answer(field_of(kColors), Json("#f00")), "Red (#f00)");
  EXPECT_EQ(shown_answer(field_of(kTags), Json::array({"x", "z"})), "x, z");
  EXPECT_EQ(shown_answer(field_of(kTags), Json::array()), "none");
  EXPECT_EQ(shown_answer(field_of(R"({"type":"boolean"})"), Json(true)), "yes");
  EXPECT_EQ(shown_answer(field_of(R"({"type":"string"})"), Json("a\xE2\x80\xAE")), "a[U+202E]");
  EXPECT_EQ(wanted(field_of(R"({"type":"string","minLength":3,"maxLength":5})")), "text, 3 to 5 characters");
  EXPECT_EQ(wanted(field_of(R"({"type":"number","minimum":0.5})")), "number, at least 0.5");
}

TEST(WrappedText, EveryLineBeginsUnderTheMarginAndFits) {
  EXPECT_EQ(wrapped("one two three", 2, 18), "  one two three");
  EXPECT_EQ(wrapped("one two three four", 2, 18), "  one two three\n  four");
  EXPECT_EQ(wrapped("a\n\nb", 1, 80), " a\n\n b");
  EXPECT_EQ(wrapped("", 3, 80), "");
  // A word that is longer than a line is broken, and nothing of it stands at the left edge.
  EXPECT_EQ(wrapped(std::string(20, 'x'), 4, 20), "    " + std::string(16, 'x') + "\n    xxxx");
  EXPECT_EQ(wrapped("1  " + std::string(20, 'x'), 4, 20), "    1  " + std::string(13, 'x') + "\n    xxxxxxx");
  // A window of no use still gets its text.
  EXPECT_EQ(wrapped("one two three four five", 40, 10),
            std::string(40, ' ') + "one two three\n" + std::string(40, ' ') + "four five");
}

TEST(WrappedText, WideCharactersTakeTwoColumns) {
  EXPECT_EQ(columns_of("a\xE5\x90\x8D\xF0\x9F\x98\x80"), 5U);
  const std::string name = "\xE5\x90\x8D";
  std::string nine;
  for (int i = 0; i < 9; ++i) nine += name;
  EXPECT_EQ(wrapped(nine, 0, 16), nine.substr(0, 24) + "\n" + name);
}

}  // namespace
}  // namespace postern::host
