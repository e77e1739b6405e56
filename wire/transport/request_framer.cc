#include "wire/transport/request_framer.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "wire/base/secret.h"

namespace postern {
namespace {

// The library's own bound on a request line (CPPHTTPLIB_REQUEST_URI_MAX_LENGTH), so that it never refuses what was
// framed here.
constexpr std::size_t kRequestLineBytesMax = 8 * 1024 - 2;
constexpr std::size_t kHeaderLineBytesMax = 12 * 1024;  // an access token and its name fit
constexpr std::size_t kLengthDigitsMax = 18;            // fits in 64 bits
constexpr std::size_t kChunkSizeDigitsMax = 8;          // 4 GiB, far over any body bound
// Chunk framing may cost as much as the body again: tiny chunks are legal, but a flood of them is not.
constexpr std::size_t kChunkFramingSlack = 4 * 1024;
constexpr std::size_t kIdleCapacityMax = 8 * 1024;  // what an idle connection may keep allocated

constexpr std::array<std::string_view, 7> kMethods = {"GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH"};
// The library stores addresses under these names among the headers; a peer that sends them would be believed
// (CVE-2025-66570).
constexpr std::array<std::string_view, 4> kReservedNames = {"REMOTE_ADDR", "REMOTE_PORT", "LOCAL_ADDR", "LOCAL_PORT"};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_alpha(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// tchar of RFC 9110 section 5.6.2.
bool is_token_character(char c) {
  return is_alpha(c) || is_digit(c) || (c != '\0' && std::strchr("!#$%&'*+-.^_`|~", c) != nullptr);
}

bool is_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_token_character);
}

bool has_leading_zero(std::string_view number) {
  return number.size() > 1 && number.front() == '0';
}

int hex_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::string_view without_blanks_around(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

// uri-host [":" port] of RFC 9110 section 7.2, without what only confuses: "%", "@", "/", blanks, commas.
bool is_host_value(std::string_view value) {
  return !value.empty() && std::all_of(value.begin(), value.end(), [](char c) {
    return is_alpha(c) || is_digit(c) || (c != '\0' && std::strchr("-._~:[]", c) != nullptr);
  });
}

void wipe_and_free(std::string& text) {
  wipe(text);
  text.shrink_to_fit();
}

// Appends without leaving an old copy behind when the string has to grow; it grows by doubling, up to `most` if that is
// enough.
void append_and_wipe_old(std::string& to, std::string_view bytes, std::size_t most) {
  if (to.capacity() - to.size() < bytes.size()) {
    std::string larger;
    larger.reserve(std::max(to.size() + bytes.size(), std::min(2 * to.capacity(), most)));
    larger = to;
    wipe(to);
    to = std::move(larger);
  }
  to.append(bytes);
}

}  // namespace

RequestFramer::~RequestFramer() {
  wipe(buffer_);
  request_.headers.wipe_all();
  wipe(request_.body);
}

void RequestFramer::append(std::string_view bytes) {
  if (begin_ > 0) {
    const std::size_t left = buffer_.size() - begin_;
    std::memmove(buffer_.data(), buffer_.data() + begin_, left);
    wipe(buffer_.data() + left, begin_);
    buffer_.resize(left);
    read_ -= begin_;
    searched_ -= std::min(searched_, begin_);
    body_begin_ -= std::min(body_begin_, begin_);
    begin_ = 0;
  }
  append_and_wipe_old(buffer_, bytes, stage_ == Stage::kBody ? body_begin_ + length_ : 2 * buffer_.capacity());
}

std::string_view RequestFramer::raw() const {
  const std::size_t end = stage_ == Stage::kComplete ? read_ : buffer_.size();
  return std::string_view(buffer_).substr(begin_, end - begin_);
}

// RFC 9110 section 10.1.1: whoever sends the body at once, or has none, does not wait.
bool RequestFramer::take_wish_to_continue() {
  const bool at_body = stage_ == Stage::kBody || stage_ == Stage::kChunkSize;
  if (!at_body || !wants_to_continue_) return false;
  wants_to_continue_ = false;
  return read_ == body_begin_ && buffer_.size() == body_begin_;
}

void RequestFramer::give_up() {
  wipe_and_free(buffer_);
  begin_ = read_ = searched_ = body_begin_ = 0;
  request_.headers.wipe_all();
  wipe_and_free(request_.body);
  wipe(request_.target);
  if (stage_ != Stage::kRefused) refuse(400, "The request was given up.");
}

void RequestFramer::next() {
  wipe(buffer_.data() + begin_, read_ - begin_);
  begin_ = read_;
  searched_ = read_;
  if (begin_ == buffer_.size()) {
    buffer_.clear();
    begin_ = read_ = searched_ = 0;
    if (buffer_.capacity() > kIdleCapacityMax) buffer_.shrink_to_fit();
  }
  request_.headers.wipe_all();
  wipe(request_.body);
  if (request_.body.capacity() > kIdleCapacityMax) request_.body.shrink_to_fit();
  wipe(request_.target);  // a query may hold an authorization code
  stage_ = Stage::kRequestLine;
  header_lines_ = hosts_ = length_ = 0;
  after_empty_line_ = wants_to_continue_ = has_type_ = has_length_ = chunked_ = false;
}

RequestFramer::Progress RequestFramer::advance() {
  bool read_on = true;
  while (read_on) {
    switch (stage_) {
      case Stage::kRequestLine:
        read_on = read_request_line();
        break;
      case Stage::kHeaderLine:
        read_on = read_header_line();
        break;
      case Stage::kBody:
        read_on = read_body();
        break;
      case Stage::kChunkSize:
        read_on = read_chunk_size();
        break;
      case Stage::kChunkBytes:
        read_on = read_chunk_bytes();
        break;
      case Stage::kChunkEnd:
        read_on = read_chunk_end();
        break;
      case Stage::kTrailer:
        read_on = read_trailer();
        break;
      case Stage::kComplete:
        return Progress::kComplete;
      case Stage::kRefused:
        return Progress::kRefused;
    }
  }
  return stage_ == Stage::kRefused ? Progress::kRefused : Progress::kNeedMore;
}

bool RequestFramer::refuse(int status, std::string_view text) {
  stage_ = Stage::kRefused;
  refusal_ = {status, text};
  return false;
}

bool RequestFramer::take_line(std::size_t bytes_max, int status_over, std::string_view* line) {
  const std::size_t from = std::max(read_, searched_);
  const std::size_t feed = buffer_.find('\n', from);
  searched_ = buffer_.size();
  const std::size_t length = (feed == std::string::npos ? buffer_.size() : feed) - read_;
  if (length > bytes_max + 1) return refuse(status_over, "A line of the request is too long.");
  if (feed == std::string::npos) return false;
  // RFC 9112 section 2.2 lets a recipient take a bare LF for a line end. It "MAY", and those that do not see another
  // message.
  if (length == 0 || buffer_[feed - 1] != '\r') return refuse(400, "A line of the request does not end in CR LF.");
  *line = std::string_view(buffer_).substr(read_, length - 1);
  read_ = searched_ = feed + 1;
  return true;
}

// RFC 9112 section 2.2: one empty line before the request line is ignored, because some clients put it behind a body. A
// second one is refused as any other line that is no request. False when it may still be one.
bool RequestFramer::skip_empty_line() {
  const std::string_view rest = std::string_view(buffer_).substr(read_, 2);
  if (after_empty_line_ || rest.empty() || rest.front() != '\r') return true;
  if (rest.size() < 2) return false;
  if (rest == "\r\n") {
    after_empty_line_ = true;
    read_ += 2;
    searched_ = read_;
  }
  return true;
}

bool RequestFramer::read_request_line() {
  if (!skip_empty_line()) return false;
  // A stranger to HTTP (a TLS hello, say) is told so at its first byte.
  if (read_ < buffer_.size() && !is_token_character(buffer_[read_])) return refuse(400, "This is no HTTP request.");
  std::string_view line;
  if (!take_line(std::min(kRequestLineBytesMax, limits_.head_bytes_max), 414, &line)) return false;
  return accept_request_line(line);
}

bool RequestFramer::accept_request_line(std::string_view line) {
  const std::size_t first = line.find(' ');
  const std::size_t last = line.rfind(' ');
  if (first == std::string_view::npos || first == last || line.find(' ', first + 1) != last) {
    return refuse(400, "The request line is not METHOD TARGET HTTP/1.1.");
  }
  const std::string_view method = line.substr(0, first);
  if (!accept_version(line.substr(last + 1))) return false;
  if (!is_token(method)) return refuse(400, "The method is not a token.");
  if (std::find(kMethods.begin(), kMethods.end(), method) == kMethods.end()) {
    return refuse(501, "This method is not implemented.");
  }
  if (!accept_target(line.substr(first + 1, last - first - 1))) return false;
  request_.method = method;
  stage_ = Stage::kHeaderLine;
  return true;
}

bool RequestFramer::accept_version(std::string_view version) {
  if (version == "HTTP/1.1") return true;
  const bool well_formed = version.size() == 8 && version.starts_with("HTTP/") && is_digit(version[5]) &&
                           version[6] == '.' && is_digit(version[7]);
  if (!well_formed) return refuse(400, "The request line is not METHOD TARGET HTTP/1.1.");
  if (version == "HTTP/1.0") {
    return refuse(505, "HTTP/1.0 is not served. Behind nginx, set: proxy_http_version 1.1;");
  }
  return refuse(505, "Only HTTP/1.1 is served.");
}

bool RequestFramer::accept_target(std::string_view target) {
  // RFC 9112 section 3.2.1: the origin form only. An absolute form would bring a second host beside the Host header.
  if (!target.starts_with('/')) return refuse(400, "The request target does not begin with a slash.");
  for (std::size_t i = 0; i < target.size(); ++i) {
    const auto c = static_cast<unsigned char>(target[i]);
    if (c <= 0x20 || c >= 0x7f || c == '#' || c == '\\')
      return refuse(400, "A character of the target is not allowed.");
    if (c != '%') continue;
    const int high = i + 1 < target.size() ? hex_value(target[i + 1]) : -1;
    const int low = i + 2 < target.size() ? hex_value(target[i + 2]) : -1;
    if (high < 0 || low < 0) return refuse(400, "An escape in the target is broken.");
    if (high == 0 && low == 0) return refuse(400, "A NUL in the target is not allowed.");
  }
  request_.target = target;
  return true;
}

bool RequestFramer::read_header_line() {
  std::string_view line;
  const std::size_t used = read_ - begin_;
  const std::size_t left = limits_.head_bytes_max > used ? limits_.head_bytes_max - used : 0;
  if (!take_line(std::min(kHeaderLineBytesMax, left), 431, &line)) return false;
  if (read_ - begin_ > limits_.head_bytes_max) return refuse(431, "The head of the request is too long.");
  if (line.empty()) return end_head();
  if (++header_lines_ > limits_.header_lines_max) return refuse(431, "The request has too many header lines.");
  const std::size_t colon = line.find(':');
  // RFC 9112 section 5.1: no white space between name and colon. A folded line (section 5.2) begins with white space.
  if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
    return refuse(400, "A header line is not NAME: VALUE.");
  }
  const std::string_view value = without_blanks_around(line.substr(colon + 1));
  for (const char character : value) {
    const auto c = static_cast<unsigned char>(character);
    if ((c < 0x20 && c != '\t') || c == 0x7f) return refuse(400, "A control character in a header is not allowed.");
  }
  if (!accept_field(line.substr(0, colon), value)) return false;
  request_.headers.add(std::string(line.substr(0, colon)), std::string(value));
  return true;
}

