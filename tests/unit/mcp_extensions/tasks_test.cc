// Proves the life of a task (SEP-2663): its steps and their shapes, whose it is, how long it is kept, and that neither
// a cancelled nor a late result is ever shown.
#include "services/mcp_tasks/tasks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "services/mcp/failures.h"
#include "tests/unit/mcp_extensions/task_jobs.h"

namespace postern::mcp {
namespace {

using test::answers;
using test::Gate;
using test::job_features;
using test::json_of_text;
using test::question;
using test::said;

// A deadline that a round begins within on a busy machine too.
constexpr std::chrono::milliseconds kShort{1'000};

// One tool, "job", whose handler is the test's.
class TasksOfAServer : public testing::Test {
 protected:
  ~TasksOfAServer() override { close(); }
  // Waits for the handlers: before what they use goes.
  void close() {
    server_.close();
    tasks_.reset();
  }
  void serve(ToolHandler handler, TaskOptions options = {},
             std::chrono::milliseconds deadline = std::chrono::minutes(1)) {
    close();
    tasks_ = Tasks::make(server_.env_.env(), options);
    server_.serve(job_features(*tasks_, std::move(handler), deadline));
  }
  Json call(const char* person = "rowan", const char* declared = test::ExtensionServer::kDeclared) {
    return server_.result_of("tools/call", json_of_text(R"({"name":"job","arguments":{}})"), person, declared);
  }
  static Json of(const Json& task) { return Json::object({{"taskId", task.string_at("taskId")}}); }
  Json get(const Json& task, const char* person = "rowan") { return server_.result_of("tasks/get", of(task), person); }
  Json update(const Json& task, Json responses) {
    return server_.result_of("tasks/update", of(task).set("inputResponses", std::move(responses)));
  }
  // The task once it has that status; the last look at it when that takes too long.
  Json wait_for(const Json& task, std::string_view status) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    Json seen = get(task);
    while (seen.string_at("status") != status && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
      seen = get(task);
    }
    EXPECT_EQ(seen.string_at("status"), status);
    return seen;
  }

  test::ExtensionServer server_;
  std::unique_ptr<Tasks> tasks_;
};

TEST_F(TasksOfAServer, AreCreatedFlatAndCompleteWithTheResult) {
  Gate gate;
  serve([&](const ToolCall& call) -> Result<CallToolOutcome> {
    gate.wait(call.stop);
    return said("done");
  });
  const Json created = call();
  EXPECT_EQ(created.string_at("resultType"), "task");
  EXPECT_EQ(created.string_at("status"), "working");
  EXPECT_GE(created.string_at("taskId").size(), 16 * 8 / 6);
  EXPECT_EQ(created.string_at("createdAt"), rfc3339(server_.env_.clock.now()));
  EXPECT_EQ(created.string_at("lastUpdatedAt"), created.string_at("createdAt"));
  EXPECT_EQ(created.integer_at("ttlMs"), 660'000);
  EXPECT_EQ(created.integer_at("pollIntervalMs"), 500);
  EXPECT_EQ(created.size(), 7U);
  Json working = get(created);
  EXPECT_EQ(working.string_at("resultType"), "complete");
  working.set("resultType", "task");
  EXPECT_EQ(working, created);

  server_.env_.clock.advance(Seconds(3));
  gate.open();
  const Json completed = wait_for(created, "completed");
  EXPECT_EQ(*completed.find("result"),
            json_of_text(R"({"resultType":"complete","content":[{"type":"text","text":"done"}]})"));
  EXPECT_EQ(completed.string_at("lastUpdatedAt"), rfc3339(server_.env_.clock.now()));
  EXPECT_EQ(completed.integer_at("ttlMs"), 603'000);
  EXPECT_FALSE(completed.has("error") || completed.has("inputRequests"));
}

TEST_F(TasksOfAServer, HaveIdsOfTheirOwn) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); });
  EXPECT_NE(call().string_at("taskId"), call().string_at("taskId"));
}

// SEP-2663, "Capability Negotiation".
TEST_F(TasksOfAServer, AreForClientsThatDeclareThemOnly) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); });
  EXPECT_EQ(call("rowan", R"({"elicitation":{}})").string_at("resultType"), "complete");
  const Json task = call();
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    const Json params = of(task).set("inputResponses", Json::object());
    EXPECT_EQ(server_.error_of(method, params, "rowan", "{}"), -32021) << method;
    EXPECT_EQ(server_.error_of(method, params), 0) << method;
  }
  for (const char* method : {"tasks/list", "tasks/result"}) EXPECT_EQ(server_.error_of(method, of(task)), -32601);
}

