// The memory that requests hold in all is bounded, and whoever does not want much is served all the same.
#include <gtest/gtest.h>

#include <atomic>
#include <future>
#include <thread>

#include "tests/support/raw_connection.h"
#include "tests/support/served.h"
#include "wire/transport/memory_budget.h"

namespace postern {
namespace {

using test::RawConnection;
using test::Served;
using test::statuses_in;

TEST(MemoryBudget, IsSharedByItsCharges) {
  MemoryBudget budget(100);
  MemoryBudget::Charge first(budget);
  EXPECT_TRUE(first.hold(60));
  {
    MemoryBudget::Charge second(budget);
    EXPECT_FALSE(second.hold(41));
    EXPECT_TRUE(second.hold(40));
    EXPECT_FALSE(second.hold(41));
    EXPECT_EQ(second.bytes(), 40u);  // what did not fit changed nothing
    EXPECT_EQ(budget.used(), 100u);
    EXPECT_TRUE(first.hold(50));
    EXPECT_TRUE(second.hold(50));
    first.hand_to(second, 30);
    EXPECT_EQ(first.bytes(), 20u);
    EXPECT_EQ(second.bytes(), 80u);
    first.hand_to(second, 1000);
    EXPECT_EQ(second.bytes(), 100u);
    EXPECT_EQ(budget.used(), 100u);
  }
  EXPECT_EQ(budget.used(), 0u);
}

// 16 connections of 16 KiB for themselves and 256 KiB for all, of which one may hold 200 KB.
HttpLimits tight() {
  HttpLimits limits;
  limits.connections_max = 16;
  limits.buffered_bytes_max = 512 * 1024;
  limits.body_bytes_max = 1024 * 1024;
  return limits;
}

std::string post_head(std::size_t length) {
  return "POST /take HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(length) + "\r\n\r\n";
}

class Taking {
 public:
  explicit Taking(HttpLimits limits = tight()) : served_(routes(), limits) {}
  [[nodiscard]] std::uint16_t port() const { return served_.port(); }
  [[nodiscard]] int waiting() const { return waiting_; }
  void open() { open_.set_value(); }

 private:
  Routes routes() {
    Routes routes;
    routes.add("POST", "/take",
               [](const HttpRequest& request) { return text_response(200, std::to_string(request.body.size())); });
    routes.add("POST", "/wait", [this](const HttpRequest& request) -> HttpReply {
      return Blocking{[this, body = request.body](std::stop_token) {
        ++waiting_;
        opened_.wait();
        return text_response(200, std::to_string(body.size()));
      }};
    });
    return routes;
  }

  std::promise<void> open_;
  std::shared_future<void> opened_{open_.get_future()};
  std::atomic<int> waiting_{0};
  Served served_;
};

TEST(BufferedBytes, AreBoundedInAllAndSmallRequestsServedBeside) {
  Taking taking;
  const std::string part(150 * 1024, 'p');
  std::vector<RawConnection> unfinished;
  std::vector<int> refused;
  for (int i = 0; i < 4; ++i) {  // 150 KiB each of 200 KiB that never come whole
    unfinished.emplace_back(taking.port());
    unfinished.back().send(post_head(200 * 1024));
    unfinished.back().send(part);
    if (!unfinished.back().anything_within(i < 1 ? 0 : 50)) continue;
    const auto reply = unfinished.back().reply();
    ASSERT_TRUE(reply);
    EXPECT_NE(reply->head.find("Retry-After: 1"), std::string::npos);
    EXPECT_NE(reply->head.find("Connection: close"), std::string::npos);
    refused.push_back(reply->status);
  }
  ASSERT_GE(refused.size(), 2u);
  for (const int status : refused) EXPECT_EQ(status, 503);
  // Whoever wants no more than its own part is served meanwhile.
  RawConnection small(taking.port());
  small.send(post_head(4000) + std::string(4000, 's'));
  EXPECT_EQ(small.reply()->body, "4000");
  // The first is not harmed by the others, and makes room when it is done.
  unfinished[0].send(std::string(50 * 1024, 'p'));
  EXPECT_EQ(unfinished[0].reply()->body, std::to_string(200 * 1024));
  unfinished.clear();
  for (;;) {
    RawConnection next(taking.port());
    next.send(post_head(200 * 1024));
    next.send(std::string(200 * 1024, 'n'));
    if (next.reply()->status == 200) break;
  }
}

TEST(BufferedBytes, OfChunkedBodiesCountToo) {
  Taking taking;
  RawConnection connection(taking.port());
  connection.send("POST /take HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n");
  const std::string chunk = "8000\r\n" + std::string(0x8000, 'c') + "\r\n";
  bool open = true;
  for (int i = 0; i < 20 && open; ++i) open = connection.send(chunk);
  EXPECT_EQ(statuses_in(connection.read_to_end()), std::vector<int>{503});
}

TEST(BufferedBytes, OfWorkThatWaitsCountUntilItIsDone) {
  HttpLimits limits = tight();
  limits.blocking_threads = 1;
  Taking taking(limits);
  const std::string body(100 * 1024, 'b');
  const auto wait_with = [&](RawConnection& connection) {
    connection.send("POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n");
    connection.send(body);
  };
  // The framer has let go of them, but the work has not: some wait, and from then on there is no memory.
  std::vector<RawConnection> waiting;
  int refused = 0;
  for (int i = 0; i < 8 && refused == 0; ++i) {
    waiting.emplace_back(taking.port());
    wait_with(waiting.back());
    if (waiting.back().anything_within(50)) refused = waiting.back().reply()->status;
  }
  EXPECT_EQ(refused, 503);
  EXPECT_LE(waiting.size(), 4u);
  waiting.pop_back();
  taking.open();
  for (RawConnection& each : waiting) EXPECT_EQ(each.reply()->body, std::to_string(body.size()));
  RawConnection next(taking.port());
  wait_with(next);
  EXPECT_EQ(next.reply()->body, std::to_string(body.size()));
}

}  // namespace
}  // namespace postern
