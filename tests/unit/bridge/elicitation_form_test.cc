// The form that a server asks a person to fill in, read strictly (MCP 2026-07-28 client/elicitation, "Requested
// Schema").
#include "bridge/elicitation_form.h"

#include <gtest/gtest.h>

#include "bridge/answer_formats.h"
#include "bridge/shown_text.h"
#include "tests/support/refused.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;

Json json_of(std::string_view text) {
  const Result<Json> read = parse_json(text);
  EXPECT_TRUE(succeeded(read)) << text;
  return read ? *read : Json();
}

// A form of one field "f", not required.
Result<ElicitationForm> form_of(std::string_view field) {
  return ElicitationForm::read(json_of(R"({"type":"object","properties":{"f":)" + std::string(field) + "}}"));
}

Status checked(std::string_view field, std::string_view value) {
  const auto form = form_of(field);
  if (!form) return form.error();
  return form->check(json_of(R"({"f":)" + std::string(value) + "}"));
}

constexpr std::string_view kEveryType = R"({"type":"object","required":["name","size"],"properties":{
  "name":{"type":"string","title":"Your name","description":"As on the card.","minLength":3,"maxLength":50},
  "mail":{"type":"string","format":"email"},
  "count":{"type":"integer","minimum":1,"maximum":10,"default":2},
  "ratio":{"type":"number","minimum":0.5},
  "agree":{"type":"boolean","default":true},
  "size":{"type":"string","enum":["s","m"]},
  "color":{"type":"string","oneOf":[{"const":"#f00","title":"Red"},{"const":"#0f0","title":"Green"}],"default":"#0f0"},
  "old":{"type":"string","enum":["a","b"],"enumNames":["Alpha","Beta"]},
  "tags":{"type":"array","items":{"type":"string","enum":["x","y"]},"minItems":1,"default":["x"]},
  "kinds":{"type":"array","items":{"anyOf":[{"const":"k","title":"Kind"}]}}}})";

TEST(ElicitationForm, ReadsEveryKindOfField) {
  const auto form = ElicitationForm::read(json_of(kEveryType));
  ASSERT_TRUE(succeeded(form));
  const auto& fields = form->fields();
  ASSERT_EQ(fields.size(), 10U);
  EXPECT_EQ(fields[0].label, "Your name");
  EXPECT_EQ(fields[0].description, "As on the card.");
  EXPECT_TRUE(fields[0].required);
  EXPECT_EQ(fields[0].most, Json(50));
  EXPECT_EQ(fields[1].label, "mail") << "without a title the name stands for it";
  EXPECT_EQ(fields[1].format, FormFormat::kEmail);
  EXPECT_FALSE(fields[1].required);
  EXPECT_EQ(fields[2].type, FormType::kInteger);
  EXPECT_EQ(fields[2].preset, Json(2));
  EXPECT_EQ(fields[3].type, FormType::kNumber);
  EXPECT_EQ(fields[4].preset, Json(true));
  EXPECT_EQ(fields[5].type, FormType::kOneOf);
  EXPECT_EQ(fields[6].options[1].label, "Green");
  EXPECT_EQ(fields[6].options[1].value, "#0f0");
  EXPECT_EQ(fields[6].preset, Json("#0f0"));
  EXPECT_EQ(fields[7].options[0].label, "Alpha");
  EXPECT_EQ(fields[8].type, FormType::kSomeOf);
  EXPECT_EQ(fields[8].preset, Json::array({"x"}));
  EXPECT_EQ(fields[9].options[0].value, "k");
}

