#include "wire/transport/response_reader.h"

#include <algorithm>
#include <limits>

#include "wire/base/visible_text.h"

namespace postern {
namespace {

constexpr std::size_t kReadSize = 16 * 1024;
constexpr std::size_t kChunkLineMax = 256;
constexpr int kInterimMax = 8;

bool is_token(std::string_view text) {
  constexpr std::string_view kMarks = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           kMarks.find(c) != std::string_view::npos;
  });
}

bool has_control(std::string_view text) {
  return std::any_of(text.begin(), text.end(), [](char c) {
    const auto value = static_cast<unsigned char>(c);
    return (value < 0x20 && c != '\t') || value == 0x7F;
  });
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

// Digits only, no sign, no blank, no overflow.
std::optional<std::uint64_t> decimal(std::string_view text) {
  if (text.empty() || text.size() > 18) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<std::uint64_t>(c - '0');
  }
  return value;
}

std::optional<std::uint64_t> hexadecimal(std::string_view text) {
  if (text.empty() || text.size() > 15) return std::nullopt;
  std::uint64_t value = 0;
  for (const char c : text) {
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return std::nullopt;
    value = value * 16 + static_cast<std::uint64_t>(digit);
  }
  return value;
}

}  // namespace

ResponseReader::ResponseReader(Read read, ResponseBounds bounds, std::string where, bool body_expected)
    : read_(std::move(read)), bounds_(bounds), where_(std::move(where)), body_expected_(body_expected) {}

// Reads some bytes behind those that are there; false when there are no more.
bool ResponseReader::fill() {
  if (at_ == buffer_.size()) {
    buffer_.clear();
    at_ = 0;
  } else if (at_ >= kReadSize) {
    buffer_.erase(0, at_);
    at_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadSize);
  const std::ptrdiff_t got = read_(buffer_.data() + before, kReadSize);
  buffer_.resize(before + static_cast<std::size_t>(std::max<std::ptrdiff_t>(got, 0)));
  if (got > 0) got_bytes_ = true;
  ended_ = got == 0;
  return got > 0;
}

// One line without its CRLF. The view is good until the next read.
Result<std::string_view> ResponseReader::read_line(const char* what, std::size_t bytes_max) {
  std::size_t scanned = 0;
  for (;;) {
    const std::string_view ahead = std::string_view(buffer_).substr(at_);
    const std::size_t line_feed = ahead.find('\n', scanned);
    if (std::min(line_feed, ahead.size()) > bytes_max) return over(std::string("too many bytes of ") + what);
    if (line_feed != std::string_view::npos) {
      if (line_feed == 0 || ahead[line_feed - 1] != '\r') return malformed("a line that ends with a line feed alone");
      const std::string_view line = ahead.substr(0, line_feed - 1);
      if (has_control(line)) return malformed("a control character in its head");
      at_ += line_feed + 1;
      return line;
    }
    scanned = ahead.size();
    if (!fill()) return PeerClosed{where_};
  }
}

Result<HttpResponse> ResponseReader::read_head() {
  for (int interim = 0; interim <= kInterimMax; ++interim) {
    HttpResponse response;
    POSTERN_TRY_VOID(read_status_line(response));
    POSTERN_TRY_VOID(read_headers(response));
    if (response.status == 101) return malformed("it switches protocols, which was not asked for");
    if (response.status < 200) continue;
    POSTERN_TRY_VOID(choose_framing(response));
    return response;
  }
  return over("more than " + std::to_string(kInterimMax) + " interim responses");
}

Status ResponseReader::read_status_line(HttpResponse& response) {
  POSTERN_TRY(const std::string_view line,
              read_line("status line", bounds_.header_bytes_max - std::min(bounds_.header_bytes_max, head_bytes_)));
  head_bytes_ += line.size() + 2;
  const bool old = line.substr(0, 9) == "HTTP/1.0 ";
  if (!old && line.substr(0, 9) != "HTTP/1.1 ") return malformed("it begins with \"" + visible_line(line, 40) + "\"");
  const auto status = decimal(line.substr(9, 3));
  if (!status || *status < 100 || *status > 599 || (line.size() > 12 && line[12] != ' '))
    return malformed("its status is no number");
  response.status = static_cast<int>(*status);
  if (old) reusable_ = false;
  return {};
}

Status ResponseReader::read_headers(HttpResponse& response) {
  for (;;) {
    POSTERN_TRY(const std::string_view line,
                read_line("headers", bounds_.header_bytes_max - std::min(bounds_.header_bytes_max, head_bytes_)));
    head_bytes_ += line.size() + 2;
    if (line.empty()) return {};
    if (++head_lines_ > bounds_.header_lines_max)
      return over("more than " + std::to_string(bounds_.header_lines_max) + " header lines");
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon)))
      return malformed("a header line without a name");
    response.headers.add(std::string(line.substr(0, colon)), std::string(trimmed(line.substr(colon + 1))));
  }
}