bool RequestFramer::accept_field(std::string_view name, std::string_view value) {
  const auto is = [name](std::string_view other) { return equal_ignoring_case(name, other); };
  if (is("Host")) {
    if (++hosts_ > 1) return refuse(400, "The request has more than one Host.");
    if (!is_host_value(value)) return refuse(400, "The Host is not a host and a port.");
    return true;
  }
  if (is("Content-Length")) return accept_content_length(value);
  if (is("Content-Type")) has_type_ = true;
  if (is("Transfer-Encoding")) {
    if (chunked_) return refuse(400, "The request has more than one Transfer-Encoding.");
    if (!equal_ignoring_case(value, "chunked")) return refuse(501, "The only transfer coding here is chunked.");
    chunked_ = true;
    return true;
  }
  if (is("Content-Encoding")) return refuse(415, "Encoded bodies are not taken.");
  if (is("Expect")) {
    if (wants_to_continue_ || !equal_ignoring_case(value, "100-continue")) {
      return refuse(417, "The only expectation that is met here is 100-continue.");
    }
    wants_to_continue_ = true;
    return true;
  }
  for (const std::string_view reserved : kReservedNames) {
    if (is(reserved)) return refuse(400, "A header of this name is not taken from a peer.");
  }
  return true;
}

bool RequestFramer::accept_content_length(std::string_view value) {
  if (has_length_) return refuse(400, "The request has more than one Content-Length.");
  // Leading zeros are legal, and nobody sends them but whoever knows a parser that reads them as octal.
  if (value.empty() || value.size() > kLengthDigitsMax || !std::all_of(value.begin(), value.end(), is_digit) ||
      has_leading_zero(value)) {
    return refuse(400, "The Content-Length is not a number.");
  }
  has_length_ = true;
  length_ = 0;
  for (const char digit : value) length_ = length_ * 10 + static_cast<std::size_t>(digit - '0');
  if (length_ > limits_.body_bytes_max) return refuse(413, "The body is too long.");
  return true;
}

