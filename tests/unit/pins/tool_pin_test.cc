// The digest of a tool: over which bytes, and what changes it.
#include "pins/tool_pin.h"

#include <gtest/gtest.h>

#include "tests/unit/pins/planted_tools.h"
#include "wire/base/digest.h"

namespace postern::pins {
namespace {

TEST(ToolPin, IsShaOverTheCanonicalFormOfTheFiveMembers) {
  const mcp::Tool tool = planted::tool("a", "b");
  const std::string bytes = R"({"description":"b","inputSchema":{"properties":{},"type":"object"},"name":"a",)"
                            R"("outputSchema":{"properties":{},"type":"object"},"title":"A title"})";
  EXPECT_EQ(pinned_bytes(tool.definition), bytes);
  EXPECT_EQ(pin_of(tool).digest, "sha256:" + sha256_hex(bytes));
}

TEST(ToolPin, DoesNotDependOnTheOrderOfMembers) {
  Json turned = Json::object({{"description", "b"}, {"name", "a"}, {"title", "A title"}});
  turned.set("outputSchema", *planted::tool().definition.find("outputSchema"));
  turned.set("inputSchema", *planted::tool().definition.find("inputSchema"));
  EXPECT_EQ(pin_of(planted::tool_of(turned)), pin_of(planted::tool("a", "b")));
}

TEST(ToolPin, LeavesAbsentMembersOut) {
  Json bare = Json::object({{"name", "a"}, {"inputSchema", Json::object({{"type", "object"}})}});
  EXPECT_EQ(pinned_bytes(bare), R"({"inputSchema":{"type":"object"},"name":"a"})");
}

TEST(ToolPin, HasADigestForEachMemberAsServed) {
  Json definition = planted::definition_of_tool("a", "b");
  definition.set("_meta", Json::object({{"x", 1}}));
  const ToolPin with = pin_of(planted::tool_of(definition));
  ASSERT_EQ(with.fields.size(), 6U);
  EXPECT_EQ(with.fields.front().field, "_meta");
  EXPECT_EQ(with.fields.front().digest, "sha256:" + sha256_hex(R"({"x":1})"));
  // The guide's digest covers what the tool is; the members beside it change the pin, not that digest.
  EXPECT_EQ(with.digest, pin_of(planted::tool("a", "b")).digest);
  EXPECT_FALSE(with == pin_of(planted::tool("a", "b")));
}

TEST(ToolPin, ShortDigestKeepsEightDigits) {
  EXPECT_EQ(short_digest("sha256:5b1e90c2ffff"), "sha256:5b1e90c2…");
}

}  // namespace
}  // namespace postern::pins
