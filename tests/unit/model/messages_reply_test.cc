// What the host makes of a reply of the model service: which parts of it may lead to a call, and that the rest is kept
// as it came.
#include "host/model/messages_reply.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

std::string reply_with(const std::string& content, const std::string& stop = "\"tool_use\"") {
  return R"({"id":"msg_1","type":"message","role":"assistant","model":"m","content":)" + content +
         R"(,"stop_reason":)" + stop + R"(,"usage":{"input_tokens":10,"cache_read_input_tokens":5,"output_tokens":7}})";
}

const std::string kCall =
    R"({"type":"tool_use","id":"toolu_1","name":"get_order","input":{},"caller":{"type":"direct"}})";

TEST(MessagesReply, ReadsTextAndToolCalls) {
  const auto turn = read_messages_reply(reply_with(R"([{"type":"text","text":"I will look."},)" + kCall + "]"));
  ASSERT_TRUE(succeeded(turn));
  EXPECT_EQ(turn->text, "I will look.");
  ASSERT_EQ(turn->tool_uses.size(), 1u);
  EXPECT_EQ(turn->tool_uses[0].name, "get_order");
  EXPECT_EQ(turn->stop, StopReason::kToolUse);
  EXPECT_EQ(turn->input_tokens, 15);
  EXPECT_EQ(turn->output_tokens, 7);
}

TEST(MessagesReply, KeepsTheContentByteForByte) {
  // White space, an escape, a number's form and an unknown block: a thinking block is bound to such bytes.
  const std::string content =
      "[ {\"type\":\"thinking\",\"thinking\":\"caf\\u00e9 [\\\"}\",\"signature\":\"s==\" },\n "
      "{\"type\":\"later\",\"n\":1.50e1}, " +
      kCall + " ]";
  const auto turn = read_messages_reply(reply_with(content));
  ASSERT_TRUE(succeeded(turn));
  EXPECT_EQ(turn->content_json, content);
  EXPECT_EQ(turn->text, "");
}

TEST(MessagesReply, FindsARawMemberAfterNestedOnes) {
  EXPECT_EQ(raw_member(R"({"a":{"b":"}","c":[1,{"b":2}]}, "b" : [ "x,]" ] ,"d":7})", "b"), R"([ "x,]" ])");
  EXPECT_EQ(raw_member(R"({"a":"b","d":7})", "d"), "7");
  EXPECT_EQ(raw_member(R"({"a":{"b":1}})", "b"), std::nullopt);
  EXPECT_EQ(raw_member("{}", "b"), std::nullopt);
}

TEST(MessagesReply, RunsNoToolOfATurnThatWasCutOff) {
  const auto turn = read_messages_reply(reply_with("[" + kCall + "]", "\"max_tokens\""));
  ASSERT_TRUE(succeeded(turn));
  EXPECT_TRUE(turn->tool_uses.empty());
  EXPECT_TRUE(refused(check_stop(*turn), "model.turn_cut_off"));
}

TEST(MessagesReply, AcceptsAnEndWithoutWords) {
  const auto turn = read_messages_reply(reply_with("[]", "\"end_turn\""));
  ASSERT_TRUE(succeeded(turn));
  EXPECT_TRUE(succeeded(check_stop(*turn)));
}

TEST(MessagesReply, RefusesEveryStopThatItDoesNotKnow) {
  const struct {
    const char* stop;
    const char* id;
  } kCases[] = {{"\"stop_sequence\"", "model.unexpected_stop"},
                {"\"pause_turn\"", "model.unexpected_stop"},
                {"\"compaction\"", "model.unexpected_stop"},
                {"null", "model.unexpected_stop"},
                {"\"refusal\"", "model.declined"},
                {"\"model_context_window_exceeded\"", "model.turn_cut_off"}};
  for (const auto& one : kCases) {
    const auto turn = read_messages_reply(reply_with("[" + kCall + "]", one.stop));
    ASSERT_TRUE(succeeded(turn)) << one.stop;
    EXPECT_TRUE(turn->tool_uses.empty()) << one.stop;
    EXPECT_TRUE(refused(check_stop(*turn), one.id)) << one.stop;
  }
}

