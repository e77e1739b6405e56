// Requests, answers and notifications over the pipes of a real process; what is no message; what the process is given.
#include "bridge/stdio_transport.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/unit/stdio_transport/stdio_world.h"

namespace postern::bridge {
namespace {

using test::refused;
using test::succeeded;

class StdioTransportTest : public test::StdioWorld {
 protected:
  OutgoingRequest reporting(std::int64_t token, std::vector<Json>* reports, Json params = Json::object()) {
    params.set("_meta", Json::object({{"progressToken", Json(token)}}));
    OutgoingRequest outgoing = request("progress", std::move(params));
    outgoing.on_notification = [reports](const JsonRpcNotification& notification) {
      reports->push_back(notification.params);
      return true;
    };
    return outgoing;
  }
};

TEST_F(StdioTransportTest, SendsARequestAndReadsItsAnswer) {
  const Json params = Json::object({{"name", "get_order"}, {"text", "two\nlines\r\n"}});
  EXPECT_EQ(result_of(ask("echo", params)), params);
  EXPECT_EQ(transport().where(), STDIO_DOUBLE);
  EXPECT_FALSE(transport().mirrors_parameters());
}

TEST_F(StdioTransportTest, WritesEachMessageAsOneLineAndNothingElse) {
  ask("echo", Json::object({{"text", "a\nb\r\nc\xE2\x80\xA8"}}));
  EXPECT_TRUE(
      succeeded(transport().notify(JsonRpcNotification{"notifications/initialized", Json()}, clock_.steady_now(), {})));
  const std::vector<std::string> lines = seen_by_server();
  ASSERT_EQ(lines.size(), 3U);
  for (const std::string& line : lines) EXPECT_TRUE(succeeded(parse_message(line))) << line;
  EXPECT_EQ(lines[1], R"({"jsonrpc":"2.0","method":"notifications/initialized"})");
}

TEST_F(StdioTransportTest, GivesEachRequestAnIdOfItsOwn) {
  for (int i = 0; i < 3; ++i) ask("echo");
  std::set<std::string> ids;
  for (const std::string& line : seen_by_server()) {
    const Result<Json> json = parse_json(line);
    ids.insert(json->find("id")->dump());
  }
  EXPECT_EQ(ids.size(), 4U);
}

TEST_F(StdioTransportTest, AnswersSideBySide) {
  std::vector<Json> results(8);
  ask("echo");
  std::vector<std::thread> threads;
  std::atomic<int> held{0};
  for (std::size_t i = 0; i < results.size(); ++i) {
    threads.emplace_back([&, i] {
      ++held;
      const auto answer = ask(i == 0 ? "hold" : "echo", Json::object({{"number", Json(static_cast<std::int64_t>(i))}}));
      results[i] = std::get<JsonRpcResult>(*answer).result;
      if (i != 0) return;
    });
  }
  for (std::size_t i = 1; i < threads.size(); ++i) threads[i].join();
  while (tap_.count(Direction::kOut, "\"hold\"") == 0) std::this_thread::yield();
  ask("release");
  threads[0].join();
  EXPECT_EQ(results[0].boolean_at("late"), true);
  for (std::size_t i = 1; i < results.size(); ++i)
    EXPECT_EQ(results[i].integer_at("number"), static_cast<std::int64_t>(i));
}

TEST_F(StdioTransportTest, GivesErrorsAsAnswers) {
  const auto answer = ask("no/such/method");
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(std::get<JsonRpcError>(*answer).code, -32601);
}

TEST_F(StdioTransportTest, GivesAnErrorWithoutAnIdToTheOneThatWaits) {
  const auto answer = ask("error_without_id");
  ASSERT_TRUE(succeeded(answer));
  EXPECT_EQ(std::get<JsonRpcError>(*answer).code, -32700);
}

TEST_F(StdioTransportTest, HandsOnTheProgressOfARequestToItselfInOrder) {
  std::vector<Json> mine;
  std::vector<Json> other;
  std::thread beside([&] { ask(reporting(8, &other, Json::object({{"reports", 50}}))); });
  ASSERT_TRUE(succeeded(ask(reporting(7, &mine, Json::object({{"reports", 50}})))));
  beside.join();
  ASSERT_EQ(mine.size(), 50U);
  ASSERT_EQ(other.size(), 50U);
  for (std::size_t i = 0; i < mine.size(); ++i) {
    EXPECT_EQ(mine[i].integer_at("progress"), static_cast<std::int64_t>(i + 1));
    EXPECT_EQ(mine[i].integer_at("progressToken"), 7);
    EXPECT_EQ(other[i].integer_at("progressToken"), 8);
  }
}

TEST_F(StdioTransportTest, TellsSubscriptionsApart) {
  struct Listener {
    std::vector<std::int64_t> numbers;
    std::set<std::string> ids;
  };
  Listener listeners[2];
  std::stop_source stop;
  std::vector<std::thread> threads;
  std::atomic<int> ready{0};
  std::atomic<int> done{0};
  for (Listener& listener : listeners) {
    threads.emplace_back([&] {
      OutgoingRequest outgoing = request("subscriptions/listen");
      outgoing.on_notification = [&](const JsonRpcNotification& notification) {
        listener.ids.insert(notification.params.find("_meta")->dump());
        const std::int64_t number = *notification.params.integer_at("number");
        listener.numbers.push_back(number);
        if (number == 0) ++ready;
        if (number == 3) ++done;
        return true;
      };
      EXPECT_TRUE(refused(ask(outgoing, stop.get_token()), "transport.cancelled"));
    });
  }
  while (ready < 2) std::this_thread::yield();
  ASSERT_TRUE(succeeded(ask("publish")));
  while (done < 2) std::this_thread::yield();
  stop.request_stop();
  for (std::thread& thread : threads) thread.join();
  for (const Listener& listener : listeners) {
    EXPECT_EQ(listener.numbers, (std::vector<std::int64_t>{0, 1, 2, 3}));
    EXPECT_EQ(listener.ids.size(), 1U);
  }
  EXPECT_NE(listeners[0].ids, listeners[1].ids);
  EXPECT_EQ(count(seen_by_server(), "notifications/cancelled"), 2);
}

TEST_F(StdioTransportTest, EndsASubscriptionThatTheServerEnds) {
  std::atomic<bool> ready{false};
  std::thread listener([&] {
    OutgoingRequest outgoing = request("subscriptions/listen");
    outgoing.on_notification = [&](const JsonRpcNotification&) { return ready = true; };
    EXPECT_TRUE(succeeded(ask(outgoing)));
  });
  while (!ready) std::this_thread::yield();
  ASSERT_TRUE(succeeded(ask("close_listens")));
  listener.join();
  EXPECT_EQ(count(seen_by_server(), "notifications/cancelled"), 0);
}

TEST_F(StdioTransportTest, GoesOnAfterALineThatIsNoMessage) {
  const std::string banner = "rig-desk ready, \x1b[31mfetching page";
  ASSERT_TRUE(succeeded(ask("print", Json::object({{"text", banner + "\n"}}))));
  EXPECT_EQ(tap_.count(Direction::kIn, banner), 1);
  EXPECT_EQ(tap_.lines().front().peer, "double");
}

TEST_F(StdioTransportTest, NeverGuessesWhereAMessageBeginsInALine) {
  const auto answer = ask("print", Json::object({{"text", "fetching \xE2\x80\xAEpage ... "}}), 300);
  ASSERT_TRUE(refused(answer, "bridge.timed_out"));
  EXPECT_NE(answer.error().text().find("Meanwhile it printed what is no message: \"fetching [U+202E]page ... {"),
            std::string::npos)
      << answer.error().text();
  EXPECT_EQ(tap_.count(Direction::kIn, "page ... {\"jsonrpc\""), 1);
  EXPECT_TRUE(succeeded(ask("echo")));  // the next line is read as if nothing had been
}

TEST_F(StdioTransportTest, ReadsLinesOfEverySize) {
  for (const std::int64_t bytes : {65'535, 65'536, 65'537, 65'747, 4 << 20, 8 << 20}) {
    const Json result = result_of(ask("big", Json::object({{"bytes", Json(bytes)}})));
    EXPECT_GT(result.string_at("text").size(), static_cast<std::size_t>(bytes) - 100) << bytes;
  }
  const Json dripped = result_of(ask("big", Json::object({{"bytes", 20'000}, {"drip", Json(true)}})));
  EXPECT_GT(dripped.string_at("text").size(), 19'900U);
}

TEST_F(StdioTransportTest, WritesLinesOfEverySize) {
  const std::string text(4 << 20, 'y');
  EXPECT_EQ(result_of(ask("echo", Json::object({{"text", text}}))).string_at("text"), text);
}

TEST_F(StdioTransportTest, EndsAServerThatSendsALineOverTheBound) {
  const auto answer = ask("big", Json::object({{"bytes", (8 << 20) + 1}}));
  ASSERT_TRUE(refused(answer, "bridge.server_exited"));
  EXPECT_NE(answer.error().text().find("a line of more than 8388608 bytes"), std::string::npos)
      << answer.error().text();
  EXPECT_TRUE(succeeded(ask("echo")));
  EXPECT_EQ(transport().generation(), 2);
}

TEST_F(StdioTransportTest, TakesWhateverIsWrittenToStderr) {
  for (const bool lines : {true, false}) {
    const Json params = Json::object({{"kilobytes", 512}, {"lines", Json(lines)}});
    EXPECT_EQ(result_of(ask("flood", params)), Json::object());
  }
  EXPECT_EQ(transport().generation(), 1);  // it is no sign of an error
}

TEST_F(StdioTransportTest, AnswersNoRequestOfTheServerInTheNewestRevision) {
  EXPECT_TRUE(refused(ask("ask", Json::object({{"method", "ping"}}), 200), "bridge.timed_out"));
  EXPECT_EQ(count(seen_by_server(), "s-1"), 0);
}

TEST_F(StdioTransportTest, AnswersPingAndRefusesTheRestInAnOlderEra) {
  transport().speak_older_era("");
  ASSERT_TRUE(succeeded(ask("initialize")));
  transport().speak_older_era("2025-11-25");
  EXPECT_EQ(result_of(ask("ask", Json::object({{"method", "ping"}}))).string_at("answered"),
            R"({"jsonrpc":"2.0","id":"s-1","result":{}})");
  const Json refusal = result_of(ask("ask", Json::object({{"method", "roots/list"}})));
  EXPECT_NE(refusal.string_at("answered").find(R"("id":"s-1","error":{"code":-32601)"), std::string::npos);
  transport().leave_older_era(clock_.steady_now());
  EXPECT_TRUE(refused(ask("ask", Json::object({{"method", "ping"}}), 200), "bridge.timed_out"));
}

TEST_F(StdioTransportTest, GivesTheServerACleanEnvironmentAndAGroupOfItsOwn) {
  ::setenv("POSTERN_TEST_API_KEY", "planted-secret", 1);
  ::setenv("HOME", "/home/rowan", 1);
  ::setenv("LD_PRELOAD_NOT", "x", 1);
  options.environment = {{"ROOT", "/srv"}, {"LANG", "de_DE.UTF-8"}};
  options.working_folder = "/";
  const Json surroundings = result_of(ask("env"));
  ::unsetenv("POSTERN_TEST_API_KEY");
  ::unsetenv("LD_PRELOAD_NOT");
  const Json& variables = *surroundings.find("variables");
  EXPECT_EQ(variables.string_at("ROOT"), "/srv");
  EXPECT_EQ(variables.string_at("LANG"), "de_DE.UTF-8");
  EXPECT_EQ(variables.string_at("HOME"), "/home/rowan");
  for (const auto& [name, value] : variables.members()) {
    const std::set<std::string> allowed = {"PATH", "HOME", "LANG", "TZ", "ROOT"};
    EXPECT_EQ(allowed.count(name), 1U) << name;
  }
  EXPECT_EQ(surroundings.string_at("folder"), "/");
  EXPECT_EQ(surroundings.integer_at("group"), surroundings.integer_at("process"));
}

TEST_F(StdioTransportTest, SaysThatThereIsNoSuchProgram) {
  options.command = "/nonexistent/mcp-server";
  const auto answer = ask("echo");
  ASSERT_TRUE(refused(answer, "transport.spawn_failed"));
  EXPECT_EQ(answer.error().text(), "Cannot start /nonexistent/mcp-server: No such file or directory.");
}

TEST_F(StdioTransportTest, RunsNoShell) {
  options.args = {"server", "$(touch /tmp/never)", "; touch /tmp/never"};
  EXPECT_TRUE(succeeded(ask("echo")));
  EXPECT_NE(::access("/tmp/never", F_OK), 0);
}

}  // namespace
}  // namespace postern::bridge
