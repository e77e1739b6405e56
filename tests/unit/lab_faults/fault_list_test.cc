// The list of faults is whole: each has a seam, a symbol, a file that is there, and exactly one way to be put in.
#include "tests/faults/fault_list.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/lab/world/control_set.h"
#include "wire/base/file.h"

namespace postern::faults {
namespace {

TEST(FaultList, HasTheTwentyFourFaultsOfTheBoundary) {
  for (const char* name : {"legacy-stdio-entry",
                           "stdout-noise",
                           "missing-header",
                           "wrong-version",
                           "decode-only-token",
                           "skip-audience",
                           "any-issuer",
                           "unbound-handles",
                           "unbound-state",
                           "trust-client-accept",
                           "amount-blind-token",
                           "replayable-token",
                           "token-passthrough",
                           "poisoned-description",
                           "hidden-unicode-description",
                           "poisoned-annotations",
                           "rug-pull",
                           "shadowed-name",
                           "dollars-for-cents",
                           "output-schema-drift",
                           "slow-peer",
                           "closed-peer",
                           "huge-result",
                           "forged-label"}) {
    EXPECT_NE(find_fault(name), nullptr) << name;
  }
}

TEST(FaultList, EntriesAreWhole) {
  std::set<std::string_view> names;
  std::set<std::string_view> decorators;
  for (const Fault& fault : all_faults()) {
    EXPECT_TRUE(names.insert(fault.name).second) << fault.name;
    EXPECT_TRUE(decorators.insert(fault.decorator).second) << fault.decorator;
    EXPECT_FALSE(fault.seam.empty() || fault.about.empty()) << fault.name;
    EXPECT_TRUE(file_exists(POSTERN_SOURCE_DIR "/" + fault.file())) << fault.file();
    const int ways =
        (fault.put_in != nullptr ? 1 : 0) + (fault.lines != nullptr ? 1 : 0) + (fault.removed != nullptr ? 1 : 0);
    EXPECT_EQ(ways, 1) << fault.name;
    EXPECT_EQ(fault.removed != nullptr, !fault.attack.empty()) << fault.name;
    EXPECT_EQ(fault.removed == nullptr, !fault.first_seen.empty()) << fault.name;
  }
}

TEST(FaultList, MissingControlsAreControlsThatThereAre) {
  for (const Fault& fault : all_faults()) {
    if (fault.removed == nullptr) continue;
    EXPECT_FALSE(fault.removed().empty()) << fault.name;
    const auto set = lab::ControlSet::without(fault.removed());
    EXPECT_TRUE(set.has_value()) << fault.name << ": " << (set ? "" : set.error().text());
  }
}

TEST(FaultList, AMistypedNameHasANearestOne) {
  EXPECT_EQ(find_fault("slow-pear"), nullptr);
  EXPECT_EQ(nearest_fault("slow-pear"), "slow-peer");
  EXPECT_EQ(nearest_fault("rugpull"), "rug-pull");
}

}  // namespace
}  // namespace postern::faults
