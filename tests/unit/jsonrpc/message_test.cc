// Proves that messages are read strictly and that ids come back byte for byte (JSON-RPC 2.0; MCP 2026-07-28 basic,
// "Messages").
#include "wire/jsonrpc/message.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

std::string with_id(const std::string& id) {
  return R"({"jsonrpc":"2.0","id":)" + id + R"(,"method":"server/discover"})";
}

TEST(JsonRpcMessage, ReadsRequestWithItsParams) {
  const auto message = parse_message(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_order"}})");
  ASSERT_TRUE(succeeded(message));
  const auto& request = std::get<JsonRpcRequest>(*message);
  EXPECT_EQ(request.id, RequestId(std::int64_t{7}));
  EXPECT_EQ(request.method, "tools/call");
  EXPECT_EQ(request.params.string_at("name"), "get_order");
}

TEST(JsonRpcMessage, ReadsNotificationAsWhatHasNoId) {
  const auto message = parse_message(R"({"jsonrpc":"2.0","method":"notifications/cancelled"})");
  ASSERT_TRUE(succeeded(message));
  EXPECT_TRUE(std::get<JsonRpcNotification>(*message).params.is_null());
}

TEST(JsonRpcMessage, EchoesEachIdByteForByte) {
  for (const char* id : {"0", "\"0\"", "\"\"", "\"init-1\"", "-3", "9007199254740993", "18446744073709551615",
                         "\"a\\u0000b\"", "\"größe\""}) {
    const auto message = parse_message(with_id(id));
    ASSERT_TRUE(succeeded(message)) << id;
    const RequestId& kept = std::get<JsonRpcRequest>(*message).id;
    EXPECT_EQ(serialise(JsonRpcResult{kept, Json::object()}),
              std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{}})");
    const JsonRpcError error{kept, -32601, "Method not found.", std::nullopt};
    EXPECT_EQ(serialise(error), std::string(R"({"jsonrpc":"2.0","id":)") + id +
                                    R"(,"error":{"code":-32601,"message":"Method not found."}})");
  }
}

TEST(JsonRpcMessage, EchoesThePublicIdsOfCaseB009) {
  POSTERN_SHARED_TEXT(lines, "cases/B-009/ids.jsonl");
  std::istringstream in(lines);
  int count = 0;
  for (std::string line; std::getline(in, line); ++count) {
    const auto message = parse_message(line);
    ASSERT_TRUE(succeeded(message)) << line;
    const std::string echoed = std::get<JsonRpcRequest>(*message).id.json().dump();
    EXPECT_NE(line.find("\"id\": " + echoed + ","), std::string::npos) << line << " gave " << echoed;
  }
  EXPECT_EQ(count, 7);
}

TEST(JsonRpcMessage, RefusesIdThatIsNeitherStringNorInteger) {
  for (const char* id : {"null", "true", "1.5", "[]", "{}", "1e400", "99999999999999999999999"}) {
    EXPECT_FALSE(parse_message(with_id(id)).has_value()) << id;
  }
  EXPECT_TRUE(refused(parse_message(with_id("null")), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message(with_id("1.5")), "jsonrpc.malformed"));
}

// An id is an integer where it is written as one. 1e0 and -0 could be echoed only in another form than they came in.
TEST(JsonRpcMessage, RefusesIdThatCouldNotBeEchoedAsItCame) {
  for (const char* id : {"1e0", "1.0", "-0", "9007199254740993.0", "18446744073709551616", "-9223372036854775809"}) {
    EXPECT_TRUE(refused(parse_message(with_id(id)), "jsonrpc.malformed")) << id;
  }
  for (const char* id : {"-9223372036854775808", "18446744073709551615"}) {
    const auto message = parse_message(with_id(id));
    ASSERT_TRUE(succeeded(message)) << id;
    EXPECT_EQ(std::get<JsonRpcRequest>(*message).id.json().dump(), id);
  }
}

TEST(JsonRpcMessage, RefusesEveryIdOfPublicCaseB008) {
  POSTERN_SHARED_TEXT(variants, "cases/B-008/variants.txt");
  std::istringstream in(variants);
  int count = 0;
  for (std::string id; std::getline(in, id); ++count) {
    const auto message = parse_message(with_id(id));
    ASSERT_TRUE(refused(message, "jsonrpc.malformed")) << id;
    EXPECT_EQ(request_id_of(message.error()), std::nullopt) << id;
    EXPECT_EQ(message.error().disposition(), Disposition::kBadRequest) << id;
  }
  EXPECT_EQ(count, 5);
}

TEST(JsonRpcMessage, RefusesTheLinesOfPublicCaseB014ByName) {
  POSTERN_SHARED_TEXT(lines, "cases/B-014/lines.jsonl");
  std::istringstream in(lines);
  std::vector<std::string> ids;
  for (std::string line; std::getline(in, line);) {
    const auto message = parse_message(line);
    ids.emplace_back(message ? "a message" : message.error().id());
  }
  const std::vector<std::string> expected = {
      "jsonrpc.malformed", "jsonrpc.malformed_params", "jsonrpc.malformed_params",
      "a message",  // a tool's name that is a list: the method's own params say so
      "a message",  // arguments that are a number: the same
      "jsonrpc.malformed", "jsonrpc.malformed",        "jsonrpc.malformed",        "jsonrpc.malformed"};
  EXPECT_EQ(ids, expected);
}

// B-013: the depth that is refused belongs to the message, and the next one is read.
TEST(JsonRpcMessage, RefusesDeepArgumentsOfPublicCaseB013) {
  for (const std::size_t levels : {100'000UL, 500'000UL}) {
    const std::string deep = std::string(levels, '[') + std::string(levels, ']');
    EXPECT_TRUE(
        refused(parse_message(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"arguments":)" + deep + "}}"),
                "json.over_bound"));
  }
  EXPECT_TRUE(succeeded(parse_message(with_id("7"))));
}

