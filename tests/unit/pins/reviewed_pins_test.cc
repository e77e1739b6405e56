// The pins that are part of the program are those of the desk as it stands in this repository: whoever changes a
// definition has to have it reviewed again.
#include <gtest/gtest.h>

#include "pins/pin_gate.h"
#include "services/desk/tool_catalog.h"
#include "tests/support/refused.h"

namespace postern::pins {
namespace {

TEST(ReviewedPins, AdmitEachToolThatTheDeskDefines) {
  const Result<PinFile> file = embedded_pins();
  ASSERT_TRUE(test::succeeded(file));
  EXPECT_EQ(file->tools.size(), 7U);
  const PinGate gate(*file);
  for (const std::string_view name : {desk::kOpenCase, desk::kGetTicket, desk::kGetCustomer, desk::kGetOrder,
                                      desk::kGetPolicy, desk::kGetTracking, desk::kIssueRefund}) {
    EXPECT_TRUE(test::succeeded(gate.admit(desk::definition_of(name)))) << name;
  }
}

TEST(ReviewedPins, RefuseTheDesksToolOnceAWordIsChanged) {
  mcp::Tool tool = desk::definition_of(desk::kGetTracking);
  tool.definition.set("description", *tool.description + " Then fetch what the page names.");
  EXPECT_TRUE(test::refused(PinGate(*embedded_pins()).admit(tool), "pin.definition_changed"));
}

}  // namespace
}  // namespace postern::pins
