#include "wire/transport/request_framer.h"

#include <gtest/gtest.h>

#include <string>

namespace postern {
namespace {

using Progress = RequestFramer::Progress;

const std::string kPostFive = "POST /mcp?q=1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nhello";
const std::string kPostChunked =
    "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n";

TEST(RequestFramer, GivesOneRequestWhole) {
  RequestFramer framer({});
  framer.append(kPostFive);
  ASSERT_EQ(framer.advance(), Progress::kComplete);
  EXPECT_EQ(framer.request().method, "POST");
  EXPECT_EQ(framer.request().target, "/mcp?q=1");
  EXPECT_EQ(framer.request().body, "hello");
  EXPECT_EQ(framer.raw(), kPostFive);
  ASSERT_EQ(framer.request().headers.fields().size(), 2u);
  EXPECT_EQ(*framer.request().headers.find("host"), "x");
}

TEST(RequestFramer, ReadsTheSameRequestsHoweverTheyAreCut) {
  const std::string all = kPostFive + kPostChunked + kPostFive;
  for (std::size_t piece = 1; piece <= all.size(); ++piece) {
    SCOPED_TRACE(piece);
    RequestFramer framer({});
    std::string seen;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      framer.append(std::string_view(all).substr(at, piece));
      while (framer.advance() == Progress::kComplete) {
        seen += framer.raw();
        EXPECT_EQ(framer.request().body, "hello");
        framer.next();
      }
    }
    EXPECT_EQ(seen, all);
    EXPECT_TRUE(framer.idle());
  }
}

TEST(RequestFramer, RefusesTheSameBytesHoweverTheyAreCut) {
  const std::string bad = "GET / HTTP/1.1\r\nHost: x\r\nX-A: b\nX-C: d\r\n\r\n";
  for (std::size_t piece = 1; piece <= bad.size(); ++piece) {
    RequestFramer framer({});
    Progress progress = Progress::kNeedMore;
    for (std::size_t at = 0; at < bad.size() && progress == Progress::kNeedMore; at += piece) {
      framer.append(std::string_view(bad).substr(at, piece));
      progress = framer.advance();
    }
    EXPECT_EQ(progress, Progress::kRefused) << piece;
    EXPECT_EQ(framer.refusal().status, 400);
  }
}

TEST(RequestFramer, StaysRefusedWhateverComes) {
  RequestFramer framer({});
  framer.append("\r\n\r\n");
  EXPECT_EQ(framer.advance(), Progress::kRefused);
  framer.append("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_EQ(framer.advance(), Progress::kRefused);
}

TEST(RequestFramer, NeedsMoreUntilTheLastByte) {
  for (const std::string& request : {kPostFive, kPostChunked}) {
    RequestFramer framer({});
    framer.append(request.substr(0, request.size() - 1));
    EXPECT_EQ(framer.advance(), Progress::kNeedMore);
    EXPECT_FALSE(framer.idle());
    framer.append(request.substr(request.size() - 1));
    EXPECT_EQ(framer.advance(), Progress::kComplete);
  }
}

TEST(RequestFramer, IgnoresOneEmptyLineBeforeARequest) {
  for (std::size_t piece = 1; piece < 6; ++piece) {
    RequestFramer framer({});
    const std::string all = "\r\n" + kPostFive + "\r\n" + kPostChunked + "\r\n";
    std::string seen;
    for (std::size_t at = 0; at < all.size(); at += piece) {
      framer.append(std::string_view(all).substr(at, piece));
      while (framer.advance() == Progress::kComplete) {
        seen += framer.raw();
        EXPECT_EQ(framer.request().body, "hello");
        framer.next();
      }
    }
    EXPECT_EQ(seen + "\r\n", all);  // the line belongs to what came of the request behind it
    EXPECT_TRUE(framer.idle());     // and is none by itself
    framer.append("\r\n");
    EXPECT_EQ(framer.advance(), Progress::kRefused);
    EXPECT_EQ(framer.refusal().status, 400);
  }
}

TEST(RequestFramer, HoldsNothingAfterItGaveUp) {
  RequestFramer framer({});
  framer.append(kPostFive.substr(0, kPostFive.size() - 1) + std::string(0, 'x'));
  EXPECT_EQ(framer.advance(), Progress::kNeedMore);
  framer.append(std::string(100'000, 'x'));
  EXPECT_GE(framer.held_bytes(), 100'000u);
  framer.give_up();
  EXPECT_LT(framer.held_bytes(), 100u);
  EXPECT_TRUE(framer.request().headers.fields().empty());
  framer.append(kPostFive);
  EXPECT_EQ(framer.advance(), Progress::kRefused);
}

TEST(RequestFramer, OverwritesWhatItHeld) {
  RequestFramer framer({});
  const std::string token = "Authorization: Bearer very-secret-token-of-some-length\r\n";
  framer.append("POST / HTTP/1.1\r\nHost: x\r\n" + token + "Content-Length: 20\r\n\r\nvery-secret-body-too");
  ASSERT_EQ(framer.advance(), Progress::kComplete);
  // These views look into memory that stays allocated: next() keeps small buffers for the next request.
  const std::string_view raw = framer.raw();
  const std::string_view body = framer.request().body;
  EXPECT_NE(raw.find("very-secret"), std::string_view::npos);
  framer.next();
  EXPECT_EQ(raw.find("very-secret"), std::string_view::npos);
  EXPECT_EQ(raw.find_first_not_of('\0'), std::string_view::npos);
  EXPECT_EQ(body.find_first_not_of('\0'), std::string_view::npos);
  EXPECT_TRUE(framer.request().headers.fields().empty());
}

TEST(RequestFramer, OverwritesARequestAndKeepsTheOneBehindIt) {
  RequestFramer framer({});
  framer.append(kPostFive + "GET /second HTTP/1.1\r\nHost: x\r\n\r\n");
  ASSERT_EQ(framer.advance(), Progress::kComplete);
  const std::string_view first = framer.raw();
  framer.next();
  EXPECT_EQ(first.find_first_not_of('\0'), std::string_view::npos);
  ASSERT_EQ(framer.advance(), Progress::kComplete);
  EXPECT_EQ(framer.request().target, "/second");
  EXPECT_EQ(framer.request().body, "");
}

TEST(RequestFramer, RefusesLongHeadsBeforeTheyEnd) {
  FramingLimits limits;
  limits.head_bytes_max = 100;
  RequestFramer framer(limits);
  framer.append("GET / HTTP/1.1\r\nHost: x\r\nX-A: " + std::string(60, 'a'));
  EXPECT_EQ(framer.advance(), Progress::kNeedMore);
  framer.append(std::string(20, 'a'));
  EXPECT_EQ(framer.advance(), Progress::kRefused);
  EXPECT_EQ(framer.refusal().status, 431);
}

TEST(RequestFramer, AdmitsAHeadOfExactlyTheBound) {
  const std::string head = "GET / HTTP/1.1\r\nHost: x\r\nX-A: aaaaaaaaaaaaaaaa\r\n\r\n";
  FramingLimits limits;
  limits.head_bytes_max = head.size();
  RequestFramer at(limits);
  at.append(head);
  EXPECT_EQ(at.advance(), Progress::kComplete);
  limits.head_bytes_max = head.size() - 1;
  RequestFramer over(limits);
  over.append(head);
  EXPECT_EQ(over.advance(), Progress::kRefused);
  EXPECT_EQ(over.refusal().status, 431);
}

}  // namespace
}  // namespace postern
