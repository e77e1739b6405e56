// A tool that goes on as a task, with what its handler and its client need, for the tests of tasks.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "services/mcp/server_features.h"
#include "services/mcp_tasks/tasks.h"
#include "tests/unit/mcp_extensions/extension_server.h"

namespace postern::test {

// What a handler waits for on its thread, with the time after which the test has failed.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    is_open_ = true;
    changed_.notify_all();
  }
  // False when the token was fired first.
  bool wait(const std::stop_token& stop) {
    const std::stop_callback wake(stop, [this] {
      const std::lock_guard lock(mutex_);
      changed_.notify_all();
    });
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, std::chrono::seconds(20), [&] { return is_open_ || stop.stop_requested(); });
    return is_open_;
  }
  bool wait() { return wait(std::stop_token()); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_open_ = false;
};

inline mcp::CallToolOutcome said(const std::string& text) {
  return mcp::CallToolResult{Json::array({mcp::text_block(text)}), std::nullopt, false};
}

inline mcp::InputRequest question(const char* key) {
  return {key, "elicitation/create",
          json_of_text(R"({"message":"?","requestedSchema":{"type":"object","properties":{"x":{"type":"string"}}}})")};
}

inline Json answers(const Json& task, const char* text) {
  Json responses = Json::object();
  for (const auto& [key, request] : task.find("inputRequests")->members())
    responses.set(key, Json::object({{"action", "accept"}, {"content", Json::object({{"x", text}})}}));
  return responses;
}

// One tool, "job".
inline mcp::ServerFeatures job_features(mcp::Tasks& tasks, mcp::ToolHandler handler,
                                        std::chrono::milliseconds deadline) {
  mcp::ToolRow row;
  row.tool = *mcp::read_tool(json_of_text(R"({"name":"job","inputSchema":{"type":"object"}})"));
  row.handler = std::move(handler);
  row.as_task = [](const mcp::ToolCall&) { return true; };
  row.task_deadline = deadline;
  mcp::ServerFeatures features;
  features.tools.push_back(std::move(row));
  features.extensions.push_back(tasks.extension());
  features.lists_change = true;
  features.task_starter = tasks.starter();
  return features;
}

}  // namespace postern::test
