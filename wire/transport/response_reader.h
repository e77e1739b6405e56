// Reads one HTTP/1.1 response strictly, within bounds (RFC 9112).
//
// The library's own reader is not used: it percent-decodes header values, takes chunk sizes such as "-2" and "0x5", and
// has no bound on lines, on headers or on a body without a length. What readers of HTTP could understand in two ways is
// refused here: bare line feeds, blanks before a colon, folded lines, two lengths, a length beside a transfer coding,
// any coding but chunked. Knows nothing of sockets and time: bytes come from the function it is given. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/result.h"
#include "wire/http_message/http_message.h"
#include "wire/transport/failures.h"

namespace postern {

struct ResponseBounds {
  std::size_t header_bytes_max = 64 * 1024;
  std::size_t header_lines_max = 128;
  std::size_t body_bytes_max = 8 * 1024 * 1024;
};

class ResponseReader {
 public:
  // Reads into the buffer: bytes read, 0 at the end, below 0 when it failed.
  using Read = std::function<std::ptrdiff_t(char* to, std::size_t size)>;

  // `where` is what failures call the peer; `body_expected` is false for the answer to HEAD.
  ResponseReader(Read read, ResponseBounds bounds, std::string where, bool body_expected = true);

  // The final response's status and headers; interim ones (1xx) are passed over. `transport.malformed_response`,
  // `transport.response_over_bound`, `transport.closed` when the bytes end or cannot be read.
  [[nodiscard]] Result<HttpResponse> read_head();
  // The next piece of the body, until an empty one says that it is complete. The view is good until the next call.
  [[nodiscard]] Result<std::string_view> read_body();

  [[nodiscard]] bool got_bytes() const { return got_bytes_; }
  // After the whole body: whether another request may go out on this connection.
  [[nodiscard]] bool reusable() const { return reusable_ && complete_ && at_ == buffer_.size(); }

 private:
  enum class Framing { kNone, kLength, kChunked, kUntilClose };

  bool fill();
  Result<std::string_view> read_line(const char* what, std::size_t bytes_max);
  Status read_status_line(HttpResponse& response);
  Status read_headers(HttpResponse& response);
  Status choose_framing(const HttpResponse& response);
  Result<bool> next_chunk();
  Result<std::string_view> take(std::uint64_t at_most);
  Status read_trailers();
  [[nodiscard]] MalformedResponse malformed(std::string what) const { return {where_, std::move(what)}; }
  [[nodiscard]] ResponseOverBound over(std::string what) const { return {where_, std::move(what)}; }

  Read read_;
  ResponseBounds bounds_;
  std::string where_;
  bool body_expected_;
  std::string buffer_;
  std::size_t at_ = 0;          // bytes before it are read
  std::size_t head_bytes_ = 0;  // lines so far, interim responses and trailers included
  std::size_t head_lines_ = 0;
  std::size_t framing_bytes_ = 0;  // of chunk sizes
  Framing framing_ = Framing::kNone;
  std::uint64_t left_ = 0;  // of the body, or of the chunk
  std::uint64_t body_bytes_ = 0;
  bool in_chunk_ = false;
  bool got_bytes_ = false;
  bool ended_ = false;  // the bytes ended in order
  bool reusable_ = true;
  bool complete_ = false;
};

}  // namespace postern
