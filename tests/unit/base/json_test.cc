// The JSON reader refuses by name what JSON readers differ about; the public parsing suite decides where it is present.
#include "wire/base/json.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "tests/support/refused.h"
#include "wire/base/file.h"

namespace postern {
namespace {

using test::refused;

TEST(JsonReader, KeepsIntegersExactly) {
  EXPECT_EQ(parse_json("9007199254740993")->dump(), "9007199254740993");
  EXPECT_EQ(parse_json("18446744073709551615")->dump(), "18446744073709551615");
  EXPECT_EQ(parse_json("-9223372036854775808")->integer(), INT64_MIN);
  EXPECT_EQ(parse_json("18446744073709551615")->integer(), std::nullopt);
}

TEST(JsonReader, RefusesDuplicateMembersByName) {
  const auto twice = parse_json(R"({"amount":1,"amount":2})");
  ASSERT_TRUE(refused(twice, "json.duplicate_member"));
  EXPECT_EQ(twice.error().text(), "The JSON text names the member \"amount\" twice.");
  EXPECT_TRUE(parse_json(R"({"a":{"x":1},"b":{"x":1}})"));
  std::string large = "{";
  for (int i = 0; i < 50; ++i) large += "\"m" + std::to_string(i) + "\":1,";
  EXPECT_TRUE(parse_json(large + "\"last\":1}"));
  EXPECT_TRUE(refused(parse_json(large + "\"m7\":1}"), "json.duplicate_member"));
  EXPECT_TRUE(refused(parse_json(large + "\"m40\":1}"), "json.duplicate_member"));
}

TEST(JsonReader, BoundsDepthAndSize) {
  const auto nested = [](std::size_t levels) { return std::string(levels, '[') + std::string(levels, ']'); };
  EXPECT_TRUE(parse_json(nested(64)));
  EXPECT_TRUE(refused(parse_json(nested(65)), "json.over_bound"));
  EXPECT_TRUE(refused(parse_json(std::string(1'000'000, '[')), "json.over_bound"));
  EXPECT_TRUE(parse_json("[1,2]", {5, 64}));
  EXPECT_TRUE(refused(parse_json("[1,2]", {4, 64}), "json.over_bound"));
}

TEST(JsonReader, RefusesWhatIsNotJson) {
  for (const std::string_view text : {"", " ", "{", "[1,]", "{\"a\":1,}", "nul", "01", "+1", ".5", "1.", "NaN",
                                      "Infinity", "'a'", "[1] [2]", "\"\\x\"", "\"a\nb\"", "\xEF\xBB\xBF[]"}) {
    EXPECT_TRUE(refused(parse_json(text), "json.malformed")) << text;
  }
}

TEST(JsonReader, RefusesLoneSurrogatesAndInvalidUtf8) {
  EXPECT_EQ(*parse_json("\"\\ud83d\\ude00\"")->string(), "\U0001F600");
  for (const std::string_view text : {"\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\u0041\"", "\"\xC3\x28\"",
                                      "\"\xED\xA0\x80\"", "\"\xC0\xAF\"", "\"\xF5\x80\x80\x80\""}) {
    EXPECT_TRUE(refused(parse_json(text), "json.malformed")) << text;
  }
}

TEST(JsonReader, RefusesNumbersThatOverflow) {
  EXPECT_TRUE(parse_json("1e308"));
  EXPECT_TRUE(refused(parse_json("1e400"), "json.malformed"));
  EXPECT_TRUE(refused(parse_json("-1e400"), "json.malformed"));
}

TEST(Json, GivesNothingForAnotherType) {
  const Json text("x");
  EXPECT_EQ(text.integer(), std::nullopt);
  EXPECT_EQ(text.boolean(), std::nullopt);
  EXPECT_EQ(text.find("a"), nullptr);
  EXPECT_TRUE(text.elements().empty());
  EXPECT_EQ(text.string_at("a"), "");
  EXPECT_EQ(*Json("x").string(), "x");
}

TEST(Json, ComparesAsValues) {
  EXPECT_EQ(*parse_json(R"({"a":1,"b":[1.0,2]})"), *parse_json(R"({"b":[1,2],"a":1})"));
  EXPECT_FALSE(*parse_json("[1,2]") == *parse_json("[2,1]"));
  EXPECT_FALSE(*parse_json("9007199254740993") == *parse_json("9007199254740992"));
  EXPECT_FALSE(Json(1) == Json("1"));
  EXPECT_FALSE(Json(1) == Json(true));
}

TEST(Json, WritesWhatItReads) {
  for (const std::string_view text :
       {R"({"b":1,"a":[null,true,false,"é\n\"\\"]})", "[0.1,-2.5,1e+21]", "\"\\u0001\""}) {
    EXPECT_EQ(parse_json(text)->dump(), text);
  }
  std::string quoted;
  Json::append_quoted(quoted, "a\xFFz");
  EXPECT_EQ(quoted, "\"a\xEF\xBF\xBDz\"");
}

// A literal is put together in pieces: nothing may be lost or repeated where one ends.
TEST(Json, WritesLongTextsAsItReadsThem) {
  for (const std::string_view unit : {"a", "\"", "\\", "\n", "\b\f\r\t", "\x01", "\x1F", "é", "日本", "😀", "ab\"é"}) {
    std::string text;
    for (int i = 0; i < 700; ++i) {
      text += unit;
      const Json read = *parse_json(Json(text).dump());
      ASSERT_EQ(*read.string(), text) << unit << " " << i;
    }
  }
}

TEST(Json, SetsReplacesAndErasesMembers) {
  Json json = Json::object({{"a", 1}});
  json.set("b", 2).set("a", 3);
  EXPECT_EQ(json.dump(), R"({"a":3,"b":2})");
  EXPECT_TRUE(json.erase("a"));
  EXPECT_FALSE(json.erase("a"));
  EXPECT_EQ(json.dump(), R"({"b":2})");
}

// y_ must be read, n_ refused, i_ either. Two files of the suite hold a name twice, which this reader refuses on
// purpose.
TEST(JsonReader, AgreesWithThePublicParsingSuite) {
  namespace fs = std::filesystem;
  const fs::path suite = fs::path(POSTERN_SOURCE_DIR) / "../shared/vectors/json-parsing";
  if (!fs::exists(suite)) GTEST_SKIP() << "the JSON parsing suite is not here";
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(suite)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json") continue;
    ++seen;
    const auto parsed = parse_json(*read_file(entry.path().string(), 8 << 20), {8 << 20, 512});
    const bool duplicate = name == "y_object_duplicated_key.json" || name == "y_object_duplicated_key_and_value.json";
    if (duplicate) {
      EXPECT_TRUE(refused(parsed, "json.duplicate_member")) << name;
    } else if (name[0] == 'y') {
      EXPECT_TRUE(test::succeeded(parsed)) << name;
    } else if (name[0] == 'n') {
      EXPECT_FALSE(parsed.has_value()) << name;
    }
  }
  EXPECT_GT(seen, 300U);
}

}  // namespace
}  // namespace postern
