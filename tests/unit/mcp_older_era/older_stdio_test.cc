// Proves that one process serves both eras over stdio: `initialize` opens the older one, and every request with the
// _meta of 2026-07-28 stays modern (MCP 2026-07-28 basic/versioning, "Backward compatibility").
#include <gtest/gtest.h>
#include <unistd.h>

#include <map>
#include <sstream>

#include "services/mcp/stdio_server.h"
#include "tests/support/refused.h"
#include "tests/unit/mcp_older_era/older_server.h"

namespace postern::mcp {
namespace {

using test::json_text;
using test::OlderServer;
using test::succeeded;

constexpr const char* kModernMembers =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";

std::string line(int id, const std::string& method, const std::string& members = "") {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method + R"(","params":{)" + members +
         "}}\n";
}

class OlderStdio : public testing::Test {
 protected:
  // All that is answered to `input`, after which the input ends, by id.
  std::map<std::int64_t, Json> serve(const std::string& input) {
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
    std::map<std::int64_t, Json> answers;
    std::istringstream lines(written);
    for (std::string text; std::getline(lines, text);) {
      const Json message = parse_json(text).value_or(Json());
      answers[message.integer_at("id").value_or(-1)] = message;
    }
    return answers;
  }
  static Json result_of(const Json& message) {
    const Json* result = message.find("result");
    return result == nullptr ? Json() : *result;
  }
  static std::int64_t code_of(const Json& message) {
    const Json* error = message.find("error");
    return error == nullptr ? 0 : error->integer_at("code").value_or(0);
  }

  const std::string initialize_ = R"("protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"old"})";
  OlderServer older_;
  services::StdioLaunch launch_{"rowan"};
  StdioServer server_{*older_.server, launch_.principal(), older_.block.get()};
};

TEST_F(OlderStdio, AnswersAClientThatTriesBothErasAtOnce) {
  auto answers = serve(line(1, "server/discover", kModernMembers) + line(2, "initialize", initialize_) +
                       R"({"jsonrpc":"2.0","method":"notifications/initialized"})"
                       "\n" +
                       line(3, "tools/list") + line(4, "tools/list", kModernMembers) + line(5, "ping") +
                       line(6, "tools/call", R"("name":"read","arguments":{"text":"a"})"));
  ASSERT_EQ(answers.size(), 6U);
  EXPECT_EQ(*result_of(answers[1]).find("supportedVersions"), json_text(R"(["2026-07-28","2025-11-25"])"));
  EXPECT_EQ(result_of(answers[2]).string_at("protocolVersion"), "2025-11-25");
  EXPECT_FALSE(result_of(answers[3]).has("resultType"));
  EXPECT_EQ(result_of(answers[3]).find("tools")->size(), 7U);  // without the one for HTTP
  EXPECT_EQ(result_of(answers[4]).string_at("resultType"), "complete");
  EXPECT_EQ(result_of(answers[4]).find("tools")->size(), 10U);
  EXPECT_EQ(result_of(answers[5]), Json::object());
  EXPECT_EQ(*result_of(answers[6]).find("structuredContent"), json_text(R"({"said":"hello"})"));
}

TEST_F(OlderStdio, ServesNothingOlderBeforeInitialize) {
  auto answers = serve(line(1, "tools/list") + line(2, "ping"));
  EXPECT_EQ(code_of(answers[1]), -32602);
  EXPECT_EQ(code_of(answers[2]), -32602);
}

TEST_F(OlderStdio, KnowsNoToolThatWritesAndNoneForHttp) {
  auto answers = serve(line(1, "initialize", initialize_) + line(2, "tools/call", R"("name":"write")") +
                       line(3, "tools/call", R"("name":"web")"));
  EXPECT_EQ(code_of(answers[2]), -32602);
  EXPECT_EQ(code_of(answers[3]), -32602);
  EXPECT_EQ(older_.runs, 0);
}

TEST_F(OlderStdio, HeedsACancellation) {
  const JsonRpcRequest initialize{RequestId(1), "initialize", json_text("{" + initialize_ + "}")};
  const JsonRpcRequest call{RequestId(2), "tools/call", json_text(R"({"name":"wait"})")};
  const RequestContext context{std::make_shared<const services::Principal>(launch_.principal()), nullptr, nullptr, {}};
  ASSERT_TRUE(older_.block->accept(initialize, context).has_value());
  const auto accepted = older_.block->accept(call, context);
  ASSERT_TRUE(accepted.has_value() && accepted->has_value());
  std::stop_source cancelled;
  cancelled.request_stop();
  // Stopped by its caller, and not by its deadline: then the tool's own failure is what is told.
  const auto answer = (*accepted)->run({true, cancelled.get_token(), nullptr});
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->body.find("was stopped"), std::string::npos) << answer->body;
}

}  // namespace
}  // namespace postern::mcp
