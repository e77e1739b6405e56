// Cuts the bytes of one connection into complete, strictly checked HTTP/1.1 requests (RFC 9112).
//
// What parsers disagree about is refused, so that no proxy, library or handler can read the same bytes in another way:
// a line that does not end in CRLF, control characters, white space before a colon, folded lines, not exactly one Host,
// Content-Length that is not one line of digits, any Transfer-Encoding but "chunked" alone, both together, chunk
// extensions and trailers, an absolute request target, content without its length. Values are kept as the bytes they
// are: a "%" in them means nothing here.
//
// Everything is bounded while it arrives, never after the fact. Memory that held a request is overwritten once the
// request is over, because requests carry bearer tokens. One framer a connection; not thread-safe.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "wire/http_message/http_message.h"

namespace postern {

struct FramingLimits {
  std::size_t head_bytes_max = 16 * 1024;  // request line and header lines
  std::size_t header_lines_max = 64;
  std::size_t body_bytes_max = 1024 * 1024;
};

class RequestFramer {
 public:
  enum class Progress { kNeedMore, kComplete, kRefused };
  struct Refusal {
    int status = 0;
    std::string_view text;  // fixed words; nothing of the peer's
  };

  explicit RequestFramer(FramingLimits limits) : limits_(limits) {}
  ~RequestFramer();
  RequestFramer(const RequestFramer&) = delete;
  RequestFramer& operator=(const RequestFramer&) = delete;

  void append(std::string_view bytes);
  // Reads on in what was appended. After kRefused the connection is of no more use.
  Progress advance();
  // After kComplete, until next().
  [[nodiscard]] const HttpRequest& request() const { return request_; }
  [[nodiscard]] HttpRequest& request() { return request_; }
  // The bytes of the complete request; after kRefused, what came of it so far.
  [[nodiscard]] std::string_view raw() const;
  // After kRefused.
  [[nodiscard]] const Refusal& refusal() const { return refusal_; }
  // True once, when the head is read, its sender waits for "100 Continue", and nothing of the body has come.
  [[nodiscard]] bool take_wish_to_continue();
  // Overwrites and forgets the complete request; bytes behind it stay for the next one.
  void next();
  // Overwrites and forgets everything, when the connection is of no more use: after kRefused, or before.
  void give_up();
  // No byte of a request is waiting; the empty line that may stand before one is none.
  [[nodiscard]] bool idle() const { return stage_ == Stage::kRequestLine && read_ == buffer_.size(); }
  // Memory that is allocated for the request.
  [[nodiscard]] std::size_t held_bytes() const { return buffer_.capacity() + request_.body.capacity(); }

 private:
  enum class Stage {
    kRequestLine,
    kHeaderLine,
    kBody,
    kChunkSize,
    kChunkBytes,
    kChunkEnd,
    kTrailer,
    kComplete,
    kRefused
  };

  bool refuse(int status, std::string_view text);
  // Each reads one piece; false when bytes are missing or the request was refused.
  bool read_request_line();
  bool skip_empty_line();
  bool read_header_line();
  bool read_body();
  bool read_chunk_size();
  bool read_chunk_bytes();
  bool read_chunk_end();
  bool read_trailer();
  // The next line without its CRLF, when it is there whole.
  bool take_line(std::size_t bytes_max, int status_over, std::string_view* line);
  bool accept_request_line(std::string_view line);
  bool accept_version(std::string_view version);
  bool accept_target(std::string_view target);
  bool accept_field(std::string_view name, std::string_view value);
  bool accept_content_length(std::string_view value);
  bool end_head();

  FramingLimits limits_;
  std::string buffer_;
  std::size_t begin_ = 0;     // of the request that is being read
  std::size_t read_ = 0;      // everything before it is understood
  std::size_t searched_ = 0;  // no line end between read_ and it
  Stage stage_ = Stage::kRequestLine;
  Refusal refusal_;
  HttpRequest request_;
  bool after_empty_line_ = false;
  std::size_t header_lines_ = 0;
  std::size_t hosts_ = 0;
  bool wants_to_continue_ = false;
  bool has_type_ = false;
  bool has_length_ = false;
  bool chunked_ = false;
  std::size_t length_ = 0;      // of the body, or what is left of the chunk
  std::size_t body_begin_ = 0;  // where the body's bytes begin in buffer_
};

}  // namespace postern