TEST(ElicitationForm, AnswersAreHeldAgainstTheSchemaBeforeTheyAreSent) {
  const auto form = ElicitationForm::read(json_of(kEveryType));
  ASSERT_TRUE(succeeded(form));
  EXPECT_TRUE(succeeded(form->check(json_of(R"({"name":"Rowan","size":"m","tags":["y"],"kinds":[],"count":10})"))));
  for (const char* wrong : {
           R"({"size":"m"})",                                   // required, and not there
           R"({"name":"Ro","size":"m"})",                       // too short
           R"({"name":"Rowan","size":"xl"})",                   // no choice
           R"({"name":"Rowan","size":"m","mail":"rowan"})",     // no address
           R"({"name":"Rowan","size":"m","count":11})",         // over the maximum
           R"({"name":"Rowan","size":"m","count":"2"})",        // another type
           R"({"name":"Rowan","size":"m","count":1.5})",        // no integer
           R"({"name":"Rowan","size":"m","ratio":0.4})",        // under the minimum
           R"({"name":"Rowan","size":"m","tags":[]})",          // too few
           R"({"name":"Rowan","size":"m","tags":["x","x"]})",   // twice
           R"({"name":"Rowan","size":"m","tags":["x","z"]})",   // no choice
           R"({"name":"Rowan","size":"m","agree":null})",       // nothing
           R"({"name":"Rowan","size":"m","other":"unasked"})",  // nobody asked
           R"(["name"])",
       })
    EXPECT_TRUE(refused(form->check(json_of(wrong)), "elicitation.answer_refused")) << wrong;
}

