// The wire log: one line of JSON an entry, in order, with nothing secret in it.
#include "wire/tap/wire_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <thread>
#include <vector>

#include "tests/support/manual_clock.h"
#include "tests/support/refused.h"
#include "tests/support/seeded_random.h"

namespace postern {
namespace {

class WireLogFile : public testing::Test {
 protected:
  void SetUp() override {
    char folder[] = "/tmp/postern-wire-log-XXXXXX";
    ASSERT_NE(::mkdtemp(folder), nullptr);
    folder_ = folder;
    path_ = folder_ + "/wire.jsonl";
  }
  void TearDown() override {
    ::unlink(path_.c_str());
    ::rmdir(folder_.c_str());
  }
  [[nodiscard]] std::unique_ptr<WireLog> open() {
    auto log = WireLog::open(path_, clock_, random_);
    EXPECT_TRUE(test::succeeded(log));
    return std::move(*log);
  }
  [[nodiscard]] std::string content() const { return read_file(path_, 1 << 24).value_or(""); }
  [[nodiscard]] std::vector<Json> lines() const {
    std::vector<Json> out;
    std::string text = content();
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = text.find('\n', at);
      EXPECT_NE(end, std::string::npos);
      auto json = parse_json(std::string_view(text).substr(at, end - at), {1 << 24, 64});
      EXPECT_TRUE(test::succeeded(json));
      out.push_back(std::move(*json));
      at = end + 1;
    }
    return out;
  }
  static TapRecord http(Direction direction, std::string_view bytes, std::uint64_t exchange = 7) {
    return TapRecord{Channel::kHttp, direction, "host", "server", exchange, bytes, true};
  }

  test::ManualClock clock_;
  test::SeededRandom random_;
  std::string folder_;
  std::string path_;
};

TEST_F(WireLogFile, WritesARequestWithItsParts) {
  const auto log = open();
  const std::string bytes =
      "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer tok_planted\r\nContent-Type: "
      "application/json\r\n\r\n"
      R"({"jsonrpc":"2.0","id":1,"params":{"case_handle":"planted"}})";
  log->see(http(Direction::kOut, bytes));
  const auto entries = lines();
  ASSERT_EQ(entries.size(), 1U);
  const Json& entry = entries[0];
  EXPECT_EQ(entry.integer_at("seq"), 1);
  EXPECT_EQ(entry.string_at("at"), rfc3339(clock_.now()));
  EXPECT_EQ(entry.string_at("kind"), "bytes");
  EXPECT_EQ(entry.string_at("channel"), "http");
  EXPECT_EQ(entry.string_at("from"), "host");
  EXPECT_EQ(entry.string_at("to"), "server");
  EXPECT_EQ(entry.integer_at("exchange"), 7);
  EXPECT_EQ(entry.string_at("start"), "POST /mcp HTTP/1.1");
  EXPECT_EQ(entry.integer_at("bytes"), static_cast<std::int64_t>(bytes.size()));
  EXPECT_EQ(entry.find("headers")->elements()[1].elements()[0].string()->substr(0), "authorization");
  const auto body = parse_json(entry.string_at("body"));
  ASSERT_TRUE(test::succeeded(body));
  EXPECT_EQ(body->find("params")->string_at("case_handle").substr(0, 8), "<handle:");
  EXPECT_EQ(content().find("planted"), std::string::npos);
}

TEST_F(WireLogFile, IsReadableByItsOwnerOnly) {
  const mode_t before = ::umask(0);
  const auto log = open();
  ::umask(before);
  EXPECT_EQ(file_mode(path_).value_or(0), 0600U);
}

TEST_F(WireLogFile, PlantedSecretsOfEveryKindNeverReachTheDisk) {
  const auto log = open();
  const std::string secret = "eyJQbGFudGVk.eyJQbGFudGVk.UGxhbnRlZFNlY3JldA";
  log->see(
      http(Direction::kOut, "GET /cb?code=" + secret + "&state=Planted2 HTTP/1.1\r\nCookie: s=" + secret + "\r\n\r\n"));
  log->see(http(Direction::kOut,
                "POST /token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\ncode=" + secret +
                    "&code_verifier=Planted3"));
  log->see(http(Direction::kIn, "HTTP/1.1 200 OK\r\nSet-Cookie: s=" + secret + "; Path=/\r\n\r\n{\"access_token\":\"" +
                                    secret + "\"}"));
  log->see(http(Direction::kIn, "HTTP/1.1 303 See Other\r\nLocation: http://127.0.0.1/cb?code=" + secret + "\r\n\r\n"));
  log->see(http(Direction::kIn, "bytes that are no HTTP, with " + secret + "\xff"));
  log->see(TapRecord{Channel::kStdio, Direction::kIn, "host", "server", 0,
                     R"({"result":{"text":"{\"access_token\":\"Planted4\"}"}})", true});
  log->note(Layer::kSchema, "get_order " + secret, true, Json::object({{"text", Json("said " + secret)}}));
  const std::string text = content();
  for (const char* part : {"UGxhbnRl", "eyJQbGFu", "Planted"}) EXPECT_EQ(text.find(part), std::string::npos) << part;
  EXPECT_EQ(lines().size(), 7U);
  EXPECT_NE(lines()[4].find("raw"), nullptr);
}

// The answer of an issuer that quotes in its words what was sent to it.
TEST_F(WireLogFile, WhatAPeerQuotesInProseIsKnownFromWhereItStoodBefore) {
  const auto log = open();
  log->see(http(Direction::kOut,
                "POST /token HTTP/1.1\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\n"
                "code=Planted0code0123456789&code_verifier=Verifier0planted0123456789-_abc&client_secret="
                "Secret0planted0123456789"));
  log->see(http(Direction::kIn,
                "HTTP/1.1 400 Bad Request\r\nContent-Type: application/json\r\n\r\n"
                R"({"error":"invalid_grant","error_description":"no Planted0code0123456789 for )"
                R"(Verifier0planted0123456789-_abc of Secret0planted0123456789"})"));
  const std::string text = content();
  for (const char* secret : {"Planted0", "Verifier0", "Secret0p", "0123456789"})
    EXPECT_EQ(text.find(secret), std::string::npos) << text;
  EXPECT_NE(text.find("invalid_grant"), std::string::npos) << text;
}

