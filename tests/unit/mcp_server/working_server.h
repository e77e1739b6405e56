// A server whose tools wait, tell of their progress and go wrong, for the tests of whatever carries requests out.
#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "services/mcp/server.h"
#include "tests/support/test_env.h"
#include "tests/unit/mcp_server/small_server.h"
#include "wire/transport/failures.h"
#include "wire/transport/room.h"

namespace postern::test {

inline SteadyTime in_time(int ms = 20'000) {
  return SystemClock().steady_now() + Milliseconds(ms);
}

// Its tools: "echo" answers on the loop; "wait" runs until release() or until it is stopped; "stubborn" heeds
// release() alone; "late" is "wait" with a deadline of 50 ms; "tell" sends progress and log messages, then answers;
// "tell_and_wait" tells of a first step and then waits; "big" gives 4 MiB; "throw" throws.
class WorkingServer {
 public:
  explicit WorkingServer(mcp::SubscriptionLimits limits = {}) {
    auto made = mcp::Server::make(env(), features(), limits);
    EXPECT_TRUE(made.has_value());
    server = *std::move(made);
  }
  ~WorkingServer() { release(); }

  // Real time: what these tests wait for is work.
  [[nodiscard]] Env env() { return {clock_, random_, tap_}; }

  mcp::ServerFeatures features() {
    mcp::ServerFeatures features;
    features.server_info = {"working", "1.0.0"};
    features.base_scopes = ScopeSet{"desk:read"};
    features.lists_change = true;
    features.logging = true;
    features.tools = {
        echo(), waiting("wait", 60'000), waiting("late", 50), stubborn(), tell(), tell_and_wait(), big(), throwing()};
    mcp::ResourceRow note;
    note.definition = json_of_text(R"({"uri":"note://one","name":"one"})");
    note.subscribable = true;
    note.handler = [](const mcp::ReadCall& call) -> Result<mcp::ReadOutcome> {
      return mcp::ReadOutcome(mcp::ReadResourceResult{
          Json::array({Json::object({{"uri", call.params.uri}, {"text", "a note"}})}), 0, "private"});
    };
    features.resources.push_back(std::move(note));
    return features;
  }

  // Lets what waits go on, and all that comes later.
  void release() { released_.request_stop(); }
  // Until so many handlers have begun.
  [[nodiscard]] bool wait_until_begun(int count) const { return wait_until(begun, count); }
  [[nodiscard]] bool wait_until_stopped(int count) const { return wait_until(stopped, count); }

  std::unique_ptr<mcp::Server> server;
  std::atomic<int> begun = 0;    // handlers that wait, or told something
  std::atomic<int> stopped = 0;  // those whose token fired
  std::atomic<int> ended = 0;

 private:
  static bool wait_until(const std::atomic<int>& counter, int count) {
    const SteadyTime until = in_time();
    while (counter < count) {
      if (SystemClock().steady_now() > until) return false;
      std::this_thread::yield();
    }
    return true;
  }
  static constexpr const char* kNone = R"({"type":"object"})";

  static Result<mcp::CallToolOutcome> said(const char* what) {
    return mcp::CallToolOutcome(mcp::CallToolResult{Json(), Json::object({{"said", what}}), false});
  }
  mcp::ToolRow row(const char* name, mcp::ToolHandler handler) {
    mcp::ToolRow row = SmallServer::row(name, kNone, nullptr, std::move(handler));
    row.lane = mcp::Lane::kBlocking;
    row.deadline = std::chrono::milliseconds(60'000);
    return row;
  }
  Result<mcp::CallToolOutcome> wait(const mcp::ToolCall& call) {
    ++begun;
    wait_for_either(call.stop, released_.get_token());
    ++ended;
    if (!call.stop.stop_requested()) return said("released");
    ++stopped;
    return Cancelled{};
  }
  mcp::ToolRow echo() {
    mcp::ToolRow echo = row("echo", [](const mcp::ToolCall&) { return said("echo"); });
    echo.lane = mcp::Lane::kLoop;
    return echo;
  }
  mcp::ToolRow waiting(const char* name, int deadline_ms) {
    mcp::ToolRow waiting = row(name, [this](const mcp::ToolCall& call) { return wait(call); });
    waiting.deadline = std::chrono::milliseconds(deadline_ms);
    return waiting;
  }
  mcp::ToolRow stubborn() {
    return row("stubborn", [this](const mcp::ToolCall&) {
      ++begun;
      wait_for_either({}, released_.get_token());
      ++ended;
      return said("released");
    });
  }
  mcp::ToolRow tell() {
    mcp::ToolRow tell = row("tell", [](const mcp::ToolCall& call) {
      call.notifications.progress(1, 3, "begun");
      call.notifications.log(mcp::LogSeverity::kDebug, "tell", "a detail");
      call.notifications.log(mcp::LogSeverity::kWarning, "tell", "a warning");
      call.notifications.progress(3, 3, "done");
      return said("told");
    });
    tell.notifies = true;
    return tell;
  }
  mcp::ToolRow tell_and_wait() {
    mcp::ToolRow tell = row("tell_and_wait", [this](const mcp::ToolCall& call) {
      call.notifications.progress(1, 3, "begun");
      auto outcome = wait(call);
      call.notifications.progress(3, 3, "done");
      return outcome;
    });
    tell.notifies = true;
    return tell;
  }
  mcp::ToolRow big() {
    mcp::ToolRow big = row("big", [](const mcp::ToolCall&) -> Result<mcp::CallToolOutcome> {
      const std::string text(4 * 1024 * 1024, 'b');
      return mcp::CallToolOutcome(
          mcp::CallToolResult{Json::array({Json::object({{"type", "text"}, {"text", text}})}), std::nullopt, false});
    });
    big.lane = mcp::Lane::kLoop;
    return big;
  }
  mcp::ToolRow throwing() {
    return row("throw", [](const mcp::ToolCall&) -> Result<mcp::CallToolOutcome> {
      throw std::runtime_error("a secret detail");
    });
  }

  SystemClock clock_;
  SeededRandom random_;
  NoTap tap_;
  std::stop_source released_;
};

}  // namespace postern::test