TEST_F(TasksOfAServer, AreListenedToByClientsThatDeclareThemOnly) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); });
  const Json of_tasks = json_of_text(R"({"notifications":{"taskIds":["task_a"]}})");
  EXPECT_EQ(server_.error_of("subscriptions/listen", of_tasks, "rowan", "{}"), -32021);
  EXPECT_EQ(server_.error_of("subscriptions/listen", of_tasks), 0);
  EXPECT_EQ(server_.error_of("subscriptions/listen", json_of_text(R"({"notifications":{}})"), "rowan", "{}"), 0);
}

TEST_F(TasksOfAServer, CompleteWithTheErrorsOfTools) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return ArgumentsInvalid{"job", "no x"}; });
  const Json completed = wait_for(call(), "completed");
  EXPECT_EQ(completed.find("result")->boolean_at("isError"), true);
}

// And tell nobody of the inside of the server.
TEST_F(TasksOfAServer, FailWithTheErrorsOfTheProtocol) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return OutputInvalid{"job", "secret detail"}; });
  const Json failed = wait_for(call(), "failed");
  EXPECT_EQ(*failed.find("error"), json_of_text(R"({"code":-32603,"message":"Internal error."})"));
  EXPECT_EQ(failed.string_at("statusMessage"), "Internal error.");
  EXPECT_FALSE(failed.has("result"));
}

TEST_F(TasksOfAServer, AskAndGoOnWhenEveryAnswerIsThere) {
  serve([](const ToolCall& call) -> Result<CallToolOutcome> {
    if (call.params.input_responses.empty()) return InputRequiredResult{{question("a"), question("b")}, "kept"};
    if (call.params.input_responses.size() != 2 || call.params.request_state != "kept") return said("wrong round");
    std::string text;
    for (const InputResponse& response : call.params.input_responses)
      text += response.key + "=" + std::string(response.response.find("content")->string_at("x")) + ";";
    return said(text);
  });
  const Json created = call();
  const Json parked = wait_for(created, "input_required");
  EXPECT_EQ(parked.dump().find("kept"), std::string::npos);  // the state is the handler's own
  const Json::Object requests = parked.find("inputRequests")->members();
  ASSERT_EQ(requests.size(), 2U);
  EXPECT_EQ(requests[0].second, Json::object({{"method", "elicitation/create"}, {"params", question("a").params}}));

  const Json accepted = json_of_text(R"({"action":"accept","content":{"x":"1"}})");
  EXPECT_EQ(update(created, Json::object({{requests[0].first, accepted}, {"never-asked", accepted}})),
            json_of_text(R"({"resultType":"complete"})"));
  const Json half = get(created);
  EXPECT_EQ(half.string_at("status"), "input_required");
  EXPECT_EQ(half.find("inputRequests")->size(), 1U);
  EXPECT_TRUE(half.find("inputRequests")->has(requests[1].first));
  // What is answered stays answered.
  const Json other = json_of_text(R"({"action":"accept","content":{"x":"9"}})");
  update(created, Json::object({{requests[0].first, other}}));
  EXPECT_EQ(get(created).string_at("status"), "input_required");

  const Json second = json_of_text(R"({"action":"accept","content":{"x":"2"}})");
  update(created, Json::object({{requests[1].first, second}}));
  const Json completed = wait_for(created, "completed");
  EXPECT_EQ(completed.find("result")->find("content")->elements()[0].string_at("text"), "a=1;b=2;");
}

// MCP 2026-07-28 basic/patterns/mrtr: a state without a question asks to be called again.
TEST_F(TasksOfAServer, RunAgainWhenTheyHoldAState) {
  serve([](const ToolCall& call) -> Result<CallToolOutcome> {
    if (!call.params.request_state) return InputRequiredResult{{}, "once"};
    return said(*call.params.request_state);
  });
  const Json completed = wait_for(call(), "completed");
  EXPECT_EQ(completed.find("result")->find("content")->elements()[0].string_at("text"), "once");
}

// SEP-2663: no key is used for two requests of one task.
TEST_F(TasksOfAServer, NeverUseAKeyTwiceAndKeepTheLastAnswer) {
  serve([](const ToolCall& call) -> Result<CallToolOutcome> {
    if (call.params.input_responses.empty()) return InputRequiredResult{{question("a")}, {}};
    const std::string text(call.params.input_responses[0].response.find("content")->string_at("x"));
    if (text == "bad") return InputRequiredResult{{question("a")}, {}};
    return said(text + std::to_string(call.params.input_responses.size()));
  });
  const Json created = call();
  const Json first = wait_for(created, "input_required");
  update(created, answers(first, "bad"));
  const Json second = wait_for(created, "input_required");
  EXPECT_NE(second.find("inputRequests")->members()[0].first, first.find("inputRequests")->members()[0].first);
  update(created, answers(first, "late"));
  EXPECT_EQ(get(created).string_at("status"), "input_required");
  update(created, answers(second, "good"));
  EXPECT_EQ(wait_for(created, "completed").find("result")->find("content")->elements()[0].string_at("text"), "good1");
}

