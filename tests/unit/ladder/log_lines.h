// Lines of a wire log for the ladder's tests, numbered and timed as they are added.
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "host/ladder/wire_run.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"

namespace postern::test {

class LogLines {
 public:
  LogLines& after(std::int64_t ms) {
    at_ms_ += ms;
    return *this;
  }
  LogLines& request(std::uint64_t exchange, std::string_view peer, std::string_view start, Json headers = {},
                    std::string_view body = "") {
    return http("host", peer, exchange, start, std::move(headers), body);
  }
  LogLines& response(std::uint64_t exchange, std::string_view peer, std::string_view start, Json headers = {},
                     std::string_view body = "") {
    return http(peer, "host", exchange, start, std::move(headers), body);
  }
  LogLines& stdio(std::string_view from, std::string_view to, std::string_view line) {
    Json json = next("bytes");
    json.set("channel", "stdio").set("from", from).set("to", to).set("exchange", 0).set("body", line);
    json.set("bytes", static_cast<std::int64_t>(line.size()));
    return add(json);
  }
  LogLines& raw(std::uint64_t exchange, std::string_view peer, std::string_view bytes) {
    Json json = next("bytes");
    json.set("channel", "http").set("from", peer).set("to", "host").set("exchange", exchange).set("raw", bytes);
    json.set("bytes", static_cast<std::int64_t>(bytes.size()));
    return add(json);
  }
  LogLines& note(std::string_view layer, std::string_view subject, bool to_read = false, Json details = {}) {
    Json json = next("note");
    json.set("layer", layer).set("subject", subject).set("verdict", to_read ? "read" : "ok");
    if (details.is_object()) json.set("details", std::move(details));
    return add(json);
  }
  LogLines& text(std::string_view line) {
    lines_ += line;
    lines_ += '\n';
    return *this;
  }
  LogLines& skip_a_number() {
    ++seq_;
    return *this;
  }
  [[nodiscard]] host::WireRun run() const {
    std::istringstream in(lines_);
    return host::read_wire_lines(in, "http-20261130T024512-7c1e", "T-1042");
  }
  [[nodiscard]] const std::string& lines() const { return lines_; }

 private:
  Json next(std::string_view kind) {
    Json json;
    json.set("seq", static_cast<std::int64_t>(++seq_))
        .set("at", rfc3339(WallTime(Milliseconds(at_ms_))))
        .set("kind", kind);
    return json;
  }
  LogLines& add(const Json& json) { return text(json.dump()); }
  LogLines& http(std::string_view from, std::string_view to, std::uint64_t exchange, std::string_view start,
                 Json headers, std::string_view body) {
    Json json = next("bytes");
    json.set("channel", "http").set("from", from).set("to", to).set("exchange", exchange).set("start", start);
    json.set("headers", headers.is_array() ? std::move(headers) : Json::array());
    if (!body.empty()) json.set("body", body);
    json.set("bytes", static_cast<std::int64_t>(start.size() + body.size() + 4));
    return add(json);
  }

  std::string lines_;
  std::uint64_t seq_ = 0;
  std::int64_t at_ms_ = 1'796'000'000'000;
};

inline Json header(std::string_view name, std::string_view value) {
  return Json::array({Json(name), Json(value)});
}

}  // namespace postern::test
