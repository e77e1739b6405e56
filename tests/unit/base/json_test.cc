// The JSON reader refuses by name what JSON readers differ about; the public parsing suite decides where it is present.
#include "wire/base/json.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <filesystem>
#include <set>

#include "tests/support/refused.h"
#include "wire/base/canonical_json.h"
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

// What is no integer as it is written stays what it is, so that nothing is echoed in another form.
TEST(JsonReader, TakesOnlyPlainDigitsForAnInteger) {
  for (const std::string_view text : {"-0", "1.0", "1e0", "18446744073709551616", "-9223372036854775809"}) {
    EXPECT_FALSE(parse_json(text)->is_integer()) << text;
    EXPECT_TRUE(parse_json(text)->is_number()) << text;
  }
  EXPECT_EQ(parse_json("-0")->dump(), "-0");
  EXPECT_EQ(*parse_json("-0"), Json(0));
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
  const auto late = parse_json(large + "\"m40\":1}");
  ASSERT_TRUE(refused(late, "json.duplicate_member"));
  EXPECT_EQ(late.error().text(), "The JSON text names the member \"m40\" twice.");
}

// A name may come escaped in one place and plain in the other, and with characters that nobody sees.
TEST(JsonReader, ComparesMemberNamesAsTheyAreMeant) {
  EXPECT_TRUE(refused(parse_json(R"({"amount":1,"am\u006funt":2})"), "json.duplicate_member"));
  EXPECT_TRUE(parse_json(R"({"amount":1,"Amount":2,"amount ":3})"));
  EXPECT_EQ(parse_json("{\"a\\u202eb\":1,\"a\\u202eb\":1}").error().text(),
            "The JSON text names the member \"a[U+202E]b\" twice.");
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

TEST(JsonReader, NamesTheRuleAndNothingOfTheText) {
  const std::pair<std::string_view, std::string_view> rows[] = {
      {"[\"\\ud800\"]", "a surrogate stands alone (at byte 9)"},
      {"[\"\\udc00\"]", "a surrogate stands alone"},
      {"[\"\xC3\x28\"]", "a byte is not UTF-8 (at byte 4)"},
      {"[\"a\nb\"]", "a control character is not escaped"},
      {"[1e400]", "a number is too large"},
      {"[1", "it ends too early"},
      {"[surrogate]", "it breaks the grammar"},
      {"[\"UTF-8 surrogate\" x]", "it breaks the grammar"},
      {"\xEF\xBB\xBF[]", "it begins with a byte order mark"},
      {std::string_view("[\0]", 3), "it holds a NUL byte"},
  };
  for (const auto& [text, rule] : rows) {
    const auto json = parse_json(text);
    ASSERT_TRUE(refused(json, "json.malformed")) << text;
    EXPECT_NE(json.error().text().find(rule), std::string::npos) << json.error().text();
  }
}

TEST(JsonReader, RefusesNumbersThatOverflow) {
  EXPECT_TRUE(parse_json("1e308"));
  EXPECT_TRUE(refused(parse_json("1e400"), "json.malformed"));
  EXPECT_TRUE(refused(parse_json("-1e400"), "json.malformed"));
}

// Typed fields of the protocol and of the desk (RFC 8259 section 6; JSON Schema 2020-12 validation, section 6.1.1).
TEST(Json, ReadsTypedIntegersThatEveryPeerHoldsExactly) {
  const auto read = [](std::string_view text) { return safe_integer(*parse_json(text), "amount_cents"); };
  for (const std::string_view text : {"4800", "4800.0", "4.8e3", "480000e-2"}) EXPECT_EQ(*read(text), 4800) << text;
  EXPECT_EQ(*read("-0"), 0);
  EXPECT_EQ(*read("9007199254740991"), 9007199254740991);
  EXPECT_EQ(*read("-9007199254740991"), -9007199254740991);
  for (const std::string_view text : {"9007199254740992", "9007199254740993", "-9007199254740992", "1e16", "1e300",
                                      "9223372036854775808", "18446744073709551615", "-9223372036854775808"}) {
    EXPECT_TRUE(refused(read(text), "json.unsafe_integer")) << text;
  }
  for (const std::string_view text : {"4800.9", "48e-1", "\"4800\"", "true", "null", "[]", "{}"}) {
    EXPECT_TRUE(refused(read(text), "json.not_an_integer")) << text;
  }
  EXPECT_EQ(read("9007199254740993").error().text(),
            "\"amount_cents\" is beyond the integers that every peer holds exactly: +-9007199254740991.");
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
  EXPECT_FALSE(*parse_json("9007199254740993") == *parse_json("9007199254740992.0"));
  EXPECT_FALSE(*parse_json("9007199254740992.0") == *parse_json("9007199254740993"));
  EXPECT_EQ(*parse_json("9007199254740992.0"), *parse_json("9007199254740992"));
  EXPECT_EQ(*parse_json("9223372036854775808"), *parse_json("9223372036854775808.0"));
  EXPECT_FALSE(*parse_json("18446744073709551615") == *parse_json("18446744073709551616"));
  EXPECT_FALSE(*parse_json("-1") == *parse_json("18446744073709551615"));
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

// Values that a program puts together may be deeper than any text that is read. On half the stack
// that a thread of ours has.
TEST(Json, CopiesComparesWritesAndForgetsDeepValuesOnASmallStack) {
  const auto work = [](void*) -> void* {
    Json deep = 1;
    for (int i = 0; i < 512; ++i) deep = i % 2 == 0 ? Json::array({std::move(deep)}) : Json::object({{"a", deep}});
    const Json copy = deep;
    EXPECT_EQ(copy, deep);
    const std::string text = copy.dump();
    EXPECT_GT(copy.pretty().size(), text.size());
    EXPECT_EQ(canonical_json(copy), text);
    const auto read = parse_json(text, {text.size(), 512});
    EXPECT_TRUE(read && *read == copy);
    return nullptr;
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  ASSERT_EQ(pthread_attr_setstacksize(&small, 4 * 1024 * 1024), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &small, work, nullptr), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
}

// B-013: 100,000 and 500,000 brackets parse in other readers, and kill the process when the value is copied or written.
TEST(JsonReader, RefusesTheBracketsOfPublicCaseB013AndGoesOn) {
  for (const std::size_t levels : {100'000UL, 500'000UL}) {
    const std::string brackets = std::string(levels, '[') + std::string(levels, ']');
    EXPECT_TRUE(refused(parse_json(brackets), "json.over_bound"));
    EXPECT_TRUE(refused(parse_json("{\"arguments\":" + brackets + "}"), "json.over_bound"));
    EXPECT_TRUE(refused(parse_json(brackets.substr(0, levels)), "json.over_bound"));
  }
  EXPECT_TRUE(parse_json("[1]"));
}

// B-015: what a program put in may be no UTF-8 (arguments, file names, queries); writing it neither throws nor writes
// what a reader refuses.
TEST(Json, WritesAnyBytesAsTextThatReadersTakePublicCaseB015) {
  for (const std::string_view bytes : {"T-10\xff"
                                       "42",
                                       "APR-\xFF\xFE", "ab\xC3", "\xE2\x82", "\xF0\x9F\x98", "\xED\xA0\x80"}) {
    Json json = Json::object({{std::string(bytes), Json(bytes)}});
    const auto read = parse_json(json.dump());
    ASSERT_TRUE(test::succeeded(read)) << bytes;
    EXPECT_NE(read->members()[0].first.find("\xEF\xBF\xBD"), std::string::npos);
  }
  EXPECT_EQ(*parse_json(Json("T-10\xff"
                             "42")
                            .dump())
                 ->string(),
            "T-10\xEF\xBF\xBD"
            "42");
}

// y_ must be read, n_ refused by name; of i_ this reader's own choice is written down. Two y_ files hold a name twice,
// which it refuses on purpose.
TEST(JsonReader, AgreesWithThePublicParsingSuite) {
  namespace fs = std::filesystem;
  const fs::path suite = fs::path(POSTERN_SOURCE_DIR) / "../shared/vectors/json-parsing";
  if (!fs::exists(suite)) GTEST_SKIP() << "the JSON parsing suite is not here";
  const std::set<std::string> taken_though_optional = {
      "i_number_double_huge_neg_exp.json", "i_number_real_underflow.json",        "i_number_too_big_neg_int.json",
      "i_number_too_big_pos_int.json",     "i_number_very_big_negative_int.json", "i_structure_500_nested_arrays.json"};
  std::size_t seen = 0;
  for (const auto& entry : fs::directory_iterator(suite)) {
    const std::string name = entry.path().filename().string();
    if (entry.path().extension() != ".json") continue;
    ++seen;
    const auto parsed = parse_json(*read_file(entry.path().string(), 8 << 20), {8 << 20, 512});
    const bool duplicate = name == "y_object_duplicated_key.json" || name == "y_object_duplicated_key_and_value.json";
    if (duplicate) {
      EXPECT_TRUE(refused(parsed, "json.duplicate_member")) << name;
    } else if (name[0] == 'y' || taken_though_optional.count(name) > 0) {
      ASSERT_TRUE(test::succeeded(parsed)) << name;
      EXPECT_EQ(*parse_json(parsed->dump(), {8 << 20, 512}), *parsed) << name;
    } else {
      ASSERT_FALSE(parsed.has_value()) << name;
      EXPECT_TRUE(failed_with(parsed, "json.malformed") || failed_with(parsed, "json.over_bound")) << name;
    }
  }
  EXPECT_EQ(seen, 318U);
}

}  // namespace
}  // namespace postern
