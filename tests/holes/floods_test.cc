// Peers that send without end: what the server keeps of it is bounded while it comes.
#include <gtest/gtest.h>

#include <cstdio>
#include <string>

#include "tests/holes/target.h"
#include "tests/support/raw_connection.h"

namespace postern::holes {
namespace {

using test::RawConnection;
using test::statuses_in;

constexpr std::size_t kMebibyte = 1024 * 1024;
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr long kPagesAllowed = 48 * 256;  // shadow memory comes on top
#else
constexpr long kPagesAllowed = 12 * 256;  // 12 MiB: far under the 64 that are sent, and the test itself needs some
#endif

long resident_pages() {
  long total = 0;
  long resident = 0;
  std::FILE* file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  const int read = std::fscanf(file, "%ld %ld", &total, &resident);
  std::fclose(file);
  return read == 2 ? resident : 0;
}

struct Flood {
  const char* name;
  std::string head;
  std::string block;
  int blocks;
  std::vector<int> statuses;
};

void try_flood(const Flood& flood) {
  SCOPED_TRACE(flood.name);
  Target target;
  {
    RawConnection warm(target.port());
    warm.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
    ASSERT_EQ(warm.reply()->status, 200);
  }
  const long before = resident_pages();
  long most = before;
  RawConnection connection(target.port());
  bool open = connection.send(flood.head);
  for (int i = 0; i < flood.blocks && open; ++i) {
    open = connection.send(flood.block);
    most = std::max(most, resident_pages());
  }
  EXPECT_TRUE(connection.closes());
  EXPECT_EQ(statuses_in(connection.received()), flood.statuses) << connection.received();
  EXPECT_LT(most - before, kPagesAllowed) << "pages of 4 KiB";
  RawConnection after(target.port());
  after.send("GET /health HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(after.reply()->status, 200);
}

const std::string kPostHead = "POST /mcp HTTP/1.1\r\nHost: x\r\n";
const std::string kGetHead = "GET /health HTTP/1.1\r\nHost: x\r\n";

TEST(Flood, OfChunksStopsAtTheBodyBound) {
  try_flood({"one large chunk after the other",
             kPostHead + "Transfer-Encoding: chunked\r\n\r\n",
             "10000\r\n" + std::string(0x10000, 'b') + "\r\n",
             1024,
             {413}});
}

TEST(Flood, OfTinyChunksStopsAtTheirFraming) {
  std::string tiny;
  for (int i = 0; i < 10'000; ++i) tiny += "1\r\nb\r\n";
  try_flood({"chunks of one byte", kPostHead + "Transfer-Encoding: chunked\r\n\r\n", tiny, 1000, {413}});
}

TEST(Flood, OfADeclaredBodyIsRefusedBeforeItComes) {
  try_flood(
      {"64 MiB declared", kPostHead + "Content-Length: 67108864\r\n\r\n", std::string(kMebibyte, 'c'), 64, {413}});
}

TEST(Flood, OfABodyWithoutLengthIsNoRequest) {
  try_flood({"until close", kPostHead + "Connection: keep-alive\r\n\r\n", std::string(kMebibyte, 'd'), 64, {200, 414}});
}

TEST(Flood, OfOneHeaderLineStopsAtTheHeadBound) {
  try_flood({"a line without an end", kGetHead + "X-Long: ", std::string(kMebibyte, 'a'), 64, {431}});
}

TEST(Flood, OfOneRequestLineStopsAtItsBound) {
  try_flood({"a target without an end", "GET /", std::string(kMebibyte, 'a'), 64, {414}});
}

TEST(Flood, OfHeaderLinesStopsAtTheirCount) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) lines += "X-A: vvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvvv\r\n";
  try_flood({"200,000 lines", kGetHead, lines, 20, {431}});
}

TEST(Flood, OfPipelinedRequestsIsServedOneByOne) {
  Target target;
  RawConnection connection(target.port());
  std::string many;
  for (int i = 0; i < 2000; ++i) many += kGetHead + "\r\n";
  connection.send(many + kGetHead + "Connection: close\r\n\r\n");
  EXPECT_TRUE(connection.closes());
  EXPECT_EQ(statuses_in(connection.received()), std::vector<int>(2001, 200));
}

TEST(Bound, OfHeaderLinesAdmitsAsManyAsItSays) {
  Target target;
  std::string lines;
  for (int i = 0; i < 62; ++i) lines += "X-A: v\r\n";
  RawConnection at(target.port());
  at.send(kGetHead + lines + "Connection: close\r\n\r\n");  // with Host, 64
  EXPECT_EQ(statuses_in(at.read_to_end()), std::vector<int>{200});
  RawConnection over(target.port());
  over.send(kGetHead + lines + "X-A: v\r\nConnection: close\r\n\r\n");
  EXPECT_EQ(statuses_in(over.read_to_end()), std::vector<int>{431});
}

TEST(Bound, OfBodiesAdmitsAsManyBytesAsItSays) {
  HttpLimits limits;
  limits.body_bytes_max = 1000;
  Target target(limits);
  const std::string body(1000, 'b');
  RawConnection at(target.port());
  at.send(kPostHead + "Content-Length: 1000\r\n\r\n" + body);
  EXPECT_EQ(at.reply()->status, 200);
  at.send(kPostHead + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + body + "\r\n0\r\n\r\n");
  EXPECT_EQ(at.reply()->status, 200);
  at.send(kPostHead + "Transfer-Encoding: chunked\r\n\r\n3e8\r\n" + body + "\r\n1\r\nb\r\n0\r\n\r\n");
  EXPECT_EQ(at.reply()->status, 413);
  RawConnection over(target.port());
  over.send(kPostHead + "Content-Length: 1001\r\n\r\n");
  EXPECT_EQ(over.reply()->status, 413);
}

TEST(Bound, OfChunkFramingAdmitsSomeAndNotAFlood) {
  HttpLimits limits;
  limits.body_bytes_max = 4000;
  Target target(limits);
  const auto chunks = [](int count) {
    std::string all = kPostHead + "Transfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < count; ++i) all += "1\r\nb\r\n";
    return all + "0\r\n\r\n";
  };
  RawConnection connection(target.port());
  connection.send(chunks(1000));
  EXPECT_EQ(connection.reply()->status, 200);
  connection.send(chunks(3000));  // a body within its bound, in more framing than it is worth
  EXPECT_EQ(connection.reply()->status, 413);
}

TEST(Bound, OfConnectionsAnswersOneMoreWith503) {
  HttpLimits limits;
  limits.connections_max = 2;
  Target target(limits);
  RawConnection first(target.port());
  RawConnection second(target.port());
  for (RawConnection* each : {&first, &second}) {
    each->send(kGetHead + "\r\n");
    EXPECT_EQ(each->reply()->status, 200);
  }
  RawConnection third(target.port());
  EXPECT_EQ(statuses_in(third.read_to_end()), std::vector<int>{503});
  first.close_now();
  for (;;) {  // until the server has seen that the first is gone
    RawConnection fourth(target.port());
    fourth.send(kGetHead + "\r\n");
    const auto reply = fourth.reply();
    if (reply && reply->status == 200) break;
  }
}

TEST(RefusedPeer, ReadsTheAnswerAlthoughItWasStillSending) {
  Target target;
  RawConnection connection(target.port());
  // Much more than the socket's buffers hold: the sender is still at it when the refusal goes out.
  connection.send(kPostHead + "Content-Length: 16777216\r\n\r\n");
  EXPECT_TRUE(connection.send(std::string(16 * kMebibyte, 'x')));
  connection.finish_sending();
  const std::string all = connection.read_to_end();
  EXPECT_EQ(statuses_in(all), std::vector<int>{413});
  EXPECT_NE(all.find("Connection: close\r\n"), std::string::npos);
}

}  // namespace
}  // namespace postern::holes
