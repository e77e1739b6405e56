// Every clause of every attack on the product's own programs over real HTTP: refused as the case says, with no money
// moved, and its neighbour let through.

#include <gtest/gtest.h>

#include "tests/lab/attack/attack_run.h"
#include "tests/lab/attack/process_stack.h"
#include "tests/lab/attack/product_target.h"

namespace postern::lab {
namespace {

class Product : public testing::TestWithParam<std::string> {};

TEST_P(Product, BlocksEveryCaseOf) {
  AttackRun run([]() -> Result<std::shared_ptr<Target>> {
    POSTERN_TRY(auto stack, start_process_stack({POSTERN_BIN_DIR, {}}));
    return std::shared_ptr<Target>(std::make_shared<ProductTarget>(std::move(stack), "product"));
  });
  const std::vector<CaseOutcome> outcomes = run.play(GetParam());
  EXPECT_FALSE(outcomes.empty());
  for (const CaseOutcome& outcome : outcomes) {
    EXPECT_EQ(text_of(outcome.end), outcome.expect == "success" ? "let through" : "blocked")
        << outcome.file << ": " << outcome.name << ": " << outcome.seen;
  }
  EXPECT_EQ(AttackRun::check_of(GetParam(), outcomes).verdict, Verdict::kPass);
}

std::vector<std::string> attacks() {
  std::vector<std::string> ids;
  for (const auto& [id, name] : attack_names()) ids.push_back(id);
  return ids;
}

INSTANTIATE_TEST_SUITE_P(Attack, Product, testing::ValuesIn(attacks()),
                         [](const auto& attack) { return attack.param; });

}  // namespace
}  // namespace postern::lab
