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

// 16 connections of 16 KiB for themselves, and 256 KiB for all.
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

// Lets the one loop turn so often that it has read what was sent to it before.
void let_it_read(std::uint16_t port) {
  RawConnection connection(port);
  for (int i = 0; i < 20; ++i) {
    connection.send(post_head(0));
    EXPECT_EQ(connection.reply()->status, 200);
  }
}

TEST(BufferedBytes, AreBoundedInAllAndSmallRequestsServedBeside) {
  HttpLimits limits = tight();
  limits.loop_threads = 1;
  Taking taking(limits);
  const std::string part(150 * 1024, 'p');
  RawConnection first(taking.port());
  first.send(post_head(200 * 1024) + part);
  let_it_read(taking.port());
  for (int i = 0; i < 3; ++i) {
    RawConnection over(taking.port());
    over.send(post_head(200 * 1024) + part);
    const auto refusal = over.reply();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->status, 503);
    EXPECT_NE(refusal->head.find("Retry-After: 1"), std::string::npos);
    EXPECT_NE(refusal->head.find("Connection: close"), std::string::npos);
    // Whoever wants no more than its own part is served meanwhile.
    RawConnection small(taking.port());
    small.send(post_head(4000) + std::string(4000, 's'));
    EXPECT_EQ(small.reply()->body, "4000");
  }
  // The first is not harmed by the others, and makes room when it is done.
  first.send(std::string(50 * 1024, 'p'));
  EXPECT_EQ(first.reply()->body, std::to_string(200 * 1024));
  RawConnection next(taking.port());
  next.send(post_head(200 * 1024) + std::string(200 * 1024, 'n'));
  EXPECT_EQ(next.reply()->status, 200);
}

TEST(BufferedBytes, AreGivenBackByWhoeverLeaves) {
  Taking taking;
  const std::string part(150 * 1024, 'p');
  for (int i = 0; i < 5; ++i) {
    RawConnection leaving(taking.port());
    leaving.send(post_head(200 * 1024) + part);
  }
  for (;;) {  // until the server has seen that they are gone
    RawConnection next(taking.port());
    next.send(post_head(200 * 1024) + std::string(200 * 1024, 'n'));
    const auto reply = next.reply();
    if (reply && reply->status == 200) break;
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
  Taking taking;
  const std::string body(120 * 1024, 'b');
  const std::string request =
      "POST /wait HTTP/1.1\r\nHost: x\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  // The framer has let go of these two; their work has not, so a third one does not fit.
  std::vector<RawConnection> waiting;
  for (int i = 0; i < 2; ++i) {
    waiting.emplace_back(taking.port());
    waiting.back().send(request);
    while (taking.waiting() <= i) std::this_thread::yield();
  }
  RawConnection over(taking.port());
  over.send(request);
  EXPECT_EQ(over.reply()->status, 503);
  taking.open();
  for (RawConnection& each : waiting) EXPECT_EQ(each.reply()->body, std::to_string(body.size()));
  for (;;) {
    RawConnection next(taking.port());
    next.send(request);
    if (next.reply()->body == std::to_string(body.size())) break;
  }
}

}  // namespace
}  // namespace postern
