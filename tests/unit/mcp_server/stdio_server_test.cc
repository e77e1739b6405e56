// Proves that lines are answered one by one, that nothing but messages is written, and that the end of the input ends
// the server (MCP 2026-07-28 basic/transports/stdio).
#include "services/mcp/stdio_server.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <sstream>

#include "tests/support/refused.h"
#include "tests/unit/mcp_server/small_server.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::kModernMeta;
using test::SmallServer;
using test::succeeded;

class StdioServing : public testing::Test {
 protected:
  static std::string line_of(const char* method, const char* id, const char* members = "") {
    return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + method + R"(","params":{)" + members +
           R"("_meta":)" + kModernMeta + "}}";
  }
  std::int64_t code_of(std::string_view line) {
    const auto answer = server_.answer_line(line);
    EXPECT_TRUE(answer.has_value());
    const Json json = *parse_json(answer.value_or("{}"));
    const Json* error = json.find("error");
    return error == nullptr ? 0 : error->integer_at("code").value_or(0);
  }
  // Everything that is written for `input`, after which the input ends.
  std::string serve(const std::string& input) {
    int in[2];
    int out[2];
    EXPECT_EQ(::pipe(in), 0);
    EXPECT_EQ(::pipe(out), 0);
    EXPECT_EQ(::write(in[1], input.data(), input.size()), static_cast<ssize_t>(input.size()));
    ::close(in[1]);
    LineReader reader(in[0], {}, 60'000);
    LineWriter writer(out[1], {});
    EXPECT_TRUE(succeeded(server_.serve(reader, writer)));
    ::close(out[1]);
    std::string written(65536, '\0');
    const ssize_t size = ::read(out[0], written.data(), written.size());
    written.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
    ::close(in[0]);
    ::close(out[0]);
    return written;
  }

  SmallServer small_;
  services::StdioLaunch launch_{"rowan"};
  StdioServer server_{*small_.server, launch_.principal()};
};

TEST_F(StdioServing, AnswersEachRequestWithItsId) {
  for (const char* id : {"0", "\"0\"", "\"\"", "-3", "9007199254740993", "\"a\\u0000b\""}) {
    const auto answer = server_.answer_line(line_of("server/discover", id));
    ASSERT_TRUE(answer.has_value());
    EXPECT_NE(answer->find(std::string("\"id\":") + id + ","), std::string::npos) << *answer;
  }
}

TEST_F(StdioServing, CallsToolsAsThePersonItWasStartedFor) {
  EXPECT_EQ(code_of(line_of("tools/call", "1", R"("name":"echo","arguments":{"text":"a"},)")), 0);
  EXPECT_EQ(small_.caller, "rowan");
  EXPECT_TRUE(small_.may_block);
}

TEST_F(StdioServing, RefusesWhatIsNotForIt) {
  EXPECT_EQ(code_of("{"), -32700);
  EXPECT_EQ(code_of("[]"), -32600);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"server/discover"})"), -32602);
  EXPECT_EQ(code_of(R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}})"),
            -32022);
  EXPECT_EQ(code_of(line_of("ping", "1")), -32601);
  EXPECT_EQ(code_of(line_of("tools/call", "1", R"("name":"pay","arguments":{},)")), -32602);
  EXPECT_EQ(code_of(line_of("server/discover", "1")), 0);
}

TEST_F(StdioServing, AnswersNeitherNotificationsNorResponses) {
  EXPECT_FALSE(server_.answer_line(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{}})").has_value());
  EXPECT_FALSE(server_.answer_line(R"({"jsonrpc":"2.0","id":1,"result":{}})").has_value());
}

TEST_F(StdioServing, GoesOnAfterABadLineAByteOrderMarkAndCarriageReturns) {
  const std::string written =
      serve("no json\n\xEF\xBB\xBF" + line_of("server/discover", "1") + "\n" + line_of("server/discover", "2") +
            "\r\n\n" + line_of("server/discover", "3") + "\n");
  std::istringstream lines(written);
  int discovered = 0;
  int errors = 0;
  for (std::string line; std::getline(lines, line);) {
    const auto message = parse_message(line);
    ASSERT_TRUE(succeeded(message)) << line;
    discovered += std::holds_alternative<JsonRpcResult>(*message) ? 1 : 0;
    errors += std::holds_alternative<JsonRpcError>(*message) ? 1 : 0;
  }
  EXPECT_EQ(discovered, 3);
  EXPECT_EQ(errors, 1);
}

TEST_F(StdioServing, AnswersALineOverItsBoundOnceAndGoesOn) {
  const std::string written = serve(std::string(61'000, 'x') + "\n" + line_of("server/discover", "1") + "\n");
  std::istringstream lines(written);
  std::string first;
  std::string second;
  ASSERT_TRUE(std::getline(lines, first) && std::getline(lines, second));
  EXPECT_EQ(parse_json(first)->find("error")->integer_at("code"), -32700);
  EXPECT_TRUE(parse_json(second)->has("result"));
}

TEST_F(StdioServing, EndsWithTheInputAndWritesNothingOfItsOwn) {
  EXPECT_EQ(serve(""), "");
}

TEST_F(StdioServing, AnswersEveryLineOfPublicCaseB014) {
  const char* lines[] = {R"({"jsonrpc":"2.0","id":1,"method":5})",
                         R"({"jsonrpc":"2.0","id":2,"method":"tools/call","params":"x"})",
                         R"({"jsonrpc":"2.0","id":3,"method":"tools/call","params":[]})", R"("server/discover")", "42"};
  for (const char* line : lines) EXPECT_LT(code_of(line), -32599) << line;
  EXPECT_EQ(code_of(line_of("tools/call", "4", R"("name":["echo"],"arguments":{},)")), -32602);
  EXPECT_EQ(code_of(line_of("tools/call", "5", R"("name":"echo","arguments":5,)")), -32602);
}

}  // namespace
}  // namespace postern::mcp
