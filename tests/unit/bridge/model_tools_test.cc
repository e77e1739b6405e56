// What of a pinned tool a model is shown.
#include "bridge/model_tools.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::bridge {
namespace {

using pretended::pinned;
using pretended::pinned_tool;
using pretended::string_schema;
using test::refused;
using test::succeeded;

ModelTools shown_for(const std::vector<pins::PinnedTool>& tools) {
  ToolBinding binding;
  binding.host_only.insert("open_case");
  binding.bound_arguments.insert("case_handle");
  return ModelTools(tools, std::move(binding));
}

Json refund_properties() {
  return Json::object({{"case_handle", string_schema()},
                       {"line_id", string_schema()},
                       {"reason", Json::object({{"type", "string"}, {"maxLength", 5}})}});
}

TEST(ModelTools, WithholdsTheHandleFromTheSchema) {
  const ModelTools tools = shown_for({pinned_tool("issue_refund", refund_properties())});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().input_schema().dump(),
            "{\"type\":\"object\",\"properties\":{\"line_id\":{\"type\":\"string\"},\"reason\":{\"type\":\"string\","
            "\"maxLength\":5}},"
            "\"required\":[\"line_id\",\"reason\"],\"additionalProperties\":false}");
}

TEST(ModelTools, WithholdsHostOnlyTools) {
  const ModelTools tools = shown_for({pinned_tool("open_case", Json::object({{"ticket_id", string_schema()}})),
                                      pinned_tool("get_order", Json::object({{"case_handle", string_schema()}}))});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().name(), "get_order");
  EXPECT_TRUE(tools.is_host_only("open_case"));
}

TEST(ModelTools, ChecksArgumentsAgainstTheShownSchema) {
  const ModelTools tools = shown_for({pinned_tool("issue_refund", refund_properties())});
  EXPECT_TRUE(
      succeeded(tools.check_arguments("issue_refund", Json::object({{"line_id", "LN-1"}, {"reason", "short"}}))));
  EXPECT_TRUE(refused(tools.check_arguments("issue_refund", Json::object({{"line_id", "LN-1"}, {"reason", "longer"}})),
                      "schema.mismatch"));
}

TEST(ModelTools, RefusesAModelThatGivesAHandleItself) {
  const ModelTools tools = shown_for({pinned_tool("get_order", Json::object({{"case_handle", string_schema()}}))});
  EXPECT_TRUE(succeeded(tools.check_arguments("get_order", Json::object())));
  EXPECT_TRUE(refused(tools.check_arguments("get_order", Json::object({{"case_handle", "ch_x"}})), "schema.mismatch"));
}

TEST(ModelTools, LeavesOutAToolWithABadHeaderAnnotation) {
  const Json number = Json::object({{"type", "number"}, {"x-mcp-header", "Amount"}});
  const Json text = Json::object({{"type", "string"}, {"x-mcp-header", "Region"}});
  const ModelTools tools = shown_for(
      {pinned_tool("bad", Json::object({{"amount", number}})), pinned_tool("good", Json::object({{"region", text}}))});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().name(), "good");
  ASSERT_EQ(tools.unusable().size(), 1U);
  EXPECT_EQ(tools.unusable().front().first, "bad");
}

TEST(ModelTools, LeavesOutNamesThatAModelCannotCall) {
  const ModelTools tools =
      shown_for({pinned_tool("orders.get", Json::object()), pinned_tool("orders_get", Json::object())});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().name(), "orders_get");
}

pins::PinnedTool tool_with_schema(const std::string& name, const char* schema) {
  return pinned(Json::object({{"name", name}, {"description", "d"}, {"inputSchema", *parse_json(schema)}}));
}

// basic, "JSON Schema Usage": 2020-12 when nothing else is said.
TEST(ModelTools, ChecksArgumentsByTheDialectOfTheSchema) {
  const ModelTools tools = shown_for(
      {tool_with_schema("newest", R"({"type":"object","properties":{"pair":{"prefixItems":[{"type":"integer"}]}},
                                      "dependentRequired":{"a":["b"]}})"),
       tool_with_schema("older", R"({"$schema":"http://json-schema.org/draft-07/schema#","type":"object",
                                     "properties":{"pair":{"items":[{"type":"integer"}]}}})")});
  ASSERT_EQ(tools.shown().size(), 2U);
  const Json odd = Json::object({{"pair", Json::array({"x"})}});
  EXPECT_TRUE(refused(tools.check_arguments("newest", odd), "schema.mismatch"));
  EXPECT_TRUE(refused(tools.check_arguments("older", odd), "schema.mismatch"));
  EXPECT_TRUE(refused(tools.check_arguments("newest", Json::object({{"a", 1}})), "schema.mismatch"));
  EXPECT_TRUE(succeeded(tools.check_arguments("newest", Json::object({{"a", 1}, {"b", 2}}))));
}

TEST(ModelTools, LeavesOutSchemasOfUnknownDialectsAndOnesThatLeadElsewhere) {
  const ModelTools tools = shown_for(
      {tool_with_schema("dialect", R"({"$schema":"http://json-schema.org/draft-04/schema#","type":"object"})"),
       tool_with_schema("reference", R"({"type":"object","properties":{"a":{"$ref":"https://evil.test/a.json"}}})"),
       tool_with_schema("plain", R"({"type":"object"})")});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().name(), "plain");
  ASSERT_EQ(tools.unusable().size(), 2U);
  EXPECT_NE(tools.unusable()[0].second.text().find("Supported: JSON Schema 2020-12 and draft-07."), std::string::npos);
  EXPECT_NE(tools.unusable()[1].second.text().find("https://evil.test/a.json"), std::string::npos);
}

TEST(ModelTools, LeavesOutDefinitionsWithHiddenText) {
  Json definition = pinned_tool("hidden", Json::object()).tool().definition;
  definition.set("description", "Read the page.\U000E0041\U000E0042");
  const ModelTools tools = shown_for({pinned(definition), pinned_tool("plain", Json::object())});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().name(), "plain");
}

}  // namespace
}  // namespace postern::bridge