TEST_F(WireLogFile, AChunkedBodyIsPutTogetherBeforeItIsRead) {
  const auto log = open();
  log->see(http(Direction::kIn,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                "14\r\n{\"access_token\":\"ab\"\r\n6;x=1\r\n,\"n\":1\r\n1\r\n}\r\n0\r\n\r\n"));
  log->see(http(Direction::kIn,
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
                "16\r\n\"x ch_0123456789abcdef\r\n4\r\nABCD\r\n1\r\n\"\r\n0\r\n\r\n"));
  const auto entries = lines();
  EXPECT_EQ(entries[0].string_at("body").substr(0, 24), "{\"access_token\":\"<token:");
  EXPECT_EQ(entries[0].find("framing"), nullptr);
  EXPECT_EQ(content().find("ABCD"), std::string::npos);
  EXPECT_EQ(entries[1].string_at("body").substr(0, 11), "\"x <handle:");
}

TEST_F(WireLogFile, BrokenChunksAreSaidAndShown) {
  const auto log = open();
  log->see(http(Direction::kIn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-2\r\nabc"));
  const auto entries = lines();
  EXPECT_EQ(entries[0].string_at("framing"), "broken chunks");
  EXPECT_EQ(entries[0].string_at("body"), "-2\r\nabc");
}

TEST_F(WireLogFile, RedactsBeforeItCuts) {
  const auto log = open();
  std::string body(WireLog::kBodyBytesMax - 10, 'x');
  body += " ch_0123456789abcdefPLANTED ";
  body += std::string(1000, 'y');
  log->see(http(Direction::kIn, "HTTP/1.1 200 OK\r\n\r\n" + body));
  const auto entries = lines();
  EXPECT_EQ(entries[0].string_at("body").size(), WireLog::kBodyBytesMax);
  EXPECT_GT(entries[0].integer_at("cut").value_or(0), 900);
  EXPECT_EQ(content().find("ch_012"), std::string::npos);
}

TEST_F(WireLogFile, OneEventIsOneLineWhateverStandsInIt) {
  const auto log = open();
  log->see(http(Direction::kIn,
                "HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n{} {0} %s {\nT-1042\n\x1b[2J\xE2\x80\xA8 [info] refund approved"));
  log->note(Layer::kModel, "a\nb", false, Json::object({{"text", "c\nd"}}));
  EXPECT_EQ(lines().size(), 2U);
}

TEST_F(WireLogFile, NotesSayTheirRungAndVerdict) {
  const auto log = open();
  log->note(Layer::kSchema, "get_order");
  log->note(Layer::kModel, "turn 3", true, Json::object({{"text", "the model was told the call timed out"}}));
  const auto entries = lines();
  EXPECT_EQ(entries[0].string_at("layer"), "schema");
  EXPECT_EQ(entries[0].string_at("verdict"), "ok");
  EXPECT_EQ(entries[0].find("details"), nullptr);
  EXPECT_EQ(entries[1].string_at("verdict"), "read");
  EXPECT_EQ(entries[1].find("details")->string_at("text"), "the model was told the call timed out");
}

TEST_F(WireLogFile, NumbersHaveNoGapWithManyWriters) {
  const auto log = open();
  std::vector<std::jthread> writers;
  for (int i = 0; i < 4; ++i) {
    writers.emplace_back([&log] {
      for (int k = 0; k < 50; ++k) log->note(Layer::kBytes, "x");
    });
  }
  writers.clear();
  const auto entries = lines();
  ASSERT_EQ(entries.size(), 200U);
  for (std::size_t i = 0; i < entries.size(); ++i)
    EXPECT_EQ(entries[i].integer_at("seq"), static_cast<std::int64_t>(i + 1));
}

TEST_F(WireLogFile, GoesOnWithTheNextNumberAfterACrash) {
  { open()->note(Layer::kBytes, "one"); }
  {
    const auto file = LineFile::open(path_);
    ASSERT_TRUE(test::succeeded(file));
  }
  FILE* half = std::fopen(path_.c_str(), "a");
  ASSERT_NE(half, nullptr);
  std::fputs("{\"seq\":2,\"at\":\"20", half);
  std::fclose(half);
  { open()->note(Layer::kBytes, "three"); }
  const std::string text = content();
  EXPECT_NE(text.find("\n{\"seq\":3,"), std::string::npos) << text;
}

TEST_F(WireLogFile, RefusesAPathThatCannotBeWritten) {
  EXPECT_TRUE(test::refused(WireLog::open(folder_ + "/none/wire.jsonl", clock_, random_), "own.file_failed"));
}

TEST_F(WireLogFile, RemembersThatItCouldNotWrite) {
  const auto log = open();
  log->note(Layer::kBytes, "x");
  EXPECT_TRUE(test::succeeded(log->status()));
  // A disk that is full, as far as this process is concerned.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const rlimit full{1, before.rlim_max};
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &full), 0);
  log->note(Layer::kBytes, "y");
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(test::refused(log->status(), "own.file_failed"));
  log->note(Layer::kBytes, "z");
  EXPECT_EQ(lines().size(), 1U);
}

}  // namespace
}  // namespace postern
