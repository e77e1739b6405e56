// Proves that a cancelled request is stopped, that nothing is sent for it any more, and that no cancellation does harm
// (MCP 2026-07-28 basic/patterns/cancellation).
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/mcp_server/stdio_client.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::StdioClient;
using test::succeeded;
using test::WorkingServer;

class StdioCancellation : public testing::Test {
 protected:
  // Everything that comes after the input has ended.
  static std::vector<Json> rest(StdioClient& client) {
    client.close_input();
    std::vector<Json> all;
    for (Json message = client.next(); !message.is_null(); message = client.next()) all.push_back(message);
    EXPECT_TRUE(succeeded(client.ended()));
    return all;
  }
  WorkingServer working_;
};

TEST_F(StdioCancellation, StopsTheWorkAndSendsNothingMore) {
  StdioClient client(*working_.server);
  client.send(StdioClient::call("tell_and_wait", "7", json_of_text(R"({"progressToken":1})")));
  EXPECT_EQ(client.next().string_at("method"), "notifications/progress");
  client.send(StdioClient::cancel("7"));
  EXPECT_TRUE(working_.wait_until_stopped(1));
  EXPECT_EQ(client.next_after_echo("8").integer_at("id"), 8);
  EXPECT_TRUE(rest(client).empty());  // neither the last progress nor an answer
}

TEST_F(StdioCancellation, MeansTheIdOfExactlyThatType) {
  StdioClient client(*working_.server);
  client.send(StdioClient::call("wait", "7"));
  client.send(StdioClient::call("wait", "\"7\""));
  ASSERT_TRUE(working_.wait_until_begun(2));
  client.send(StdioClient::cancel("\"7\""));
  ASSERT_TRUE(working_.wait_until_stopped(1));
  working_.release();
  EXPECT_EQ(client.next().find("id")->dump(), "7");
  EXPECT_TRUE(rest(client).empty());
  EXPECT_EQ(working_.stopped, 1);
}

TEST_F(StdioCancellation, IsIgnoredWhenMalformedUnknownOrLate) {
  StdioClient client(*working_.server);
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  EXPECT_EQ(client.next_after_echo("2").integer_at("id"), 2);
  const std::string start = R"({"jsonrpc":"2.0","method":"notifications/cancelled")";
  for (const char* tail :
       {"}", R"(,"params":{}})", R"(,"params":{"requestId":null}})", R"(,"params":{"requestId":1.0}})",
        R"(,"params":{"requestId":{"id":1}}})", R"(,"params":[1]})", R"(,"params":{"requestId":99}})",
        R"(,"params":{"requestId":"1"}})", R"(,"params":{"requestId":2}})"}) {
    client.send(start + tail);
  }
  EXPECT_EQ(client.next_after_echo("3").integer_at("id"), 3);
  working_.release();
  EXPECT_EQ(client.next().integer_at("id"), 1);
  EXPECT_EQ(working_.stopped, 0);
  EXPECT_TRUE(rest(client).empty());
}

TEST_F(StdioCancellation, OfARequestThatHasNotBegunKeepsItFromBeginning) {
  StdioOptions options;
  options.threads_max = 1;
  StdioClient client(*working_.server, options);
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.send(StdioClient::call("wait", "2"));
  client.send(StdioClient::cancel("2"));
  EXPECT_EQ(client.next_after_echo("3").integer_at("id"), 3);
  working_.release();
  EXPECT_EQ(client.next().integer_at("id"), 1);
  EXPECT_TRUE(rest(client).empty());
  EXPECT_EQ(working_.begun, 1);
}

TEST_F(StdioCancellation, FreesTheIdOnceTheWorkHasEnded) {
  StdioClient client(*working_.server);
  client.send(StdioClient::call("stubborn", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.send(StdioClient::cancel("1"));
  EXPECT_EQ(client.next_after_echo("1").find("error")->integer_at("code"), -32600);  // it still runs
  working_.release();
  Json answer;
  do {
    answer = client.next_after_echo("1");
  } while (answer.has("error"));
  EXPECT_TRUE(answer.has("result"));
  EXPECT_TRUE(rest(client).empty());
}

// basic/patterns/cancellation, "Timing considerations": the answer and the cancellation cross.
TEST_F(StdioCancellation, RacesWithTheAnswerWithoutHarm) {
  testing::internal::CaptureStderr();  // a line for each that came in time
  working_.release();
  StdioClient client(*working_.server);
  std::map<std::int64_t, int> answers;
  constexpr int kRounds = 400;
  for (int i = 0; i < kRounds; ++i) {
    const std::string id = std::to_string(2 * i);
    client.put(StdioClient::call("wait", id) + "\n" + StdioClient::cancel(id) + "\n" +
               StdioClient::call("echo", std::to_string(2 * i + 1)) + "\n");
    for (std::int64_t got = -1; got != 2 * i + 1;) {
      const Json message = client.next();
      ASSERT_TRUE(message.has("result")) << message.dump();
      got = message.integer_at("id").value_or(-1);
      ++answers[got];
    }
  }
  for (const Json& message : rest(client)) ++answers[message.integer_at("id").value_or(-1)];
  for (const auto& [id, count] : answers) EXPECT_EQ(count, 1) << id;
  EXPECT_LE(answers.size(), 2U * kRounds);
  testing::internal::GetCapturedStderr();
}

TEST_F(StdioCancellation, ReasonIsLoggedVisiblyAndInShort) {
  testing::internal::CaptureStderr();
  {
    StdioClient client(*working_.server);
    client.send(StdioClient::call("wait", "1"));
    EXPECT_TRUE(working_.wait_until_begun(1));
    client.send(StdioClient::cancel("1", "the person said \\u001b[31mno " + std::string(10'000, 'o')));
    EXPECT_TRUE(working_.wait_until_stopped(1));
  }
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("cancelled request 1: the person said "), std::string::npos) << log;
  EXPECT_EQ(log.find('\x1b'), std::string::npos);
  EXPECT_LT(log.size(), 600U);
}

}  // namespace
}  // namespace postern::mcp
