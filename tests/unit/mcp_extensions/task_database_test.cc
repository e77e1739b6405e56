// Proves that processes which share a file of tasks answer for each other's: two servers, each with its own threads and
// its own view of the file.
#include "services/mcp_task_database/task_database.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "services/mcp/failures.h"
#include "services/mcp_tasks/task_record_json.h"
#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/mcp_extensions/task_jobs.h"

namespace postern::mcp {
namespace {

using test::answers;
using test::Gate;
using test::job_features;
using test::json_of_text;
using test::question;
using test::refused;
using test::said;
using test::succeeded;

class TwoProcesses : public testing::Test {
 protected:
  struct Process {
    test::ExtensionServer server;
    std::unique_ptr<Tasks> tasks;
    void close() {
      server.close();
      tasks.reset();
    }
    ~Process() { close(); }
  };
  void serve(const ToolHandler& handler, TaskBounds bounds = {}) {
    (void)random_bytes(two_.server.env_.random, 8);  // one seed would give both the same ids
    for (Process* process : {&one_, &two_}) {
      auto store = open_task_database({folder_ / "tasks.sqlite", bounds});
      ASSERT_TRUE(succeeded(store));
      process->tasks = Tasks::make(process->server.env_.env(), {}, *std::move(store));
      process->server.serve(job_features(*process->tasks, handler, std::chrono::minutes(1)));
    }
  }
  static Json call(Process& process) {
    return process.server.result_of("tools/call", json_of_text(R"({"name":"job","arguments":{}})"));
  }
  static Json of(const Json& task) { return Json::object({{"taskId", task.string_at("taskId")}}); }
  static Json get(Process& process, const Json& task) { return process.server.result_of("tasks/get", of(task)); }
  static Json wait_for(Process& process, const Json& task, std::string_view status) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    Json seen = get(process, task);
    while (seen.string_at("status") != status && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
      seen = get(process, task);
    }
    EXPECT_EQ(seen.string_at("status"), status);
    return seen;
  }

  test::TemporaryFolder folder_;
  Process one_;
  Process two_;
};

TEST_F(TwoProcesses, GiveTheSameAnswers) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); });
  const Json created = call(one_);
  EXPECT_EQ(created.string_at("resultType"), "task");
  const Json completed = wait_for(two_, created, "completed");
  EXPECT_EQ(completed, get(one_, created));
  EXPECT_EQ(completed.find("result")->find("content")->elements()[0].string_at("text"), "done");
  EXPECT_EQ(two_.server.error_of("tasks/get", of(created), "quinn"), -32602);
}

TEST_F(TwoProcesses, TakeAnswersForEachOther) {
  serve([](const ToolCall& call) -> Result<CallToolOutcome> {
    if (call.params.input_responses.empty()) return InputRequiredResult{{question("a")}, "kept"};
    return said(*call.params.request_state + call.params.input_responses[0].key);
  });
  const Json created = call(one_);
  const Json parked = wait_for(two_, created, "input_required");
  two_.server.result_of("tasks/update", of(created).set("inputResponses", answers(parked, "x")));
  EXPECT_EQ(wait_for(one_, created, "completed").find("result")->find("content")->elements()[0].string_at("text"),
            "kepta");
}

TEST_F(TwoProcesses, CancelForEachOther) {
  Gate started;
  Gate ended;
  serve([&](const ToolCall& call) -> Result<CallToolOutcome> {
    started.open();
    Gate never;
    never.wait(call.stop);
    if (call.stop.stop_requested()) ended.open();
    return said("late");
  });
  const Json created = call(one_);
  ASSERT_TRUE(started.wait());
  EXPECT_EQ(two_.server.error_of("tasks/cancel", of(created)), 0);
  EXPECT_TRUE(ended.wait());  // the process that carries it out heard of it
  EXPECT_EQ(get(one_, created).string_at("status"), "cancelled");
  one_.close();
  two_.close();
}

TEST_F(TwoProcesses, CountTogether) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); }, {3, 2});
  EXPECT_EQ(call(one_).string_at("resultType"), "task");
  EXPECT_EQ(call(two_).string_at("resultType"), "task");
  EXPECT_NE(call(one_).dump().find("2 tasks"), std::string::npos);
}

TEST_F(TwoProcesses, TellOfOneThatEnded) {
  Gate started;
  serve([&](const ToolCall& call) -> Result<CallToolOutcome> {
    started.open();
    Gate never;
    never.wait(call.stop);
    return ArgumentsInvalid{"job", "interrupted"};
  });
  const Json created = call(one_);
  ASSERT_TRUE(started.wait());
  one_.close();
  const Json failed = get(two_, created);
  ASSERT_EQ(failed.string_at("status"), "failed");
  EXPECT_EQ(failed.find("error")->integer_at("code"), -32603);
}

TEST_F(TwoProcesses, TellOfOneThatDied) {
  serve([](const ToolCall&) -> Result<CallToolOutcome> { return said("done"); });
  const auto store = open_task_database({folder_ / "tasks.sqlite", {}});
  test::TestEnv& env = two_.server.env_;
  const TaskRecord orphan =
      TaskRecord::begun("task_orphan", "stdio\nrowan", env.clock.now(), Seconds(60), Seconds(600));
  ASSERT_TRUE(succeeded((*store)->insert(orphan, env.clock.now())));
  const Json task = Json::object({{"taskId", orphan.id}});
  EXPECT_EQ(get(two_, task).string_at("status"), "working");
  env.clock.advance(Seconds(64));
  EXPECT_EQ(get(two_, task).string_at("status"), "working");
  env.clock.advance(Seconds(1));
  EXPECT_EQ(get(two_, task).string_at("status"), "failed");
}

TEST(TaskRecords, AreReadAsTheyWereWritten) {
  const WallTime now{Milliseconds(1'796'000'000'123)};
  TaskRecord record = TaskRecord::begun("task_1", "stdio\nrowan", now, Seconds(60), Seconds(600));
  record.park({{question("a"), question("b")}, "state"}, now, Seconds(600));
  ASSERT_FALSE(record.take_answers({{"a.1", json_of_text(R"({"action":"accept"})")}}, now, Seconds(600)));
  const auto read = read_task_record(to_json(record), "task_1");
  ASSERT_TRUE(succeeded(read));
  EXPECT_EQ(to_json(*read), to_json(record));
  EXPECT_EQ(read->detailed_json(Seconds(1)), record.detailed_json(Seconds(1)));
  EXPECT_TRUE(refused(read_task_record(Json::object({{"status", "paused"}}), "task_1"), "tasks.bad_record"));
}

}  // namespace
}  // namespace postern::mcp
