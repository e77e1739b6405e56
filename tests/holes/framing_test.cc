// More ways to frame a request so that two readers of it disagree. Each row is refused with its status, or served as
// the one request that it is; the connection is closed and the next one works.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/holes/hole.h"
#include "tests/holes/target.h"

namespace postern::holes {
namespace {

std::string chunked_post() {
  return post("Transfer-Encoding: chunked\r\n");
}

std::vector<Hole> chunk_rows() {
  const std::string admin(kAdmin);
  std::vector<Hole> rows;
  // What stands where a chunk's size should: each would be 5, or something else, to some reader.
  for (const char* size : {"05",
                           "00000005",
                           "000000000000000000005",
                           "-5",
                           "-0",
                           "+0",
                           " 5",
                           "\t5",
                           "5\t",
                           "5h",
                           "5L",
                           "0X5",
                           "0x",
                           "$5",
                           "5,",
                           "5;",
                           "5;a=b",
                           "5 ;a=b",
                           "5; a=\"b\"",
                           "5;a=\"\r\n\"",
                           ";5",
                           "\"5\"",
                           "5.0",
                           "\xef\xbc\x95",
                           "5\r",
                           "\r5",
                           "\x0b"
                           "5",
                           "five",
                           "0;a=b",
                           "00",
                           "-"}) {
    rows.push_back({6, size, chunked_post(), std::string(size) + "\r\nhello\r\n0\r\n\r\n" + admin, {400}});
  }
  for (const char* size : {"100000005", "10000000000000005", "fffffffffffffffb", "7fffffffffffffff", "8000000000000000",
                           "ffffffffffffffffffffffff5"}) {
    rows.push_back({6, size, chunked_post(), std::string(size) + "\r\nhello\r\n0\r\n\r\n" + admin, {400}});
  }
  for (const char* size : {"100001", "ffffffff", "80000005", "FFFFFFFB"}) {
    rows.push_back({6, size, chunked_post(), std::string(size) + "\r\nhello\r\n0\r\n\r\n" + admin, {413}});
  }
  const std::vector<std::pair<const char*, std::string>> bodies = {
      {"no line end behind the bytes", "5\r\nhello0\r\n\r\n"},
      {"LF alone behind the bytes", "5\r\nhello\n0\r\n\r\n"},
      {"CR alone behind the bytes", "5\r\nhello\r0\r\n\r\n"},
      {"two line ends behind the bytes", "5\r\nhello\r\n\r\n0\r\n\r\n"},
      {"a chunk shorter than its size", "9\r\nhello\r\n0\r\n\r\n"},
      {"CR alone behind the size", "5\rhello\r\n0\r\n\r\n"},
      {"LF alone behind the last size", "5\r\nhello\r\n0\n\r\n"},
      {"LF alone at the end", "5\r\nhello\r\n0\r\n\n"},
      {"a blank behind the last size", "5\r\nhello\r\n0 \r\n\r\n"},
      {"an extension of the last chunk", "5\r\nhello\r\n0;a=b\r\n\r\n"},
      {"many zeros", "5\r\nhello\r\n000\r\n\r\n"},
      {"NUL behind the size", std::string("5\0\r\nhello\r\n0\r\n\r\n", 15)},
      {"a trailer that frames", "5\r\nhello\r\n0\r\nContent-Length: 36\r\n\r\n"},
      {"a trailer that authorizes", "5\r\nhello\r\n0\r\nAuthorization: Bearer x\r\n\r\n"},
      {"a folded trailer", "5\r\nhello\r\n0\r\n x\r\n\r\n"},
      {"no empty line behind the last chunk", "5\r\nhello\r\n0\r\n"},
  };
  for (const auto& [name, body] : bodies) rows.push_back({6, name, chunked_post(), body + admin, {400}});
  return rows;
}

std::vector<Hole> coding_rows() {
  const std::string admin(kAdmin);
  const std::string ending = "0\r\n\r\n" + admin;
  std::vector<Hole> rows;
  for (const char* value : {"chunked, chunked", "chunked,", ",chunked", "chunked;q=1", "\"chunked\"", "'chunked'",
                            "chunke", "chunkedd", "", "x", "gzip", "deflate, chunked", "gzip, chunked", "chunked, gzip",
                            "identity", "compress", "trailers", "chunked\xc2\xa0", "\xc5\xbf"}) {
    const std::string field = "Transfer-Encoding: " + std::string(value) + "\r\n";
    rows.push_back({8, value, post(field), ending, {501}});
    rows.push_back({8, value, post(field + "Content-Length: 5\r\n"), ending, {501}});
  }
  for (const std::string& fields : std::vector<std::string>{
           "Transfer-Encoding: chunked\r\nContent-Length: 0\r\n",
           "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\nX-A: 1\r\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\ntransfer-encoding: x\r\n",
           "Transfer-Encoding: chunked\x0b\r\n",
           "Transfer-Encoding: \x0b"
           "chunked\r\n",
           std::string("Transfer-Encoding: chunked\0\r\n", 29),
           std::string("Transfer-Encoding\0: chunked\r\n", 29),
           "Transfer-Encoding\t: chunked\r\n",
           "Transfer Encoding: chunked\r\n",
           " Transfer-Encoding: chunked\r\n",
           "Transfer-Encoding: chunked\r\r\n",
           "X: x\rTransfer-Encoding: chunked\r\n",
           "X: x\nTransfer-Encoding: chunked\r\n",
           "Transfer-Encoding\r\n: chunked\r\n",
           "Transfer-Encoding\xe2\x80\x8b: chunked\r\n",
       }) {
    rows.push_back({8, fields, post(fields), ending, {400}});
  }
  rows.push_back({8, "folded value", post("Transfer-Encoding:\r\n chunked\r\n"), ending, {501}});
  // Names that only resemble the one that frames are names like any other: the length counts.
  for (const char* name : {"Transfer_Encoding", "Transfer-Encodings", "X-Transfer-Encoding", "TE"}) {
    const std::string fields = std::string(name) + ": chunked\r\nContent-Length: 5\r\n";
    rows.push_back({8, name, post(fields), "hello" + last_get(), {200, 200}, "body=5:hello"});
  }
  const std::string tenth = "POST /mcp HTTP/1.0\r\nHost: x\r\n";
  rows.push_back({8, "HTTP/1.0, chunked", tenth + "Transfer-Encoding: chunked\r\n\r\n", ending, {505}});
  rows.push_back({8, "HTTP/1.0 with a length", tenth + "Content-Length: 5\r\n\r\n", "hello" + admin, {505}});
  rows.push_back(
      {8, "HTTP/1.0, kept alive", tenth + "Connection: keep-alive\r\nContent-Length: 0\r\n\r\n", admin, {505}});
  return rows;
}

std::vector<Hole> length_rows() {
  const std::string admin(kAdmin);
  std::vector<Hole> rows;
  for (const char* value : {"05",
                            "00",
                            "005",
                            "0x5",
                            "0b101",
                            "5.",
                            "5.0",
                            "5e0",
                            "5,",
                            "5;",
                            ",5",
                            "5,5",
                            "5 5",
                            "\"5\"",
                            "-5",
                            "-0",
                            "+5",
                            "5h",
                            "five",
                            "1_0",
                            "\xef\xbc\x95",
                            "99999999999999999999999",
                            "18446744073709551621"}) {
    rows.push_back({9, value, post("Content-Length: " + std::string(value) + "\r\n"), "hello" + admin, {400}});
  }
  for (const char* value : {"1048577", "4294967301", "999999999999999999"}) {
    rows.push_back({10, value, post("Content-Length: " + std::string(value) + "\r\n"), "hello" + admin, {413}});
  }
  for (const char* fields :
       {"Content-Length: 5\r\ncontent-length: 5\r\n", "Content-Length: 0\r\nX-A: 1\r\nContent-Length: 5\r\n",
        "Content-Length : 5\r\n", "Content-Length\t: 5\r\n", " Content-Length: 5\r\n", "Content-Length: 5\x0b\r\n",
        "Content-Length: 5\r\r\n", "Content-Length:\r\n 5\r\n", "Content Length: 5\r\n"}) {
    rows.push_back({9, fields, post(fields), "hello" + admin, {400}});
  }
  rows.push_back({9,
                  "a length that a proxy is asked to drop",
                  post("Connection: content-length, close\r\nContent-Length: 5\r\n"),
                  "hello" + admin,
                  {200},
                  "body=5:hello"});
  // Content without a length (RFC 9110 section 15.5.12): where it ends is anybody's guess.
  const std::string typed = "Content-Type: application/json\r\n";
  rows.push_back({20, "a POST of JSON without a length", post(typed), "{}" + admin, {411}});
  rows.push_back(
      {20, "a PUT of JSON without a length", "PUT /mcp HTTP/1.1\r\nHost: x\r\n" + typed + "\r\n", admin, {411}});
  rows.push_back(
      {20, "a POST of JSON of length 0", post(typed + "Content-Length: 0\r\n"), last_get(), {200, 200}, "body=0:"});
  rows.push_back({20, "a GET with a type and nothing else", get(typed), last_get(), {200, 200}, "ok"});
  return rows;
}

std::vector<Hole> line_rows() {
  const std::string admin(kAdmin);
  const std::string whole = get("Connection: close\r\n");
  std::vector<Hole> rows = {
      // RFC 9112 section 2.2: one empty line before a request is ignored.
      {21, "an empty line", "\r\n" + whole, "", {200}, "ok"},
      {21, "an empty line behind a body", post("Content-Length: 5\r\n") + "hello\r\n", whole, {200, 200}, "ok"},
      {21, "an empty line before each", "\r\n" + get("") + "\r\n", whole, {200, 200}, "ok"},
      {21, "two empty lines", "\r\n\r\n" + whole, "", {400}},
      {21, "LF before a request", "\n" + whole, "", {400}},
      {21, "CR before a request", "\r" + whole, "", {400}},
      {21, "CR LF LF before a request", "\r\n\n" + whole, "", {400}},
      {21, "a blank before a request", " " + whole, "", {400}},
      {21, "a line of a blank before a request", " \r\n" + whole, "", {400}},
      {21, "NUL before a request", std::string("\0", 1) + whole, "", {400}},
      {21, "BOM before a request", "\xef\xbb\xbf" + whole, "", {400}},
  };
  for (const char* line : {"GET\t/health HTTP/1.1",
                           "GET /health\tHTTP/1.1",
                           " GET /health HTTP/1.1",
                           "GET /health HTTP/1.1\r",
                           "GET /health HTTP/1.1\t",
                           "GET /health\rHTTP/1.1",
                           "GET /health\x0b HTTP/1.1",
                           "GET\xc2\xa0/health HTTP/1.1",
                           "G\xc3\x89T /health HTTP/1.1",
                           "GET: /health HTTP/1.1",
                           "GET/1 /health",
                           "GET health HTTP/1.1",
                           "GET  HTTP/1.1",
                           "GET /health HTTP/1.10",
                           "GET /health HTTP/01.1",
                           "GET /health HTTP/1,1",
                           "GET /health HTTP/1",
                           "GET /health HTTP/",
                           "GET /health HTTP/1.1 HTTP/1.1",
                           "GET /health HTTPS/1.1",
                           "GET /health \"HTTP/1.1\"",
                           "GET /he\x7flth HTTP/1.1",
                           "GET /h\xc3\xa9 HTTP/1.1",
                           "GET /%u0041 HTTP/1.1",
                           "GET /%zz HTTP/1.1",
                           "GET /?q=%0 HTTP/1.1",
                           "GET ?q HTTP/1.1",
                           "GET x:1 HTTP/1.1",
                           "HTTP/1.1 200 OK",
                           "SSH-2.0-OpenSSH_9.2",
                           "EHLO evil.test",
                           "RTSP/1.0 200 OK",
                           "OPTIONS rtsp://x/ RTSP/1.0",
                           "PROXY TCP4 192.0.2.7 192.0.2.8 1 2"}) {
    rows.push_back({17, line, request_line(line), admin, {400}});
  }
  for (const char* line :
       {"GET /health HTTP/0.9", "GET /health HTTP/1.2", "GET /health HTTP/2.0", "GET /health HTTP/9.9"}) {
    rows.push_back({17, line, request_line(line), admin, {505}});
  }
  for (const std::string& method : {std::string("TRACE"), std::string("TRACK"), std::string("PROPFIND"),
                                    std::string("Get"), std::string("GETT"), std::string("!"), std::string(500, 'M')}) {
    rows.push_back({17, method, request_line(method + " /health HTTP/1.1"), admin, {501}});
  }
  rows.push_back({17, "PROXY protocol, version 2", std::string("\r\n\r\n\0\r\nQUIT\n\x21\x11\0\0", 16), admin, {400}});
  // A path is compared as it came: nothing in it is resolved, decoded or cut before.
  for (const char* path : {"//admin", "/./admin", "/x/../admin", "/admin/", "/admin;x", "/%61dmin", "/admin%2f",
                           "/admin%20", "/ADMIN", "/..;/admin", "/x/%2e%2e/admin"}) {
    rows.push_back(
        {17, path, "GET " + std::string(path) + " HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", "", {404}});
  }
  return rows;
}

std::vector<Hole> field_rows() {
  const std::string admin(kAdmin);
  std::vector<Hole> rows;
  for (const std::string& field : std::vector<std::string>{"X-A\r\n",
                                                           "X-A : 1\r\n",
                                                           ": 1\r\n",
                                                           " : 1\r\n",
                                                           "X(A): 1\r\n",
                                                           "X/A: 1\r\n",
                                                           "X\"A: 1\r\n",
                                                           "X-\xc3\xa4: 1\r\n",
                                                           "X-A: \x01\r\n",
                                                           "X-A: \x7f\r\n",
                                                           "X-A: a\x08\r\n",
                                                           "X-A: a\r\r\n",
                                                           "X-A: a\rb\r\n",
                                                           " X-A: 1\r\n",
                                                           "\tX-A: 1\r\n",
                                                           "X-A: 1\r\n folded\r\n",
                                                           "X-A: 1\r\n\tfolded\r\n",
                                                           "Host: y\r\n",
                                                           "host: x\r\n",
                                                           "GET /admin HTTP/1.1\r\n"}) {
    rows.push_back({17, field, get(field), admin, {400}});
  }
  for (const char* host :
       {"", " ", "x/y", "x y", "x@y", "x,y", "x%00", "x?y", "x#y", "x\\y", "\xc3\xa4.test", "http://x", "x;y"}) {
    rows.push_back({17, host, "GET /health HTTP/1.1\r\nHost: " + std::string(host) + "\r\n\r\n", admin, {400}});
  }
  for (const char* expectation : {"100-continue, x", "100-continue, 100-continue", "100 continue", "200-ok", "",
                                  "\"100-continue\"", "100-continue\r\nExpect: 100-continue"}) {
    const std::string fields = "Expect: " + std::string(expectation) + "\r\nContent-Length: 5\r\n";
    rows.push_back({22, expectation, post(fields), "hello" + admin, {417}, "Connection: close"});
  }
  for (const char* coding : {"gzip", "identity", "deflate", "br", "x, gzip", ""}) {
    const std::string fields = "Content-Encoding: " + std::string(coding) + "\r\nContent-Length: 5\r\n";
    rows.push_back({5, coding, post(fields), "hello" + admin, {415}});
  }
  rows.push_back({3, "a name over its bound", get(std::string(13'000, 'N') + ": 1\r\n"), admin, {431}});
  rows.push_back({3, "a name without an end", get("").substr(0, kGet.size()) + std::string(20'000, 'N'), admin, {431}});
  return rows;
}

class EveryFraming : public HoleTest {};

TEST_P(EveryFraming, OfChunksIsRefused) {
  try_rows(chunk_rows());
}
TEST_P(EveryFraming, ByTransferCodingsIsRefusedOrServedAsOneRequest) {
  try_rows(coding_rows());
}
TEST_P(EveryFraming, ByLengthsIsRefusedOrServedAsOneRequest) {
  try_rows(length_rows());
}
TEST_P(EveryFraming, OfRequestLinesIsRefusedOrServedAsItStands) {
  try_rows(line_rows());
}
TEST_P(EveryFraming, OfFieldsIsRefused) {
  try_rows(field_rows());
}

INSTANTIATE_TEST_SUITE_P(Segments, EveryFraming, testing::Values(false, true), segments);

// RFC 9110 section 10.1.1.
TEST(Expectation, OfAContinueIsMetWhenTheBodyIsWanted) {
  Target target;
  for (const std::string framing : {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"}) {
    test::RawConnection connection(target.port());
    connection.send(post("Expect: 100-Continue\r\n" + framing));
    ASSERT_TRUE(connection.read_until("\r\n\r\n"));
    EXPECT_EQ(connection.received(), "HTTP/1.1 100 Continue\r\n\r\n");
    connection.send(framing.starts_with('C') ? "hello" : "5\r\nhello\r\n0\r\n\r\n");
    connection.send(last_get());
    EXPECT_TRUE(connection.closes());
    EXPECT_EQ(test::statuses_in(connection.received()), (std::vector<int>{100, 200, 200}));
    EXPECT_NE(connection.received().find("body=5:hello"), std::string::npos);
  }
}

TEST(Expectation, OfAContinueIsNotMetWhenItIsNotNeededOrTheRequestIsRefused) {
  Target target;
  const std::string wish = "Expect: 100-continue\r\n";
  const std::vector<std::pair<std::string, std::vector<int>>> rows = {
      {post(wish + "Content-Length: 5\r\n") + "hello" + last_get(), {200, 200}},  // it came at once
      {post(wish + "Content-Length: 5\r\n") + "h", {}},                           // it is on its way
      {post(wish + "Content-Length: 0\r\n") + last_get(), {200, 200}},
      {post(wish) + last_get(), {200, 200}},
      {get(wish) + last_get(), {200, 200}},
      {post(wish + "Content-Length: 2097152\r\n"), {413}},
      {post(wish + "Content-Length: 5\r\nContent-Length: 5\r\n"), {400}},
      {post(wish + "Content-Encoding: gzip\r\nContent-Length: 5\r\n"), {415}},
  };
  for (const auto& [bytes, statuses] : rows) {
    SCOPED_TRACE(bytes);
    test::RawConnection connection(target.port());
    connection.send(bytes);
    if (statuses.empty()) connection.finish_sending();
    EXPECT_TRUE(connection.closes());
    EXPECT_EQ(test::statuses_in(connection.received()), statuses);
  }
}

}  // namespace
}  // namespace postern::holes
