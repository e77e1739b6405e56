// A request that is ended early is named once in notifications/cancelled; never one whose answer came first (MCP
// 2026-07-28 basic/patterns/cancellation).
#include <gtest/gtest.h>

#include "bridge/failures.h"
#include "tests/unit/stdio_transport/stdio_world.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;

class StdioCancellation : public test::StdioWorld {
 protected:
  // The ids in the cancellations that reached the server.
  std::vector<std::string> cancelled() {
    std::vector<std::string> ids;
    for (const std::string& line : seen_by_server()) {
      const Result<Json> json = parse_json(line);
      if (json->string_at("method") != "notifications/cancelled") continue;
      EXPECT_FALSE(json->has("id"));
      ids.push_back(json->find("params")->find("requestId")->dump());
    }
    return ids;
  }
};

TEST_F(StdioCancellation, NamesTheRequestWhoseTimeIsOver) {
  ask("echo");
  const auto answer = ask("silent", Json::object(), 100);
  ASSERT_TRUE(refused(answer, "bridge.timed_out"));
  EXPECT_FALSE(answer.error().as<RequestTimedOut>()->silent);
  EXPECT_EQ(cancelled(), std::vector<std::string>{"2"});
}

TEST_F(StdioCancellation, NamesTheRequestThatGivesNoSignOfLife) {
  OutgoingRequest outgoing = request("silent");
  outgoing.silence_ms_max = Milliseconds(100);
  const auto answer = ask(outgoing);
  ASSERT_TRUE(refused(answer, "bridge.timed_out"));
  EXPECT_TRUE(answer.error().as<RequestTimedOut>()->silent);
  EXPECT_EQ(cancelled(), std::vector<std::string>{"1"});
}

TEST_F(StdioCancellation, NamesTheRequestThatIsStopped) {
  ask("echo");
  std::stop_source stop;
  std::thread stopper([&] {
    while (tap_.count(Direction::kOut, "\"silent\"") == 0) std::this_thread::yield();
    stop.request_stop();
  });
  EXPECT_TRUE(refused(ask(request("silent"), stop.get_token()), "transport.cancelled"));
  stopper.join();
  EXPECT_EQ(cancelled(), std::vector<std::string>{"2"});
}

TEST_F(StdioCancellation, NamesTheRequestThatItsCallerEnds) {
  OutgoingRequest outgoing = request("progress", Json::object({{"answers", Json(false)}}));
  outgoing.params.set("_meta", Json::object({{"progressToken", "p"}}));
  int reports = 0;
  outgoing.on_notification = [&](const JsonRpcNotification&) { return ++reports < 2; };
  EXPECT_TRUE(refused(ask(outgoing), "bridge.ended_by_caller"));
  EXPECT_EQ(reports, 2);
  EXPECT_EQ(cancelled(), std::vector<std::string>{"1"});
}

// 2025-11-25 basic/utilities/cancellation: the initialize request must not be cancelled by clients.
TEST_F(StdioCancellation, NeverNamesInitialize) {
  transport().speak_older_era("");
  EXPECT_TRUE(refused(ask("initialize", Json::object({{"silent", Json(true)}}), 100), "bridge.timed_out"));
  EXPECT_TRUE(cancelled().empty());
}

TEST_F(StdioCancellation, SendsNothingForARequestThatWasNeverWritten) {
  ASSERT_TRUE(succeeded(ask("deaf")));
  // Fills the pipe, which nobody reads, once it is begun.
  std::stop_source stop;
  std::thread stopper([&] {
    while (tap_.count(Direction::kOut, "xxxx") == 0) std::this_thread::yield();
    stop.request_stop();
  });
  const auto first = ask(request("echo", Json::object({{"text", std::string(1 << 20, 'x')}})), stop.get_token());
  stopper.join();
  EXPECT_TRUE(refused(first, "transport.cancelled"));
  EXPECT_TRUE(refused(ask("second", Json::object(), 50), "bridge.timed_out"));
  EXPECT_EQ(tap_.count(Direction::kOut, "\"second\""), 0);
  end();
  EXPECT_EQ(tap_.count(Direction::kOut, "\"requestId\":3"), 0);
}

TEST_F(StdioCancellation, DropsAnAnswerThatComesTooLate) {
  EXPECT_TRUE(refused(ask("hold", Json::object(), 100), "bridge.timed_out"));
  EXPECT_EQ(result_of(ask("release")), Json::object());  // and not the answer that came before it
  EXPECT_EQ(tap_.count(Direction::kIn, "\"late\":true"), 1);
  EXPECT_EQ(result_of(ask("echo", Json::object({{"a", 1}}))), Json::object({{"a", 1}}));
}

TEST_F(StdioCancellation, SurvivesARaceWithTheAnswer) {
  ask("echo");
  int answered = 0;
  int stopped = 0;
  for (int i = 0; i < 1'000; ++i) {
    std::stop_source stop;
    std::atomic<bool> begun{false};
    std::thread stopper([&, i] {
      while (!begun) std::this_thread::yield();
      for (int spin = 0; spin < (i % 40) * 10; ++spin) std::this_thread::yield();
      stop.request_stop();
    });
    begun = true;
    const auto answer = ask(request("echo", Json::object({{"i", i}})), stop.get_token());
    stopper.join();
    if (answer) {
      ++answered;
      EXPECT_EQ(std::get<JsonRpcResult>(*answer).result.integer_at("i"), i);
    } else {
      ++stopped;
      EXPECT_TRUE(refused(answer, "transport.cancelled"));
    }
  }
  EXPECT_EQ(answered + stopped, 1'000);
  // No request that was answered is named, and none twice.
  const std::vector<std::string> ids = cancelled();
  EXPECT_LE(ids.size(), static_cast<std::size_t>(stopped));
  EXPECT_EQ(std::set<std::string>(ids.begin(), ids.end()).size(), ids.size());
  EXPECT_EQ(transport().generation(), 1);
}

TEST_F(StdioCancellation, NamesNoRequestWhoseAnswerCame) {
  for (int i = 0; i < 20; ++i) {
    std::stop_source stop;
    OutgoingRequest outgoing = request("progress", Json::object({{"reports", 1}}));
    outgoing.params.set("_meta", Json::object({{"progressToken", i}}));
    // Answers are handed on in their order: once a later request has its own, this one's has come.
    outgoing.on_notification = [&](const JsonRpcNotification&) {
      EXPECT_TRUE(succeeded(ask("echo")));
      stop.request_stop();
      return true;
    };
    EXPECT_TRUE(succeeded(ask(outgoing, stop.get_token())));
  }
  EXPECT_TRUE(cancelled().empty());
}

}  // namespace
}  // namespace postern::bridge
