// A thousand open streams, and requests beside them for seconds: streams cost descriptors and memory, and no thread.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <barrier>
#include <chrono>
#include <cstdio>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"
#include "wire/transport/descriptor_limit.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;

constexpr int kStreams = 1000;
constexpr int kRequestsPerSecond = 200;
constexpr int kSeconds = 3;
constexpr int kLane = 8;

int threads_of_this_process() {
  std::FILE* file = std::fopen("/proc/self/status", "r");
  char line[256];
  int threads = 0;
  while (file != nullptr && std::fgets(line, sizeof line, file) != nullptr) {
    if (std::sscanf(line, "Threads: %d", &threads) == 1) break;
  }
  if (file != nullptr) std::fclose(file);
  return threads;
}

class Crowded {
 public:
  Crowded() : served_(routes(), limits()) {}
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  [[nodiscard]] int gone() const { return gone_; }

 private:
  static HttpLimits limits() {
    HttpLimits limits;
    limits.blocking_threads = kLane;
    limits.blocking_queue_max = 0;
    limits.stream_comment_ms = std::chrono::seconds(1);  // so that each stream has something to do as well
    return limits;
  }
  Routes routes() {
    Routes routes;
    routes.add("GET", "/events", [this](const HttpRequest&) {
      auto [stream, writer] = EventStream::open();
      writer.on_gone([this] { ++gone_; });
      return stream;
    });
    routes.add("GET", "/plain", [](const HttpRequest&) { return text_response(200, "plain"); });
    routes.add("GET", "/lane", [](const HttpRequest&) -> HttpReply {
      return Blocking{[](std::stop_token) { return text_response(200, "lane"); }};
    });
    routes.add("GET", "/together", [this](const HttpRequest&) -> HttpReply {
      return Blocking{[this](std::stop_token) {
        all_of_the_lane_.arrive_and_wait();  // passes when every thread of the lane is here
        return text_response(200, "together");
      }};
    });
    return routes;
  }

  std::atomic<int> gone_{0};
  std::barrier<> all_of_the_lane_{kLane};
  Served served_;
};

std::string ask_for(std::string_view path) {
  return "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\n\r\n";
}

// Milliseconds that each of the requests took, which come at their times whether or not the one before is late.
std::vector<double> ask_at_a_rate(std::uint16_t port) {
  std::vector<RawConnection> connections;
  for (int i = 0; i < 4; ++i) connections.emplace_back(port);
  std::vector<double> took;
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < kSeconds * kRequestsPerSecond; ++i) {
    std::this_thread::sleep_until(start + i * std::chrono::microseconds(1'000'000 / kRequestsPerSecond));
    const auto begun = std::chrono::steady_clock::now();
    RawConnection& connection = connections[static_cast<std::size_t>(i) % connections.size()];
    connection.send(ask_for(i % 2 == 0 ? "/plain" : "/lane"));
    const auto reply = connection.reply();
    if (!reply || reply->status != 200) {
      ADD_FAILURE() << "request " << i << (reply ? " was refused" : " was not answered");
      break;
    }
    took.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begun).count());
  }
  return took;
}

TEST(Crowd, OfAThousandStreamsHoldsNoThreadAndLeavesEveryRequestAnswered) {
  if (raise_descriptor_limit() < 3 * kStreams) GTEST_SKIP() << "needs 3,000 descriptors";
  Crowded crowded;
  {
    RawConnection warm(crowded.port());
    warm.send(ask_for("/plain"));
    ASSERT_EQ(warm.reply()->status, 200);
  }
  const int threads_before = threads_of_this_process();
  std::vector<RawConnection> streams;
  streams.reserve(kStreams);
  for (int i = 0; i < kStreams; ++i) {
    streams.emplace_back(crowded.port());
    streams.back().send(ask_for("/events"));
    ASSERT_TRUE(streams.back().read_until("\r\n\r\n")) << i;
  }
  EXPECT_EQ(threads_of_this_process(), threads_before);
  std::vector<RawConnection> together;
  for (int i = 0; i < kLane; ++i) {
    together.emplace_back(crowded.port());
    together.back().send(ask_for("/together"));
  }
  for (RawConnection& each : together) EXPECT_EQ(each.reply()->body, "together");

  std::vector<double> took = ask_at_a_rate(crowded.port());
  EXPECT_EQ(took.size(), static_cast<std::size_t>(kSeconds * kRequestsPerSecond));
  EXPECT_EQ(threads_of_this_process(), threads_before + kLane);
  EXPECT_EQ(crowded.gone(), 0);
  for (RawConnection& each : streams) EXPECT_TRUE(each.read_until(":\n\n"));  // nobody was forgotten
  std::sort(took.begin(), took.end());
  std::printf("%d streams, %zu requests at %d/s: median %.2f ms, 99th percentile %.2f ms, longest %.2f ms\n", kStreams,
              took.size(), kRequestsPerSecond, took[took.size() / 2], took[took.size() * 99 / 100], took.back());
  streams.clear();
  while (crowded.gone() < kStreams) std::this_thread::yield();
}

}  // namespace
}  // namespace postern
