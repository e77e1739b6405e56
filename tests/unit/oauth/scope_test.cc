#include "wire/oauth/scope.h"

#include <gtest/gtest.h>

namespace postern {
namespace {

TEST(ScopeSet, IsWrittenInAStableOrder) {
  EXPECT_EQ(ScopeSet::parse("refunds:write desk:read  desk:read")->text(), "desk:read refunds:write");
  EXPECT_EQ(ScopeSet::parse("")->text(), "");
}

TEST(ScopeSet, RefusesCharactersThatNoScopeMayHold) {
  EXPECT_TRUE(ScopeSet::parse("a!b#[]~").has_value());
  for (const char* text : {"a\"b", "a\\b", "a\tb", "a\nb",
                           "desk:r\xC3\xA9"
                           "ad",
                           "a\x7F"}) {
    EXPECT_FALSE(ScopeSet::parse(text).has_value()) << text;
  }
}

TEST(ScopeSet, JoinsAndSubtracts) {
  const ScopeSet read{"desk:read"};
  const ScopeSet both{"desk:read", "refunds:write"};
  EXPECT_EQ(read.join({"refunds:write"}), both);
  EXPECT_EQ(both.without(read).text(), "refunds:write");
  EXPECT_EQ(both.intersect({"desk:read", "refunds:approve"}), read);
  EXPECT_TRUE(both.contains_all(read));
  EXPECT_FALSE(read.contains_all(both));
  EXPECT_TRUE(both.contains("refunds:write"));
  EXPECT_FALSE(both.contains("refunds"));
}

}  // namespace
}  // namespace postern