TEST_F(TasksOfAServer, RefuseMalformedAnswers) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return InputRequiredResult{{question("a")}, {}}; });
  const Json created = call();
  wait_for(created, "input_required");
  EXPECT_EQ(server_.error_of("tasks/update", of(created)), -32602);
  EXPECT_EQ(server_.error_of("tasks/update", of(created).set("inputResponses", Json())), -32602);
  EXPECT_EQ(server_.error_of("tasks/update", of(created).set("inputResponses", Json::array())), -32602);
  EXPECT_EQ(server_.error_of("tasks/get", json_of_text(R"({"taskId":7})")), -32602);
  EXPECT_EQ(server_.error_of("tasks/get", Json::object()), -32602);
  EXPECT_EQ(get(created).string_at("status"), "input_required");
}

// S-163 to S-165.
TEST_F(TasksOfAServer, AreUnknownToEverybodyElse) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return InputRequiredResult{{question("a")}, {}}; });
  const Json created = call();
  const Json parked = wait_for(created, "input_required");
  const Json unknown = Json::object({{"taskId", "task_AAAAAAAAAAAAAAAAAAAAAA"}, {"inputResponses", Json::object()}});
  for (const char* method : {"tasks/get", "tasks/update", "tasks/cancel"}) {
    const Json foreign = server_.ask(method, of(created).set("inputResponses", answers(parked, "x")), "quinn");
    ASSERT_TRUE(foreign.has("error")) << method;
    EXPECT_EQ(foreign.find("error")->integer_at("code"), -32602);
    EXPECT_EQ(foreign, server_.ask(method, unknown, "rowan")) << method;
  }
  EXPECT_EQ(get(created).string_at("status"), "input_required");
}

TEST_F(TasksOfAServer, AreStoppedByCancel) {
  Gate started;
  Gate ended;
  serve([&](const ToolCall& call) -> Result<CallToolOutcome> {
    started.open();
    Gate never;
    never.wait(call.stop);
    if (call.stop.stop_requested()) ended.open();
    return said("late");
  });
  const Json created = call();
  ASSERT_TRUE(started.wait());
  EXPECT_EQ(server_.result_of("tasks/cancel", of(created)), json_of_text(R"({"resultType":"complete"})"));
  EXPECT_TRUE(ended.wait());  // the token was fired
  EXPECT_EQ(get(created).string_at("status"), "cancelled");
  close();
}

TEST_F(TasksOfAServer, StayCancelledWhenTheWorkEndsLater) {
  TaskOptions options;
  options.workers = 1;
  Gate started;
  Gate go;
  serve(
      [&](const ToolCall& call) -> Result<CallToolOutcome> {
        if (!call.params.input_responses.empty()) return said("never");
        started.open();
        go.wait();  // heeds no token
        return said("late");
      },
      options);
  const Json created = call();
  ASSERT_TRUE(started.wait());
  server_.result_of("tasks/cancel", of(created));
  EXPECT_EQ(get(created).string_at("status"), "cancelled");
  go.open();
  const Json next = call();
  wait_for(next, "completed");  // the only thread is done with the cancelled one
  const Json cancelled = get(created);
  EXPECT_EQ(cancelled.string_at("status"), "cancelled");
  EXPECT_FALSE(cancelled.has("result"));
  // Cancelling what is over is acknowledged, and changes nothing.
  EXPECT_EQ(server_.error_of("tasks/cancel", of(next)), 0);
  EXPECT_EQ(get(next).string_at("status"), "completed");
}

TEST_F(TasksOfAServer, CancelledWhileTheyWaitTakeNoAnswers) {
  serve([](const ToolCall& call) -> Result<CallToolOutcome> {
    if (!call.params.input_responses.empty()) return said("never");
    return InputRequiredResult{{question("a")}, {}};
  });
  const Json created = call();
  const Json parked = wait_for(created, "input_required");
  server_.result_of("tasks/cancel", of(created));
  EXPECT_EQ(update(created, answers(parked, "x")), json_of_text(R"({"resultType":"complete"})"));
  const Json cancelled = get(created);
  EXPECT_EQ(cancelled.string_at("status"), "cancelled");
  EXPECT_FALSE(cancelled.has("inputRequests"));
}

TEST_F(TasksOfAServer, HoldNoThreadWhileTheyWait) {
  TaskOptions options;
  options.workers = 1;
  serve(
      [](const ToolCall& call) -> Result<CallToolOutcome> {
        if (!call.params.input_responses.empty()) return said("done");
        return InputRequiredResult{{question("a")}, {}};
      },
      options);
  const Json one = call();
  const Json two = call();
  const Json three = call();
  wait_for(one, "input_required");
  wait_for(two, "input_required");
  update(three, answers(wait_for(three, "input_required"), "x"));
  wait_for(three, "completed");
}

