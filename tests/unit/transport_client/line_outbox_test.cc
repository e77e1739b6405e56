// Proves that lines go out whole and in order however slowly they are read, that nobody waits who puts one in, and that
// what was withdrawn is not written.
#include "wire/transport/line_outbox.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/refused.h"

namespace postern {
namespace {

using test::refused;
using test::succeeded;

SteadyTime in(int ms) {
  return std::chrono::steady_clock::now() + Milliseconds(ms);
}

// More than the pipe holds, so that it waits.
std::string long_line() {
  return std::string(200'000, 'l');
}

// Both ends of a pipe.
class Pipe {
 public:
  Pipe() {
    ::signal(SIGPIPE, SIG_IGN);
    EXPECT_EQ(::pipe(ends_), 0);
  }
  ~Pipe() {
    close_reader();
    ::close(ends_[1]);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  [[nodiscard]] int reader() const { return ends_[0]; }
  [[nodiscard]] int writer() const { return ends_[1]; }
  void close_reader() {
    if (ends_[0] >= 0) ::close(std::exchange(ends_[0], -1));
  }

 private:
  int ends_[2] = {-1, -1};
};

class Outbox : public testing::Test {
 protected:
  std::string next() {
    const auto line = reader_.read_line(in(20'000));
    EXPECT_TRUE(succeeded(line));
    return line.value_or("");
  }

  Pipe pipe_;
  LineReader reader_{pipe_.reader(), {}};
  LineWriter writer_{pipe_.writer(), {}};
  std::atomic<int> broken_ = 0;
  LineOutbox outbox_{writer_, 1000, [this] { ++broken_; }};
};

TEST_F(Outbox, WritesLinesInTheirOrderWhetherTheyWaitOrNot) {
  EXPECT_TRUE(outbox_.put("first"));
  EXPECT_TRUE(outbox_.put(long_line()));
  EXPECT_TRUE(outbox_.put("third"));
  EXPECT_TRUE(outbox_.put(long_line()));
  EXPECT_EQ(next(), "first");
  EXPECT_EQ(next(), long_line());
  EXPECT_EQ(next(), "third");
  EXPECT_EQ(next(), long_line());
  EXPECT_TRUE(outbox_.put("fifth"));
  EXPECT_EQ(next(), "fifth");
  EXPECT_TRUE(succeeded(outbox_.close(in(20'000))));
}

TEST_F(Outbox, KeepsTheOrderOfEachOfManyThreads) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 200; ++i) {
        EXPECT_TRUE(outbox_.put(std::to_string(thread) + " " + std::to_string(i) + std::string(i % 7 * 900U, '.')));
      }
    });
  }
  std::map<char, int> seen;
  for (int i = 0; i < 800; ++i) {
    const std::string line = next();
    ASSERT_EQ(std::stoi(line.substr(2)), seen[line[0]]++) << line.substr(0, 20);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST_F(Outbox, HasRoomAgainOnceItsLinesAreRead) {
  EXPECT_TRUE(outbox_.room().is_free());
  outbox_.put(long_line());
  outbox_.put(long_line());
  EXPECT_FALSE(outbox_.room().is_free());
  const std::stop_token free = outbox_.room().free();
  EXPECT_FALSE(wait_for_either(free, {}, in(10)));
  next();
  next();
  EXPECT_TRUE(wait_for_either(free, {}, in(20'000)));
}

TEST_F(Outbox, LeavesOutWhatIsWithdrawnBeforeItsFirstByte) {
  const auto withdrawn = std::make_shared<std::atomic<bool>>(false);
  outbox_.put(long_line());
  outbox_.put("not wanted any more", withdrawn);
  outbox_.put("last");
  *withdrawn = true;
  EXPECT_EQ(next(), long_line());
  EXPECT_EQ(next(), "last");
  EXPECT_TRUE(outbox_.put("neither", withdrawn));
  EXPECT_TRUE(outbox_.put("end"));
  EXPECT_EQ(next(), "end");
}

TEST_F(Outbox, ClosesThoughNobodyReads) {
  outbox_.put(long_line());
  outbox_.put("second");
  EXPECT_TRUE(refused(outbox_.close(in(20)), "transport.cancelled"));
  EXPECT_FALSE(outbox_.put("third"));
  EXPECT_TRUE(outbox_.room().is_free());  // nobody is left waiting
}

TEST_F(Outbox, GivesTheReaderItsTimeWhenItCloses) {
  outbox_.put(long_line());
  outbox_.put("second");
  std::thread reads([this] {
    EXPECT_EQ(next(), long_line());
    EXPECT_EQ(next(), "second");
  });
  EXPECT_TRUE(succeeded(outbox_.close(in(20'000))));
  reads.join();
  EXPECT_EQ(broken_, 0);
}

TEST_F(Outbox, TellsOnceThatNobodyReadsAnyMore) {
  outbox_.put(long_line());
  const std::stop_token free = outbox_.room().free();
  pipe_.close_reader();
  EXPECT_TRUE(wait_for_either(free, {}, in(20'000)));
  EXPECT_TRUE(refused(outbox_.close(in(20'000)), "transport.closed"));
  EXPECT_FALSE(outbox_.put("more"));
  EXPECT_EQ(broken_, 1);
}

TEST(Room, IsThereBelowItsBound) {
  Room room(10);
  room.take(9);
  EXPECT_TRUE(room.free().stop_requested());
  room.take(5);
  const std::stop_token free = room.free();
  EXPECT_FALSE(free.stop_requested());
  room.give_back(4);
  EXPECT_FALSE(free.stop_requested());
  room.give_back(1);
  EXPECT_TRUE(free.stop_requested());
}

TEST(Room, IsOpenForGoodWhenItIsTold) {
  Room room(1);
  room.take(100);
  const std::stop_token free = room.free();
  room.open_for_good();
  EXPECT_TRUE(free.stop_requested());
  room.take(100);
  EXPECT_TRUE(room.is_free());
}

TEST(WaitForEither, EndsWithEitherTokenOrTheDeadline) {
  std::stop_source fired;
  std::stop_source quiet;
  EXPECT_FALSE(wait_for_either(fired.get_token(), quiet.get_token(), in(5)));
  std::thread other([&] { fired.request_stop(); });
  EXPECT_TRUE(wait_for_either(quiet.get_token(), fired.get_token()));
  other.join();
  EXPECT_TRUE(wait_for_either(fired.get_token(), {}, SteadyTime()));
}

TEST(HangUp, IsSeenThoughWhatWasSentIsNotRead) {
  Pipe pipe;
  const LineReader reader(pipe.reader(), {});
  EXPECT_TRUE(refused(reader.wait_for_hang_up(in(5), {}), "transport.timed_out"));
  std::stop_source stop;
  stop.request_stop();
  EXPECT_TRUE(refused(reader.wait_for_hang_up(in(20'000), stop.get_token()), "transport.cancelled"));
  int other[2];
  ASSERT_EQ(::pipe(other), 0);
  const LineReader closing(other[0], {});
  ASSERT_EQ(::write(other[1], "line\n", 5), 5);
  ::close(other[1]);
  EXPECT_TRUE(succeeded(closing.wait_for_hang_up(in(20'000), {})));
  ::close(other[0]);
}

TEST(InterruptedWrite, LeavesNothingThatCouldFollowHalfALine) {
  Pipe pipe;
  LineWriter writer(pipe.writer(), {});
  std::stop_source stop;
  std::thread other([&] {
    char byte = 0;
    EXPECT_EQ(::read(pipe.reader(), &byte, 1), 1);  // it has begun
    stop.request_stop();
  });
  EXPECT_TRUE(refused(writer.write_line(long_line(), SteadyTime::max(), stop.get_token()), "transport.cancelled"));
  other.join();
  EXPECT_TRUE(refused(writer.write_line("next"), "transport.closed"));
}

TEST(WriteIfReady, BeginsNothingThatWouldWait) {
  Pipe pipe;
  LineWriter writer(pipe.writer(), {});
  EXPECT_EQ(writer.write_line_if_ready("short").value_or(false), true);
  EXPECT_EQ(writer.write_line_if_ready(std::string(4096, 'x')).value_or(true), false);
  while (writer.write_line_if_ready(std::string(4000, 'f')).value_or(false)) continue;
  EXPECT_EQ(writer.write_line_if_ready("short").value_or(true), false);
  LineReader reader(pipe.reader(), {});
  EXPECT_EQ(*reader.read_line(in(20'000)), "short");
  EXPECT_EQ(*reader.read_line(in(20'000)), std::string(4000, 'f'));
}

}  // namespace
}  // namespace postern
