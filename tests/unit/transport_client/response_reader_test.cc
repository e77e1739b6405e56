// Responses read strictly: each refusal beside the nearest response that is fine, cut at every byte.
#include "wire/transport/response_reader.h"

#include <gtest/gtest.h>

#include "tests/support/refused.h"

namespace postern {
namespace {

// Reads a whole response out of `bytes`, which come in pieces of that size and then end.
struct ReadOutcome {
  Result<HttpResponse> response = HttpResponse{};
  bool reusable = false;
};

ReadOutcome read_response(std::string_view bytes, std::size_t piece = 100'000, ResponseBounds bounds = {},
                          bool body_expected = true) {
  std::size_t at = 0;
  ResponseReader reader(
      [&](char* to, std::size_t size) -> std::ptrdiff_t {
        const std::string_view part = bytes.substr(at, std::min(size, piece));
        part.copy(to, part.size());
        at += part.size();
        return static_cast<std::ptrdiff_t>(part.size());
      },
      bounds, "http://127.0.0.1:1", body_expected);
  ReadOutcome outcome;
  outcome.response = reader.read_head();
  while (outcome.response) {
    const auto body = reader.read_body();
    if (!body) {
      outcome.response = body.error();
      break;
    }
    if (body->empty()) break;
    outcome.response->body += *body;
  }
  outcome.reusable = outcome.response && reader.reusable();
  return outcome;
}

TEST(ResponseReader, ReadsEveryFramingCutAtEveryByte) {
  for (const std::string& response :
       {std::string("HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A:  b\t\r\n\r\nhello"),
        std::string("HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: "
                    "chunked\r\n\r\n2\r\nhe\r\n3;ext=\"x\"\r\nllo\r\n0\r\nX-Trailer: 1\r\n\r\n"),
        std::string(
            "HTTP/1.1 103 Early Hints\r\nX-A: no\r\n\r\nHTTP/1.1 200\r\nX-A: b\r\nContent-Length: 5\r\n\r\nhello")}) {
    for (std::size_t piece = 1; piece <= response.size(); ++piece) {
      const ReadOutcome outcome = read_response(response, piece);
      ASSERT_TRUE(test::succeeded(outcome.response));
      EXPECT_EQ(outcome.response->status, 200);
      EXPECT_EQ(outcome.response->body, "hello");
      EXPECT_EQ(*outcome.response->headers.find("x-a"), "b");
      EXPECT_TRUE(outcome.reusable);
    }
    // And cut off anywhere it is an incomplete answer, never a short one.
    for (std::size_t size = 0; size < response.size(); ++size) {
      EXPECT_TRUE(test::refused(read_response(response.substr(0, size)).response, "transport.closed")) << size;
    }
  }
}

TEST(ResponseReader, ReadsABodyUntilTheClose) {
  const ReadOutcome outcome = read_response("HTTP/1.1 200 OK\r\n\r\nhello");
  ASSERT_TRUE(test::succeeded(outcome.response));
  EXPECT_EQ(outcome.response->body, "hello");
  EXPECT_FALSE(outcome.reusable);
}

TEST(ResponseReader, NeverDecodesAHeaderValue) {
  const ReadOutcome outcome = read_response(
      "HTTP/1.1 401 No\r\nWWW-Authenticate: Bearer realm=\"a%0d%0aX: 1\", x=\"%41\"\r\nContent-Length: 0\r\n\r\n");
  ASSERT_TRUE(test::succeeded(outcome.response));
  EXPECT_EQ(*outcome.response->headers.find("www-authenticate"), "Bearer realm=\"a%0d%0aX: 1\", x=\"%41\"");
}

TEST(ResponseReader, DoesNotReuseWhatIsNotClean) {
  EXPECT_FALSE(read_response("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nConnection: close\r\n\r\nx").reusable);
  EXPECT_FALSE(read_response("HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx").reusable);
  // A second response that nobody asked for.
  EXPECT_FALSE(read_response("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nxHTTP/1.1 200 OK\r\n\r\n").reusable);
  EXPECT_TRUE(read_response("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx").reusable);
}

TEST(ResponseReader, KnowsWhatHasNoBody) {
  EXPECT_TRUE(read_response("HTTP/1.1 204 No Content\r\n\r\n").reusable);
  EXPECT_TRUE(read_response("HTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\n").reusable);
  EXPECT_TRUE(read_response("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n", 100, {}, false).reusable);
}

TEST(ResponseReader, RefusesWhatCanBeReadInTwoWays) {
  const char* const kOk = "HTTP/1.1 200 OK\r\n";
  for (const std::string head :
       {"Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}", "Content-Length: 2, 2\r\n\r\n{}",
        "Content-Length: +2\r\n\r\n{}", "Content-Length: 0x2\r\n\r\n{}", "Content-Length: -2\r\n\r\n{}",
        "Content-Length:\r\n\r\n{}", "Content-Length: 99999999999999999999\r\n\r\n{}",
        "Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n",
        "Transfer-Encoding: identity\r\n\r\n{}", "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n", "X-Folded: a\r\n b\r\nContent-Length: 2\r\n\r\n{}",
        " X: a\r\n\r\n", ": a\r\n\r\n", "no colon\r\n\r\n", "X: a\rb\r\n\r\n", "X: a\nContent-Length: 2\r\n\r\n{}",
        "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}"}) {
    EXPECT_TRUE(test::refused(read_response(kOk + head).response, "transport.malformed_response")) << head;
  }
  std::string nul = "X: a";
  nul += '\0';
  EXPECT_TRUE(test::refused(read_response(kOk + nul + "\r\n\r\n").response, "transport.malformed_response"));
  EXPECT_TRUE(test::succeeded(
      read_response(std::string(kOk) + "Content-Encoding: identity\r\nContent-Length: 2\r\n\r\n{}").response));
}

TEST(ResponseReader, RefusesChunksThatAreNoChunks) {
  const std::string head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n";
  for (const std::string body :
       {"-2\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "+5\r\nhello\r\n0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n",
        "5\nhello\r\n0\r\n\r\n", "\r\n", "2\r\nhello\r\n0\r\n\r\n", "5\r\nhello0\r\n\r\n"}) {
    const ReadOutcome outcome = read_response(head + body);
    ASSERT_FALSE(outcome.response.has_value()) << body;
    EXPECT_TRUE(outcome.response.error().id() == "transport.malformed_response" ||
                outcome.response.error().id() == "transport.response_over_bound")
        << body;
  }
  EXPECT_TRUE(test::refused(read_response(head + "fffffffffffffff\r\n").response, "transport.response_over_bound"));
  EXPECT_TRUE(test::refused(read_response(head + "ffffffffffffffff\r\n").response, "transport.malformed_response"));
  EXPECT_EQ(read_response(head + "5\r\nhello\r\n0\r\n\r\n").response->body, "hello");
}

TEST(ResponseReader, RefusesStatusLinesThatAreNone) {
  for (const std::string line :
       {"HTTP/2 200 OK", "HTTP/1.1 20 OK", "HTTP/1.1 2000 OK", "HTTP/1.1 abc OK", "HTTP/1.1 600 X", "HTTP/1.1  200 OK",
        "ICY 200 OK", "<html>", "HTTP/1.1 101 Switching Protocols"}) {
    EXPECT_TRUE(test::refused(read_response(line + "\r\n\r\n").response, "transport.malformed_response")) << line;
  }
  EXPECT_TRUE(test::succeeded(read_response("HTTP/1.1 200\r\n\r\n").response));
}

TEST(ResponseReader, RefusesWhatIsOverItsBounds) {
  const ResponseBounds bounds{1000, 10, 100};
  const std::string ok = "HTTP/1.1 200 OK\r\n";
  std::string ten;
  for (int i = 0; i < 10; ++i) ten += "X-" + std::to_string(i) + ": v\r\n";
  EXPECT_TRUE(test::succeeded(read_response(ok + ten + "\r\n", 1000, bounds).response));
  EXPECT_TRUE(
      test::refused(read_response(ok + ten + "Y: v\r\n\r\n", 1000, bounds).response, "transport.response_over_bound"));
  EXPECT_TRUE(test::refused(read_response(ok + "X: " + std::string(2000, 'v'), 1000, bounds).response,
                            "transport.response_over_bound"));
  EXPECT_TRUE(test::refused(read_response("HTTP/1.1 200 " + std::string(2000, 'v'), 1000, bounds).response,
                            "transport.response_over_bound"));
  EXPECT_TRUE(test::succeeded(
      read_response(ok + "Content-Length: 100\r\n\r\n" + std::string(100, 'x'), 1000, bounds).response));
  EXPECT_TRUE(test::refused(read_response(ok + "Content-Length: 101\r\n\r\n", 1000, bounds).response,
                            "transport.response_over_bound"));
  EXPECT_TRUE(test::refused(read_response(ok + "\r\n" + std::string(101, 'x'), 1000, bounds).response,
                            "transport.response_over_bound"));
  std::string many = ok + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 101; ++i) many += "1\r\nx\r\n";
  EXPECT_TRUE(test::refused(read_response(many, 1000, bounds).response, "transport.response_over_bound"));
  // Many chunks of nothing but framing.
  std::string framing = ok + "Transfer-Encoding: chunked\r\n\r\n";
  for (int i = 0; i < 20; ++i) framing += "1;" + std::string(200, 'e') + "\r\nx\r\n";
  EXPECT_TRUE(test::refused(read_response(framing, 1000, bounds).response, "transport.response_over_bound"));
  std::string trailers = ok + "Transfer-Encoding: chunked\r\n\r\n0\r\n";
  for (int i = 0; i < 11; ++i) trailers += "T: v\r\n";
  EXPECT_TRUE(test::refused(read_response(trailers + "\r\n", 1000, bounds).response, "transport.response_over_bound"));
  std::string interim;
  for (int i = 0; i < 12; ++i) interim += "HTTP/1.1 100 Continue\r\n\r\n";
  EXPECT_TRUE(
      test::refused(read_response(interim + ok + "\r\n", 1000, bounds).response, "transport.response_over_bound"));
}

}  // namespace
}  // namespace postern
