// Proves that lines are answered with nothing but messages, each whole and with its own id, that what may wait holds
// nobody else up, and that no line tears the connection (MCP 2026-07-28 basic/transports/stdio).
#include "services/mcp/stdio_server.h"

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "tests/unit/mcp_server/stdio_client.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::SmallServer;
using test::StdioClient;
using test::succeeded;
using test::WorkingServer;

std::int64_t code_of(const Json& message) {
  const Json* error = message.find("error");
  return error == nullptr ? 0 : error->integer_at("code").value_or(0);
}

class StdioServing : public testing::Test {
 protected:
  Json answer(const std::string& line) {
    client_.send(line);
    return client_.next();
  }
  // Everything up to the end, after the input has ended.
  std::vector<Json> rest() {
    client_.close_input();
    std::vector<Json> all;
    for (Json message = client_.next(); !message.is_null(); message = client_.next()) all.push_back(message);
    EXPECT_TRUE(succeeded(client_.ended()));
    return all;
  }

  SmallServer small_;
  StdioClient client_{*small_.server, {}, 60'000};
};

TEST_F(StdioServing, AnswersEachRequestWithItsId) {
  for (const char* id : {"0", "\"0\"", "\"\"", "-3", "9007199254740993", "\"a\\u0000b\""}) {
    EXPECT_EQ(answer(StdioClient::request("server/discover", id)).find("id")->dump(), id);
  }
}

TEST_F(StdioServing, CallsToolsAsThePersonItWasStartedFor) {
  const Json params = json_of_text(R"({"name":"echo","arguments":{"text":"a"}})");
  EXPECT_EQ(code_of(answer(StdioClient::request("tools/call", "1", params))), 0);
  EXPECT_EQ(small_.caller, "rowan");
  EXPECT_TRUE(small_.may_block);
}

TEST_F(StdioServing, RefusesWhatIsNotForIt) {
  EXPECT_EQ(code_of(answer("{")), -32700);
  EXPECT_EQ(code_of(answer("[]")), -32600);
  EXPECT_EQ(code_of(answer(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})")), -32602);
  EXPECT_EQ(
      code_of(answer(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})")),
      -32022);
  EXPECT_EQ(code_of(answer(StdioClient::request("ping", "1"))), -32601);
  EXPECT_EQ(code_of(answer(StdioClient::call("pay", "1"))), -32602);
  EXPECT_EQ(code_of(answer(StdioClient::request("server/discover", "1"))), 0);
}

TEST_F(StdioServing, AnswersNeitherNotificationsNorResponses) {
  client_.send(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})");
  client_.send(R"({"jsonrpc":"2.0","method":"notifications/unheard_of"})");
  client_.send(R"({"jsonrpc":"2.0","id":1,"result":{}})");
  EXPECT_TRUE(rest().empty());
}

// B-006: one malformed line, a byte order mark and CRLF line ends.
TEST_F(StdioServing, GoesOnAfterABadLineAByteOrderMarkAndCarriageReturns) {
  client_.put("not json\n\xEF\xBB\xBF" + StdioClient::request("server/discover", "1") + "\n" +
              StdioClient::request("server/discover", "2") + "\r\n\n" + StdioClient::request("server/discover", "3") +
              "\n");
  const std::vector<Json> all = rest();
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(code_of(all[0]), -32700);
  EXPECT_FALSE(all[0].has("id"));
  for (std::size_t i = 1; i < 4; ++i) {
    EXPECT_EQ(all[i].integer_at("id"), static_cast<std::int64_t>(i));
    EXPECT_TRUE(all[i].has("result"));
  }
}

TEST_F(StdioServing, AnswersALineOverItsBoundOnceAndGoesOn) {
  client_.put(std::string(61'000, 'x') + "\n" + StdioClient::request("server/discover", "1") + "\n");
  const std::vector<Json> all = rest();
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(code_of(all[0]), -32700);
  EXPECT_TRUE(all[1].has("result"));
}

// B-004: as with its input at /dev/null.
TEST_F(StdioServing, EndsWithTheInputAndWritesNothingOfItsOwn) {
  EXPECT_TRUE(rest().empty());
}

TEST_F(StdioServing, AnswersWhatCameBeforeTheEndOfTheInput) {
  std::string lines;
  for (int i = 0; i < 20; ++i) lines += StdioClient::call("slow", std::to_string(i)) + "\n";
  client_.put(lines);
  EXPECT_EQ(rest().size(), 20U);
}

TEST_F(StdioServing, AnswersEveryLineOfPublicCaseB014) {
  const char* lines[] = {R"({"jsonrpc":"2.0","id":1,"method":5})",
                         R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":"x"})",
                         R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]})", R"("server/discover")", "42"};
  for (const char* line : lines) EXPECT_LT(code_of(answer(line)), -32599) << line;
  EXPECT_EQ(code_of(answer(StdioClient::request("tools/call", "4", json_of_text(R"({"name":["echo"]})")))), -32602);
  EXPECT_EQ(code_of(answer(StdioClient::request("tools/call", "5", json_of_text(R"({"name":"echo","arguments":5})")))),
            -32602);
}

class StdioWork : public testing::Test {
 protected:
  WorkingServer working_;
  StdioClient client_{*working_.server};
};

TEST_F(StdioWork, AnswersOthersWhileOneWaits) {
  client_.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  EXPECT_EQ(client_.next_after_echo("2").integer_at("id"), 2);
  client_.send(StdioClient::call("wait", "3"));
  ASSERT_TRUE(working_.wait_until_begun(2));
  working_.release();
  std::map<std::int64_t, int> answers;
  for (int i = 0; i < 2; ++i) ++answers[client_.next().integer_at("id").value_or(0)];
  EXPECT_EQ(answers, (std::map<std::int64_t, int>{{1, 1}, {3, 1}}));
}

TEST_F(StdioWork, RefusesAnIdThatIsInFlight) {
  client_.send(StdioClient::call("wait", "1"));
  ASSERT_TRUE(working_.wait_until_begun(1));
  const Json refusal = client_.next_after_echo("1");
  EXPECT_EQ(code_of(refusal), -32600);
  EXPECT_EQ(refusal.integer_at("id"), 1);
  EXPECT_EQ(code_of(client_.next_after_echo("\"1\"")), 0);  // another id
  working_.release();
  EXPECT_TRUE(client_.next().has("result"));
  EXPECT_EQ(code_of(client_.next_after_echo("1")), 0);  // free again
}

TEST_F(StdioWork, TakesAnIdAgainAsSoonAsItsAnswerIsThere) {
  working_.release();
  for (int i = 0; i < 500; ++i) {
    client_.send(StdioClient::call("wait", "1"));
    ASSERT_TRUE(client_.next().has("result")) << i;
  }
}

// basic/patterns/progress and server/utilities/logging: before the answer of their request.
TEST_F(StdioWork, SendsNotificationsBeforeTheAnswer) {
  client_.send(StdioClient::call("tell", "1",
                                 json_of_text(R"({"progressToken":"p","io.modelcontextprotocol/logLevel":"info"})")));
  const Json first = client_.next();
  EXPECT_EQ(first.string_at("method"), "notifications/progress");
  EXPECT_EQ(first.find("params")->string_at("progressToken"), "p");
  const Json second = client_.next();
  EXPECT_EQ(second.string_at("method"), "notifications/message");
  EXPECT_EQ(second.find("params")->string_at("level"), "warning");
  EXPECT_EQ(client_.next().find("params")->integer_at("progress").value_or(0) +
                static_cast<std::int64_t>(first.find("params")->find("progress")->number().value_or(0)),
            4);
  EXPECT_EQ(client_.next().integer_at("id"), 1);
}

TEST_F(StdioWork, SendsNothingBesideTheAnswerToAClientThatAskedForNothing) {
  client_.send(StdioClient::call("tell", "1"));
  EXPECT_EQ(client_.next().integer_at("id"), 1);
}

TEST_F(StdioWork, AnswersAHandlerThatThrowsAsInternalErrorAndGoesOn) {
  client_.send(StdioClient::call("throw", "1"));
  const Json answer = client_.next();
  EXPECT_EQ(code_of(answer), -32603);
  EXPECT_EQ(answer.dump().find("secret"), std::string::npos);
  EXPECT_EQ(client_.next_after_echo("2").integer_at("id"), 2);
}

// B-003: lines around a pipe buffer and of 4 MiB, in and out, to a reader that takes little at a time.
TEST_F(StdioWork, KeepsLinesOfEverySizeWhole) {
  for (const std::size_t size : {65'535U, 65'536U, 65'537U, 65'747U, 1'000'000U}) {
    Json params = Json::object({{"name", "echo"}, {"arguments", Json::object({{"text", std::string(size, 'x')}})}});
    client_.send(StdioClient::request("tools/call", std::to_string(size), params));
    EXPECT_EQ(client_.next().integer_at("id"), static_cast<std::int64_t>(size));
  }
  client_.send(StdioClient::call("big", "1"));
  EXPECT_EQ(client_.next().find("result")->find("content")->elements()[0].string_at("text").size(), 4U << 20);
}

TEST_F(StdioWork, RefusesALineOf4MebibytesByNameAndGoesOn) {
  client_.send(R"({"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":")" + std::string(4 << 20, 'x') + "\"}}");
  const Json refusal = client_.next();
  EXPECT_EQ(code_of(refusal), -32700);
  EXPECT_NE(refusal.find("error")->string_at("message").find("bytes"), std::string_view::npos);
  EXPECT_EQ(client_.next_after_echo("2").integer_at("id"), 2);
}

TEST_F(StdioWork, KeepsEveryMessageWholeForAReaderThatTakesAByteAtATime) {
  for (int i = 0; i < 30; ++i) client_.send(StdioClient::call(i % 2 == 0 ? "echo" : "tell", std::to_string(i)));
  client_.close_input();
  std::string written;
  char byte = 0;
  while (::read(client_.output(), &byte, 1) == 1) written += byte;
  int answers = 0;
  for (std::size_t start = 0; start < written.size();) {
    const std::size_t end = written.find('\n', start);
    ASSERT_NE(end, std::string::npos);
    ASSERT_TRUE(succeeded(parse_message(std::string_view(written).substr(start, end - start))));
    ++answers;
    start = end + 1;
  }
  EXPECT_EQ(answers, 30);
}

}  // namespace
}  // namespace postern::mcp
