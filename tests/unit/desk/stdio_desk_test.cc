// Proves that the desk over stdio is bound to its launch: one person, one ticket, six tools that read.
#include <gtest/gtest.h>

#include "services/desk/compose.h"
#include "services/mcp/server.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_env.h"
#include "wire/mcp/codec.h"

namespace postern::desk {
namespace {

using test::succeeded;

class DeskOverStdio : public testing::Test {
 protected:
  DeskOverStdio() {
    auto composed = StdioDesk::compose(env_.env(), own_store(env_.env(), folder_.path(), true), "T-1042");
    EXPECT_TRUE(succeeded(composed));
    desk_ = *std::move(composed);
  }
  Json request(const char* person, const char* method, Json params) {
    params.set("_meta", mcp::to_json(mcp::RequestMeta{}));
    const JsonRpcRequest message{RequestId(std::int64_t{1}), method, std::move(params)};
    const auto caller = std::make_shared<const services::Principal>(services::StdioLaunch(person).principal());
    const auto accepted = desk_->server().accept(message, mcp::RequestContext{caller, nullptr, nullptr, {}});
    EXPECT_TRUE(succeeded(accepted));
    if (!accepted) return Json();
    return *parse_json(std::get<mcp::PreparedRequest>(*accepted).run()->body);
  }
  Json call(const char* person, const char* tool, Json arguments) {
    return request(person, "tools/call", Json::object({{"name", tool}, {"arguments", std::move(arguments)}}));
  }
  static std::string_view text_of(const Json& answer) {
    return answer.find("result")->find("content")->elements()[0].string_at("text");
  }

  test::TemporaryFolder folder_;
  test::TestEnv env_;
  std::unique_ptr<StdioDesk> desk_;
};

TEST_F(DeskOverStdio, OffersTheSixReadTools) {
  const Json answer = request("rowan", "tools/list", Json::object());
  const auto list = mcp::read_list_tools_result(*answer.find("result"));
  ASSERT_TRUE(succeeded(list));
  std::string names;
  for (const mcp::Tool& tool : list->tools) names += tool.name + " ";
  EXPECT_EQ(names, "open_case get_ticket get_customer get_order get_policy get_tracking ");
}

TEST_F(DeskOverStdio, RefusesToRefund) {
  const Json arguments = *parse_json(R"({"case_handle":"ch_x","line_id":"LN-1","amount_cents":1,"reason":"r"})");
  EXPECT_EQ(call("rowan", "issue_refund", arguments).find("error")->integer_at("code"), -32602);
}

// MCP 2026-07-28 server/tools, "Security considerations": tool calls are limited here too.
TEST_F(DeskOverStdio, TellsACallerWithoutMeasureWhenToCallAgain) {
  const Json unknown = Json::object({{"case_handle", "ch_x"}});
  const auto limited = [&] {
    return text_of(call("rowan", "get_ticket", unknown)).find("Do not try again before") != std::string_view::npos;
  };
  for (int i = 0; i < 200; ++i) ASSERT_FALSE(limited()) << i;
  EXPECT_TRUE(limited());
  env_.clock.advance(Seconds(1));
  EXPECT_FALSE(limited());
}

TEST_F(DeskOverStdio, OpensItsOwnTicketOnly) {
  const Json other = call("rowan", "open_case", Json::object({{"ticket_id", "T-3090"}}));
  EXPECT_EQ(other.find("result")->boolean_at("isError"), true);
  EXPECT_EQ(text_of(other), "This server was started for T-1042 and opens no other ticket. No case was opened.");
  const Json own = call("rowan", "open_case", Json::object({{"ticket_id", "T-1042"}}));
  EXPECT_EQ(own.find("result")->find("structuredContent")->string_at("opened_for"), "Rowan Diaz");
}

TEST_F(DeskOverStdio, RefusesAPersonOfAnotherDesk) {
  const Json answer = call("quinn", "open_case", Json::object({{"ticket_id", "T-1042"}}));
  EXPECT_EQ(answer.find("result")->boolean_at("isError"), true);
}

TEST_F(DeskOverStdio, ReadsTheCaseAndKnowsNothingOfRefunds) {
  const Json opened = call("rowan", "open_case", Json::object({{"ticket_id", "T-1042"}}));
  const std::string handle(opened.find("result")->find("structuredContent")->string_at("case_handle"));
  const Json order = call("rowan", "get_order", Json::object({{"case_handle", handle}}));
  EXPECT_EQ(order.find("result")->find("structuredContent")->string_at("refunds_source"), "unavailable");
  const Json foreign = call("quinn", "get_order", Json::object({{"case_handle", handle}}));
  EXPECT_EQ(text_of(foreign), "No open case with that handle for this caller.");
}

}  // namespace
}  // namespace postern::desk
