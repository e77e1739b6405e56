// What a caller of the validator relies on: refusals by name, error texts that a model can act on, and bounds that
// hold.
#include "wire/schema/schema.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/schema_pairs.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

Json json_of(std::string_view text) {
  return *parse_json(text);
}

Result<Schema> compiled(std::string_view text) {
  return Schema::compile(json_of(text));
}

std::string mismatch_of(std::string_view schema, std::string_view instance) {
  const auto status = compiled(schema)->validate(json_of(instance));
  return status ? "valid" : status.error().text();
}

constexpr std::string_view kRefund = R"({"type":"object","properties":{"amount_cents":{"type":"integer","minimum":1},
  "reason":{"type":"string","maxLength":5}},"required":["amount_cents"],"additionalProperties":false})";

TEST(Schema, NamesPathAndExpectationOfAMismatch) {
  EXPECT_EQ(mismatch_of(kRefund, R"({"amount_cents":1,"reason":"short"})"), "valid");
  EXPECT_EQ(mismatch_of(kRefund, R"({"amount_cents":1,"reason":"longer"})"),
            "at /reason: expected at most 5 characters, got 6 characters");
  EXPECT_EQ(mismatch_of(kRefund, R"({"amount_cents":0})"), "at /amount_cents: expected at least 1, got 0");
  EXPECT_EQ(mismatch_of(kRefund, R"({"amount_cents":"48"})"), "at /amount_cents: expected integer, got string");
  EXPECT_EQ(mismatch_of(kRefund, R"({})"), "expected the member \"amount_cents\", got none of that name");
  EXPECT_EQ(mismatch_of(kRefund, R"({"amount_cents":1,"order":2})"), "expected no member \"order\", got one");
}

TEST(Schema, CountsCharactersAndNotBytes) {
  EXPECT_EQ(mismatch_of(R"({"maxLength":2})", "\"é€\""), "valid");
  EXPECT_NE(mismatch_of(R"({"maxLength":1})", "\"é€\""), "valid");
}