bool RequestFramer::end_head() {
  if (hosts_ != 1) return refuse(400, "The request has no Host.");
  // RFC 9112 section 6.1: a message with both "ought to be handled as an error".
  if (chunked_ && has_length_) return refuse(400, "Content-Length and Transfer-Encoding together are not allowed.");
  // RFC 9110 section 15.5.12. Without a type there is no content (RFC 9112 section 6.3): a POST of nothing is served.
  const bool brings_content = request_.method == "POST" || request_.method == "PUT" || request_.method == "PATCH";
  if (brings_content && has_type_ && !chunked_ && !has_length_) {
    return refuse(411, "The request has content and no Content-Length.");
  }
  body_begin_ = read_;
  stage_ = chunked_ ? Stage::kChunkSize : length_ > 0 ? Stage::kBody : Stage::kComplete;
  return true;
}

bool RequestFramer::read_body() {
  if (buffer_.size() - read_ < length_) return false;
  request_.body.assign(buffer_, read_, length_);
  read_ += length_;
  stage_ = Stage::kComplete;
  return true;
}

bool RequestFramer::read_chunk_size() {
  std::string_view line;
  if (!take_line(kChunkSizeDigitsMax, 400, &line)) return false;
  if (line.empty()) return refuse(400, "A chunk has no size.");
  if (has_leading_zero(line)) return refuse(400, "A chunk's size begins with a zero.");
  std::size_t size = 0;
  for (const char c : line) {
    // No sign, no "0x" (or any other leading zero), no blanks, and no extension (RFC 9112 section 7.1.1), which nobody
    // uses but smugglers.
    const int value = hex_value(c);
    if (value < 0) return refuse(400, "A chunk's size is not plain hexadecimal.");
    size = size * 16 + static_cast<std::size_t>(value);
  }
  if (size > limits_.body_bytes_max - request_.body.size()) return refuse(413, "The body is too long.");
  if (read_ - body_begin_ > 2 * limits_.body_bytes_max + kChunkFramingSlack) {
    return refuse(413, "The body comes in too many small chunks.");
  }
  length_ = size;
  stage_ = size == 0 ? Stage::kTrailer : Stage::kChunkBytes;
  return true;
}

bool RequestFramer::read_chunk_bytes() {
  const std::size_t here = std::min(length_, buffer_.size() - read_);
  append_and_wipe_old(request_.body, std::string_view(buffer_).substr(read_, here), limits_.body_bytes_max);
  read_ += here;
  length_ -= here;
  if (length_ > 0) return false;
  stage_ = Stage::kChunkEnd;
  return true;
}

bool RequestFramer::read_chunk_end() {
  const std::string_view rest = std::string_view(buffer_).substr(read_, 2);
  if (!std::string_view("\r\n").starts_with(rest)) return refuse(400, "A chunk is longer than its size.");
  if (rest.size() < 2) return false;
  read_ += 2;
  stage_ = Stage::kChunkSize;
  return true;
}

bool RequestFramer::read_trailer() {
  const std::string_view rest = std::string_view(buffer_).substr(read_, 2);
  if (!std::string_view("\r\n").starts_with(rest)) return refuse(400, "Trailers are not taken.");
  if (rest.size() < 2) return false;
  read_ += 2;
  stage_ = Stage::kComplete;
  return true;
}

}  // namespace postern
