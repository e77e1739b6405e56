// Streamed responses in the wire log: entries as whole events, a secret never in two halves.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"
#include "wire/tap/wire_log.h"

namespace postern {
namespace {

class WireLogStream : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/postern-wire-stream-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    folder_ = folder;
    auto log = WireLog::open(folder_ + "/wire.jsonl", clock_, random_);
    ASSERT_TRUE(test::succeeded(log));
    log_ = std::move(*log);
  }
  void TearDown() override {
    log_.reset();
    ::unlink((folder_ + "/wire.jsonl").c_str());
    ::rmdir(folder_.c_str());
  }
  void part(std::string_view bytes, bool last = false, std::uint64_t exchange = 3) {
    log_->see(TapRecord{Channel::kHttp, Direction::kIn, "host", "model", exchange, bytes, last});
  }
  [[nodiscard]] std::vector<Json> entries() const {
    std::vector<Json> out;
    const std::string text = read_file(folder_ + "/wire.jsonl", 1 << 24).value_or("");
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      auto json = parse_json(std::string_view(text).substr(at, end - at), {1 << 24, 64});
      EXPECT_TRUE(test::succeeded(json));
      out.push_back(std::move(*json));
      at = end + 1;
    }
    return out;
  }

  test::ManualClock clock_;
  test::SeededRandom random_;
  std::string folder_;
  std::unique_ptr<WireLog> log_;
};

TEST_F(WireLogStream, HeadThenEventsThenEnd) {
  part("HTTP/1.1 200 OK\r\nContent-Type: text/ev");
  part("ent-stream\r\n\r\n");
  part("data: one\n\ndata: t");
  part("wo\n\n");
  part("", true);
  const auto lines = entries();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0].string_at("part"), "head");
  EXPECT_EQ(lines[0].string_at("start"), "HTTP/1.1 200 OK");
  EXPECT_EQ(lines[1].string_at("part"), "body");
  EXPECT_EQ(lines[1].string_at("body"), "data: one\n\n");
  EXPECT_EQ(lines[2].string_at("body"), "data: two\n\n");
  EXPECT_EQ(lines[3].string_at("part"), "end");
  EXPECT_EQ(lines[3].find("body"), nullptr);
}

TEST_F(WireLogStream, ASecretCutAtAnyByteStaysWhole) {
  const std::string message =
      "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
      "36\r\ndata: {\"access_token\":\"ch_0123456789abcdefPLANTED\"}\n\n\n\r\n0\r\n\r\n";
  for (std::size_t cut = 1; cut < message.size(); ++cut) {
    part(message.substr(0, cut), false, cut);
    part(message.substr(cut), true, cut);
  }
  const std::string text = read_file(folder_ + "/wire.jsonl", 1 << 24).value_or("");
  for (std::size_t i = 0; i + 8 <= 26; ++i) {
    const std::string run = std::string("ch_0123456789abcdefPLANTED").substr(i, 8);
    EXPECT_EQ(text.find(run), std::string::npos) << run;
  }
  EXPECT_NE(text.find("<token:"), std::string::npos);
}

TEST_F(WireLogStream, ASecretOverTwoDataLinesOrTwoEventsLeavesNoPiece) {
  const std::string token = "tok9Zx8Yw7Vu6Ts5Rq4Po3Nm2Lk1Ji0Hg";
  log_->see(TapRecord{Channel::kHttp, Direction::kOut, "host", "server", 9,
                      "POST /mcp HTTP/1.1\r\nAuthorization: Bearer " + token + "\r\n\r\n", true});
  part("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n");
  part("data: \"" + token.substr(0, 16) + "\ndata: " + token.substr(16) + "\"\n\n");
  part("data: \"" + token.substr(0, 12) + "\"\n\n");
  part("data: \"" + token.substr(12) + "\"\n\n", true);
  const std::string text = read_file(folder_ + "/wire.jsonl", 1 << 24).value_or("");
  for (std::size_t at = 0; at + 8 <= token.size(); ++at) EXPECT_EQ(text.find(token.substr(at, 8)), std::string::npos);
}

TEST_F(WireLogStream, ABodyWithoutBordersIsBounded) {
  part("HTTP/1.1 200 OK\r\n\r\n");
  for (int i = 0; i < 8; ++i) part(std::string(WireLog::kBodyBytesMax / 2, 'x') + " ");
  part("", true);
  std::size_t total = 0;
  for (const Json& line : entries()) {
    EXPECT_LE(line.string_at("body").size(), WireLog::kBodyBytesMax);
    total += line.string_at("body").size() + static_cast<std::size_t>(line.integer_at("cut").value_or(0));
  }
  EXPECT_EQ(total, 8 * (WireLog::kBodyBytesMax / 2 + 1));
}

TEST_F(WireLogStream, TwoStreamsDoNotMix) {
  part("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: a", false, 1);
  part("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: b", false, 2);
  part("A\n\n", true, 1);
  part("B\n\n", true, 2);
  const auto lines = entries();
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[2].string_at("body"), "data: aA\n\n");
  EXPECT_EQ(lines[3].string_at("body"), "data: bB\n\n");
}

TEST_F(WireLogStream, ALateHeadThatIsNoHttpIsShownRaw) {
  part("garbage ");
  part("more\n", true);
  const auto lines = entries();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[0].string_at("raw"), "garbage more\n");
}

}  // namespace
}  // namespace postern