TEST(MessagesReply, SaysWhyTheModelDeclined) {
  const auto turn = read_messages_reply(R"({"role":"assistant","content":[],"stop_reason":"refusal",)"
                                        R"("stop_details":{"type":"refusal","category":"cyber","explanation":"no"}})");
  ASSERT_TRUE(succeeded(turn));
  EXPECT_EQ(turn->refusal, "cyber: no");
}

TEST(MessagesReply, RefusesAToolStopWithoutACall) {
  EXPECT_TRUE(refused(read_messages_reply(reply_with("[]")), "model.malformed_reply"));
  EXPECT_TRUE(succeeded(read_messages_reply(reply_with("[" + kCall + "]"))));
}

TEST(MessagesReply, RefusesTwoCallsWithOneId) {
  EXPECT_TRUE(refused(read_messages_reply(reply_with("[" + kCall + "," + kCall + "]")), "model.malformed_reply"));
}

TEST(MessagesReply, RefusesMoreCallsThanARunCouldWant) {
  for (const int calls : {32, 33}) {
    std::string content;
    for (int i = 0; i < calls; ++i) {
      content += (i == 0 ? "[" : ",") +
                 std::string(R"({"type":"tool_use","name":"get_order","input":{},"id":"toolu_)") + std::to_string(i) +
                 "\"}";
    }
    const auto reply = read_messages_reply(reply_with(content + "]"));
    EXPECT_TRUE(calls == 32 ? succeeded(reply) : refused(reply, "model.malformed_reply"));
  }
}

TEST(MessagesReply, RefusesACallFromCodeOfTheService) {
  const std::string content =
      R"([{"type":"tool_use","id":"t1","name":"get_order","input":{},"caller":{"type":"code_execution_20260120"}}])";
  EXPECT_TRUE(refused(read_messages_reply(reply_with(content)), "model.server_side_work"));
  // Older services do not say who calls.
  EXPECT_TRUE(
      succeeded(read_messages_reply(reply_with(R"([{"type":"tool_use","id":"t1","name":"get_order","input":{}}])"))));
}

TEST(MessagesReply, RefusesBlocksOfAConnectorThatNobodyAskedFor) {
  for (const char* type :
       {"mcp_tool_use", "mcp_tool_result", "mcp_tool_listing", "server_tool_use", "web_search_tool_result"}) {
    const std::string content = std::string(R"([{"type":")") + type + R"("},)" + kCall + "]";
    EXPECT_TRUE(refused(read_messages_reply(reply_with(content)), "model.server_side_work")) << type;
  }
}

TEST(MessagesReply, RefusesCallsThatCannotBeAnswered) {
  for (const char* call :
       {R"({"type":"tool_use","id":"","name":"a","input":{}})",
        R"({"type":"tool_use","id":"a b","name":"a","input":{}})",
        R"({"type":"tool_use","id":"t1","name":"","input":{}})", R"({"type":"tool_use","id":"t1","name":"a"})"}) {
    EXPECT_TRUE(refused(read_messages_reply(reply_with(std::string("[") + call + "]")), "model.malformed_reply"))
        << call;
  }
}

TEST(MessagesReply, RefusesWhatIsNoMessage) {
  for (const char* body :
       {"", "<html>", "[]", R"({"role":"user","content":[],"stop_reason":"end_turn"})",
        R"({"role":"assistant","content":"x","stop_reason":"end_turn"})", R"({"role":"assistant","content":[]})",
        R"({"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"a","input":{)"}) {
    EXPECT_TRUE(refused(read_messages_reply(body), "model.malformed_reply")) << body;
  }
}

}  // namespace
}  // namespace postern::host
