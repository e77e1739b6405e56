// What a person wrote into a form stays out of a log (MCP 2026-07-28 basic/patterns/mrtr).
#include "wire/tap/typed_answers.h"

#include <gtest/gtest.h>

#include "tests/support/seeded_random.h"
#include "wire/base/json.h"
#include "wire/tap/redact.h"

namespace postern {
namespace {

class TypedAnswers : public testing::Test {
 protected:
  test::SeededRandom random_;
  Fingerprints fingerprints_{random_};

  [[nodiscard]] std::string mark(std::string_view quoted) const {
    return "\"" + fingerprints_.mark("answer", quoted) + "\"";
  }
};

TEST_F(TypedAnswers, AreTakenOutAndTheirNamesStay) {
  const std::string shown = without_answers(
      R"({"params":{"name":"create_ticket","inputResponses":{"who":{"action":"accept","content":{"name":"Rowan \"R\" Diaz",)"
      R"("age":41,"ok":true,"sizes":["s","m"]}},"page":{"action":"decline"}},"requestState":"st"}})",
      fingerprints_);
  EXPECT_EQ(shown,
            R"({"params":{"name":"create_ticket","inputResponses":{"who":{"action":"accept","content":{"name":)" +
                mark(R"("Rowan \"R\" Diaz")") + R"(,"age":)" + mark("41") + R"(,"ok":true,"sizes":[)" + mark("\"s\"") +
                "," + mark("\"m\"") + R"(]}},"page":{"action":"decline"}},"requestState":"st"}})");
  EXPECT_TRUE(parse_json(shown).has_value());
}

TEST_F(TypedAnswers, NothingElseIsTakenOut) {
  for (const std::string text : {R"({"inputRequests":{"who":{"params":{"content":"shown to the person"}}}})",
                                 R"({"content":[{"type":"text","text":"inputResponses are none"}]})",
                                 R"({"inputResponses":7,"content":"after it"})", ""}) {
    EXPECT_EQ(without_answers(text, fingerprints_), text);
  }
  // A field that is called content, and what comes behind the answers.
  EXPECT_EQ(
      without_answers(R"({"inputResponses":{"k":{"content":{"content":"x"},"action":"accept"}},"name":"n"})",
                      fingerprints_),
      R"({"inputResponses":{"k":{"content":{"content":)" + mark("\"x\"") + R"(},"action":"accept"}},"name":"n"})");
}

TEST_F(TypedAnswers, AMessageThatIsCutShowsNoAnswer) {
  const std::string whole = R"({"inputResponses" : { "k":{"content":{"name":"Rowan Diaz"}}}})";
  for (std::size_t length = 0; length <= whole.size(); ++length)
    EXPECT_EQ(without_answers(whole.substr(0, length), fingerprints_).find("owan"), std::string::npos) << length;
}

TEST_F(TypedAnswers, TheRedactorTakesThemOut) {
  const Redactor redactor(fingerprints_);
  const std::string text = R"({"inputResponses":{"k":{"action":"accept","content":{"name":"Rowan Diaz"}}}})";
  EXPECT_EQ(redactor.text(text).find("Rowan"), std::string::npos);
  EXPECT_EQ(redactor.text_in_pieces(text).find("Rowan"), std::string::npos);
  EXPECT_NE(redactor.text(text).find("\"action\":\"accept\""), std::string::npos);
}

}  // namespace
}  // namespace postern
