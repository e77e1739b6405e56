// Lines over real pipes: deadlines, ends, big lines into a slow reader, stop.
#include "wire/transport/stdio_stream.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <thread>
#include <vector>

#include "tests/support/refused.h"

namespace postern {
namespace {

class StdioPipe : public testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    ASSERT_EQ(::pipe(ends_), 0);
  }
  void TearDown() override {
    close_read();
    close_write();
  }
  void close_read() { close_end(ends_[0]); }
  void close_write() { close_end(ends_[1]); }
  void put(std::string_view bytes) const {
    ASSERT_EQ(::write(ends_[1], bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size()));
  }
  static SteadyTime in(int ms) { return std::chrono::steady_clock::now() + Milliseconds(ms); }

  int ends_[2] = {-1, -1};

 private:
  static void close_end(int& end) {
    if (end >= 0) ::close(end);
    end = -1;
  }
};

struct SeenLines final : Tap {
  void see(const TapRecord& record) override {
    lines.push_back(std::string(record.direction == Direction::kOut ? "> " : "< ") + std::string(record.bytes));
  }
  std::vector<std::string> lines;
};

TEST_F(StdioPipe, ReadsLinesAndShowsEachOnce) {
  SeenLines tap;
  LineReader reader(ends_[0], {&tap, "host", "server"});
  put("one\ntwo\nunfini");
  EXPECT_EQ(*reader.read_line(in(5000)), "one");
  EXPECT_EQ(*reader.read_line(in(5000)), "two");
  close_write();
  EXPECT_TRUE(test::refused(reader.read_line(in(5000)), "transport.closed"));
  EXPECT_EQ(tap.lines, (std::vector<std::string>{"< one", "< two", "< unfini"}));
}

TEST_F(StdioPipe, RefusesToWaitPastTheDeadline) {
  LineReader reader(ends_[0], {});
  put("half");
  EXPECT_TRUE(test::refused(reader.read_line(in(20)), "transport.timed_out"));
  put(" and half\n");
  EXPECT_EQ(*reader.read_line(in(5000)), "half and half");
}

TEST_F(StdioPipe, StopsWaitingWhenToldTo) {
  LineReader reader(ends_[0], {});
  std::stop_source stop;
  std::thread other([&] { stop.request_stop(); });
  EXPECT_TRUE(test::refused(reader.read_line(stop.get_token()), "transport.cancelled"));
  other.join();
}

TEST_F(StdioPipe, RefusesALineOverTheBoundAndReadsOn) {
  LineReader reader(ends_[0], {}, 16);
  put(std::string(40, 'x') + "\nnext\n");
  EXPECT_TRUE(test::refused(reader.read_line(in(5000)), "transport.frame_too_large"));
  EXPECT_EQ(*reader.read_line(in(5000)), "next");
}

TEST_F(StdioPipe, WritesALongLineWholeIntoASlowReader) {
  SeenLines tap;
  LineWriter writer(ends_[1], {&tap, "host", "server"});
  const std::string line(300'000, 'y');
  std::string got;
  std::thread reader([&] {
    char bytes[1000];
    while (got.find('\n') == std::string::npos) {
      const ssize_t size = ::read(ends_[0], bytes, sizeof bytes);
      if (size <= 0) return;
      got.append(bytes, static_cast<std::size_t>(size));
    }
  });
  EXPECT_TRUE(test::succeeded(writer.write_line(line, in(20'000))));
  reader.join();
  EXPECT_EQ(got, line + "\n");
  EXPECT_EQ(tap.lines.size(), 1U);
}

TEST_F(StdioPipe, RefusesToBlockOnAReaderThatDoesNotRead) {
  LineWriter writer(ends_[1], {});
  EXPECT_TRUE(test::refused(writer.write_line(std::string(300'000, 'y'), in(20)), "transport.timed_out"));
  EXPECT_TRUE(test::refused(writer.write_line("after half a line nothing can follow", in(20)), "transport.closed"));
}

TEST_F(StdioPipe, RefusesToWriteToNobody) {
  LineWriter writer(ends_[1], {});
  close_read();
  EXPECT_TRUE(test::refused(writer.write_line("x", in(5000)), "transport.closed"));
}

TEST_F(StdioPipe, LinesOfSeveralWritersDoNotMix) {
  LineWriter writer(ends_[1], {});
  std::vector<std::thread> threads;
  for (char c : {'a', 'b', 'c'}) {
    threads.emplace_back([&writer, c] {
      for (int i = 0; i < 20; ++i) EXPECT_TRUE(test::succeeded(writer.write_line(std::string(9000, c))));
    });
  }
  LineReader reader(ends_[0], {});
  for (int i = 0; i < 60; ++i) {
    const auto line = reader.read_line(in(20'000));
    ASSERT_TRUE(test::succeeded(line));
    EXPECT_EQ(*line, std::string(9000, line->front()));
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace postern
