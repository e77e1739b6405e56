#include <algorithm>
#include <vector>

#include "tests/fuzz/pieces.h"
#include "tests/fuzz/targets.h"
#include "wire/base/check.h"
#include "wire/transport/request_framer.h"

namespace postern::fuzz {
namespace {

constexpr FramingLimits kLimits{512, 8, 128};

// What a connection said: each request as text, and how it ended.
struct Reading {
  std::vector<std::string> requests;
  std::string consumed;  // the raw bytes of the requests
  int refused = 0;       // status; 0 when it wants more bytes
  bool idle = false;

  friend bool operator==(const Reading&, const Reading&) = default;
};

void check_request(const HttpRequest& request, std::string_view raw) {
  const auto holds_no_line_end = [](std::string_view text) { return text.find_first_of("\r\n") == text.npos; };
  POSTERN_CHECK(!request.target.empty() && request.target.front() == '/');
  POSTERN_CHECK(holds_no_line_end(request.target) && request.target.find(' ') == std::string::npos);
  POSTERN_CHECK(request.headers.fields().size() <= kLimits.header_lines_max);
  POSTERN_CHECK(request.body.size() <= kLimits.body_bytes_max);
  POSTERN_CHECK(request.headers.all("host").size() == 1);
  POSTERN_CHECK(request.headers.all("content-length").size() + request.headers.all("transfer-encoding").size() <= 1);
  for (const HeaderField& field : request.headers.fields()) {
    POSTERN_CHECK(!field.name.empty() && field.name.find_first_of(" \t:\r\n") == std::string::npos);
    POSTERN_CHECK(holds_no_line_end(field.value) && field.value.find('\0') == std::string::npos);
    POSTERN_CHECK(raw.find(field.value) != std::string_view::npos);  // never decoded
  }
}

std::string text_of(const HttpRequest& request) {
  std::string text = request.method + " " + request.target + "\n";
  for (const HeaderField& field : request.headers.fields()) text += field.name + ":" + field.value + "\n";
  return text + "\n" + request.body;
}

// False when the connection is refused.
bool read_on(RequestFramer& framer, Reading& out) {
  for (;;) {
    const auto progress = framer.advance();
    if (progress == RequestFramer::Progress::kNeedMore) return true;
    if (progress == RequestFramer::Progress::kRefused) {
      out.refused = framer.refusal().status;
      POSTERN_CHECK(out.refused >= 400 && out.refused < 600 && !framer.refusal().text.empty());
      return false;
    }
    check_request(framer.request(), framer.raw());
    out.requests.push_back(text_of(framer.request()));
    out.consumed += framer.raw();
    framer.next();
  }
}

Reading read_in_pieces(std::string_view input, std::size_t longest) {
  RequestFramer framer(kLimits);
  Reading out;
  Pieces pieces(input, longest, longest);
  for (std::string_view piece = pieces.next(); !piece.empty(); piece = pieces.next()) {
    framer.append(piece);
    if (!read_on(framer, out)) return out;
  }
  out.idle = framer.idle();
  return out;
}

}  // namespace

void http_request(std::string_view input) {
  const Reading whole = read_in_pieces(input, input.size() + 1);
  POSTERN_CHECK(input.substr(0, whole.consumed.size()) == whole.consumed);
  // Idle: nothing waits but the empty line that may stand before a request (RFC 9112 section 2.2).
  const std::string_view waiting = input.substr(whole.consumed.size());
  if (whole.refused == 0) POSTERN_CHECK(whole.idle == (waiting.empty() || waiting == "\r\n"));
  for (const std::size_t longest : {std::size_t{1}, std::size_t{5}, std::size_t{60}}) {
    POSTERN_CHECK(read_in_pieces(input, longest) == whole);
  }
}

}  // namespace postern::fuzz
