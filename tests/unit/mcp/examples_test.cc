// Plays the examples of the revision (../shared/protocol/examples) through the readers: each that belongs to a type we
// read is read, and what is written again is read to the same.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/support/refused.h"
#include "tests/support/shared_file.h"
#include "wire/base/file.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

using test::succeeded;

const std::string kExamples = std::string(POSTERN_SOURCE_DIR) + "/../shared/protocol/examples";

// The examples of one type, as name and value.
std::vector<std::pair<std::string, Json>> examples_of(const std::string& type) {
  std::vector<std::pair<std::string, Json>> examples;
  for (const auto& entry : std::filesystem::directory_iterator(kExamples + "/" + type)) {
    const auto json = parse_json(*read_file(entry.path().string(), 1 << 20));
    EXPECT_TRUE(json.has_value()) << entry.path();
    if (json) examples.emplace_back(entry.path().filename().string(), *json);
  }
  EXPECT_FALSE(examples.empty()) << type;
  return examples;
}

class ProtocolExamples : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(kExamples)) GTEST_SKIP() << "needs ../shared/protocol/examples, which is not there";
  }
};

TEST_F(ProtocolExamples, AllAreStrictJson) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
    if (!entry.is_regular_file()) continue;
    EXPECT_TRUE(succeeded(parse_json(*read_file(entry.path().string(), 1 << 20)))) << entry.path();
    ++count;
  }
  EXPECT_EQ(count, 129);
}

TEST_F(ProtocolExamples, WholeMessagesAreReadAndWrittenAgain) {
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kExamples)) {
    if (!entry.is_regular_file()) continue;
    const Json json = *parse_json(*read_file(entry.path().string(), 1 << 20));
    if (!json.has("jsonrpc")) continue;
    const auto message = read_message(json);
    ASSERT_TRUE(succeeded(message)) << entry.path();
    const std::string written = std::visit([](const auto& m) { return serialise(m); }, *message);
    EXPECT_EQ(*parse_json(written), json) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 30);
}

TEST_F(ProtocolExamples, ToolsKeepTheirDefinitions) {
  for (const auto& [name, json] : examples_of("Tool")) {
    const auto tool = read_tool(json);
    ASSERT_TRUE(succeeded(tool)) << name;
    EXPECT_EQ(to_json(*tool).dump(), json.dump()) << name;
  }
}

TEST_F(ProtocolExamples, ListAndDiscoverResultsAreWrittenAsTheyWereRead) {
  for (const auto& [name, json] : examples_of("ListToolsResult")) {
    const auto result = read_list_tools_result(json);
    ASSERT_TRUE(succeeded(result)) << name;
    EXPECT_EQ(to_json(*result), json) << name;
  }
  for (const auto& [name, json] : examples_of("DiscoverResult")) {
    const auto result = read_discover_result(json);
    ASSERT_TRUE(succeeded(result)) << name;
    EXPECT_EQ(to_json(*result), json) << name;
  }
}

TEST_F(ProtocolExamples, CallResultsAndRequestsForInputAreWrittenAsTheyWereRead) {
  for (const char* type : {"CallToolResult", "InputRequiredResult"}) {
    for (const auto& [name, json] : examples_of(type)) {
      const auto outcome = read_call_tool_outcome(json);
      ASSERT_TRUE(succeeded(outcome)) << name;
      Json expected = json;
      if (expected.boolean_at("isError") == false) expected.erase("isError");  // absent means false
      EXPECT_EQ(to_json(*outcome), expected) << name;
    }
  }
}

TEST_F(ProtocolExamples, CallParamsAndTheirMetaAreRead) {
  for (const auto& [name, json] : examples_of("CallToolRequestParams")) {
    const auto params = read_call_tool_params(json);
    const auto meta = read_request_meta(json);
    ASSERT_TRUE(succeeded(params)) << name;
    ASSERT_TRUE(succeeded(meta)) << name;
    EXPECT_EQ(to_json(*params, *meta), json) << name;
  }
}

TEST_F(ProtocolExamples, UrlElicitationAndVersionErrorAreRead) {
  for (const auto& [name, json] : examples_of("ElicitRequestURLParams")) {
    const auto url = read_elicit_url(InputRequest{"k", "elicitation/create", json});
    ASSERT_TRUE(succeeded(url)) << name;
    EXPECT_EQ(to_json(*url), json) << name;
  }
  for (const auto& [name, json] : examples_of("UnsupportedProtocolVersionError")) {
    const auto message = read_message(json);
    ASSERT_TRUE(succeeded(message)) << name;
    const auto data = unsupported_version_of(std::get<JsonRpcError>(*message));
    ASSERT_TRUE(data.has_value()) << name;
    EXPECT_NE(std::find(data->supported.begin(), data->supported.end(), kProtocolVersion), data->supported.end());
  }
}

}  // namespace
}  // namespace postern::mcp
