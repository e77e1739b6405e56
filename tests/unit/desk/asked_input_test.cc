// Proves what the desk may ask of a client, and what its definitions may not hold (MCP 2026-07-28
// basic/patterns/mrtr; server/tools).
#include <gtest/gtest.h>

#include "services/desk/tool_catalog.h"
#include "tests/support/refused.h"
#include "tests/unit/desk/desk_world.h"
#include "wire/mcp/headers.h"

namespace postern::desk {
namespace {

constexpr std::string_view kTools[] = {kOpenCase,  kGetTicket,   kGetCustomer, kGetOrder,
                                       kGetPolicy, kGetTracking, kIssueRefund};

TEST(AskedInput, IsOneUrlElicitationAndNothingOfItIsSecret) {
  test::DeskWorld world;
  const std::string handle = world.open_case("T-1042");
  const Json asked = world.call(
      world.token("rowan", test::kReadAndRefund), "issue_refund",
      Json::object({{"case_handle", handle}, {"line_id", "LN-1"}, {"amount_cents", 4800}, {"reason", "snapped"}}));
  const Json* requests = asked.find("inputRequests");
  ASSERT_NE(requests, nullptr) << asked.dump();
  ASSERT_EQ(requests->size(), 1U);
  const auto& [key, request] = requests->members().front();
  EXPECT_EQ(key, "approval");
  EXPECT_EQ(request.string_at("method"), "elicitation/create");
  const Json& params = *request.find("params");
  EXPECT_EQ(params.size(), 3U);  // mode, message, url: no form
  EXPECT_EQ(params.string_at("mode"), "url");
  for (const char* personal : {"rowan", "Rowan", "Avery", "4800", "T-1042", "ORD-5521", "ch_", "rs_"}) {
    EXPECT_EQ(params.string_at("url").find(personal), std::string_view::npos) << personal;
  }
}

TEST(ToolDefinition, NamesNoOtherDialectThanTheDefault) {
  for (const std::string_view name : kTools) {
    const mcp::Tool tool = definition_of(name);
    for (const Json* schema : {&tool.input_schema, &*tool.output_schema}) {
      const Json* dialect = schema->find("$schema");
      EXPECT_TRUE(dialect == nullptr || *dialect == Json("https://json-schema.org/draft/2020-12/schema")) << name;
    }
  }
}

// What a proxy may read and log is for nobody's case, order or person.
TEST(ToolDefinition, MirrorsNoArgumentInAHeader) {
  for (const std::string_view name : kTools) {
    const auto mirrored = mcp::param_headers_of(definition_of(name).input_schema);
    ASSERT_TRUE(test::succeeded(mirrored)) << name;
    EXPECT_TRUE(mirrored->empty()) << name;
  }
}

}  // namespace
}  // namespace postern::desk
