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

TEST(ModelTools, LeavesOutDefinitionsWithHiddenText) {
  Json definition = pinned_tool("hidden", Json::object()).tool().definition;
  definition.set("description", "Read the page.\U000E0041\U000E0042");
  const ModelTools tools = shown_for({pinned(definition), pinned_tool("plain", Json::object())});
  ASSERT_EQ(tools.shown().size(), 1U);
  EXPECT_EQ(tools.shown().front().name(), "plain");
}

}  // namespace
}  // namespace postern::bridge
