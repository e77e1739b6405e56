// Public bug reports about validators (../shared/cases), with the values that are right.
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "wire/schema/schema.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

// B-095: a pattern that backtracks for ever elsewhere, and a text that is longer than another engine's stack.
TEST(SchemaPublicCases, B095MatchesInLinearTimeAndStack) {
  POSTERN_SHARED_JSON(tool, "cases/B-095/tool.json");
  const auto schema = Schema::compile(*tool.find("inputSchema"));
  ASSERT_TRUE(succeeded(schema));
  const auto validate = [&](const char* name, std::string text) {
    return schema->validate(Json::object({{name, std::move(text)}}));
  };
  EXPECT_TRUE(refused(validate("a", std::string(30, 'a') + "!"), "schema.mismatch"));
  EXPECT_TRUE(succeeded(validate("a", std::string(30, 'a'))));
  EXPECT_TRUE(succeeded(validate("b", std::string(200'000, 'b'))));
  EXPECT_TRUE(refused(validate("b", std::string(200'000, 'b') + "B"), "schema.mismatch"));
}

// B-096: an integer is a number without a fraction, however it is written; nothing wraps.
TEST(SchemaPublicCases, B096TakesAnIntegerForWhatItIs) {
  POSTERN_SHARED_TEXT(values, "cases/B-096/values.txt");
  const auto schema = Schema::compile(*parse_json(R"({"type":"integer","minimum":1,"maximum":1000000000})"));
  std::istringstream in(values);
  int count = 0;
  for (std::string value, verdict; in >> value >> verdict; ++count) {
    const auto json = parse_json(value);
    const bool valid = json && schema->validate(*json).has_value();
    EXPECT_EQ(valid, verdict == "ok") << value;
    EXPECT_EQ(valid ? *safe_integer(*json, "amount_cents") : 4800, 4800) << value;
  }
  EXPECT_EQ(count, 13);
}

// B-097: a length counts code points: neither bytes nor UTF-16 units nor what a person takes for one character.
TEST(SchemaPublicCases, B097CountsCodePoints) {
  const auto schema = Schema::compile(*parse_json(R"({"maxLength":200})"));
  const auto times = [&](std::string_view unit, int count) {
    std::string text;
    for (int i = 0; i < count; ++i) text += unit;
    return schema->validate(Json(text));
  };
  EXPECT_TRUE(succeeded(times("\u00FC", 200)));
  EXPECT_TRUE(refused(times("\u00FC", 201), "schema.mismatch"));
  EXPECT_TRUE(succeeded(times("\U0001F3D5", 200)));
  EXPECT_TRUE(succeeded(times("e\u0301", 100)));
  EXPECT_TRUE(refused(times("e\u0301", 101), "schema.mismatch"));
}

}  // namespace
}  // namespace postern
