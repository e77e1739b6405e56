// The format of recorded runs: read whole or refused, and written as it was read.
#include "tests/lab/replay/run_file.h"

#include <gtest/gtest.h>

#include "wire/base/replace_text.h"

namespace postern::lab {
namespace {

RecordedRun small_run() {
  RecordedRun run;
  run.name = "small";
  run.ticket = "T-1042";
  run.seed = "1";
  run.clock = "2026-11-30T02:45:12.104Z";
  run.origins = {{"desk", "127.0.0.1:4310"}};
  run.secrets = {{2, "eyJ", 600}};
  run.lines.push_back(*parse_json(
      R"({"at":0,"kind":"bytes","channel":"http","from":"host","to":"server","exchange":1,"start":"GET / HTTP/1.1","headers":[]})"));
  run.lines.push_back(*parse_json(R"({"at":3,"kind":"note","layer":"own","subject":"x","verdict":"ok"})"));
  RecordedLeg leg;
  leg.arguments = {"run", "T-1042"};
  leg.end = 2;
  leg.exit = 8;
  leg.out = "two\nlines, the last without an end";
  leg.err = "";
  run.legs.push_back(leg);
  return run;
}

Result<RecordedRun> parsed_with(std::string_view what, std::string_view with) {
  std::string text = run_file_text(small_run());
  replace_all(text, what, with);
  return parse_run_file("a.run", text, Seal::kLeft);
}

TEST(RunFile, IsReadAsItWasWritten) {
  const std::string text = run_file_text(small_run());
  const auto run = parse_run_file("a.run", text);
  ASSERT_TRUE(run.has_value()) << run.error().text();
  EXPECT_EQ(run_file_text(*run), text);
  EXPECT_EQ(run->legs[0].out, "two\nlines, the last without an end");
  EXPECT_EQ(run->exit(), 8);
  ASSERT_EQ(run->entries().size(), 2U);
  EXPECT_EQ(run->entries()[1].at_ms, 1796006712107);
}

TEST(RunFile, RefusesABrokenSealWhereItIsChecked) {
  std::string text = run_file_text(small_run());
  replace_all(text, "GET / ", "GET /x ");
  EXPECT_TRUE(parse_run_file("a.run", text, Seal::kLeft).has_value());
  const auto run = parse_run_file("a.run", text);
  ASSERT_FALSE(run.has_value());
  EXPECT_NE(run.error().text().find("the seal is broken"), std::string::npos);
}

TEST(RunFile, RefusesWhatItDoesNotKnow) {
  EXPECT_TRUE(parsed_with("", "").has_value());
  EXPECT_FALSE(parsed_with("\"verdict\":\"ok\"", "\"verdict\":\"ok\",\"extra\":1").has_value());
  EXPECT_FALSE(parsed_with("\"kind\":\"note\"", "\"kind\":\"notes\"").has_value());
  EXPECT_FALSE(parsed_with("\"layer\":\"own\",", "").has_value());
  EXPECT_FALSE(parsed_with("postern.run/1", "postern.run/2").has_value());
  EXPECT_FALSE(parsed_with("\"exit\":8", "\"exit\":256").has_value());
  EXPECT_FALSE(parsed_with("\"bytes\":600", "\"bytes\":-1").has_value());
}

TEST(RunFile, RefusesLinesOutOfTheirOrder) {
  const std::string text = run_file_text(small_run());
  const std::size_t seal = text.find("{\"kind\":\"seal\"");
  EXPECT_FALSE(parse_run_file("a.run", text.substr(0, seal), Seal::kLeft).has_value());
  EXPECT_FALSE(parse_run_file("a.run", text + text.substr(seal), Seal::kLeft).has_value());
  EXPECT_FALSE(parse_run_file("a.run", text.substr(text.find('\n') + 1), Seal::kLeft).has_value());
  EXPECT_FALSE(parse_run_file("a.run", "", Seal::kLeft).has_value());
  EXPECT_FALSE(parse_run_file("a.run", text.substr(0, text.size() - 1), Seal::kLeft).has_value());
  const std::size_t end = text.find("{\"kind\":\"end\"");
  EXPECT_FALSE(parse_run_file("a.run", text.substr(0, end) + text.substr(seal), Seal::kLeft).has_value());
}

}  // namespace
}  // namespace postern::lab
