// A server that ends: what its requests are told, how it is started again, and how it is ended itself.
#include <gtest/gtest.h>

#include "bridge/failures.h"
#include "tests/unit/stdio_transport/stdio_world.h"
#include "wire/transport/child_process.h"

namespace postern::bridge {
namespace {

using test::is_gone;
using test::refused;
using test::succeeded;

class StdioExit : public test::StdioWorld {};

TEST_F(StdioExit, TellsARequestInFlightHowTheServerEnded) {
  const auto exited = ask("last_words", Json::object({{"text", "cannot open \x1b[2Jthe database"}}));
  ASSERT_TRUE(refused(exited, "bridge.server_exited"));
  EXPECT_EQ(
      exited.error().text(),
      std::string("The server process ") + STDIO_DOUBLE +
          " ended with status 3 before it answered. Whether it did what it was asked for is not known, and nothing "
          "is sent again by itself. It is started again for the next request. Its last words: "
          "\"cannot open [U+001B][2Jthe database\".");
  EXPECT_TRUE(exited.error().as<ServerExited>()->sent);
  const auto killed = ask("kill", Json::object({{"signal", 9}}));
  ASSERT_TRUE(refused(killed, "bridge.server_exited"));
  EXPECT_EQ(killed.error().as<ServerExited>()->how, "by signal 9");
}

TEST_F(StdioExit, TellsEveryRequestInFlight) {
  ask("echo");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] { EXPECT_TRUE(refused(ask("silent"), "bridge.server_exited")); });
  }
  while (tap_.count(Direction::kOut, "\"silent\"") < 4) std::this_thread::yield();
  EXPECT_TRUE(refused(ask("exit"), "bridge.server_exited"));
  for (std::thread& thread : threads) thread.join();
}

TEST_F(StdioExit, StartsItAgainForTheNextRequestAndSendsNothingTwice) {
  ask("echo");
  const int first = transport().process_id();
  EXPECT_TRUE(refused(ask("exit", Json::object({{"status", 1}})), "bridge.server_exited"));
  EXPECT_EQ(result_of(ask("echo", Json::object({{"a", 1}}))), Json::object({{"a", 1}}));
  EXPECT_NE(transport().process_id(), first);
  EXPECT_EQ(transport().generation(), 2);
  EXPECT_EQ(count(seen_by_server(), "\"exit\""), 0);
}

TEST_F(StdioExit, ServesManyRequestsWithOneProcess) {
  for (int i = 0; i < 5; ++i) ask("echo");
  transport().begin_operation();
  for (int i = 0; i < 5; ++i) ask("echo");
  EXPECT_EQ(transport().generation(), 1);
  EXPECT_EQ(seen_by_server().size(), 11U);
}

TEST_F(StdioExit, OpensASubscriptionAnewInTheNextProcess) {
  const auto listen = [&](std::vector<int>* processes) {
    OutgoingRequest outgoing = request("subscriptions/listen");
    outgoing.on_notification = [this, processes](const JsonRpcNotification&) {
      processes->push_back(transport().generation());
      return processes->size() < 2;
    };
    return ask(outgoing);
  };
  std::vector<int> processes;
  std::thread killer([&] {
    while (tap_.count(Direction::kIn, "acknowledged") == 0) std::this_thread::yield();
    ask("exit");
  });
  EXPECT_TRUE(refused(listen(&processes), "bridge.server_exited"));
  killer.join();
  EXPECT_TRUE(refused(listen(&processes), "bridge.ended_by_caller"));
  EXPECT_EQ(processes, (std::vector<int>{1, 2}));
}

TEST_F(StdioExit, IsNotStartedForEver) {
  for (int i = 0; i < 4; ++i) {
    const auto answer = ask("exit", Json::object({{"status", i}}));
    ASSERT_TRUE(refused(answer, "bridge.server_exited"));
    EXPECT_EQ(answer.error().as<ServerExited>()->given_up, i == 3);
  }
  const auto given_up = ask("echo");
  ASSERT_TRUE(refused(given_up, "bridge.server_exited"));
  EXPECT_FALSE(given_up.error().as<ServerExited>()->sent);
  EXPECT_NE(given_up.error().text().find("Nothing was sent to it. It was started 4 times and is not started any more"),
            std::string::npos)
      << given_up.error().text();
  EXPECT_EQ(transport().generation(), 4);
}

