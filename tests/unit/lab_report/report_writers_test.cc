// Each form of a report, byte for byte; texts of strangers in every field; and readers that are not ours: Python's
// xml.etree and json read what was written.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/lab/report/report_files.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/lab_report/suites.h"
#include "wire/base/file.h"
#include "wire/base/json.h"
#include "wire/schema/schema.h"

namespace postern::lab {
namespace {

TEST(Tap, IsVersion14WithAPlanAndAYamlBlockBelowWhatDidNotPass) {
  EXPECT_EQ(as_tap(a_suite()), R"(TAP version 14
1..5
ok 1 - A1 token for another server # blocked: 401 invalid_token (audience)
not ok 2 - A6 accept without a decision
  ---
  severity: fail
  expected: Nothing was refunded
  got: "1 refund(s) on T-1042, $48.00"
  run: attack-A6-20261130T025001
  next: postern wire attack-A6-20261130T025001
  duration_ms: 0
  ...
not ok 3 - A7 approves the own refund
  ---
  severity: error
  expected: "refused"
  got: the page is not there
  duration_ms: 0
  ...
ok 4 - A9 larger amount # SKIP not asked for
ok 5 - A12 token downstream # SKIP not observable: no log can be read from outside
# 1 of 5 blocked. A6 got through.
)");
}

TEST(Tap, AWordOfAResultIsNoDirective) {
  Suite suite;
  suite.checks.push_back(a_check("A1", "a # SKIP b \\", Verdict::kPass, "", "skip of 3 records, todo"));
  suite.checks.push_back(a_check("A2", "next\nok 3 - A9", Verdict::kPass, "", "TODO list read"));
  EXPECT_EQ(as_tap(suite),
            "TAP version 14\n1..2\n"
            "ok 1 - A1 a \\# SKIP b \\\\ # seen: skip of 3 records, todo\n"
            "ok 2 - A2 next[U+000A]ok 3 - A9 # seen: TODO list read\n");
}

TEST(Tap, QuotesEachScalarThatAReaderCouldTakeForAnotherValue) {
  for (const std::string text : {"true", "null", "- a", "a: b", "12", "no", "a #b", "'x' y", "line\nline", "~", "x "}) {
    Suite suite;
    suite.checks.push_back(a_check("A1", "n", Verdict::kFail, text, ""));
    std::string quoted;
    Json::append_quoted(quoted, text);
    EXPECT_NE(as_tap(suite).find("  expected: " + quoted + "\n"), std::string::npos) << text;
  }
}

TEST(JUnit, IsOneTestsuiteAVerbWithAFailureAnErrorAndReasonsForWhatWasSkipped) {
  EXPECT_EQ(as_junit(a_suite()), R"(<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="5" failures="1" errors="1" skipped="2" time="0.412">
  <testsuite name="attack" tests="5" failures="1" errors="1" skipped="2" time="0.412">
    <properties>
      <property name="target" value="product"/>
      <property name="shown_by.A1" value="without desk.token.audience"/>
    </properties>
    <testcase classname="attack.A1" name="token for another server" time="0.412">
      <system-out>blocked: 401 invalid_token (audience)</system-out>
    </testcase>
    <testcase classname="attack.A6" name="accept without a decision" time="0.000">
      <failure type="fail" message="expected Nothing was refunded">expected: Nothing was refunded
got: 1 refund(s) on T-1042, $48.00
run: attack-A6-20261130T025001
next: postern wire attack-A6-20261130T025001
</failure>
    </testcase>
    <testcase classname="attack.A7" name="approves the own refund" time="0.000">
      <error type="error" message="the page is not there">expected: refused
got: the page is not there
</error>
    </testcase>
    <testcase classname="attack.A9" name="larger amount" time="0.000">
      <skipped message="not asked for"/>
    </testcase>
    <testcase classname="attack.A12" name="token downstream" time="0.000">
      <skipped message="not observable: no log can be read from outside"/>
    </testcase>
    <system-out>1 of 5 blocked. A6 got through.</system-out>
  </testsuite>
</testsuites>
)");
}

TEST(JUnit, AnIdThatBeginsWithItsVerbIsNotDoubled) {
  Suite suite;
  suite.verb = "fault";
  suite.checks.push_back(a_check("fault.slow-peer", "n", Verdict::kPass, "", ""));
  EXPECT_NE(as_junit(suite).find("classname=\"fault.slow-peer\" name=\"n\" time=\"0.000\"/>"), std::string::npos);
}

Schema published_schema() {
  const auto text = read_file(std::string(POSTERN_SOURCE_DIR) + "/docs/schemas/postern.grade-1.json", 1 << 20);
  return *Schema::compile(*parse_json(*text));
}

TEST(JsonReport, IsWhatThePublishedSchemaSays) {
  const auto report = parse_json(as_json(a_suite()));
  ASSERT_TRUE(report);
  const Status valid = published_schema().validate(*report);
  EXPECT_TRUE(valid) << valid.error().text();
  EXPECT_EQ(report->string_at("verdict"), "error");
  const Json& second = report->find("checks")->elements()[1];
  EXPECT_EQ(second.string_at("verdict"), "fail");
  EXPECT_EQ(second.string_at("next"), "postern wire attack-A6-20261130T025001");
  EXPECT_EQ(report->find("checks")->elements()[0].integer_at("duration_ms"), 412);
  EXPECT_EQ(report->find("counts")->integer_at("not_observable"), 1);
}

TEST(JsonReport, TheSchemaRefusesAnotherVerdictAMissingFieldAndAnUnknownOne) {
  const Json good = *parse_json(as_json(a_suite()));
  const Schema schema = published_schema();
  Json other = good;
  other.set("verdict", "blocked");
  EXPECT_FALSE(schema.validate(other));
  Json missing = good;
  missing.erase("counts");
  EXPECT_FALSE(schema.validate(missing));
  Json more = good;
  more.set("score", 12);
  EXPECT_FALSE(schema.validate(more));
}

TEST(ExitCode, AnErrorCountsMoreThanAFailureAndWhatWasNotSeenCountsAsNothing) {
  Suite suite = a_suite();
  EXPECT_EQ(exit_code_of(suite), 3);
  suite.checks.erase(suite.checks.begin() + 2);
  EXPECT_EQ(exit_code_of(suite), 1);
  suite.checks.erase(suite.checks.begin() + 1);
  EXPECT_EQ(exit_code_of(suite), 0);
}

TEST(Lines, SayForPeopleWhatWentWrongAndWhatToDoNext) {
  std::string out;
  for (const Check& check : a_suite().checks) out += as_lines(check, 3);
  EXPECT_EQ(out, R"(ok      A1   token for another server: blocked: 401 invalid_token (audience)
FAIL    A6   accept without a decision
        expected: Nothing was refunded
        got:      1 refund(s) on T-1042, $48.00
        run:      attack-A6-20261130T025001
        next:     postern wire attack-A6-20261130T025001
ERROR   A7   approves the own refund
        expected: refused
        got:      the page is not there
skip    A9   larger amount: not asked for
unseen  A12  token downstream: no log can be read from outside
)");
}

TEST(Html, FetchesNothingAndRunsNothing) {
  const std::string page = as_html(a_suite());
  for (const auto word : {"<script", "http://", "https://", "src=", "href=", "@import", "url(", "onload"}) {
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  }
  EXPECT_NE(page.find("default-src 'none'; style-src 'sha256-"), std::string::npos);
  EXPECT_NE(page.find("width=device-width"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
  EXPECT_NE(page.find("<span class=\"verdict\">not observable</span> A12"), std::string::npos);
}

// Every field holds every text.
Suite hostile_suite() {
  const std::string text = std::string("\x1b[31mred\x1b]8;;http://x\x07 ]]> <script>alert(1)</script> \"&' ") +
                           std::string("\0nul ", 5) + "\xED\xA0\x80 \xEF\xBF\xBE\xEF\xBF\xBF \xC3( \xE2\x80\xAE rtl " +
                           "\xF3\xA0\x81\x81 tag\r\n  ...\nBail out!\nok 1 - A1\n# SKIP --- </testsuite> \x7f \xC2\x85";
  Suite suite;
  suite.verb = "attack" + text;
  suite.target = text;
  suite.summary = text;
  int number = 0;
  for (const Verdict verdict :
       {Verdict::kPass, Verdict::kFail, Verdict::kError, Verdict::kSkip, Verdict::kNotObservable}) {
    Check check = a_check("A" + std::to_string(++number) + text, text, verdict, text, text);
    check.run = text;
    check.next = text;
    check.shown_by = text;
    suite.checks.push_back(check);
  }
  return suite;
}

bool python(const std::string& program, const std::string& file) {
  return std::system(("python3 -c '" + program + "' '" + file + "'").c_str()) == 0;
}

constexpr const char* kReadJunit =
    "import sys, xml.etree.ElementTree as e\n"
    "cases = e.parse(sys.argv[1]).getroot().findall(\"testsuite/testcase\")\n"
    "kinds = [[c.tag for c in case] for case in cases]\n"
    "assert kinds == [[\"system-out\"], [\"failure\"], [\"error\"], [\"skipped\"], [\"skipped\"]], kinds\n"
    "assert all(\"alert(1)\" in case.get(\"name\") for case in cases)\n";
constexpr const char* kReadHtml =
    "import sys, xml.etree.ElementTree as e\n"
    "root = e.parse(sys.argv[1]).getroot()\n"
    "assert len(root.findall(\".//li\")) == 5\n"
    "assert not root.findall(\".//script\") and not root.findall(\".//testsuite\")\n"
    "assert \"alert(1)\" in \"\".join(root.itertext())\n";
constexpr const char* kReadJson =
    "import sys, json\n"
    "report = json.load(open(sys.argv[1], encoding=\"utf-8\"))\n"
    "assert [c[\"verdict\"] for c in report[\"checks\"]] == [\"pass\", \"fail\", \"error\", \"skip\", "
    "\"not_observable\"]\n"
    "assert not any(ord(x) < 32 and x not in \"\\n\\t\" for c in report[\"checks\"] for x in c[\"got\"])\n";
// Lines of TAP at the left margin are the version, the plan, five results and the summary; nothing broke out.
constexpr const char* kReadTap =
    "import sys\n"
    "lines = [l for l in open(sys.argv[1], encoding=\"utf-8\").read().split(\"\\n\")[:-1] if l[:2] != \"  \"]\n"
    "assert [l.split(\" - \")[0].rstrip() for l in lines[1:7]] == "
    "[\"1..5\", \"ok 1\", \"not ok 2\", \"not ok 3\", \"ok 4\", \"ok 5\"], lines\n"
    "assert len(lines) == 8 and lines[7][:2] == \"# \"\n";

TEST(HostileTexts, StayInTheirPlaceForReadersThatAreNotOurs) {
  const test::TemporaryFolder folder;
  const Suite suite = hostile_suite();
  ASSERT_TRUE(replace_file(folder / "r.xml", as_junit(suite)));
  ASSERT_TRUE(replace_file(folder / "r.json", as_json(suite)));
  ASSERT_TRUE(replace_file(folder / "r.tap", as_tap(suite)));
  std::string page = as_html(suite);
  page.erase(0, std::string("<!DOCTYPE html>\n").size());
  ASSERT_TRUE(replace_file(folder / "r.html", page));
  EXPECT_TRUE(python(kReadJunit, folder / "r.xml"));
  EXPECT_TRUE(python(kReadJson, folder / "r.json"));
  EXPECT_TRUE(python(kReadTap, folder / "r.tap"));
  EXPECT_TRUE(python(kReadHtml, folder / "r.html"));
  EXPECT_TRUE(published_schema().validate(*parse_json(as_json(suite))));
}

TEST(HostileTexts, NoControlOrHiddenCharacterIsInAnyReport) {
  const Suite suite = hostile_suite();
  std::string lines;
  for (const Check& check : suite.checks) lines += as_lines(check, 3);
  for (const std::string& report : {as_tap(suite), as_junit(suite), as_json(suite), as_html(suite), lines}) {
    for (const char c : report) {
      const auto byte = static_cast<unsigned char>(c);
      EXPECT_TRUE(byte >= 0x20 || c == '\n') << static_cast<int>(byte);
      EXPECT_NE(byte, 0x7F);
    }
    for (const auto hidden : {"\xE2\x80\xAE", "\xF3\xA0\x81\x81", "\xC2\x85", "\xEF\xBF\xBF", "\xED\xA0\x80"}) {
      EXPECT_EQ(report.find(hidden), std::string::npos);
    }
  }
}

TEST(HostileTexts, AMegabyteIsCutAndSaysSo) {
  Suite suite = a_suite();
  suite.checks[1].got.clear();
  for (int i = 0; i < 350'000; ++i) suite.checks[1].got += "€";
  for (const std::string& report : {as_tap(suite), as_junit(suite), as_json(suite), as_html(suite)}) {
    EXPECT_LT(report.size(), 60'000U);
    EXPECT_NE(report.find("… (1050000 bytes in all)"), std::string::npos);
    EXPECT_EQ(report.find("[byte"), std::string::npos) << "cut in the middle of a character";
  }
}

}  // namespace
}  // namespace postern::lab