// RFC 9112 section 6.3, without what it leaves to the reader's goodwill.
Status ResponseReader::choose_framing(const HttpResponse& response) {
  const auto lengths = response.headers.all("content-length");
  const auto codings = response.headers.all("transfer-encoding");
  for (const std::string_view value : response.headers.all("connection")) {
    if (equal_ignoring_case(value, "close")) reusable_ = false;
  }
  if (lengths.size() > 1) return malformed("more than one Content-Length");
  if (!codings.empty() && !lengths.empty()) return malformed("Content-Length beside Transfer-Encoding");
  for (const std::string_view value : response.headers.all("content-encoding")) {
    if (!equal_ignoring_case(value, "identity"))
      return malformed("its body is encoded as " + visible_line(value, 40) + ", which was not asked for");
  }
  std::optional<std::uint64_t> length;
  if (!lengths.empty()) {
    length = decimal(lengths[0]);
    if (!length) return malformed("a Content-Length that is no number");
  }
  if (!codings.empty() && (codings.size() > 1 || !equal_ignoring_case(codings[0], "chunked")))
    return malformed("a Transfer-Encoding other than chunked");
  if (!body_expected_ || response.status == 204 || response.status == 304) {
    if (response.status == 204 && (!codings.empty() || length.value_or(0) > 0))
      return malformed("a body where none may be");
    framing_ = Framing::kNone;
  } else if (!codings.empty()) {
    framing_ = Framing::kChunked;
  } else if (length) {
    if (*length > bounds_.body_bytes_max)
      return over("it announces " + std::to_string(*length) + " bytes of body, more than " +
                  std::to_string(bounds_.body_bytes_max));
    framing_ = Framing::kLength;
    left_ = *length;
  } else {
    framing_ = Framing::kUntilClose;
    reusable_ = false;
  }
  return {};
}

// Up to `at_most` bytes of the body, some at least.
Result<std::string_view> ResponseReader::take(std::uint64_t at_most) {
  if (at_ == buffer_.size() && !fill()) {
    // Only an orderly end is the end of such a body; a reset or a deadline leaves it cut off.
    if (framing_ == Framing::kUntilClose && ended_) return std::string_view();
    return PeerClosed{where_};
  }
  const std::size_t size = static_cast<std::size_t>(std::min<std::uint64_t>(at_most, buffer_.size() - at_));
  const std::string_view piece = std::string_view(buffer_).substr(at_, size);
  at_ += size;
  body_bytes_ += size;
  if (body_bytes_ > bounds_.body_bytes_max)
    return over("more than " + std::to_string(bounds_.body_bytes_max) + " bytes of body");
  return piece;
}

Result<std::string_view> ResponseReader::read_body() {
  if (complete_) return std::string_view();
  if (framing_ == Framing::kUntilClose) {
    POSTERN_TRY(const std::string_view piece, take(std::numeric_limits<std::uint64_t>::max()));
    complete_ = piece.empty();
    return piece;
  }
  if (framing_ == Framing::kChunked && left_ == 0) {
    POSTERN_TRY(const bool more, next_chunk());
    if (!more) {
      complete_ = true;
      return std::string_view();
    }
  }
  if (framing_ == Framing::kNone || left_ == 0) {
    complete_ = true;
    return std::string_view();
  }
  POSTERN_TRY(const std::string_view piece, take(left_));
  left_ -= piece.size();
  return piece;
}

// The size of the next chunk (RFC 9112 section 7.1); false after the last one and its trailers.
Result<bool> ResponseReader::next_chunk() {
  if (in_chunk_) {
    POSTERN_TRY(const std::string_view end, read_line("chunk end", 2));
    if (!end.empty()) return malformed("a chunk that is longer than its size");
    in_chunk_ = false;
  }
  POSTERN_TRY(const std::string_view line, read_line("a chunk's size line", kChunkLineMax));
  framing_bytes_ += line.size() + 4;
  // Otherwise chunks of one byte each would let a small bound of body through as many times its size.
  if (framing_bytes_ > bounds_.header_bytes_max + bounds_.body_bytes_max / 2) return over("more framing than body");
  const std::size_t semicolon = std::min(line.find(';'), line.size());
  const auto size = hexadecimal(line.substr(0, semicolon));
  if (!size) return malformed("a chunk size that is no number");
  if (*size > bounds_.body_bytes_max)
    return over("more than " + std::to_string(bounds_.body_bytes_max) + " bytes of body");
  if (*size == 0) {
    POSTERN_TRY_VOID(read_trailers());
    return false;
  }
  left_ = *size;
  in_chunk_ = true;
  return true;
}

// Read and dropped: nothing that arrives after the body can change what the head said.
Status ResponseReader::read_trailers() {
  HttpResponse dropped;
  return read_headers(dropped);
}

}  // namespace postern
