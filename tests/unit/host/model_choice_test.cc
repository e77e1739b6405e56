// Which model a run talks to: nothing is ever downgraded.
#include "host/model_choice.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern::host {
namespace {

using test::refused;
using test::succeeded;

Environment with_key() {
  return {{{"ANTHROPIC_API_KEY", "sk-ant-x"}}};
}

TEST(ModelChoice, TakesTheDoubleInTheLocalProfileWithoutAKey) {
  const auto choice = choose_model(Config{}, Environment{});
  ASSERT_TRUE(succeeded(choice));
  EXPECT_EQ(choice->script, "honest");
  EXPECT_EQ(choice->line, "scripted double \"honest\" (no model key is set)");
}

TEST(ModelChoice, TakesTheServiceWithAKey) {
  Config config;
  config.model = "claude-opus-5-5";
  const auto choice = choose_model(config, with_key());
  ASSERT_TRUE(succeeded(choice));
  EXPECT_EQ(choice->script, "");
  EXPECT_EQ(choice->id, "claude-opus-5-5");
}

TEST(ModelChoice, RefusesAnotherProfileWithoutAKey) {
  Config config;
  config.profile = "prod";
  EXPECT_TRUE(refused(choose_model(config, Environment{}), "own.config_invalid"));
  EXPECT_TRUE(succeeded(choose_model(config, with_key())));
}

TEST(ModelChoice, RefusesANamedModelWithoutAKey) {
  Config config;
  config.model = "claude-opus-5-5";
  EXPECT_TRUE(refused(choose_model(config, Environment{}), "own.config_invalid"));
  config.model.clear();
  config.model_api = "anthropic";
  EXPECT_TRUE(refused(choose_model(config, Environment{}), "own.config_invalid"));
}

TEST(ModelChoice, TakesAScriptEvenWithAKeyWhenItIsAskedFor) {
  Config config;
  config.model_api = "script:injectable";
  const auto choice = choose_model(config, with_key());
  ASSERT_TRUE(succeeded(choice));
  EXPECT_EQ(choice->script, "injectable");
  EXPECT_EQ(choice->recorded(), "script:injectable");
}

}  // namespace
}  // namespace postern::host
