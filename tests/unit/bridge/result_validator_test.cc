// Results that may go on, and those that may not.
#include "bridge/result_validator.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/bridge/pretended_desk.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;

Json order_schema() {
  Json schema = Json::object({{"type", "object"}, {"required", Json::array({"total_cents"})}});
  return schema.set("properties", Json::object({{"total_cents", Json::object({{"type", "integer"}})}}));
}

ResultValidator validator() {
  return ResultValidator({pretended::pinned_tool("get_order", Json::object(), order_schema())});
}

mcp::CallToolResult result_of(std::optional<Json> structured, bool is_error = false) {
  return {Json::array({mcp::text_block("text")}), std::move(structured), is_error};
}

TEST(ResultValidator, PassesWhatConforms) {
  const auto valid = validator().validate("get_order", result_of(Json::object({{"total_cents", 1200}})));
  ASSERT_TRUE(succeeded(valid));
  EXPECT_EQ(valid->data(), "{\"total_cents\":1200}");
  EXPECT_EQ(valid->structured().integer_at("total_cents"), 1200);
}

TEST(ResultValidator, RefusesAResultThatDrifted) {
  const auto result = validator().validate("get_order", result_of(Json::object({{"total", 12}})));
  ASSERT_TRUE(refused(result, "schema.output_invalid"));
  EXPECT_EQ(result.error().text().find("Output validation error: Invalid structured content for tool get_order"), 0U);
}

TEST(ResultValidator, RefusesAMissingStructuredContent) {
  EXPECT_TRUE(refused(validator().validate("get_order", result_of(std::nullopt)), "schema.output_invalid"));
}

TEST(ResultValidator, PassesAnErrorWithoutStructuredContent) {
  const auto valid = validator().validate("get_order", result_of(std::nullopt, true));
  ASSERT_TRUE(succeeded(valid));
  EXPECT_EQ(valid->data(), "text");
  EXPECT_TRUE(valid->is_error());
}

// B-091: an error of a tool is not held against the schema of its results, whatever stands beside its text.
TEST(ResultValidator, PublicCaseB091PassesAnErrorWithForeignStructuredContent) {
  const auto valid = validator().validate("get_order", result_of(Json::object({{"error", "down"}}), true));
  ASSERT_TRUE(succeeded(valid));
  EXPECT_EQ(valid->data(), "text");
  EXPECT_TRUE(valid->is_error());
}

TEST(ResultValidator, PassesTextOfAToolWithoutOutputSchema) {
  EXPECT_TRUE(succeeded(validator().validate("other", result_of(std::nullopt))));
}

TEST(ResultValidator, RefusesLinksImagesAndResources) {
  for (const char* type : {"resource_link", "image", "audio", "resource"}) {
    const mcp::CallToolResult result{Json::array({Json::object({{"type", type}})}), std::nullopt, false};
    EXPECT_TRUE(refused(validator().validate("other", result), "schema.content_refused")) << type;
  }
}

TEST(ResultValidator, RefusesMoreThan256KiB) {
  const mcp::CallToolResult at_bound{Json::array({mcp::text_block(std::string(256 * 1024, 'x'))}), std::nullopt, false};
  const mcp::CallToolResult over{Json::array({mcp::text_block(std::string(256 * 1024 + 1, 'x'))}), std::nullopt, false};
  EXPECT_TRUE(succeeded(validator().validate("other", at_bound)));
  EXPECT_TRUE(refused(validator().validate("other", over), "schema.content_refused"));
}

}  // namespace
}  // namespace postern::bridge