TEST(ElicitationForm, RefusesWhatIsMoreThanAFlatListOfFields) {
  for (const char* field : {
           R"({"type":"object","properties":{}})",
           R"({"type":"array","items":{"type":"object"}})",
           R"({"type":"array","items":{"type":"string"}})",
           R"({"type":"array","items":{"type":"integer","enum":[1]}})",
           R"({"type":"array"})",
           R"({"type":["string","null"]})",
           R"({"type":"null"})",
           R"({"enum":["a"]})",
           R"({"type":"integer","enum":[1,2]})",
           R"({"type":"string","enum":[]})",
           R"({"type":"string","enum":["a","a"]})",
           R"({"type":"string","enum":["a",1]})",
           R"({"type":"string","enum":["a"],"oneOf":[{"const":"a","title":"A"}]})",
           R"({"type":"string","enum":["a","b"],"enumNames":["A"]})",
           R"({"type":"string","oneOf":[{"title":"A"}]})",
           R"({"type":"string","oneOf":[{"const":"a","title":"A","not":{}}]})",
           R"({"type":"string","anyOf":[{"minLength":1}]})",
           R"({"type":"string","const":"a"})",
           R"({"type":"string","if":{}})",
           R"({"type":"string","$ref":"#"})",
           R"({"type":"string","format":"ipv4"})",
           R"({"type":"string","minLength":"3"})",
           R"({"type":"integer","minimum":"3"})",
           R"("string")",
       })
    EXPECT_TRUE(refused(form_of(field), "elicitation.form_refused")) << field;
  for (const char* schema : {
           R"({"properties":{}})",
           R"({"type":"object"})",
           R"({"type":"object","properties":[]})",
           R"({"type":"object","properties":{},"required":["f"]})",
           R"({"type":"object","properties":{},"required":"f"})",
           R"({"type":"object","properties":{},"allOf":[]})",
           R"({"type":"object","properties":{},"patternProperties":{}})",
           R"([])",
       })
    EXPECT_TRUE(refused(ElicitationForm::read(json_of(schema)), "elicitation.form_refused")) << schema;
  // The nearest that is one.
  EXPECT_TRUE(succeeded(ElicitationForm::read(json_of(
      R"({"$schema":"https://json-schema.org/draft/2020-12/schema","type":"object","properties":{},"required":[]})"))));
  EXPECT_TRUE(succeeded(form_of(R"({"type":"string","minLength":3,"x-vendor":{"a":1}})")));
}

TEST(ElicitationForm, BoundsWhatAPersonCanBeAsked) {
  for (const std::size_t count : {ElicitationForm::kFieldsMax, ElicitationForm::kFieldsMax + 1}) {
    Json properties = Json::object();
    for (std::size_t i = 0; i < count; ++i)
      properties.append_member("f" + std::to_string(i), Json::object({{"type", "boolean"}}));
    const auto form = ElicitationForm::read(Json::object({{"type", "object"}, {"properties", properties}}));
    EXPECT_EQ(form.has_value(), count == ElicitationForm::kFieldsMax);
  }
  for (const std::size_t count : {ElicitationForm::kOptionsMax, ElicitationForm::kOptionsMax + 1}) {
    Json choices = Json::array();
    for (std::size_t i = 0; i < count; ++i) choices.push("c" + std::to_string(i));
    const Json field = Json::object({{"type", "string"}, {"enum", choices}});
    EXPECT_EQ(form_of(field.dump()).has_value(), count == ElicitationForm::kOptionsMax);
  }
}

TEST(ElicitationForm, APasswordIsRefusedAndWhatLooksLikeASecretIsMarked) {
  EXPECT_TRUE(refused(form_of(R"({"type":"string","format":"password"})"), "elicitation.form_refused"));
  EXPECT_TRUE(form_of(R"({"type":"string","title":"Your API key"})")->fields()[0].looks_secret);
  EXPECT_TRUE(
      form_of(R"({"type":"string","description":"The number of your credit card."})")->fields()[0].looks_secret);
  EXPECT_FALSE(form_of(R"({"type":"string","title":"Your keyboard"})")->fields()[0].looks_secret);
}

TEST(ElicitationForm, NamesOfSecretsAreSeenInEverySpelling) {
  for (const char* secret : {"password", "userPassword", "new_password", "PASSWORD", "api-key", "apiKey", "API key",
                             "cardNumber", "Credit card", "CVV", "one-time passcode", "access token", "SSN"})
    EXPECT_TRUE(names_a_secret(secret)) << secret;
  for (const char* plain : {"name", "shipping", "tokenize", "key", "card", "passenger", "number of cards", ""})
    EXPECT_FALSE(names_a_secret(plain)) << plain;
}

TEST(ElicitationForm, ADefaultIsTakenWhenItFitsAndCanBeSeen) {
  EXPECT_EQ(form_of(R"({"type":"string","default":"Rowan"})")->fields()[0].preset, Json("Rowan"));
  EXPECT_FALSE(form_of(R"({"type":"string","default":"Rowan\u202e"})")->fields()[0].preset.has_value());
  EXPECT_FALSE(form_of(R"({"type":"string","minLength":9,"default":"Rowan"})")->fields()[0].preset.has_value());
  EXPECT_FALSE(form_of(R"({"type":"integer","default":"2"})")->fields()[0].preset.has_value());
}

TEST(ElicitationForm, TextsOfAServerAreVisibleAndCut) {
  Json field = Json::object({{"type", "string"}, {"title", "Na\x1b[31mme\n" + std::string(10'000, 'x')}});
  field.set("description", std::string(1000, '\n') + "a\nb\xE2\x80\xAE\nc\nd\ne\nf\ng");
  const FormField read = form_of(field.dump())->fields()[0];
  EXPECT_EQ(read.label.substr(0, 26), "Na[U+001B][31mme[U+000A]xx");
  EXPECT_LT(read.label.size(), 140U);
  EXPECT_EQ(read.description, "\xE2\x80\xA6") << "a thousand empty lines are over the bound";
  field.set("description", "a\n\n\nb\xE2\x80\xAE\nc\nd\ne\nf\ng");
  EXPECT_EQ(form_of(field.dump())->fields()[0].description, "a\nb[U+202E]\nc\nd\ne\nf\xE2\x80\xA6");
  const FormField blank = form_of(R"({"type":"string","title":"\u200b \u2060"})")->fields()[0];
  EXPECT_EQ(blank.label, "f");
}

TEST(ElicitationForm, NoTextButTheUrlOfALinkIsALink) {
  EXPECT_EQ(shown_line("See https://evil.test/a, WWW.evil.test and ://", 100),
            "See https[:]//evil.test/a, WWW[.]evil.test and [:]//");
  const FormField field =
      form_of(R"({"type":"string","title":"http://a.test","description":"www.b.test","oneOf":[{"const":"c",)"
              R"("title":"https://c.test"}]})")
          ->fields()[0];
  EXPECT_EQ(field.label, "http[:]//a.test");
  EXPECT_EQ(field.description, "www[.]b.test");
  EXPECT_EQ(field.options[0].label, "https[:]//c.test");
}

TEST(ElicitationForm, TextIsCutBetweenCharacters) {
  EXPECT_EQ(shown_lines("a\xC3\xA5"
                        "b",
                        2, 9),
            "a\xE2\x80\xA6");
  EXPECT_EQ(shown_lines("a\xC3\xA5"
                        "b",
                        3, 9),
            "a\xC3\xA5\xE2\x80\xA6");
  EXPECT_EQ(shown_lines("a\xC3\xA5"
                        "b",
                        4, 9),
            "a\xC3\xA5"
            "b");
}

TEST(ElicitationForm, APatternIsCheckedHereWhenItCanBe) {
  EXPECT_TRUE(succeeded(checked(R"({"type":"string","pattern":"^[a-z]+$"})", "\"abc\"")));
  EXPECT_TRUE(refused(checked(R"({"type":"string","pattern":"^[a-z]+$"})", "\"ABC\""), "elicitation.answer_refused"));
  // A look-ahead has no linear time: the server checks it, and the rest is checked here.
  const auto form = form_of(R"j({"type":"string","pattern":"^(?!x)","maxLength":3})j");
  ASSERT_TRUE(succeeded(form));
  EXPECT_TRUE(form->fields()[0].pattern_left_to_server);
  EXPECT_TRUE(succeeded(form->check(Json::object({{"f", "xyz"}}))));
  EXPECT_TRUE(refused(form->check(Json::object({{"f", "wxyz"}})), "elicitation.answer_refused"));
}

TEST(ElicitationForm, AnAnswerIsBounded) {
  const auto form = form_of(R"({"type":"string"})");
  EXPECT_TRUE(succeeded(form->check(Json::object({{"f", std::string(4000, 'x')}}))));
  EXPECT_TRUE(refused(form->check(Json::object({{"f", std::string(4001, 'x')}})), "elicitation.answer_refused"));
}

TEST(ElicitationForm, SaysWhatIsWrongInASentence) {
  const auto said = [](std::string_view field, std::string_view value) { return checked(field, value).error().text(); };
  EXPECT_EQ(said(R"({"type":"string","minLength":3})", "\"ab\""),
            "f: It must have at least 3 characters, and it has 2 characters.");
  EXPECT_EQ(said(R"({"type":"integer","maximum":10})", "11"), "f: It must be at most 10.");
  EXPECT_EQ(said(R"({"type":"string","format":"date"})", "\"30.11.2026\""), "f: A date is wanted, such as 2026-11-30.");
}

TEST(ElicitationForm, FormatsAreThoseOfTheirRfcs) {
  const auto is = [](FormFormat format, std::string_view text) { return wrong_format(format, text).empty(); };
  for (const char* good : {"rowan@example.com", "r.d+x@a-b.example", "rowan@localhost", "r@d\xC3\xA5sk.test"})
    EXPECT_TRUE(is(FormFormat::kEmail, good)) << good;
  for (const char* bad : {"rowan", "@example.com", "rowan@", "ro wan@example.com", "a@b@c", "a.@b.test", ".a@b.test",
                          "a..b@c.test", "a@-b.test", "a@b..test", ""})
    EXPECT_FALSE(is(FormFormat::kEmail, bad)) << bad;
  for (const char* good : {"https://example.com/a?b#c", "urn:isbn:1", "mailto:a@b.test"})
    EXPECT_TRUE(is(FormFormat::kUri, good)) << good;
  for (const char* bad :
       {"example.com", "//example.com", "https:", ":a", "1a:b", "https://a b", "https://a\xC3\xA5", ""})
    EXPECT_FALSE(is(FormFormat::kUri, bad)) << bad;
  for (const char* good : {"2026-11-30", "2024-02-29"}) EXPECT_TRUE(is(FormFormat::kDate, good)) << good;
  for (const char* bad : {"2026-02-29", "2026-13-01", "2026-11-31", "2026-1-1", "30.11.2026", "2026-11-30T", ""})
    EXPECT_FALSE(is(FormFormat::kDate, bad)) << bad;
  for (const char* good : {"2026-11-30T17:00:00Z", "2026-11-30t17:00:00.25+01:00", "2026-06-30T23:59:60Z"})
    EXPECT_TRUE(is(FormFormat::kDateTime, good)) << good;
  for (const char* bad :
       {"2026-11-30", "2026-11-30T17:00:00", "2026-11-30T17:00Z", "2026-11-30T24:00:00Z", "2026-11-30T17:00:00.Z",
        "2026-11-30T17:00:00+1:00", "2026-11-30T17:00:00+01:60", "2026-02-30T17:00:00Z", "2026-11-30 17:00:00Z", ""})
    EXPECT_FALSE(is(FormFormat::kDateTime, bad)) << bad;
}

}  // namespace
}  // namespace postern::bridge