// A million bytes of small values would be kept at twenty times their size while their work waits.
TEST(JsonRpcMessage, RefusesMoreValuesThanItMayHold) {
  const auto with_argument = [](const std::string& value) {
    return parse_message(R"({"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":)" + value + "}}");
  };
  const auto zeros = [](std::size_t count) {
    std::string list = "[0";
    for (std::size_t i = 1; i < count; ++i) list += ",0";
    return list + "]";
  };
  EXPECT_TRUE(succeeded(with_argument(zeros(65'000))));
  EXPECT_TRUE(refused(with_argument(zeros(66'000)), "json.over_bound"));
  EXPECT_TRUE(
      succeeded(with_argument("[\"" + std::string(500'000, ',') + R"(\"[[[{,\\",0])")));  // in a string they are none
}

// B-016: half a surrogate pair would poison whatever the text is passed on to.
TEST(JsonRpcMessage, RefusesTheLoneSurrogateOfPublicCaseB016) {
  POSTERN_SHARED_JSON(script, "cases/B-016/lone.json");
  std::string line(script.find("rules")->elements()[0].find("out")->elements()[0].string_at("text"));
  line.replace(line.find("${id}"), 5, "1");
  EXPECT_TRUE(refused(parse_message(line), "json.malformed"));
  line.replace(line.find("\\ud800"), 6, "\\ud83d\\ude00");
  EXPECT_TRUE(succeeded(parse_message(line)));
}

TEST(JsonRpcMessage, RefusesBatch) {
  EXPECT_TRUE(refused(parse_message("[]"), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message("[" + with_id("1") + "]"), "jsonrpc.malformed"));
  EXPECT_TRUE(succeeded(parse_message(with_id("1"))));
}

TEST(JsonRpcMessage, RefusesOtherVersion) {
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"1.0","id":6,"method":"m"})"), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message(R"({"id":7,"method":"m"})"), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message("\"server/discover\""), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message("42"), "jsonrpc.malformed"));
}

TEST(JsonRpcMessage, RefusesMethodThatIsNoStringAndKeepsTheId) {
  const auto message = parse_message(R"({"jsonrpc":"2.0","id":1,"method":5})");
  ASSERT_TRUE(refused(message, "jsonrpc.malformed"));
  EXPECT_EQ(request_id_of(message.error()), RequestId(std::int64_t{1}));
}

TEST(JsonRpcMessage, RefusesParamsThatAreNoObjectAndKeepsTheId) {
  for (const char* params : {"\"x\"", "[]", "5", "null"}) {
    const auto message =
        parse_message(R"({"jsonrpc":"2.0","id":"p","method":"m","params":)" + std::string(params) + "}");
    ASSERT_TRUE(refused(message, "jsonrpc.malformed_params")) << params;
    EXPECT_EQ(request_id_of(message.error()), RequestId(std::string("p")));
    EXPECT_EQ(message.error().disposition(), Disposition::kInvalidParams);
  }
  EXPECT_TRUE(succeeded(parse_message(R"({"jsonrpc":"2.0","id":"p","method":"m","params":{}})")));
}

TEST(JsonRpcMessage, ReadsResultAndError) {
  const auto result = parse_message(R"({"jsonrpc":"2.0","id":1,"result":{"resultType":"complete"}})");
  ASSERT_TRUE(succeeded(result));
  EXPECT_EQ(std::get<JsonRpcResult>(*result).result.string_at("resultType"), "complete");
  const auto error = parse_message(R"({"jsonrpc":"2.0","error":{"code":-32700,"message":"no","data":{"a":1}}})");
  ASSERT_TRUE(succeeded(error));
  EXPECT_FALSE(std::get<JsonRpcError>(*error).id.has_value());
  EXPECT_EQ(std::get<JsonRpcError>(*error).data->integer_at("a"), 1);
}

TEST(JsonRpcMessage, AcceptsErrorWithNullIdAndRefusesResultWithOne) {
  EXPECT_TRUE(succeeded(parse_message(R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})")));
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"2.0","id":null,"result":{}})"), "jsonrpc.malformed"));
}

TEST(JsonRpcMessage, RefusesBothAndNeitherOfResultAndError) {
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":"m"}})"),
                      "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"2.0","id":1})"), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"2.0","id":1,"method":"m","result":{}})"), "jsonrpc.malformed"));
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"2.0","id":1,"result":[]})"), "jsonrpc.malformed"));
  EXPECT_TRUE(
      refused(parse_message(R"({"jsonrpc":"2.0","id":1,"error":{"code":"x","message":"m"}})"), "jsonrpc.malformed"));
}

TEST(JsonRpcMessage, KeepsTheFailuresOfTheParser) {
  EXPECT_TRUE(refused(parse_message("{\"jsonrpc\""), "json.malformed"));
  EXPECT_TRUE(refused(parse_message(R"({"jsonrpc":"2.0","id":1,"id":2,"method":"m"})"), "json.duplicate_member"));
  EXPECT_TRUE(refused(parse_message(with_id("1"), {10, 64}), "json.over_bound"));
}

TEST(JsonRpcMessage, WritesOneLine) {
  const JsonRpcRequest request{RequestId(std::string("a\nb")), "m", Json::object({{"text", "line\nline"}})};
  const std::string line = serialise(request);
  EXPECT_EQ(line.find('\n'), std::string::npos);
  EXPECT_TRUE(succeeded(parse_message(line)));
  EXPECT_EQ(serialise(JsonRpcNotification{"n", Json()}), R"({"jsonrpc":"2.0","method":"n"})");
}

}  // namespace
}  // namespace postern
