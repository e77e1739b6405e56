// Newline frames: the messages of MCP's stdio transport, one a line (MCP 2026-07-28 basic/transports/stdio).
//
// A line ends with LF; a CR before it and a byte order mark at its start are dropped, because writers on other systems
// add them. A line over the bound is dropped whole and reported once, and the next line is read as if nothing had been:
// never a silent cut. Linear in the bytes fed. One thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "wire/base/result.h"
#include "wire/transport/failures.h"

namespace postern {

class LineFramer {
 public:
  explicit LineFramer(std::size_t line_bytes_max = 8 * 1024 * 1024) : line_bytes_max_(line_bytes_max) {}

  void feed(std::string_view bytes);
  // The next whole line, nothing when more bytes are needed, or `transport.frame_too_large`. Call until it is nothing.
  [[nodiscard]] Result<std::optional<std::string>> next();
  // What came after the last LF. At the end of the stream it is a line that was not finished.
  [[nodiscard]] std::string_view rest() const { return std::string_view(buffer_).substr(start_); }

 private:
  std::size_t line_bytes_max_;
  std::string buffer_;
  std::size_t start_ = 0;    // of the current line in the buffer
  std::size_t scanned_ = 0;  // no LF before this
  bool skipping_ = false;    // the rest of a line that was too long
};

}  // namespace postern
