// Aliases become what the host itself sent, or texts of the same length that read like secrets.
#include "tests/lab/replay/stand_ins.h"

#include <gtest/gtest.h>

#include "tests/lab/replay/secret_shapes.h"

namespace postern::lab {
namespace {

RecordedRun run_with(std::vector<SecretShape> secrets) {
  RecordedRun run;
  run.origins = {{"desk", "127.0.0.1:4310"}};
  run.secrets = std::move(secrets);
  return run;
}

TEST(StandIns, HaveTheLengthAndTheBeginning) {
  StandIns stand_ins(run_with({{1, "eyJ", 600}, {2, "ch_", 25}}));
  const std::string text = stand_ins.fill("a <token#1> b <handle#2> c <jwt#1> at {desk}");
  EXPECT_EQ(text.substr(0, 5), "a eyJ");
  EXPECT_EQ(text.size(), 2 + 600 + 3 + 25 + 3 + 600 + 4 + 14);
  EXPECT_EQ(text.substr(2, 600), text.substr(2 + 600 + 3 + 25 + 3, 600));
  EXPECT_EQ(text.substr(text.size() - 14), "127.0.0.1:4310");
}

TEST(StandIns, TakeWhatTheHostSent) {
  StandIns stand_ins(run_with({}));
  stand_ins.bind("state=<state#3>&code_verifier=<verifier#4>", "state=abc%2Bd&code_verifier=v1");
  EXPECT_EQ(stand_ins.fill("?state=<state#3> <verifier#4>"), "?state=abc+d v1");
}

TEST(StandIns, LeaveWhatCannotBeToldApart) {
  StandIns stand_ins(run_with({{3, "", 4}}));
  stand_ins.bind("x<state#3><state#4>", "xabcd");
  stand_ins.bind("y=<state#3>", "x=abcd");
  EXPECT_EQ(stand_ins.fill("<state#3>").size(), 4U);
  EXPECT_NE(stand_ins.fill("<state#3>"), "abcd");
}

TEST(SecretShapes, FollowFromTheSizesOfMessages) {
  RecordedRun run = run_with({});
  // "HTTP/1.1 200 OK\r\nx: y\r\n\r\n" is 17 + 6 + 2 bytes; the text beside the secret is 2.
  run.lines.push_back(*parse_json(
      R"({"at":0,"kind":"bytes","channel":"http","from":"server","to":"host","exchange":1,"start":"HTTP/1.1 200 OK","headers":[["x","y"]],"body":"\"<handle#1>\"","bytes":52})"));
  const auto shapes = shapes_of(run);
  ASSERT_EQ(shapes.size(), 1U);
  EXPECT_EQ(shapes[0].number, 1U);
  EXPECT_EQ(shapes[0].prefix, "ch_");
  EXPECT_EQ(shapes[0].bytes, 25U);
}

}  // namespace
}  // namespace postern::lab
