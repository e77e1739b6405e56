// Reads a text/event-stream body (WHATWG HTML, section 9.2 "Server-sent events").
//
// Lines end with CRLF, LF or CR, also where the pieces of the body are cut between the two; one leading byte order mark
// is dropped; lines that start with ":" are comments; the data lines of an event are joined with LF; an event without
// data is not an event; one that was not ended by a blank line is dropped. Bytes are joined before anybody decodes
// them, so a character that is cut in two arrives whole. One thread.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "wire/base/result.h"
#include "wire/transport/failures.h"

namespace postern {

struct ServerSentEvent {
  std::string type = "message";  // of the "event" field
  std::string data;
  std::string id;  // the last one seen in the stream
};

class EventStreamReader {
 public:
  explicit EventStreamReader(std::size_t event_bytes_max = 4 * 1024 * 1024) : event_bytes_max_(event_bytes_max) {}

  // Calls `on_event` for each event that is complete. Returns false as soon as `on_event` does, else true.
  // `transport.frame_too_large` when an event is over the bound; the stream is then of no more use.
  [[nodiscard]] Result<bool> feed(std::string_view bytes, const std::function<bool(const ServerSentEvent&)>& on_event);

 private:
  bool end_line(const std::function<bool(const ServerSentEvent&)>& on_event);
  void take_field(std::string_view name, std::string_view value);

  std::size_t event_bytes_max_;
  std::string line_;
  ServerSentEvent event_;
  bool has_data_ = false;
  bool first_line_ = true;
  bool after_cr_ = false;
};

}  // namespace postern