// The round is told to stop at its deadline, and the task ends in what a plain call would have given.
TEST_F(TasksOfAServer, EndWhenARoundIsOutOfTime) {
  serve(
      [&](const ToolCall& call) -> Result<CallToolOutcome> {
        Gate never;
        never.wait(call.stop);
        return ArgumentsInvalid{"job", "interrupted"};
      },
      {}, kShort);
  const Json completed = wait_for(call(), "completed");
  EXPECT_EQ(completed.find("result")->boolean_at("isError"), true);
  EXPECT_EQ(completed.find("result")->find("content")->elements()[0].string_at("text"),
            (OutOfTime{"job", kShort.count(), true}.text()));
}

// It is the truth.
TEST_F(TasksOfAServer, CompleteWithAResultThatComesAfterTheDeadline) {
  serve(
      [&](const ToolCall& call) -> Result<CallToolOutcome> {
        Gate never;
        never.wait(call.stop);
        return said("late");
      },
      {}, kShort);
  EXPECT_EQ(wait_for(call(), "completed").find("result")->find("content")->elements()[0].string_at("text"), "late");
}

// Waiting for a thread counts, and whoever never ran did nothing.
TEST_F(TasksOfAServer, EndWhenTheyFindNoThreadInTime) {
  TaskOptions options;
  options.workers = 1;
  Gate busy;
  Gate go;
  std::atomic<int> runs = 0;
  serve(
      [&](const ToolCall&) -> Result<CallToolOutcome> {
        ++runs;
        busy.open();
        go.wait();  // heeds no token
        return said("done");
      },
      options, kShort);
  const Json first = call();
  ASSERT_TRUE(busy.wait());
  const Json completed = wait_for(call(), "completed");
  EXPECT_EQ(completed.find("result")->find("content")->elements()[0].string_at("text"),
            (OutOfTime{"job", kShort.count(), false}.text()));
  EXPECT_EQ(get(first).string_at("status"), "working");
  go.open();
  wait_for(first, "completed");
  EXPECT_EQ(runs, 1);
}

TEST_F(TasksOfAServer, AreForgottenWhenTheirTimeIsOver) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); });
  const Json created = call();
  wait_for(created, "completed");
  server_.env_.clock.advance(Milliseconds(599'999));
  EXPECT_EQ(get(created).string_at("status"), "completed");
  server_.env_.clock.advance(Milliseconds(1));
  EXPECT_EQ(server_.error_of("tasks/get", of(created)), -32602);
  EXPECT_EQ(server_.error_of("tasks/cancel", of(created)), -32602);
}

TEST_F(TasksOfAServer, AreBoundedInAllAndForOneCaller) {
  TaskOptions options;
  options.bounds = {3, 2};
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); }, options);
  const Json first = call();
  const Json second = call();
  const Json refused = call();
  EXPECT_EQ(refused.string_at("resultType"), "complete");
  EXPECT_EQ(refused.boolean_at("isError"), true);
  EXPECT_NE(refused.dump().find("2 tasks"), std::string::npos);
  EXPECT_EQ(call("quinn").string_at("resultType"), "task");
  EXPECT_NE(call("sasha").dump().find("3 tasks"), std::string::npos);
  wait_for(first, "completed");
  wait_for(second, "completed");
  server_.env_.clock.advance(Milliseconds(600'000));
  EXPECT_EQ(call().string_at("resultType"), "task");  // what is forgotten makes room
}

TEST_F(TasksOfAServer, StopWithTheirServer) {
  Gate started;
  bool stopped = false;
  serve([&](const ToolCall& call) -> Result<CallToolOutcome> {
    started.open();
    Gate never;
    stopped = !never.wait(call.stop) && call.stop.stop_requested();
    return said("late");
  });
  call();
  ASSERT_TRUE(started.wait());
  close();
  EXPECT_TRUE(stopped);
}

// Many callers answer, look and cancel at a time.
TEST_F(TasksOfAServer, TakeRequestsFromManyThreads) {
  serve([](const ToolCall& call) -> Result<CallToolOutcome> {
    if (call.params.input_responses.size() < 2) {
      return InputRequiredResult{{question(call.params.input_responses.empty() ? "a" : "b")}, {}};
    }
    return said("done");
  });
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([this, i] {
      const Json created = call();
      if (i % 2 == 1) {
        server_.result_of("tasks/cancel", of(created));
        EXPECT_EQ(get(created).string_at("status"), "cancelled");
        return;
      }
      const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
      Json seen = get(created);
      while (seen.string_at("status") != "completed" && std::chrono::steady_clock::now() < until) {
        if (seen.string_at("status") == "input_required") update(created, answers(seen, "x"));
        seen = get(created);
      }
      EXPECT_EQ(seen.string_at("status"), "completed");
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace postern::mcp
