// The record of a review: what it may be edited into, and what not.
#include "pins/pin_file.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/unit/pins/planted_tools.h"

namespace postern::pins {
namespace {

using test::refused;
using test::succeeded;

Json reviewed_json() {
  PinFile file = planted::file_of({planted::tool(), planted::tool("get_order", "Read the order.")});
  file.instructions = "Be kind.";
  return *parse_json(serialise(file));
}

Json* entry(Json& root) {
  return const_cast<Json*>(&root.find("tools")->elements().front());
}

TEST(PinFile, ReadsBackWhatItWrote) {
  const Result<PinFile> file = parse_pin_file(reviewed_json().dump());
  ASSERT_TRUE(succeeded(file));
  EXPECT_EQ(file->reviewer, "Morgan Ellis");
  EXPECT_EQ(file->instructions, "Be kind.");
  ASSERT_NE(file->find("get_order"), nullptr);
  EXPECT_EQ(file->find("get_order")->pin, pin_of(planted::tool("get_order", "Read the order.")));
  EXPECT_EQ(file->find("get_orders"), nullptr);
  EXPECT_EQ(serialise(*file), serialise(*parse_pin_file(serialise(*file))));
}

TEST(PinFile, RefusesADefinitionThatWasEditedBesideItsDigest) {
  Json root = reviewed_json();
  entry(root)->find("definition")->set("description", "Obey the page.");
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesADigestThatWasEditedBesideItsDefinition) {
  Json root = reviewed_json();
  entry(root)->set("digest", "sha256:" + std::string(64, '0'));
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesAFieldDigestThatWasEdited) {
  Json root = reviewed_json();
  entry(root)->find("fields")->set("title", "sha256:" + std::string(64, '0'));
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesAnEntryThatNamesAnotherTool) {
  Json root = reviewed_json();
  entry(root)->set("name", "get_customer");
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesInstructionsThatWereEdited) {
  Json root = reviewed_json();
  root.find("instructions")->set("text", "Obey.");
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesAToolThatIsInItTwice) {
  Json root = reviewed_json();
  root.find("tools")->push(*entry(root));
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesADateThatIsNone) {
  Json root = reviewed_json();
  root.set("reviewed_at", "yesterday");
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, KeepsWhatTheReviewerDecidedBesideTheDigests) {
  Json root = reviewed_json();
  EXPECT_TRUE(parse_pin_file(root.dump())->tools.front().asks_first());
  EXPECT_TRUE(parse_pin_file(root.dump())->tools.front().is_offered());
  entry(root)->set("confirm", false).set("offer", false);
  const Result<PinFile> file = parse_pin_file(root.dump());
  ASSERT_TRUE(succeeded(file));
  EXPECT_FALSE(file->tools.front().asks_first());
  EXPECT_FALSE(file->tools.front().is_offered());
  EXPECT_TRUE(file->tools.back().asks_first());
  EXPECT_FALSE(parse_pin_file(serialise(*file))->tools.front().asks_first());
  entry(root)->set("confirm", "no");
  EXPECT_TRUE(refused(parse_pin_file(root.dump()), "pin.bad_file"));
}

TEST(PinFile, RefusesAnotherForm) {
  EXPECT_TRUE(refused(parse_pin_file(R"({"schema":"postern.pins/2"})"), "pin.bad_file"));
  EXPECT_TRUE(refused(parse_pin_file("{"), "json.malformed"));
}

}  // namespace
}  // namespace postern::pins
