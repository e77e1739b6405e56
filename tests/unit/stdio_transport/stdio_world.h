// A transport to the double, with everything around it that tests need.
#pragma once

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

extern "C" {
#include <sys/pidfd.h>
}

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bridge/stdio_transport.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"

namespace postern::test {

struct SeenLine {
  Direction direction;
  std::string peer;
  std::string line;
};

class LineTap final : public Tap {
 public:
  void see(const TapRecord& record) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_EQ(record.channel, Channel::kStdio);
    lines_.push_back({record.direction, std::string(record.peer), std::string(record.bytes)});
  }
  [[nodiscard]] std::vector<SeenLine> lines() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return lines_;
  }
  [[nodiscard]] long count(Direction direction, std::string_view part) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return std::count_if(lines_.begin(), lines_.end(), [&](const SeenLine& seen) {
      return seen.direction == direction && seen.line.find(part) != std::string::npos;
    });
  }

 private:
  mutable std::mutex mutex_;
  std::vector<SeenLine> lines_;
};

// Waits until the process is gone; false when it still is there after 20 s.
inline bool is_gone(int process_id) {
  const int process = ::pidfd_open(process_id, 0);
  if (process < 0) return true;
  pollfd wait{process, POLLIN, 0};
  const bool gone = ::poll(&wait, 1, 20'000) > 0;
  ::close(process);
  return gone;
}

class StdioWorld : public testing::Test {
 protected:
  void SetUp() override {
    ::signal(SIGPIPE, SIG_IGN);
    options.name = "double";
    options.command = STDIO_DOUBLE;
    options.args = {"server"};
    options.pause_first = std::chrono::milliseconds(1);
  }
  // One for all threads of a test.
  bridge::StdioTransport& transport() {
    const std::lock_guard<std::mutex> lock(making_);
    if (transport_ == nullptr) transport_ = std::make_unique<bridge::StdioTransport>(env_, options);
    return *transport_;
  }
  void end() { transport_.reset(); }

  [[nodiscard]] bridge::OutgoingRequest request(std::string method, Json params = Json::object(),
                                                int ms = 20'000) const {
    bridge::OutgoingRequest outgoing;
    outgoing.method = std::move(method);
    outgoing.params = std::move(params);
    outgoing.deadline = clock_.steady_now() + Milliseconds(ms);
    return outgoing;
  }
  Result<bridge::ServerAnswer> ask(const bridge::OutgoingRequest& outgoing, const std::stop_token& stop = {}) {
    return transport().exchange(outgoing, stop);
  }
  Result<bridge::ServerAnswer> ask(std::string method, Json params = Json::object(), int ms = 20'000) {
    return ask(request(std::move(method), std::move(params), ms));
  }
  // The result, or null when there is none.
  static Json result_of(const Result<bridge::ServerAnswer>& answer) {
    EXPECT_TRUE(succeeded(answer));
    const auto* result = answer ? std::get_if<JsonRpcResult>(&*answer) : nullptr;
    EXPECT_NE(result, nullptr);
    return result == nullptr ? Json() : result->result;
  }
  // What reached the server, line by line.
  std::vector<std::string> seen_by_server() {
    std::vector<std::string> lines;
    const Json result = result_of(ask("seen"));
    const Json* const list = result.find("lines");
    if (list == nullptr) return lines;
    for (const Json& line : list->elements()) lines.push_back(*line.string());
    return lines;
  }
  static long count(const std::vector<std::string>& lines, std::string_view part) {
    return std::count_if(lines.begin(), lines.end(),
                         [part](const std::string& line) { return line.find(part) != std::string::npos; });
  }

  SystemClock clock_;
  SeededRandom random_;
  LineTap tap_;
  Env env_{clock_, random_, tap_};
  bridge::StdioTransportOptions options;
  std::mutex making_;
  std::unique_ptr<bridge::StdioTransport> transport_;
};

}  // namespace postern::test
