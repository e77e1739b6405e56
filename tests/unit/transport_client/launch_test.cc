// Launch documents, and when a server program stops.
#include "wire/transport/launch.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "tests/support/refused.h"

namespace postern {
namespace {

class LaunchFile : public testing::Test {
 protected:
  void SetUp() override {
    char path[] = "/tmp/postern-launch-XXXXXX";
    const int descriptor = ::mkstemp(path);
    ASSERT_GE(descriptor, 0);
    ::close(descriptor);
    path_ = path;
  }
  void TearDown() override { ::unlink(path_.c_str()); }
  void put(std::string_view text, mode_t mode = 0600) const {
    std::ofstream(path_) << text;
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  std::string path_;
};

TEST_F(LaunchFile, IsRead) {
  put(R"({"port": 0, "database_dir": "/tmp/x"})");
  const auto launch = read_launch(path_);
  ASSERT_TRUE(test::succeeded(launch));
  EXPECT_EQ(launch->document.string_at("database_dir"), "/tmp/x");
  EXPECT_FALSE(launch->from_stdin);
  EXPECT_TRUE(launch->sockets.empty());
}

TEST_F(LaunchFile, RefusesAFileThatOthersMayRead) {
  for (const mode_t mode : {0640U, 0604U, 0620U, 0602U}) {
    put("{}", mode);
    EXPECT_TRUE(test::refused(read_launch(path_), "own.bad_launch_document"));
  }
  put("{}", 0400);
  EXPECT_TRUE(test::succeeded(read_launch(path_)));
}

TEST_F(LaunchFile, RefusesWhatIsNoDocument) {
  for (const char* text : {"", "[]", "{\"a\":1", "{\"a\":1,\"a\":2}", "null"}) {
    put(text);
    EXPECT_TRUE(test::refused(read_launch(path_), "own.bad_launch_document")) << text;
  }
  EXPECT_TRUE(test::refused(read_launch("/nonexistent/launch.json"), "own.file_failed"));
}

TEST_F(LaunchFile, BindsAPortWhenNoSocketWasHandedDown) {
  put("{}");
  auto launch = read_launch(path_);
  ASSERT_TRUE(test::succeeded(launch));
  const auto socket = launch->take_socket("desk", 0);
  ASSERT_TRUE(test::succeeded(socket));
  EXPECT_GT(socket->port(), 0);
}

TEST_F(LaunchFile, GivesASocketToItsName) {
  put("{}");
  auto launch = read_launch(path_);
  ASSERT_TRUE(test::succeeded(launch));
  auto first = ListeningSocket::on_loopback(0);
  auto second = ListeningSocket::on_loopback(0);
  ASSERT_TRUE(first && second);
  const std::uint16_t ports[] = {first->port(), second->port()};
  launch->sockets.push_back({"page", std::move(*first)});
  launch->sockets.push_back({"approvals", std::move(*second)});
  EXPECT_EQ(launch->take_socket("approvals", 0)->port(), ports[1]);
  EXPECT_EQ(launch->take_socket("page", 0)->port(), ports[0]);
  EXPECT_TRUE(launch->sockets.empty());
}

TEST(LaunchReader, ReadsWhatIsThere) {
  const Json document = *parse_json(R"({"issuer":"http://127.0.0.1:1","port":8931,"people":[1]})");
  LaunchReader reader(document);
  EXPECT_EQ(reader.string("issuer"), "http://127.0.0.1:1");
  EXPECT_EQ(reader.integer_or("port", 0), 8931);
  EXPECT_EQ(reader.string_or("headless_secret", "none"), "none");
  EXPECT_EQ(reader.json("people")->size(), 1U);
  EXPECT_EQ(reader.json("clients"), nullptr);
  EXPECT_TRUE(test::succeeded(reader.finish()));
}

TEST(LaunchReader, TakesNoEmptyStringAndEndsItsSentenceOnce) {
  const Json document = *parse_json(R"({"key_ring_file":""})");
  LaunchReader reader(document);
  EXPECT_EQ(reader.string("key_ring_file"), "");
  const Status read = reader.finish();
  ASSERT_FALSE(read.has_value());
  EXPECT_NE(read.error().text().find("key_ring_file"), std::string::npos);
  EXPECT_TRUE((BadLaunchDocument{"it is torn."}.text().ends_with("torn.")));
  EXPECT_TRUE((BadLaunchDocument{"it is torn"}.text().ends_with("torn.")));
}

TEST(LaunchReader, RefusesWhatIsMissingWrongOrUnknown) {
  const Json document = *parse_json(R"({"port":"8931","planted":1})");
  LaunchReader missing(document);
  missing.string("issuer");
  missing.json("port");
  missing.json("planted");
  EXPECT_NE(missing.finish().error().text().find("issuer"), std::string::npos);
  LaunchReader wrong(document);
  wrong.integer_or("port", 1);
  wrong.json("planted");
  EXPECT_NE(wrong.finish().error().text().find("port"), std::string::npos);
  LaunchReader unknown(document);
  unknown.string("port");
  EXPECT_NE(unknown.finish().error().text().find("planted"), std::string::npos);
}

// A server program in a forked child: reads its launch from stdin, says so, waits. Exit code 5 when it was told to
// stop, 6 when it was not launched.
class LaunchedProgram {
 public:
  explicit LaunchedProgram(std::int64_t clock_seconds = 1'796'000'000) {
    int in[2];
    int out[2];
    EXPECT_EQ(::pipe(in), 0);
    EXPECT_EQ(::pipe(out), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      ::dup2(in[0], STDIN_FILENO);
      for (const int descriptor : {in[0], in[1], out[0]}) ::close(descriptor);
      run(out[1], clock_seconds);
    }
    ::close(in[0]);
    ::close(out[1]);
    stdin_ = in[1];
    ready_ = out[0];
  }
  ~LaunchedProgram() {
    close_stdin();
    ::close(ready_);
    if (pid_ > 0) {
      ::kill(pid_, SIGKILL);
      ::waitpid(pid_, nullptr, 0);
    }
  }
  LaunchedProgram(const LaunchedProgram&) = delete;
  LaunchedProgram& operator=(const LaunchedProgram&) = delete;

  void write(std::string_view text) const {
    EXPECT_EQ(::write(stdin_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void close_stdin() {
    if (stdin_ >= 0) ::close(stdin_);
    stdin_ = -1;
  }
  void wait_until_ready() const {
    char byte = 0;
    EXPECT_EQ(::read(ready_, &byte, 1), 1);
  }
  void wait_for_a_look_at_the_clock() const { wait_until_ready(); }
  void signal(int number) const { ::kill(pid_, number); }
  int exit_code() {
    int status = 0;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
  }
  [[nodiscard]] bool is_running() const { return ::waitpid(pid_, nullptr, WNOHANG) == 0; }

 private:
  // Stands still, and tells the test each time that it is asked.
  struct FixedClock final : Clock {
    FixedClock(std::int64_t seconds, int told) : seconds_(seconds), told_(told) {}
    [[nodiscard]] WallTime now() const override {
      if (::write(told_, "t", 1) != 1) ::_exit(7);
      return wall_time_of_unix_seconds(seconds_);
    }
    [[nodiscard]] SteadyTime steady_now() const override { return SteadyTime{}; }
    std::int64_t seconds_;
    int told_;
  };
  [[noreturn]] static void run(int ready, std::int64_t clock_seconds) {
    prepare_signals();
    const auto launch = read_launch("-");
    if (!launch || launch->document.string_at("name") != "desk" || !launch->from_stdin) ::_exit(6);
    if (::write(ready, "r", 1) != 1) ::_exit(7);
    wait_until_told_to_stop(FixedClock(clock_seconds, ready), launch->from_stdin);
    ::_exit(5);
  }
  pid_t pid_ = -1;
  int stdin_ = -1;
  int ready_ = -1;
};

TEST(LaunchedProgram, EndsWithItsParentsPipe) {
  LaunchedProgram program;
  program.write("{\"name\":\"desk\"}\n");
  program.wait_until_ready();
  EXPECT_TRUE(program.is_running());
  program.close_stdin();
  EXPECT_EQ(program.exit_code(), 5);
}

TEST(LaunchedProgram, EndsOnSignals) {
  for (const int number : {SIGTERM, SIGINT}) {
    LaunchedProgram program;
    program.write("{\"name\":\"desk\"}\n");
    program.wait_until_ready();
    program.signal(number);
    EXPECT_EQ(program.exit_code(), 5);
  }
}

TEST(LaunchedProgram, StaysUntilTheTimeItWasGiven) {
  LaunchedProgram program(1'796'000'000);
  // Both lines in one write: what comes after the document must not be lost.
  program.write("{\"name\":\"desk\"}\nstay until 1796000900\n");
  program.wait_until_ready();
  for (int i = 0; i < 2; ++i) program.wait_for_a_look_at_the_clock();
  program.close_stdin();
  // It looks again, so it saw the end of its stdin and went on.
  program.wait_for_a_look_at_the_clock();
  EXPECT_TRUE(program.is_running());
  program.signal(SIGTERM);
  EXPECT_EQ(program.exit_code(), 5);
}

TEST(LaunchedProgram, EndsWhenThatTimeHasCome) {
  LaunchedProgram program(1'796'000'900);
  program.write("{\"name\":\"desk\"}\n");
  program.wait_until_ready();
  program.write("stay until 1796000900\n");
  EXPECT_EQ(program.exit_code(), 5);
}

TEST(LaunchedProgram, TakesNoOtherLineForLeaveToStay) {
  for (const char* line : {"stay\n", "stay until never\n", "stay until -1\n", "stay until 1796000900x\n", "\n"}) {
    LaunchedProgram program;
    program.write("{\"name\":\"desk\"}\n");
    program.wait_until_ready();
    program.write(line);
    program.close_stdin();
    EXPECT_EQ(program.exit_code(), 5) << line;
  }
}

TEST(LaunchedProgram, RefusesHalfADocument) {
  LaunchedProgram program;
  program.write("{\"name\":\"desk\"}");
  program.close_stdin();
  EXPECT_EQ(program.exit_code(), 6);
}

}  // namespace
}  // namespace postern
