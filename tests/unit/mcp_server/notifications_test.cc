// Proves which notifications of a running request go out: those that it asked for, growing, not too often, and none
// behind the response (MCP 2026-07-28 basic/patterns/progress, server/utilities/logging).
#include "services/mcp/notifications.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"
#include "tests/support/test_env.h"

namespace postern::mcp {
namespace {

using test::refused;

class KeptOutlet final : public Outlet {
 public:
  bool send(const std::string& message) override {
    sent.push_back(*parse_json(message));
    return !gone;
  }
  std::vector<Json> sent;
  bool gone = false;
};

class Notifications : public testing::Test {
 protected:
  static NotificationWishes progress_of(Json token) {
    NotificationWishes wishes;
    wishes.progress_token = std::move(token);
    return wishes;
  }
  std::vector<double> progress() const {
    std::vector<double> values;
    for (const Json& message : outlet_.sent)
      values.push_back(message.find("params")->find("progress")->number().value());
    return values;
  }
  test::TestEnv env_;
  KeptOutlet outlet_;
};

TEST_F(Notifications, OfProgressCarryTheTokenAsItCame) {
  RequestNotifications notifications(env_.clock, progress_of(Json(7)), &outlet_);
  notifications.progress(1, 4, "Reading the order");
  ASSERT_EQ(outlet_.sent.size(), 1U);
  EXPECT_EQ(outlet_.sent[0], *parse_json(R"({"jsonrpc":"2.0","method":"notifications/progress","params":
      {"progressToken":7,"progress":1,"total":4,"message":"Reading the order"}})"));
}

TEST_F(Notifications, OfProgressNeedAToken) {
  RequestNotifications notifications(env_.clock, {}, &outlet_);
  notifications.progress(1);
  EXPECT_TRUE(outlet_.sent.empty());
}

TEST_F(Notifications, OfProgressGrow) {
  RequestNotifications notifications(env_.clock, progress_of("t"), &outlet_);
  for (const double value : {1.0, 1.0, 0.5, 2.0, 2.0, 1.5, 3.0}) {
    env_.clock.advance(Seconds(1));
    notifications.progress(value);
  }
  EXPECT_EQ(progress(), (std::vector<double>{1, 2, 3}));
}

TEST_F(Notifications, OfProgressComeAtABoundedRateAndTheLastOneAlways) {
  RequestNotifications notifications(env_.clock, progress_of("t"), &outlet_);
  for (int i = 1; i <= 1000; ++i) notifications.progress(i, 1000);
  EXPECT_EQ(progress(), (std::vector<double>{1, 1000}));
}

TEST_F(Notifications, EndWithTheRequest) {
  NotificationWishes wishes = progress_of("t");
  wishes.log_level = LogSeverity::kDebug;
  RequestNotifications notifications(env_.clock, std::move(wishes), &outlet_);
  notifications.progress(1);
  notifications.close();
  env_.clock.advance(Seconds(1));
  notifications.progress(2, 2);
  notifications.log(LogSeverity::kEmergency, "desk", "late");
  EXPECT_EQ(outlet_.sent.size(), 1U);
}

TEST_F(Notifications, StopWhenNobodyReadsThem) {
  RequestNotifications notifications(env_.clock, progress_of("t"), &outlet_);
  outlet_.gone = true;
  notifications.progress(1);
  env_.clock.advance(Seconds(1));
  notifications.progress(2);
  EXPECT_EQ(outlet_.sent.size(), 1U);
}

TEST_F(Notifications, OfLogsNeedALevelAndAreAtOrAboveIt) {
  RequestNotifications unasked(env_.clock, progress_of("t"), &outlet_);
  unasked.log(LogSeverity::kEmergency, "desk", "nobody asked");
  EXPECT_TRUE(outlet_.sent.empty());
  NotificationWishes wishes;
  wishes.log_level = LogSeverity::kWarning;
  RequestNotifications notifications(env_.clock, std::move(wishes), &outlet_);
  notifications.log(LogSeverity::kNotice, "desk", "less");
  notifications.log(LogSeverity::kWarning, "desk", "as much");
  notifications.log(LogSeverity::kCritical, "desk", "more");
  ASSERT_EQ(outlet_.sent.size(), 2U);
  EXPECT_EQ(outlet_.sent[0], *parse_json(R"({"jsonrpc":"2.0","method":"notifications/message","params":
      {"level":"warning","logger":"desk","data":"as much"}})"));
}

TEST(NotificationWishes, AreReadFromMeta) {
  const auto read = [](const char* extra) {
    RequestMeta meta;
    meta.extra = *parse_json(extra);
    return read_notification_wishes(meta);
  };
  EXPECT_FALSE(read("{}")->any());
  EXPECT_EQ(read(R"({"progressToken":"a"})")->progress_token, Json("a"));
  EXPECT_EQ(read(R"({"progressToken":7})")->progress_token, Json(7));
  EXPECT_EQ(read(R"({"io.modelcontextprotocol/logLevel":"alert"})")->log_level, LogSeverity::kAlert);
  for (const char* malformed :
       {R"({"progressToken":null})", R"({"progressToken":1.5})", R"({"progressToken":{}})",
        R"({"io.modelcontextprotocol/logLevel":"loud"})", R"({"io.modelcontextprotocol/logLevel":"WARNING"})",
        R"({"io.modelcontextprotocol/logLevel":4})"}) {
    EXPECT_TRUE(refused(read(malformed), "mcp.malformed_params")) << malformed;
  }
}

}  // namespace
}  // namespace postern::mcp