TEST_F(StdioExit, SaysThatNothingWasSentToAServerThatIsNeverThere) {
  options.args = {"server", "exits-at-once"};
  const auto answer = ask("echo");
  ASSERT_TRUE(refused(answer, "bridge.server_exited"));
  EXPECT_NE(answer.error().text().find("with status 5"), std::string::npos) << answer.error().text();
}

TEST_F(StdioExit, IsBegunAnewForInitializeOnlyInAnOlderEra) {
  transport().speak_older_era("");
  ASSERT_TRUE(succeeded(ask("initialize")));
  transport().speak_older_era("2025-11-25");
  EXPECT_TRUE(refused(ask("exit"), "bridge.server_exited"));
  const auto refusal = ask("echo");
  ASSERT_TRUE(refused(refusal, "bridge.server_exited"));
  EXPECT_FALSE(refusal.error().as<ServerExited>()->sent);
  EXPECT_EQ(transport().generation(), 1);
  transport().speak_older_era("");
  EXPECT_TRUE(succeeded(ask("initialize")));
  EXPECT_TRUE(succeeded(ask("echo")));
  EXPECT_EQ(transport().generation(), 2);
}

TEST_F(StdioExit, EndsAServerThatClosesItsOutput) {
  options.patience = Milliseconds(100);
  const auto answer = ask("close_output");
  ASSERT_TRUE(refused(answer, "bridge.server_exited"));
  EXPECT_TRUE(succeeded(ask("echo")));
}

TEST_F(StdioExit, EndsAServerThatClosesItsInput) {
  options.patience = Milliseconds(100);
  ASSERT_TRUE(succeeded(ask("close_input")));
  EXPECT_TRUE(refused(ask("echo"), "bridge.server_exited"));
  EXPECT_TRUE(succeeded(ask("echo")));
  EXPECT_EQ(transport().generation(), 2);
}

TEST_F(StdioExit, LeavesNothingOfAServerThatGoesByItself) {
  ask("echo");
  const int process = transport().process_id();
  end();
  EXPECT_NE(::kill(process, 0), 0);  // not even a zombie
}

TEST_F(StdioExit, LeavesNothingOfAServerThatStaysAtTheEndOfItsInput) {
  options.args = {"server", "ignore-eof"};
  options.patience = Milliseconds(100);
  ask("echo");
  const int process = transport().process_id();
  end();
  EXPECT_NE(::kill(process, 0), 0);
}

TEST_F(StdioExit, LeavesNothingOfAServerThatIgnoresEverything) {
  options.args = {"server", "ignore-eof", "ignore-term", "spawn-helper"};
  options.patience = Milliseconds(100);
  const std::int64_t helper = result_of(ask("env")).integer_at("helper").value_or(0);
  ASSERT_EQ(::kill(static_cast<int>(helper), 0), 0);
  const int process = transport().process_id();
  end();
  EXPECT_NE(::kill(process, 0), 0);
  EXPECT_TRUE(is_gone(static_cast<int>(helper)));  // nor of what it started
}

TEST_F(StdioExit, NoticesTheEndOfAServerWhoseHelperHoldsItsPipes) {
  options.args = {"server", "spawn-helper"};
  const std::int64_t helper = result_of(ask("env")).integer_at("helper").value_or(0);
  ASSERT_EQ(::kill(static_cast<int>(helper), 0), 0);
  EXPECT_TRUE(refused(ask("kill", Json::object({{"signal", 9}})), "bridge.server_exited"));
  EXPECT_TRUE(is_gone(static_cast<int>(helper)));
}

TEST_F(StdioExit, WritesACancellationBeforeItGoes) {
  ask("echo");
  EXPECT_TRUE(refused(ask("silent", Json::object(), 50), "bridge.timed_out"));
  end();
  EXPECT_EQ(tap_.count(Direction::kOut, "notifications/cancelled"), 1);
}

TEST_F(StdioExit, DiesWithAHostThatIsKilled) {
  ChildOptions host;
  host.argv = {STDIO_DOUBLE, "host", STDIO_DOUBLE};
  host.pipe_stdout = true;
  auto started = ChildProcess::spawn(host);
  ASSERT_TRUE(succeeded(started));
  LineReader reader(started->stdout_descriptor(), {});
  const Result<std::string> line = reader.read_line(std::chrono::steady_clock::now() + std::chrono::seconds(20));
  ASSERT_TRUE(succeeded(line));
  const int server = std::stoi(*line);
  ASSERT_EQ(::kill(server, 0), 0);
  started->signal(SIGKILL);
  EXPECT_TRUE(is_gone(server));
}

}  // namespace
}  // namespace postern::bridge
