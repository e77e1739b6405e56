#include "wire/tap/wire_log_message.h"

#include <algorithm>

#include "wire/base/json.h"

namespace postern {
namespace {

char lower(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c;
}

bool same_name(std::string_view a, std::string_view b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) { return lower(x) == lower(y); });
}

bool contains(std::string_view text, std::string_view part) {
  return std::search(text.begin(), text.end(), part.begin(), part.end(),
                     [](char x, char y) { return lower(x) == lower(y); }) != text.end();
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_start_line(std::string_view line) {
  if (line.substr(0, 7) == "HTTP/1.") return true;
  const std::size_t version = line.rfind(" HTTP/1.");
  return version != std::string_view::npos && version > 0 && line[0] >= 'A' && line[0] <= 'Z';
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char folded = lower(c);
  return folded >= 'a' && folded <= 'f' ? folded - 'a' + 10 : -1;
}

}  // namespace

std::string_view WireHead::find(std::string_view name) const {
  for (const auto& [header, value] : headers) {
    if (same_name(header, name)) return value;
  }
  return {};
}

std::optional<WireHead> read_wire_head(std::string_view bytes) {
  WireHead head;
  std::size_t at = 0;
  for (bool first = true;; first = false) {
    const std::size_t line_feed = bytes.find('\n', at);
    if (line_feed == std::string_view::npos) return std::nullopt;
    std::string_view line = bytes.substr(at, line_feed - at);
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    at = line_feed + 1;
    if (first) {
      if (!is_start_line(line)) return std::nullopt;
      head.start = line;
      continue;
    }
    if (line.empty()) break;
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) {
      head.headers.emplace_back(line, std::string_view());
    } else {
      head.headers.emplace_back(line.substr(0, colon), trimmed(line.substr(colon + 1)));
    }
  }
  head.size = at;
  return head;
}

bool Dechunker::feed(std::string_view bytes, std::string& body) {
  std::size_t i = 0;
  while (i < bytes.size()) {
    const char c = bytes[i];
    switch (state_) {
      case State::kSize:
        if (hex_digit(c) >= 0 && digits_ < 15) {
          left_ = left_ * 16 + static_cast<std::uint64_t>(hex_digit(c));
          ++digits_;
        } else if (digits_ > 0 && (c == '\r' || c == ';' || c == ' ' || c == '\n')) {
          state_ = State::kExtension;
          continue;
        } else {
          state_ = State::kBroken;
          continue;
        }
        ++i;
        break;
      case State::kExtension:
        if (c == '\n') state_ = left_ > 0 ? State::kData : State::kTrailer;
        ++i;
        break;
      case State::kData: {
        const std::size_t take = static_cast<std::size_t>(std::min<std::uint64_t>(left_, bytes.size() - i));
        body.append(bytes, i, take);
        left_ -= take;
        i += take;
        if (left_ == 0) state_ = State::kAfterData;
        break;
      }
      case State::kAfterData:
        if (c == '\n') {
          state_ = State::kSize;
          digits_ = 0;
        } else if (c != '\r') {
          state_ = State::kBroken;
          continue;
        }
        ++i;
        break;
      case State::kTrailer:
        return true;  // trailers are not shown
      case State::kBroken:
        body.append(bytes, i);
        return false;
    }
  }
  return state_ != State::kBroken;
}

void append_head(std::string& line, const Redactor& redactor, const WireHead& head) {
  line += ",\"start\":";
  Json::append_quoted(line, redactor.text(head.start));
  line += ",\"headers\":[";
  bool first = true;
  for (const auto& [name, value] : head.headers) {
    line += first ? "[" : ",[";
    first = false;
    std::string lower_name;
    for (const char c : name) lower_name += lower(c);
    Json::append_quoted(line, value.empty() ? redactor.text(lower_name) : lower_name);
    line += ',';
    Json::append_quoted(line, redactor.header(name, value));
    line += ']';
  }
  line += ']';
}

void append_body(std::string& line, const Redactor& redactor, std::string_view content_type, std::string_view body,
                 std::size_t bytes_max, std::string_view member) {
  if (body.empty()) return;
  const bool is_form = contains(content_type, "x-www-form-urlencoded");
  // A peer can quote in prose what it was sent, and where a message has lines of its own a secret can stand in pieces.
  const std::string redacted = is_form ? redactor.form(body) : redactor.text_in_pieces(body);
  std::string_view shown = redacted;
  if (shown.size() > bytes_max) {
    std::size_t end = bytes_max;
    while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;  // not within a character
    shown = shown.substr(0, end);
  }
  line += ",\"";
  line += member;
  line += "\":";
  Json::append_quoted(line, shown);
  if (shown.size() < redacted.size()) line += ",\"cut\":" + std::to_string(redacted.size() - shown.size());
}

void append_message(std::string& line, const Redactor& redactor, std::string_view bytes, std::size_t body_bytes_max) {
  const std::optional<WireHead> head = read_wire_head(bytes);
  if (!head) {
    append_body(line, redactor, {}, bytes, body_bytes_max, "raw");
    return;
  }
  append_head(line, redactor, *head);
  std::string_view body = bytes.substr(head->size);
  std::string joined;
  if (contains(head->find("transfer-encoding"), "chunked")) {
    if (!Dechunker().feed(body, joined)) line += ",\"framing\":\"broken chunks\"";
    body = joined;
  }
  append_body(line, redactor, head->find("content-type"), body, body_bytes_max);
}

void append_size(std::string& line, const Fingerprints& fingerprints, std::string_view bytes) {
  line += ",\"bytes\":" + std::to_string(bytes.size());
  line += ",\"digest\":\"" + fingerprints.digest(bytes) + "\"";
}

}  // namespace postern
