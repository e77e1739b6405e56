// Proves that work which waits past the deadline of its row is stopped, and what its caller is told.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <string>

#include "services/mcp/deadline_watch.h"
#include "services/mcp/failures.h"
#include "tests/support/refused.h"
#include "tests/unit/mcp_server/working_server.h"

namespace postern::mcp {
namespace {

using test::json_of_text;
using test::kModernMeta;
using test::succeeded;
using test::WorkingServer;

class Deadline : public testing::Test {
 protected:
  Json answer_to(const char* method, Json params) {
    params.set("_meta", json_of_text(kModernMeta));
    const auto caller = std::make_shared<const services::Principal>(services::StdioLaunch("rowan").principal());
    const JsonRpcRequest request{RequestId(std::int64_t{7}), method, std::move(params)};
    const auto accepted = working_.server->accept(request, RequestContext{caller, nullptr, nullptr, {}});
    EXPECT_TRUE(succeeded(accepted));
    if (!accepted) return Json();
    return *parse_json(std::get<PreparedRequest>(*accepted).run()->body);
  }
  WorkingServer working_;
};

TEST_F(Deadline, StopsAToolAndSaysSoAsAToolError) {
  const Json answer = answer_to("tools/call", Json::object({{"name", "late"}}));
  EXPECT_EQ(working_.stopped, 1);
  const Json& result = *answer.find("result");
  EXPECT_EQ(result.boolean_at("isError"), true);
  const std::string_view text = result.find("content")->elements()[0].string_at("text");
  EXPECT_NE(text.find("late was stopped because it took more than"), text.npos) << text;
  EXPECT_NE(text.find("It is not known what it did"), text.npos) << text;
}

TEST(OutOfTime, SaysAfterWhatTimeInWordsThatAreTrue) {
  EXPECT_NE((OutOfTime{"It", 200, false}.text().find("more than 200 ms")), std::string::npos);
  EXPECT_NE((OutOfTime{"It", 1500, false}.text().find("more than 1500 ms")), std::string::npos);
  EXPECT_NE((OutOfTime{"It", 10'000, false}.text().find("more than 10 s")), std::string::npos);
}

TEST_F(Deadline, LeavesATaskAloneThatIsDoneInTime) {
  working_.release();
  EXPECT_TRUE(answer_to("tools/call", Json::object({{"name", "late"}})).find("result")->has("structuredContent"));
  EXPECT_EQ(working_.stopped, 0);
}

TEST(DeadlineWatch, FiresNothingOfAGuardThatIsGone) {
  DeadlineWatch watch;
  std::stop_source kept;
  std::stop_source gone;
  { const DeadlineWatch::Guard guard(watch, Milliseconds(1), gone); }
  const DeadlineWatch::Guard guard(watch, Milliseconds(20), kept);
  EXPECT_TRUE(wait_for_either(kept.get_token(), {}, test::in_time()));
  EXPECT_TRUE(guard.is_over());
}

TEST(DeadlineWatch, CallsAlarmsInTheOrderOfTheirTimes) {
  DeadlineWatch watch;
  std::atomic<int> order = 0;
  std::stop_source both;
  watch.call_after(Milliseconds(40), [&] {
    EXPECT_EQ(++order, 2);
    both.request_stop();
  });
  watch.call_after(Milliseconds(1), [&] { EXPECT_EQ(++order, 1); });
  EXPECT_TRUE(wait_for_either(both.get_token(), {}, test::in_time()));
}

// An alarm that sets the next one must not keep the watch from ending.
TEST(DeadlineWatch, EndsWhileAlarmsSetOthers) {
  std::function<void()> again;
  DeadlineWatch watch;
  std::atomic<int> rings = 0;
  again = [&] {
    ++rings;
    watch.call_after(Milliseconds(0), again);
  };
  watch.call_after(Milliseconds(0), again);
  const SteadyTime until = test::in_time();
  while (rings < 3) ASSERT_LT(SystemClock().steady_now(), until);
}

}  // namespace
}  // namespace postern::mcp
