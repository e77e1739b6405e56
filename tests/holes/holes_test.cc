// The known weaknesses of HTTP servers of this kind (docs/decisions: frame first, library second), one table. Each row
// sends bytes and says which statuses come back; the row after a refusal is the nearest request that is served.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/holes/hole.h"
#include "tests/holes/target.h"
#include "tests/support/raw_connection.h"

namespace postern::holes {
namespace {

using test::RawConnection;

std::vector<Hole> framing_rows() {
  const std::string admin(kAdmin);
  const std::string chunked = "Transfer-Encoding: chunked\r\n";
  std::vector<Hole> rows = {
      {2, "a body without a length is no body", post(""), "0123456789\r\n\r\n", {200, 400}, "body=0:"},
      {2,
       "a body with its length is one",
       post("Content-Length: 10\r\n"),
       "0123456789" + last_get(),
       {200, 200},
       "body=10:"},
      {6, "chunk size -2", post(chunked), "-2\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size 0x5", post(chunked), "0x5\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size +5", post(chunked), "+5\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size 5 and a blank", post(chunked), "5 \r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size 5 and garbage", post(chunked), "5 garbage\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size of nothing", post(chunked), "\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size that wraps", post(chunked), "fffffffffffffffe\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size over the bound", post(chunked), "ffffffff\r\n", {413}},
      {6, "chunk extension", post(chunked), "5;name=value\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk size line with LF only", post(chunked), "5\nhello\r\n0\r\n\r\n", {400}},
      {6, "chunk longer than its size", post(chunked), "4\r\nhello\r\n0\r\n\r\n", {400}},
      {6, "trailer", post(chunked), "5\r\nhello\r\n0\r\nX-Late: 1\r\n\r\n", {400}},
      {6,
       "plain chunks",
       post(chunked),
       "5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n" + last_get(),
       {200, 200},
       "body=11:hello world"},
      {6,
       "plain chunks, A as a digit",
       post(chunked),
       "A\r\n0123456789\r\n0\r\n\r\n" + last_get(),
       {200, 200},
       "body=10:"},
      {7, "GET with a body that is a request", get(length_of(admin)), admin + last_get(), {200, 200}},
      {7,
       "GET of nothing with a body that is a request",
       "GET /none HTTP/1.1\r\nHost: x\r\n" + length_of(admin) + "\r\n",
       admin + last_get(),
       {404, 200}},
      {7,
       "POST of nothing with a body that is a request",
       "POST /none HTTP/1.1\r\nHost: x\r\n" + length_of(admin) + "\r\n",
       admin + last_get(),
       {404, 200}},
      {7,
       "DELETE with a chunked body that is a request",
       "DELETE /mcp HTTP/1.1\r\nHost: x\r\n" + chunked + "\r\n",
       "20\r\n" + admin + "\r\n0\r\n\r\n" + last_get(),
       {200, 200},
       "deleted"},
      {8, "both lengths", post(length_of("0\r\n\r\n" + admin) + chunked), "0\r\n\r\n" + admin, {400}},
      {8, "both lengths, the other way round", post(chunked + "Content-Length: 5\r\n"), "0\r\n\r\n" + admin, {400}},
      {8, "chunked, identity", post("Transfer-Encoding: chunked, identity\r\n"), "0\r\n\r\n" + admin, {501}},
      {8, "identity, chunked", post("Transfer-Encoding: identity, chunked\r\n"), "0\r\n\r\n" + admin, {501}},
      {8, "gzip, chunked", post("Transfer-Encoding: gzip, chunked\r\n"), "0\r\n\r\n" + admin, {501}},
      {8, "xchunked", post("Transfer-Encoding: xchunked\r\nContent-Length: 5\r\n"), "0\r\n\r\n" + admin, {501}},
      {8,
       "a blank before the colon",
       post("Transfer-Encoding : chunked\r\nContent-Length: 5\r\n"),
       "0\r\n\r\n" + admin,
       {400}},
      {8, "two codings", post(chunked + chunked), "0\r\n\r\n" + admin, {400}},
      {8, "two codings, one unknown", post(chunked + "Transfer-Encoding: identity\r\n"), "0\r\n\r\n" + admin, {400}},
      {8, "a folded coding", post("X-A: 1\r\n Transfer-Encoding: chunked\r\n"), "0\r\n\r\n" + admin, {400}},
      {8, "one coding", post("Transfer-Encoding: Chunked\r\n"), "0\r\n\r\n" + last_get(), {200, 200}, "body=0:"},
      {9, "two lengths", post("Content-Length: 0\r\nContent-Length: 32\r\n"), admin, {400}},
      {9, "two equal lengths", post("Content-Length: 5\r\nContent-Length: 5\r\n"), "hello" + admin, {400}},
      {9, "a list of lengths", post("Content-Length: 5, 5\r\n"), "hello" + admin, {400}},
      {9, "length +5", post("Content-Length: +5\r\n"), "hello" + admin, {400}},
      {9, "length 5 5", post("Content-Length: 5 5\r\n"), "hello" + admin, {400}},
      {9, "length 0x24", post("Content-Length: 0x24\r\n"), admin, {400}},
      {9, "length abc", post("Content-Length: abc\r\n"), admin, {400}},
      {9, "length of nothing", post("Content-Length:\r\n"), admin, {400}},
      {9, "one length", post("content-length:   5  \r\n"), "hello" + last_get(), {200, 200}, "body=5:hello"},
      {10, "length -1", post("Content-Length: -1\r\n"), admin, {400}},
      {10, "length of 20 digits", post("Content-Length: 99999999999999999999\r\n"), admin, {400}},
      {10, "length over the bound", post("Content-Length: 2097152\r\n"), admin, {413}},
      {18, "two requests in one segment", get(""), last_get(), {200, 200}, "ok"},
      {18, "a request and garbage", get(""), "\r\n\r\n", {200, 400}},
  };
  return rows;
}

std::vector<Hole> head_rows() {
  const std::string close = "Connection: close\r\n";
  std::vector<Hole> rows = {
      {3, "request line over its bound", request_line("GET /cases/" + std::string(8200, 'a') + " HTTP/1.1"), "", {414}},
      {3,
       "request line within it",
       "GET /cases/" + std::string(8100, 'a') + " HTTP/1.1\r\nHost: x\r\n" + close + "\r\n",
       "",
       {200},
       "8107"},
      {3, "header line over its bound", get("X-Long: " + std::string(13'000, 'a') + "\r\n"), "", {431}},
      {3, "header line within it", get("X-Long: " + std::string(9000, 'a') + "\r\n" + close), "", {200}},
      {5, "gzip body", post("Content-Encoding: gzip\r\nContent-Length: 4\r\n"), "\x1f\x8b\x08\x01", {415}},
      {5,
       "the same bytes as they are",
       post("Content-Length: 4\r\n"),
       "\x1f\x8b\x08\x01" + last_get(),
       {200, 200},
       "body=4:"},
      {11,
       "percent-encoded line end in a header",
       "GET /echo HTTP/1.1\r\nHost: x\r\nX-In: a%0d%0aSet-Cookie: s=1\r\n" + close + "\r\n",
       "",
       {200},
       "X-Echo: a%0d%0aSet-Cookie: s=1\r\n",
       "\nSet-Cookie"},
      {11,
       "percent in a header is no escape",
       "GET /echo HTTP/1.1\r\nHost: x\r\nX-In: plain%41%\r\n" + close + "\r\n",
       "",
       {200},
       "X-Echo: plain%41%\r\n",
       "plainA"},
      {11,
       "line end in a response header",
       "GET /split HTTP/1.1\r\nHost: x\r\n" + close + "\r\n",
       "",
       {500},
       "",
       "Set-Cookie"},
      {12, "REMOTE_ADDR", post("REMOTE_ADDR: 10.9.9.9\r\n"), "", {400}},
      {12, "remote_port", post("remote_port: 1\r\n"), "", {400}},
      {12, "Local_Addr", post("Local_Addr: 10.9.9.9\r\n"), "", {400}},
      {12, "LOCAL_PORT", post("LOCAL_PORT: 1\r\n"), "", {400}},
      {12, "another name", post("X-Remote-Addr: 10.9.9.9\r\n" + close), "", {200}},
      {13, "exception", "GET /throw HTTP/1.1\r\nHost: x\r\n" + close + "\r\n", "", {500}, "", "hunter2"},
      {13,
       "exception that is no std::exception",
       "GET /throw-number HTTP/1.1\r\nHost: x\r\n" + close + "\r\n",
       "",
       {500},
       "",
       "EXCEPTION_WHAT"},
      {15,
       "overlapping ranges",
       "GET /big HTTP/1.1\r\nHost: x\r\nRange: bytes=0-,0-,0-,0-,0-,0-\r\n" + close + "\r\n",
       "",
       {200},
       "Content-Length: 100000\r\n",
       "Content-Range"},
      {15, "range that is none", get("Range: bytes=9-1\r\n" + close), "", {200}},
      {17, "no Host", "GET /health HTTP/1.1\r\n\r\n", "", {400}},
      {17, "two Hosts", "GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n", "", {400}},
      {17, "Host of two", "GET /health HTTP/1.1\r\nHost: a, b\r\n\r\n", "", {400}},
      {17, "Host with a user", "GET /health HTTP/1.1\r\nHost: u@a\r\n\r\n", "", {400}},
      {17, "empty Host", "GET /health HTTP/1.1\r\nHost:\r\n\r\n", "", {400}},
      {17, "one Host", "GET /health HTTP/1.1\r\nhost: [::1]:80\r\n" + close + "\r\n", "", {200}},
      {17, "LF alone ends the lines", "GET /health HTTP/1.1\nHost: x\n\n", "", {400}},
      {17, "LF alone ends one line", "GET /health HTTP/1.1\r\nHost: x\nX-Skipped: 1\r\n\r\n", "", {400}},
      {17, "LF alone ends the head", "GET /health HTTP/1.1\r\nHost: x\r\n\n", "", {400}},
      {17, "CR alone in a value", get("X-A: a\rContent-Length: 5\r\n"), "", {400}},
      {17, "NUL in a value", get(std::string("X-A: a\0b\r\n", 10)), "", {400}},
      {17, "ESC in a value", get("X-A: a\x1b[2J\r\n"), "", {400}},
      {17, "a tab in a value", get("X-A: a\tb\r\n" + close), "", {200}},
      {17, "UTF-8 in a value", get("X-A: \xc3\xa4\r\n" + close), "", {200}},
      {17, "header without a name", get(": a\r\n"), "", {400}},
      {17, "header without a colon", get("X-A\r\n"), "", {400}},
      {17, "%00 in the path", request_line("GET /health%00.txt HTTP/1.1"), "", {400}},
      {17, "broken escape in the path", request_line("GET /cases/%4 HTTP/1.1"), "", {400}},
      {17,
       "an escape in the path",
       "GET /cases/%41?q=%20 HTTP/1.1\r\nHost: x\r\n" + close + "\r\n",
       "",
       {200},
       "\r\n\r\n10"},
      {17,
       "a second question mark",
       "GET /cases/a?b=/c?d HTTP/1.1\r\nHost: x\r\n" + close + "\r\n",
       "",
       {200},
       "\r\n\r\n8"},
      {17, "backslash in the path", request_line("GET /cases/..\\a HTTP/1.1"), "", {400}},
      {17, "fragment in the path", request_line("GET /health#a HTTP/1.1"), "", {400}},
      {17, "absolute form", request_line("GET http://evil.test/health HTTP/1.1"), "", {400}},
      {17, "asterisk form", request_line("OPTIONS * HTTP/1.1"), "", {400}},
      {17, "two blanks", request_line("GET  /health HTTP/1.1"), "", {400}},
      {17, "a blank at the end", request_line("GET /health HTTP/1.1 "), "", {400}},
      {17, "no version", "GET /health\r\n\r\n", "", {400}},
      {17, "TLS hello", std::string("\x16\x03\x01\x02\x00", 5), "", {400}},
      {17, "HTTP/1.0", "GET /health HTTP/1.0\r\n\r\n", "", {505}, "proxy_http_version 1.1"},
      {17, "HTTP/3.7", request_line("GET /health HTTP/3.7"), "", {505}},
      {17, "HTTP/2 preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "", {505}},
      {17, "http/1.1", request_line("GET /health http/1.1"), "", {400}},
      {17, "unknown method", request_line("BREW /health HTTP/1.1"), "", {501}},
      {17, "get", request_line("get /health HTTP/1.1"), "", {501}},
      {17, "CONNECT", request_line("CONNECT x:1 HTTP/1.1"), "", {501}},
      {17, "Expect", post("Expect: 200-ok\r\nContent-Length: 5\r\n"), "hello", {417}},
      {17,
       "Upgrade",
       get("Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAM\r\n"),
       "",
       {200}},
      {19,
       "a client that takes compressed replies",
       "GET /big HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip, deflate, br\r\n" + close + "\r\n",
       "",
       {200},
       "Content-Length: 100000\r\n",
       "Content-Encoding"},
  };
  return rows;
}

class EveryHole : public HoleTest {};

TEST_P(EveryHole, OfBodiesIsRefusedOrServedAsOneRequest) {
  try_rows(framing_rows());
}
TEST_P(EveryHole, OfHeadsIsRefusedOrServedAsItStands) {
  try_rows(head_rows());
}

INSTANTIATE_TEST_SUITE_P(Segments, EveryHole, testing::Values(false, true), segments);

TEST(ForbiddenRequest, IsServedWhenItIsSentPlainly) {
  // The control of the rows above: what they smuggle would be seen.
  Target target;
  RawConnection connection(target.port());
  connection.send(kAdmin);
  EXPECT_EQ(connection.reply()->body, "ADMIN");
  EXPECT_EQ(target.admin_calls(), 1);
}

}  // namespace
}  // namespace postern::holes
