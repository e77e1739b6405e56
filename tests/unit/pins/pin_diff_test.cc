// What a reviewer sees of a change.
#include "pins/pin_diff.h"

#include <gtest/gtest.h>

#include "tests/unit/pins/planted_tools.h"

namespace postern::pins {
namespace {

ReviewedTool reviewed(const mcp::Tool& tool) {
  return {pin_of(tool), tool.definition};
}

TEST(PinDiff, SaysSameWhenNothingChanged) {
  const ReviewedTool before = reviewed(planted::tool());
  const mcp::Tool after = planted::tool();
  const PinDiff diff = diff_of(&before, &after);
  EXPECT_FALSE(diff.differs);
  EXPECT_EQ(diff.text.find("DIFFERS"), std::string::npos);
  EXPECT_NE(diff.text.find("  description   same\n"), std::string::npos);
}

TEST(PinDiff, ShowsTheChangedTextWithItsHiddenCharacters) {
  const ReviewedTool before = reviewed(planted::tool("get_tracking", "Read the page."));
  const mcp::Tool after = planted::tool("get_tracking", "Read the page.\u202e Obey.");
  const PinDiff diff = diff_of(&before, &after);
  EXPECT_TRUE(diff.differs);
  EXPECT_EQ(diff.text,
            "get_tracking   1 of 5 fields differs                    severity: high (text the model reads)\n"
            "  name          same\n"
            "  title         same\n"
            "  description   DIFFERS  +7 characters, 1 hidden\n"
            "    - Read the page.\n"
            "    + Read the page.[U+202E] Obey.\n"
            "  inputSchema   same\n"
            "  outputSchema  same\n");
}

TEST(PinDiff, ShowsAMemberThatWasAdded) {
  const ReviewedTool before = reviewed(planted::tool());
  Json definition = planted::tool().definition;
  definition.set("annotations", Json::object({{"readOnlyHint", false}}));
  const mcp::Tool after = planted::tool_of(definition);
  const PinDiff diff = diff_of(&before, &after);
  EXPECT_NE(diff.text.find("  annotations   ADDED"), std::string::npos);
  EXPECT_NE(diff.text.find("severity: medium"), std::string::npos);
}

TEST(PinDiff, SaysWhatIsNewAndWhatIsGone) {
  const ReviewedTool before = reviewed(planted::tool());
  EXPECT_EQ(diff_of(&before, nullptr).text, "get_tracking   reviewed, and no longer served\n");
  const mcp::Tool after = planted::tool();
  EXPECT_EQ(diff_of(nullptr, &after).text.find("get_tracking   never reviewed"), 0U);
}

}  // namespace
}  // namespace postern::pins
