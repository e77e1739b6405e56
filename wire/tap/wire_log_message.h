// One HTTP message as members of a wire log's line. Part of WireLog.
//
// Reads leniently: what a strict reader refuses is exactly what somebody will want to see in the log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/tap/fingerprint.h"
#include "wire/tap/redact.h"

namespace postern {

struct WireHead {
  std::string_view start;
  std::vector<std::pair<std::string_view, std::string_view>> headers;
  std::size_t size = 0;                                              // with the blank line
  [[nodiscard]] std::string_view find(std::string_view name) const;  // any case; empty when absent
};

// Nothing when the bytes do not begin with a start line of HTTP/1 and lines up to a blank one.
[[nodiscard]] std::optional<WireHead> read_wire_head(std::string_view bytes);

// Puts a chunked body together, piece by piece.
class Dechunker {
 public:
  // Appends the body's bytes to `body`. False once the framing is broken: the rest is then appended as it came.
  bool feed(std::string_view bytes, std::string& body);

 private:
  enum class State { kSize, kExtension, kData, kAfterData, kTrailer, kBroken };
  State state_ = State::kSize;
  std::uint64_t left_ = 0;
  int digits_ = 0;
};

// ,"start":"...","headers":[...]
void append_head(std::string& line, const Redactor& redactor, const WireHead& head);
// ,"body":"..." and, when the redacted text is over `bytes_max`, ,"cut":N
void append_body(std::string& line, const Redactor& redactor, std::string_view content_type, std::string_view body,
                 std::size_t bytes_max, std::string_view member = "body");
// A whole message: head, body, or "raw" when it is no HTTP.
void append_message(std::string& line, const Redactor& redactor, std::string_view bytes, std::size_t body_bytes_max);
// ,"bytes":N,"digest":"..."
void append_size(std::string& line, const Fingerprints& fingerprints, std::string_view bytes);

}  // namespace postern
