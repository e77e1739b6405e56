// Proves what the definitions of the seven tools promise: to the validator, to models, and to whoever reviews pins.
#include "services/desk/tool_catalog.h"

#include <gtest/gtest.h>

#include <functional>

#include "tests/support/refused.h"
#include "wire/mcp/codec.h"
#include "wire/schema/schema.h"

namespace postern::desk {
namespace {

using test::succeeded;

class ToolDefinitions : public testing::TestWithParam<std::string_view> {};

// Every object of a schema, the schema itself among them.
void for_each_object(const Json& schema, const std::function<void(const Json&)>& visit) {
  if (schema.string_at("type") == "object") visit(schema);
  for (const auto& [name, member] : schema.members()) for_each_object(member, visit);
}

TEST_P(ToolDefinitions, AreWholeAndCompile) {
  const mcp::Tool tool = definition_of(GetParam());
  ASSERT_TRUE(succeeded(mcp::read_tool(tool.definition)));
  EXPECT_FALSE(tool.title->empty());
  EXPECT_GT(tool.description->size(), 60U);  // when to use it, and what it returns
  EXPECT_TRUE(succeeded(Schema::compile(tool.input_schema)));
  ASSERT_TRUE(tool.output_schema.has_value());
  EXPECT_TRUE(succeeded(Schema::compile(*tool.output_schema)));
  EXPECT_EQ(*tool.definition.find("inputSchema"), tool.input_schema);
  EXPECT_EQ(*tool.definition.find("outputSchema"), *tool.output_schema);
  EXPECT_EQ(definition_of(GetParam()).definition.dump(), tool.definition.dump());
}

TEST_P(ToolDefinitions, AllowNoOtherMembersAndRequireEach) {
  const mcp::Tool tool = definition_of(GetParam());
  for (const Json* schema : {&tool.input_schema, &*tool.output_schema}) {
    for_each_object(*schema, [](const Json& object) {
      EXPECT_EQ(object.boolean_at("additionalProperties"), false) << object.dump();
      EXPECT_EQ(object.find("required")->size(), object.find("properties")->size()) << object.dump();
      for (const auto& [name, property] : object.find("properties")->members()) {
        EXPECT_FALSE(property.string_at("description").empty()) << name;
      }
    });
  }
}

TEST_P(ToolDefinitions, TellTheTruthInTheirHints) {
  const Json hints = *definition_of(GetParam()).definition.find("annotations");
  const bool reads = GetParam().starts_with("get_");
  EXPECT_EQ(hints.boolean_at("readOnlyHint"), reads);
  EXPECT_EQ(hints.boolean_at("openWorldHint"), GetParam() == kGetTracking);
  EXPECT_EQ(hints.boolean_at("destructiveHint").value_or(false), GetParam() == kIssueRefund);
}

TEST_P(ToolDefinitions, TakeTheCaseHandleUnlessTheyMakeIt) {
  const Json properties = *definition_of(GetParam()).input_schema.find("properties");
  EXPECT_EQ(properties.has("case_handle"), GetParam() != kOpenCase);
  // Nothing that would let a caller choose whose records it reads.
  for (const char* chosen : {"customer_id", "order_id", "url", "address", "approval_id", "currency"}) {
    EXPECT_FALSE(properties.has(chosen)) << chosen;
  }
}

INSTANTIATE_TEST_SUITE_P(All, ToolDefinitions,
                         testing::Values(kOpenCase, kGetTicket, kGetCustomer, kGetOrder, kGetPolicy, kGetTracking,
                                         kIssueRefund),
                         [](const auto& param) {
                           std::string name(param.param);
                           std::erase(name, '_');
                           return name;
                         });

TEST(RefundArguments, AreBoundByTheirSchema) {
  const Schema schema = *Schema::compile(definition_of(kIssueRefund).input_schema);
  const auto with = [](const char* name, const Json& value) {
    Json arguments = *parse_json(R"({"case_handle":"ch_x","line_id":"LN-1","amount_cents":4800,"reason":"r"})");
    arguments.set(name, value);
    return arguments;
  };
  EXPECT_TRUE(succeeded(schema.validate(with("reason", std::string(200, 'r')))));
  EXPECT_TRUE(test::refused(schema.validate(with("reason", std::string(201, 'r'))), "schema.mismatch"));
  EXPECT_TRUE(test::refused(schema.validate(with("reason", "")), "schema.mismatch"));
  for (const Json& amount : {Json(0), Json(-4800), Json(48.5), Json("4800"), Json(1'000'000'001)}) {
    EXPECT_TRUE(test::refused(schema.validate(with("amount_cents", amount)), "schema.mismatch")) << amount.dump();
  }
  EXPECT_TRUE(succeeded(schema.validate(with("amount_cents", Json(1)))));
  for (const char* line : {"LN-", "ln-1", "LN-1 ", "LN-1;", "1"}) {
    EXPECT_TRUE(test::refused(schema.validate(with("line_id", line)), "schema.mismatch")) << line;
  }
}

}  // namespace
}  // namespace postern::desk
