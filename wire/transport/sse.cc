#include "wire/transport/sse.h"

namespace postern {
namespace {
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
}

Result<bool> EventStreamReader::feed(std::string_view bytes,
                                     const std::function<bool(const ServerSentEvent&)>& on_event) {
  while (!bytes.empty()) {
    if (after_cr_) {
      after_cr_ = false;
      if (bytes.front() == '\n') {  // the second half of a CRLF
        bytes.remove_prefix(1);
        continue;
      }
    }
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view part = bytes.substr(0, end);
    if (line_.size() + event_.data.size() + part.size() > event_bytes_max_)
      return FrameTooLarge{"event", event_bytes_max_};
    line_ += part;
    if (end == std::string_view::npos) break;
    after_cr_ = bytes[end] == '\r';
    bytes.remove_prefix(end + 1);
    if (!end_line(on_event)) return false;
  }
  return true;
}

// Section 9.2.6: a blank line dispatches, a colon first is a comment, one blank after the colon is dropped.
bool EventStreamReader::end_line(const std::function<bool(const ServerSentEvent&)>& on_event) {
  std::string_view line = line_;
  if (first_line_ && line.substr(0, kByteOrderMark.size()) == kByteOrderMark) line.remove_prefix(kByteOrderMark.size());
  first_line_ = false;
  bool go_on = true;
  if (line.empty()) {
    if (has_data_) {
      event_.data.pop_back();  // the line feed after the last line
      go_on = on_event(event_);
    }
    event_.type = "message";
    event_.data.clear();
    has_data_ = false;
  } else if (line.front() != ':') {
    const std::size_t colon = line.find(':');
    std::string_view value = colon == std::string_view::npos ? std::string_view() : line.substr(colon + 1);
    if (!value.empty() && value.front() == ' ') value.remove_prefix(1);
    take_field(line.substr(0, colon), value);
  }
  line_.clear();
  return go_on;
}

void EventStreamReader::take_field(std::string_view name, std::string_view value) {
  if (name == "data") {
    event_.data += value;
    event_.data += '\n';
    has_data_ = true;
  } else if (name == "event") {
    event_.type = value.empty() ? "message" : std::string(value);
  } else if (name == "id" && value.find('\0') == std::string_view::npos) {
    event_.id = value;
  }
}

}  // namespace postern
