// A wire log read back (wire/tap/wire_log.h writes it).
#pragma once

#include <cstddef>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/failure.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::host {

// One line of the log, redacted when it was written. Nothing in it is trusted: printers make it visible.
struct WireEntry {
  std::uint64_t seq = 0;
  std::int64_t at_ms = 0;  // Unix time
  bool is_note = false;

  // Of bytes.
  bool is_http = false;
  std::string from;
  std::string to;
  std::uint64_t exchange = 0;
  std::string start;  // the request or status line; empty when the bytes are no HTTP
  std::vector<std::pair<std::string, std::string>> headers;
  std::string body;
  std::string raw;      // in place of start, headers and body
  std::string part;     // "head", "body", "end" of a streamed response; else empty
  std::string framing;  // what is wrong with the framing of the body; usually empty
  std::uint64_t bytes = 0;
  std::uint64_t cut = 0;

  // Of a note.
  Layer layer = Layer::kOwn;
  std::string subject;
  bool to_read = false;
  Json details;

  [[nodiscard]] bool is_request() const;
  [[nodiscard]] std::optional<int> status() const;  // of a response
  [[nodiscard]] std::string_view method() const;    // of a request
  [[nodiscard]] std::string path() const;           // of a request, without its query
  [[nodiscard]] std::string_view header(
      std::string_view name) const;  // the first of that name in lower case; empty when absent
};

struct WireRun {
  std::string run;     // "http-20261130T024512-7c1e"
  std::string ticket;  // "T-1042"; may be empty
  std::vector<WireEntry> entries;
  std::size_t unreadable = 0;  // lines that are no entry, such as one that was cut by a crash
  std::uint64_t missing = 0;   // sequence numbers that are not there
};

// `own.file_failed` when there is no such file. A line that cannot be read is counted, not fatal: a log is read after
// things went wrong.
[[nodiscard]] Result<WireRun> read_wire_log(const std::string& path, std::string run, std::string ticket);
// The same from a stream of lines.
[[nodiscard]] WireRun read_wire_lines(std::istream& lines, std::string run, std::string ticket);
[[nodiscard]] std::optional<WireEntry> parse_wire_entry(std::string_view line);

}  // namespace postern::host
