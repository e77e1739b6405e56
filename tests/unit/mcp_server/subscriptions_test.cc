// Proves what a subscription carries, from its acknowledgement to its closing result (MCP 2026-07-28
// basic/patterns/subscriptions).
#include "services/mcp/subscriptions.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/test_env.h"

namespace postern::mcp {
namespace {

using test::refused;
using test::succeeded;

class KeptSink final : public SubscriptionSink {
 public:
  bool send(const std::string& message) override {
    EXPECT_FALSE(ended);
    sent.push_back(*parse_json(message));
    return !gone;
  }
  void end() override { ended = true; }
  [[nodiscard]] std::vector<std::string> methods() const {
    std::vector<std::string> names;
    for (const Json& message : sent) names.emplace_back(message.string_at("method"));
    return names;
  }
  std::vector<Json> sent;
  bool ended = false;
  bool gone = false;
};

class OpenSubscriptions : public testing::Test {
 protected:
  static SubscriptionFilter everything() {
    SubscriptionFilter filter;
    filter.tools_list_changed = filter.prompts_list_changed = filter.resources_list_changed = true;
    filter.resource_subscriptions = {"note://a"};
    return filter;
  }
  PreparedListen listen(SubscriptionFilter filter, const RequestId& id = RequestId(std::int64_t{7}),
                        const char* person = "rowan") {
    const services::StdioLaunch launch(person);
    return {id, std::move(filter), std::make_shared<services::Principal>(launch.principal()), std::nullopt};
  }
  // Everything that can happen, once.
  void publish_all() {
    subscriptions_.list_changed(ListKind::kTools);
    subscriptions_.list_changed(ListKind::kPrompts);
    subscriptions_.list_changed(ListKind::kResources);
    subscriptions_.resource_updated("note://a");
    subscriptions_.resource_updated("note://b");
  }
  test::TestEnv env_;
  std::shared_ptr<KeptSink> sink_ = std::make_shared<KeptSink>();
  Subscriptions subscriptions_{env_.clock, {3, 2}};
};

TEST_F(OpenSubscriptions, BeginWithTheirAcknowledgement) {
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything()), sink_)));
  ASSERT_EQ(sink_->sent.size(), 1U);
  EXPECT_EQ(sink_->sent[0],
            *parse_json(R"({"jsonrpc":"2.0","method":"notifications/subscriptions/acknowledged","params":{
      "notifications":{"toolsListChanged":true,"promptsListChanged":true,"resourcesListChanged":true,
                       "resourceSubscriptions":["note://a"]},
      "_meta":{"io.modelcontextprotocol/subscriptionId":7}}})"));
}

TEST_F(OpenSubscriptions, CarryWhatWasAskedForAndNothingElse) {
  SubscriptionFilter prompts;
  prompts.prompts_list_changed = true;
  const auto other = std::make_shared<KeptSink>();
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything()), sink_)));
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(prompts), other)));
  publish_all();
  EXPECT_EQ(sink_->methods(),
            (std::vector<std::string>{"notifications/subscriptions/acknowledged", "notifications/tools/list_changed",
                                      "notifications/prompts/list_changed", "notifications/resources/list_changed",
                                      "notifications/resources/updated"}));
  EXPECT_EQ(sink_->sent.back().find("params")->string_at("uri"), "note://a");
  EXPECT_EQ(other->methods(), (std::vector<std::string>{"notifications/subscriptions/acknowledged",
                                                        "notifications/prompts/list_changed"}));
}

TEST_F(OpenSubscriptions, CarryTheirIdInEveryMessageOfTheTypeThatCame) {
  const auto text = std::make_shared<KeptSink>();
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything()), sink_)));
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything(), RequestId(std::string("7"))), text)));
  publish_all();
  subscriptions_.end_all();
  const auto id_of = [](const Json& message) {
    const Json* body = message.find(message.has("result") ? "result" : "params");
    return *body->find("_meta")->find("io.modelcontextprotocol/subscriptionId");
  };
  ASSERT_EQ(sink_->sent.size(), 6U);
  for (const Json& message : sink_->sent) EXPECT_EQ(id_of(message), Json(7)) << message.dump();
  for (const Json& message : text->sent) EXPECT_EQ(id_of(message), Json("7")) << message.dump();
}

TEST_F(OpenSubscriptions, EndWithTheirResultAndNothingBehindIt) {
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything()), sink_)));
  subscriptions_.end_all();
  publish_all();
  ASSERT_EQ(sink_->sent.size(), 2U);
  EXPECT_EQ(sink_->sent[1], *parse_json(R"({"jsonrpc":"2.0","id":7,"result":{"resultType":"complete",
      "_meta":{"io.modelcontextprotocol/subscriptionId":7}}})"));
  EXPECT_TRUE(sink_->ended);
  EXPECT_EQ(subscriptions_.count(), 0U);
  EXPECT_TRUE(refused(subscriptions_.open(listen(everything()), sink_), "mcp.stopping"));
}

TEST_F(OpenSubscriptions, AreForgottenWhenTheirReaderIsGone) {
  const auto number = subscriptions_.open(listen(everything()), sink_);
  ASSERT_TRUE(succeeded(number));
  subscriptions_.close(*number);
  publish_all();
  EXPECT_EQ(sink_->sent.size(), 1U);
  const auto leaving = std::make_shared<KeptSink>();
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything()), leaving)));
  leaving->gone = true;
  publish_all();
  EXPECT_EQ(leaving->sent.size(), 2U);
  EXPECT_EQ(subscriptions_.count(), 0U);
}

TEST_F(OpenSubscriptions, EndWithTheirToken) {
  PreparedListen brief = listen(everything());
  brief.expires_at = env_.clock.now() + Seconds(10);
  ASSERT_TRUE(succeeded(subscriptions_.open(std::move(brief), sink_)));
  env_.clock.advance(Seconds(9));
  subscriptions_.end_expired();
  EXPECT_FALSE(sink_->ended);
  env_.clock.advance(Seconds(1));
  subscriptions_.end_expired();
  EXPECT_TRUE(sink_->ended);
  EXPECT_TRUE(sink_->sent.back().has("result"));
}

TEST_F(OpenSubscriptions, AreBoundedForEachPersonAndInAll) {
  for (int i = 0; i < 2; ++i) ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything()), sink_)));
  EXPECT_TRUE(refused(subscriptions_.open(listen(everything()), sink_), "mcp.too_many_subscriptions"));
  const RequestId id(std::int64_t{8});
  ASSERT_TRUE(succeeded(subscriptions_.open(listen(everything(), id, "quinn"), sink_)));
  EXPECT_TRUE(refused(subscriptions_.open(listen(everything(), id, "avery"), sink_), "mcp.too_many_subscriptions"));
}

}  // namespace
}  // namespace postern::mcp