TEST(Schema, RefusesUnknownDialectByName) {
  EXPECT_TRUE(
      refused(compiled(R"({"$schema":"http://json-schema.org/draft-04/schema#"})"), "schema.unsupported_dialect"));
  EXPECT_TRUE(succeeded(compiled(R"({"$schema":"http://json-schema.org/draft-07/schema#"})")));
}

TEST(Schema, RefusesReferenceThatLeadsOutside) {
  EXPECT_TRUE(refused(compiled(R"({"$ref":"http://evil.test/schema.json"})"), "schema.unresolved_reference"));
  EXPECT_TRUE(refused(compiled(R"({"$ref":"#/$defs/none"})"), "schema.unresolved_reference"));
  EXPECT_TRUE(succeeded(compiled(R"({"$ref":"#/$defs/some","$defs":{"some":{}}})")));
}

TEST(Schema, RefusesSchemaThatIsNotOne) {
  EXPECT_TRUE(refused(compiled(R"({"type":"strnig"})"), "schema.invalid"));
  EXPECT_TRUE(refused(compiled(R"({"properties":{"a":{"minLength":-1}}})"), "schema.invalid"));
  EXPECT_TRUE(refused(compiled(R"([])"), "schema.invalid"));
}

TEST(Schema, RefusesPatternThatNeedsBacktracking) {
  EXPECT_TRUE(refused(compiled(R"({"pattern":"^(?=a)b"})"), "schema.unsupported_pattern"));
  EXPECT_TRUE(refused(compiled(R"({"pattern":"(a)\\1"})"), "schema.unsupported_pattern"));
  EXPECT_TRUE(succeeded(compiled(R"({"pattern":"^(a+)+$"})")));
}

TEST(Schema, EndsAReferenceThatLeadsToItself) {
  EXPECT_TRUE(refused(compiled(R"({"$ref":"#"})")->validate(Json(1)), "schema.over_bound"));
}

TEST(Schema, BoundsNestingAndSubschemas) {
  Json deep = Json::object();
  for (int i = 0; i < 60; ++i) deep = Json::object({{"not", deep}});
  EXPECT_TRUE(refused(Schema::compile(deep), "schema.over_bound"));
  Json wide = Json::array();
  for (int i = 0; i < 5000; ++i) wide.push(Json::object());
  EXPECT_TRUE(refused(Schema::compile(Json::object({{"anyOf", wide}})), "schema.over_bound"));
}

// Every pair ends: decided, or refused by the name of its bound. The bench measures in what time.
TEST(Schema, EndsWithEveryExpensivePair) {
  std::vector<std::string> decided;
  for (const test::SchemaPair& pair : test::expensive_schema_pairs()) {
    EXPECT_LE(pair.schema.dump().size() + pair.instance.dump().size(), 64U * 1024) << pair.name;
    const auto schema = Schema::compile(pair.schema);
    const Status status = schema ? schema->validate(pair.instance) : Status(schema.error());
    if (!failed_with(status, "schema.over_bound")) decided.push_back(pair.name);
  }
  // Cheap since something was done about them; all others are worth more than their bound.
  EXPECT_EQ(decided, (std::vector<std::string>{"patternProperties", "$dynamicRef, many resources",
                                               "references to unknown places", "a long name above many subschemas",
                                               "a long base", "a pattern of open braces"}));
}

TEST(Schema, BoundsThePatternsOfOneSchema) {
  const auto patterns = [](int count) {
    Json list = Json::array();
    for (int i = 0; i < count; ++i) list.push(Json::object({{"pattern", "^(a{1,30}){1,10}$"}}));
    return Schema::compile(Json::object({{"anyOf", list}}));
  };
  EXPECT_TRUE(succeeded(patterns(2)));
  EXPECT_TRUE(refused(patterns(200), "schema.over_bound"));
}

TEST(Schema, BoundsTheBaseOfItsIdentifiers) {
  const auto based = [](std::size_t bytes) {
    return Schema::compile(Json::object({{"$id", "http://h/" + std::string(bytes, 'p')}}));
  };
  EXPECT_TRUE(succeeded(based(1000)));
  EXPECT_TRUE(refused(based(3000), "schema.over_bound"));
}

TEST(Schema, NamesPlacesAsJsonPointers) {
  EXPECT_EQ(mismatch_of(R"({"properties":{"a/b~c":{"items":{"type":"null"}}}})", R"({"a/b~c":[null,1]})"),
            "at /a~1b~0c/1: expected null, got integer");
}

TEST(Schema, ComparesIntegersExactly) {
  EXPECT_NE(mismatch_of(R"({"maximum":9007199254740992})", "9007199254740993"), "valid");
  EXPECT_NE(mismatch_of(R"({"minimum":18446744073709551615})", "18446744073709551614"), "valid");
  EXPECT_EQ(mismatch_of(R"({"maximum":18446744073709551615})", "-1"), "valid");
  EXPECT_EQ(mismatch_of(R"({"minimum":-1})", "18446744073709551615"), "valid");
}

TEST(Schema, BoundsTheWorkOfOneValidation) {
  // Every level doubles the work: 2^19 evaluations without a budget, which is more than the bound and soon done.
  Json schema = Json::object({{"type", "integer"}});
  Json definitions = Json::object({{"l0", schema}});
  for (int i = 1; i <= 19; ++i) {
    const Json ref = Json::object({{"$ref", "#/$defs/l" + std::to_string(i - 1)}});
    definitions.set("l" + std::to_string(i), Json::object({{"allOf", Json::array({ref, ref})}}));
  }
  const auto exponential = Schema::compile(Json::object({{"$ref", "#/$defs/l19"}, {"$defs", definitions}}));
  ASSERT_TRUE(succeeded(exponential));
  EXPECT_TRUE(refused(exponential->validate(Json(1)), "schema.over_bound"));
}

TEST(Schema, MakesHiddenCharactersOfNamesVisible) {
  EXPECT_EQ(mismatch_of(R"({"additionalProperties":false})", "{\"a\\u202eb\":1}"),
            "expected no member \"a[U+202E]b\", got one");
}

}  // namespace
}  // namespace postern
