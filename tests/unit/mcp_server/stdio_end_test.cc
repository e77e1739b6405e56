// Proves that the end of the input ends the server whatever is in flight, and whether or not anybody reads (MCP
// 2026-07-28 basic/transports/stdio, "Shutdown"), and that the input is read no faster than it is worked off.
#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <string>
#include <thread>

#include "tests/unit/mcp_server/stdio_client.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::refused;
using test::StdioClient;
using test::succeeded;
using test::WorkingServer;

StdioOptions soon() {
  StdioOptions options;
  options.end_ms_max = std::chrono::milliseconds(100);
  return options;
}

class StdioEnd : public testing::Test {
 protected:
  WorkingServer working_;
};

TEST_F(StdioEnd, StopsWhatIsStillAtWork) {
  StdioOptions options = soon();
  std::atomic<int> stuck = 0;
  options.on_stuck = [&] {
    ++stuck;
    working_.release();
  };
  StdioClient client(*working_.server, options);
  for (int i = 0; i < 4; ++i) client.send(StdioClient::call("wait", std::to_string(i)));
  ASSERT_TRUE(working_.wait_until_begun(4));
  client.close_input();
  EXPECT_TRUE(succeeded(client.ended()));
  EXPECT_EQ(working_.stopped, 4);
  EXPECT_EQ(stuck, 0);
}

TEST_F(StdioEnd, LetsWorkFinishThatNeedsLessThanItsTime) {
  StdioOptions options;
  options.end_ms_max = std::chrono::milliseconds(20'000);
  StdioClient client(*working_.server, options);
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.close_input();
  working_.release();
  EXPECT_EQ(client.next().integer_at("id"), 1);
  EXPECT_TRUE(succeeded(client.ended()));
  EXPECT_EQ(working_.stopped, 0);
}

TEST_F(StdioEnd, ComesThoughNobodyReads) {
  StdioClient client(*working_.server, soon());
  client.send(StdioClient::call("big", "1"));
  client.send(StdioClient::call("tell", "2", json_of_text(R"({"progressToken":1})")));
  client.close_input();
  EXPECT_TRUE(succeeded(client.ended()));
}

TEST_F(StdioEnd, ComesThoughTheReaderTakesAByteAtATime) {
  StdioClient client(*working_.server, soon());
  client.send(StdioClient::call("big", "1"));
  client.close_input();
  std::thread reader([&] {
    char byte = 0;
    while (::read(client.output(), &byte, 1) == 1) continue;
  });
  EXPECT_TRUE(succeeded(client.ended()));
  reader.join();
}

// The reader has no room and does not read; it still sees that the client has gone.
TEST_F(StdioEnd, ComesThoughTheInputIsNotReadAnyMore) {
  for (const char* tool : {"wait", "big"}) {
    StdioOptions options = soon();
    options.threads_max = 1;
    options.waiting_max = 1;
    options.unread_bytes_max = 1000;
    StdioClient client(*working_.server, options);
    for (int i = 0; i < 10; ++i) client.send(StdioClient::call(tool, std::to_string(i)));
    client.close_input();
    EXPECT_TRUE(succeeded(client.ended())) << tool;
  }
}

TEST_F(StdioEnd, TellsTheProgramOfWorkThatDoesNotHeedIt) {
  StdioOptions options = soon();
  std::atomic<int> stuck = 0;
  options.on_stuck = [&] {
    ++stuck;
    working_.release();  // a program ends itself here
  };
  StdioClient client(*working_.server, options);
  client.send(StdioClient::call("stubborn", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.close_input();
  EXPECT_TRUE(succeeded(client.ended()));
  EXPECT_EQ(stuck, 1);
}

TEST_F(StdioEnd, IsAFailureWhenNobodyTakesTheAnswers) {
  StdioClient client(*working_.server);
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.close_output();
  client.send(StdioClient::call("echo", "2"));
  EXPECT_TRUE(refused(client.ended(), "transport.closed"));
  EXPECT_EQ(working_.stopped, 1);
}

TEST_F(StdioEnd, ComesWhenItIsTold) {
  StdioClient client(*working_.server, soon());
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.stop();
  EXPECT_TRUE(succeeded(client.ended()));
  EXPECT_EQ(working_.stopped, 1);
}

TEST_F(StdioEnd, IsPressedForByASignalAfterTheInputHasEnded) {
  StdioOptions options;
  options.end_ms_max = std::chrono::minutes(10);
  StdioClient client(*working_.server, options);
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.close_input();
  client.stop();
  EXPECT_TRUE(succeeded(client.ended()));
}

TEST_F(StdioEnd, IsFarWhileTheInputIsNotReadForWantOfRoom) {
  StdioOptions options;
  options.threads_max = 1;
  options.waiting_max = 1;
  StdioClient client(*working_.server, options);
  client.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  client.send(StdioClient::call("wait", "2"));
  client.send(StdioClient::call("echo", "3"));  // stays in the pipe
  pollfd anything{client.output(), POLLIN, 0};
  EXPECT_EQ(::poll(&anything, 1, 50), 0);
  working_.release();
  int answers = 0;
  while (answers < 3 && client.next().has("result")) ++answers;
  EXPECT_EQ(answers, 3);
}

}  // namespace
}  // namespace postern::mcp
