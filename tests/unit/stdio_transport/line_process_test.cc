#include "wire/transport/line_process.h"

#include <gtest/gtest.h>

#include <condition_variable>
#include <fstream>

#include "tests/support/refused.h"
#include "tests/support/temporary_folder.h"
#include "tests/unit/stdio_transport/stdio_world.h"

namespace postern {
namespace {

using Why = LineProcessEnd::Why;

// A shell script, and what came of it.
class LineProcessTest : public testing::Test {
 protected:
  void start(const std::string& script, std::size_t line_bytes_max = 1024) {
    LineProcessOptions options;
    options.argv = {"/bin/sh", "-c", script};
    options.line_bytes_max = line_bytes_max;
    options.patience = std::chrono::milliseconds(200);
    LineProcess::Events events;
    events.on_line = [this](LineProcess&, std::string line) {
      const std::lock_guard<std::mutex> lock(mutex_);
      lines_.push_back(std::move(line));
      changed_.notify_all();
    };
    events.on_end = [this](const LineProcessEnd& end) {
      const std::lock_guard<std::mutex> lock(mutex_);
      end_ = end;
      changed_.notify_all();
    };
    auto started = LineProcess::start(std::move(options), std::move(events));
    ASSERT_TRUE(test::succeeded(started));
    process_ = *std::move(started);
  }
  std::string line(std::size_t number) {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return lines_.size() > number; }));
    return lines_.size() > number ? lines_[number] : "";
  }
  LineProcessEnd end() {
    std::unique_lock<std::mutex> lock(mutex_);
    EXPECT_TRUE(changed_.wait_for(lock, std::chrono::seconds(20), [&] { return end_.has_value(); }));
    return end_.value_or(LineProcessEnd{});
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> lines_;
  std::optional<LineProcessEnd> end_;
  std::unique_ptr<LineProcess> process_;
};

TEST_F(LineProcessTest, PassesLinesBothWays) {
  start("while read line; do echo \"got $line\"; done");
  EXPECT_NE(process_->put("one"), 0U);
  EXPECT_NE(process_->put("two"), 0U);
  EXPECT_EQ(line(0), "got one");
  EXPECT_EQ(line(1), "got two");
  EXPECT_EQ(process_->queued(), 0U);
  process_.reset();
  EXPECT_EQ(end().why, Why::kEnded);
}

TEST_F(LineProcessTest, GivesTheLastLinesOfAProgramThatHasEnded) {
  start("echo one; echo two; printf half; exit 7");
  const LineProcessEnd ended = end();
  EXPECT_EQ(ended.why, Why::kExited);
  EXPECT_EQ(ended.status, 7);
  EXPECT_EQ(lines_, (std::vector<std::string>{"one", "two"}));  // half a line is none
  EXPECT_EQ(process_->put("x"), 0U);
}

TEST_F(LineProcessTest, SaysWhyNoMoreLinesCome) {
  start("exec >&-; exec sleep 60");
  EXPECT_EQ(end().why, Why::kClosedOutput);
}

TEST_F(LineProcessTest, EndsAProgramWhoseLineIsTooLong) {
  start("printf '%01024d\\n%01025d\\nx\\n' 0 0; exec sleep 60");
  EXPECT_EQ(end().why, Why::kLineTooLong);
  ASSERT_EQ(lines_.size(), 1U);
  EXPECT_EQ(lines_[0].size(), 1024U);
}

TEST_F(LineProcessTest, KeepsTheEndOfWhatItSaysToStderr) {
  start("i=0; while [ $i -lt 2000 ]; do echo 'line of stderr' >&2; i=$((i+1)); done; echo last >&2; echo done");
  EXPECT_EQ(line(0), "done");
  end();
  const std::string tail = process_->error_tail();
  EXPECT_EQ(tail.size(), 8U * 1024);
  EXPECT_EQ(tail.substr(tail.size() - 6), "\nlast\n");
}

TEST_F(LineProcessTest, TakesALineBackThatNobodyBeganToRead) {
  start("exec sleep 60");
  const std::uint64_t first = process_->put(std::string(1 << 20, 'x'));
  const std::uint64_t second = process_->put("second");
  EXPECT_TRUE(process_->withdraw(second));
  EXPECT_FALSE(process_->withdraw(second));
  EXPECT_FALSE(process_->withdraw(first + 100));
  EXPECT_LE(process_->queued(), (1U << 20) + 1);
}

TEST_F(LineProcessTest, WritesWhatIsQueuedBeforeItEndsTheProgram) {
  start("cat >/dev/null; echo never");
  process_->put("x");
  process_.reset();
  EXPECT_EQ(end().why, Why::kEnded);
  EXPECT_TRUE(lines_.empty());
}

// basic/transports, "Shutdown": stdin first, and signals only for who stays.
TEST_F(LineProcessTest, SendsASignalOnlyToWhoStays) {
  const test::TemporaryFolder folder;
  const auto end_of = [&](const std::string& after_input) {
    start("trap 'echo terminated >" + (folder / "end") + "; exit 0' TERM; echo up; while read line; do :; done; " +
          after_input);
    EXPECT_EQ(line(0), "up");
    process_.reset();
    lines_.clear();
    std::ifstream file(folder / "end");
    std::string text;
    std::getline(file, text);
    return text;
  };
  EXPECT_EQ(end_of("echo went >" + (folder / "end")), "went");
  EXPECT_EQ(end_of("while :; do sleep 0.01; done"), "terminated");
}

TEST_F(LineProcessTest, GivesTheProgramItsRightsAndNoMore) {
  start("exec grep NoNewPrivs /proc/self/status");
  EXPECT_EQ(line(0), "NoNewPrivs:\t1");
}

TEST_F(LineProcessTest, RefusesAProgramThatIsNotThere) {
  LineProcessOptions options;
  options.argv = {"/nonexistent/program"};
  const auto started = LineProcess::start(std::move(options), LineProcess::Events{});
  EXPECT_TRUE(test::refused(started, "transport.spawn_failed"));
  LineProcessOptions nowhere;
  nowhere.argv = {"/bin/sh"};
  nowhere.working_folder = "/nonexistent";
  EXPECT_TRUE(test::refused(LineProcess::start(std::move(nowhere), LineProcess::Events{}), "transport.spawn_failed"));
}

}  // namespace
}  // namespace postern
