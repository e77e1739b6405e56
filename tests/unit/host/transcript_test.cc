// The conversation only grows, byte for byte, and comes back from disk as it was.
#include "host/transcript/transcript.h"

#include <gtest/gtest.h>

#include "host/run_ticket.h"
#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

Transcript begun() {
  const bridge::ModelTools tools({bridge::pretended::pinned_tool(
                                     "get_order", Json::object({{"case_handle", bridge::pretended::string_schema()}}))},
                                 {{}, true, {"open_case"}, {"case_handle"}});
  return Transcript(bridge::system_prompt(), tools.shown(), bridge::opening("T-1042"));
}

TEST(Transcript, BeginsWithTheToolsAsTheyAreShown) {
  const Transcript transcript = begun();
  EXPECT_EQ(transcript.tools_json(),
            R"([{"name":"get_order","description":"d","input_schema":{"type":"object","properties":{},)"
            R"("required":[],"additionalProperties":false}}])");
  EXPECT_EQ(transcript.messages_json(),
            R"({"role":"user","content":[{"type":"text","text":"Resolve ticket T-1042."}]})");
}

TEST(Transcript, OnlyGrows) {
  Transcript transcript = begun();
  const std::string before = transcript.messages_json();
  transcript.append_assistant(
      R"([{"type":"thinking","thinking":"","signature":"sig"},{"type":"tool_use","id":"t1","name":"get_order","input":{}}])");
  const std::string middle = transcript.messages_json();
  EXPECT_EQ(middle.substr(0, before.size()), before);
  const bridge::ResultValidator validator({});
  const auto result = validator.validate("get_order", {Json::array({mcp::text_block("data")}), std::nullopt, false});
  std::vector<ToolAnswer> answers;
  answers.push_back({"t1", bridge::Labeler("00", "support-desk").label(*result), false});
  answers.push_back({"t2", bridge::no_such_tool(), true});
  transcript.append_answers(answers);
  EXPECT_EQ(transcript.messages_json().substr(0, middle.size()), middle);
  const Json messages = *parse_json("[" + transcript.messages_json() + "]");
  const Json& content = *messages.elements()[2].find("content");
  ASSERT_EQ(content.size(), 2U);
  EXPECT_EQ(content.elements()[0].string_at("tool_use_id"), "t1");
  EXPECT_FALSE(content.elements()[0].has("is_error"));
  EXPECT_EQ(content.elements()[1].boolean_at("is_error"), true);
}

TEST(Transcript, ComesBackFromDiskByteForByte) {
  Transcript transcript = begun();
  transcript.append_assistant(R"([{"type":"text","text":"a\nb"}])");
  const auto read = Transcript::read(transcript.serialise());
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(read->system_json(), transcript.system_json());
  EXPECT_EQ(read->tools_json(), transcript.tools_json());
  EXPECT_EQ(read->messages_json(), transcript.messages_json());
  EXPECT_EQ(read->serialise(), transcript.serialise());
}

TEST(Transcript, RefusesAFileThatWasCutOff) {
  const std::string whole = begun().serialise();
  EXPECT_TRUE(refused(Transcript::read(whole.substr(0, whole.size() - 2)), "own.bad_transcript"));
  EXPECT_TRUE(refused(Transcript::read(""), "own.bad_transcript"));
  EXPECT_TRUE(refused(Transcript::read("\"s\"\n[]\n{\n"), "own.bad_transcript"));
}

TEST(Transcript, KnowsWhichCallsWereNotAnswered) {
  Transcript transcript = begun();
  EXPECT_TRUE(unanswered_uses(transcript).empty());
  transcript.append_assistant(
      R"([{"type":"text","text":"x"},{"type":"tool_use","id":"t1","name":"issue_refund","input":{"amount_cents":4800}}])");
  const auto uses = unanswered_uses(transcript);
  ASSERT_EQ(uses.size(), 1U);
  EXPECT_EQ(uses.front().id, "t1");
  EXPECT_EQ(uses.front().input.integer_at("amount_cents"), 4800);
  transcript.append_answers({ToolAnswer{"t1", bridge::call_failed(), true}});
  EXPECT_TRUE(unanswered_uses(transcript).empty());
}

}  // namespace
}  // namespace postern::host
