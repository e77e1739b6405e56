// The reader of cases refuses what it does not know, each refusal beside the nearest text that it takes; and whatever
// bytes it is given, it takes them whole or refuses them.

#include "tests/support/case_file.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/support/refused.h"

namespace postern::test {
namespace {

constexpr std::string_view kGood =
    "name: a genuine token for another server\n"
    "attack: A1\n"
    "as: rowan\n"
    "given: token audience=other\n"
    "given: open ticket=T-1042\n"
    "when: call get_ticket\n"
    "expect: token.wrong_audience\n"
    "allowed: A01-own-token\n"
    "\n"
    "-- request --\n"
    "two\n"
    "lines\n"
    "-- note --\n"
    "one\n";

std::string with(std::string_view from, std::string_view to) {
  std::string text(kGood);
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

std::string reason_of(const std::string& text) {
  const auto made = CaseFile::parse("x.case", text);
  if (made) return "taken";
  EXPECT_TRUE(refused(made, "lab.bad_case_file"));
  return made.error().text();
}

TEST(CaseFileReader, TakesAWholeCase) {
  const auto made = CaseFile::parse("A01.case", kGood);
  ASSERT_TRUE(succeeded(made));
  EXPECT_EQ(made->file(), "A01.case");
  EXPECT_EQ(made->value("name"), "a genuine token for another server");
  EXPECT_EQ(made->value("fault"), "");
  EXPECT_EQ(made->given(), (std::vector<std::string>{"token audience=other", "open ticket=T-1042"}));
  EXPECT_FALSE(made->expects_success());
  ASSERT_NE(made->section("request"), nullptr);
  EXPECT_EQ(*made->section("request"), "two\nlines");
  EXPECT_EQ(made->section("response"), nullptr);
}

TEST(CaseFileReader, RefusesAnUnknownKey) {
  EXPECT_EQ(reason_of(with("as: rowan", "who: rowan")), "x.case:3: there is no key \"who\"");
  EXPECT_EQ(reason_of(with("as: rowan", "As: rowan")), "x.case:3: there is no key \"As\"");
  EXPECT_EQ(reason_of(with("as: rowan", "as: quinn")), "taken");
}

TEST(CaseFileReader, RefusesAMissingKey) {
  EXPECT_EQ(reason_of(with("name: a genuine token for another server\n", "")), "x.case: it has no \"name\"");
  EXPECT_EQ(reason_of(with("when: call get_ticket\n", "")), "x.case: it has no \"when\"");
  EXPECT_EQ(reason_of(with("expect: token.wrong_audience\n", "")), "x.case: it has no \"expect\"");
  EXPECT_EQ(reason_of(with("as: rowan\n", "")), "taken");
  EXPECT_EQ(reason_of(""), "x.case: it has no \"name\"");
}

TEST(CaseFileReader, RefusesNoneOrTwoOfAttackFaultAndPublic) {
  const std::string one_of = "x.case: it must have exactly one of \"attack\", \"fault\" and \"public\"";
  EXPECT_EQ(reason_of(with("attack: A1\n", "")), one_of);
  EXPECT_EQ(reason_of(with("attack: A1\n", "attack: A1\nfault: slow-peer\n")), one_of);
  EXPECT_EQ(reason_of(with("attack: A1\n", "fault: slow-peer\npublic: B-079\n")), one_of);
  EXPECT_EQ(reason_of(with("attack: A1\n", "fault: slow-peer\n")), "taken");
  EXPECT_EQ(reason_of(with("attack: A1\n", "public: B-079\n")), "taken");
}

TEST(CaseFileReader, RefusesARepeatedKeyButNotARepeatedStep) {
  EXPECT_EQ(reason_of(with("as: rowan\n", "as: rowan\nas: quinn\n")), "x.case:4: \"as\" stands twice");
  EXPECT_EQ(reason_of(with("when: call", "when: call get_order\nwhen: call")), "x.case:7: \"when\" stands twice");
  EXPECT_EQ(reason_of(with("given: open", "given: open ticket=T-3090\ngiven: open")), "taken");
}

TEST(CaseFileReader, RefusesAKeyWithoutAValue) {
  EXPECT_EQ(reason_of(with("as: rowan", "as: ")), "x.case:3: \"as\" has no value");
  EXPECT_EQ(reason_of(with("as: rowan", "as:")), "x.case:3: \"as\" has no value");
  EXPECT_EQ(reason_of(with("as: rowan", "as")), "x.case:3: \"as\" has no value");
  EXPECT_EQ(reason_of(with("as: rowan", "as:  rowan")), "x.case:3: blanks stand around the value of \"as\"");
  EXPECT_EQ(reason_of(with("as: rowan", "as: rowan ")), "x.case:3: blanks stand around the value of \"as\"");
}

TEST(CaseFileReader, RefusesAValueThatIsNotInItsList) {
  EXPECT_NE(reason_of(with("attack: A1", "attack: A13")).find("only A1 to A12"), std::string::npos);
  EXPECT_NE(reason_of(with("attack: A1", "attack: A01")).find("only A1 to A12"), std::string::npos);
  EXPECT_EQ(reason_of(with("attack: A1", "attack: A12")), "taken");
  EXPECT_NE(reason_of(with("attack: A1", "public: B-79")).find("as B-079 is"), std::string::npos);
  EXPECT_NE(reason_of(with("attack: A1", "fault: slow peer")).find("letters, digits and hyphens"), std::string::npos);
  EXPECT_NE(reason_of(with("as: rowan", "layer: wire")).find("a layer is"), std::string::npos);
  EXPECT_EQ(reason_of(with("as: rowan", "layer: http")), "taken");
  EXPECT_NE(reason_of(with("as: rowan", "desk: west")).find("is product"), std::string::npos);
  EXPECT_EQ(reason_of(with("as: rowan", "desk: product")), "taken");
  EXPECT_NE(reason_of(with("token.wrong_audience", "failure")).find("id of one failure"), std::string::npos);
  EXPECT_NE(reason_of(with("token.wrong_audience", "a.b c.d")).find("id of one failure"), std::string::npos);
  EXPECT_NE(reason_of(with("A01-own-token", "own token")).find("name of one file"), std::string::npos);
}

TEST(CaseFileReader, RefusesARefusalWithoutANeighbourAndASuccessWithOne) {
  EXPECT_NE(reason_of(with("allowed: A01-own-token\n", "")).find("nearest case"), std::string::npos);
  EXPECT_NE(reason_of(with("token.wrong_audience", "success")).find("has no \"allowed\""), std::string::npos);
  std::string success = with("allowed: A01-own-token\n", "");
  success.replace(success.find("token.wrong_audience"), std::string_view("token.wrong_audience").size(), "success");
  const auto made = CaseFile::parse("x.case", success);
  ASSERT_TRUE(succeeded(made));
  EXPECT_TRUE(made->expects_success());
}

TEST(CaseFileReader, RefusesAStepThatCannotBeRead) {
  EXPECT_NE(reason_of(with("audience=other", "scope=\"desk:read")).find("a quote does not end"), std::string::npos);
  EXPECT_EQ(reason_of(with("audience=other", "scope=\"desk:read refunds:write\"")), "taken");
  EXPECT_NE(reason_of(with("get_ticket", "\"get_ticket")).find("x.case:6: a quote"), std::string::npos);
}

TEST(CaseFileReader, RefusesWhatStandsOutsideOfSections) {
  EXPECT_EQ(reason_of(with("\n-- request", "\nrequest\n-- request")),
            "x.case:10: something stands before the first section");
  EXPECT_EQ(reason_of(with("-- note", "-- request")), "x.case:13: section \"request\" stands twice");
  EXPECT_EQ(reason_of(with("two\nlines\n", "")), "x.case: section \"request\" is empty");
  EXPECT_EQ(reason_of(std::string(kGood.substr(0, kGood.size() - 1))), "x.case: its last line does not end");
  EXPECT_NE(reason_of(with("rowan", "row\xc3\xa4n")).find("not printable ASCII"), std::string::npos);
  EXPECT_NE(reason_of(with("rowan\n", "rowan\r\n")).find("not printable ASCII"), std::string::npos);
  EXPECT_EQ(reason_of(with("two", "tw\xc3\xb6\r")), "taken");
  EXPECT_EQ(reason_of(std::string(kGood.substr(0, kGood.find("\n-- request")))), "taken");
}

TEST(CaseFileReader, NamesASectionThatNobodyAskedFor) {
  const auto made = CaseFile::parse("x.case", kGood);
  ASSERT_TRUE(succeeded(made));
  ASSERT_NE(made->section("request"), nullptr);
  EXPECT_TRUE(refused(made->all_used(), "lab.bad_case_file"));
  EXPECT_EQ(made->all_used().error().text(), "x.case: nobody asked for section \"note\"");
  ASSERT_NE(made->section("note"), nullptr);
  EXPECT_TRUE(succeeded(made->all_used()));
}

TEST(CaseSteps, TakesWordsAndParameters) {
  const auto step =
      parse_step("token  audience=other scope=\"desk:read refunds:write\" \"two words\" odd=\"a\\\"b\\\\c=\" x=a=b");
  ASSERT_TRUE(succeeded(step));
  EXPECT_EQ(step->verb, "token");
  EXPECT_EQ(step->words, std::vector<std::string>{"two words"});
  EXPECT_EQ(step->parameters.at("scope"), "desk:read refunds:write");
  EXPECT_EQ(step->parameters.at("odd"), "a\"b\\c=");
  EXPECT_EQ(step->parameters.at("x"), "a=b");
  EXPECT_EQ(parse_step("decide note=\"\"")->parameters.at("note"), "");
}

TEST(CaseSteps, RefusesWhatCannotBeRead) {
  for (const std::string_view text :
       {"", "   ", "\"verb\"", "a=b", "call x=\"y", "call x=\"y\\", "call x=\"y\\n\"", "call x=", "call =x",
        "call x=1 x=2", "call \"a\"b", "call 9=x", "call x y=\"a\"\"b\""}) {
    EXPECT_TRUE(refused(parse_step(text), "lab.bad_case_file")) << text;
  }
}

// A case as text again, in the one order that the reader could have read it in.
std::string written(const CaseFile& read, const std::vector<std::string>& sections) {
  std::string text;
  for (const char* key :
       {"name", "attack", "fault", "public", "as", "when", "expect", "layer", "desk", "allowed", "comment"}) {
    if (!read.value(key).empty()) text += std::string(key) + ": " + read.value(key) + "\n";
  }
  for (const std::string& step : read.given()) text += "given: " + step + "\n";
  if (!sections.empty()) text += "\n";
  for (const std::string& name : sections) {
    if (const std::string* body = read.section(name)) text += "-- " + name + " --\n" + *body + "\n";
  }
  return text;
}

TEST(CaseFileReader, TakesOrRefusesWhateverItIsGiven) {
  std::mt19937 random(5521);
  const std::string_view pieces[] = {"\n", ": ",   "-- request --\n",   "-- note --\n", "given: ", "\"", "\\",
                                     "=",  "\n\n", "expect: success\n", "\xff",         "--"};
  int taken = 0;
  for (int round = 0; round < 6000; ++round) {
    std::string text(kGood);
    for (unsigned change = 0; change < 1 + random() % 4; ++change) {
      const std::size_t at = random() % (text.size() + 1);
      switch (random() % 3) {
        case 0:
          text.insert(at, pieces[random() % std::size(pieces)]);
          break;
        case 1:
          text.erase(at, random() % 24);
          break;
        default:
          if (at < text.size()) text[at] = static_cast<char>(random() % 256);
      }
    }
    const auto made = CaseFile::parse("x.case", text);
    if (!made) {
      ASSERT_TRUE(refused(made, "lab.bad_case_file"));
      ASSERT_FALSE(made.error().text().empty());
      continue;
    }
    ++taken;
    const std::vector<std::string> sections = {"request", "note"};
    const std::string again = written(*made, sections);
    const auto second = CaseFile::parse("x.case", again);
    ASSERT_TRUE(succeeded(second)) << again;
    ASSERT_EQ(written(*second, sections), again);
    for (const std::string& step : made->given()) ASSERT_TRUE(succeeded(parse_step(step)));
  }
  EXPECT_GT(taken, 300);
  EXPECT_LT(taken, 5700);
}

}  // namespace
}  // namespace postern::test
