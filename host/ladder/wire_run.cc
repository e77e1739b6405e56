#include "host/ladder/wire_run.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <sstream>

#include "wire/base/file.h"
#include "wire/tap/wire_log.h"

namespace postern::host {
namespace {

constexpr std::size_t kLogBytesMax = std::size_t{1} << 30;
constexpr JsonBounds kLineBounds{16 * 1024 * 1024, 64};

// "2026-11-30T02:45:12.104Z" as milliseconds since 1970; 0 for anything else.
std::int64_t milliseconds_of(std::string_view text) {
  if (text.size() != 24 || text[10] != 'T' || text[23] != 'Z') return 0;
  const auto number = [&](std::size_t at, std::size_t digits) {
    int value = 0;
    std::from_chars(text.data() + at, text.data() + at + digits, value);
    return value;
  };
  const std::chrono::year_month_day day{std::chrono::year(number(0, 4)),
                                        std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                        std::chrono::day(static_cast<unsigned>(number(8, 2)))};
  if (!day.ok()) return 0;
  const auto seconds =
      std::chrono::hours(number(11, 2)) + std::chrono::minutes(number(14, 2)) + std::chrono::seconds(number(17, 2));
  const auto time = std::chrono::sys_days(day) + seconds + std::chrono::milliseconds(number(20, 3));
  return std::chrono::duration_cast<std::chrono::milliseconds>(time.time_since_epoch()).count();
}

Layer layer_of(std::string_view name) {
  for (const Layer layer : {Layer::kBytes, Layer::kEnvelope, Layer::kHttp, Layer::kSchema, Layer::kModel}) {
    if (layer_name(layer) == name) return layer;
  }
  return Layer::kOwn;
}

std::uint64_t natural_at(const Json& json, std::string_view name) {
  const auto value = json.integer_at(name);
  return value && *value > 0 ? static_cast<std::uint64_t>(*value) : 0;
}

void read_note(const Json& json, WireEntry& entry) {
  entry.is_note = true;
  entry.layer = layer_of(json.string_at("layer"));
  entry.subject = json.string_at("subject");
  entry.to_read = json.string_at("verdict") == "read";
  if (const Json* const details = json.find("details")) entry.details = *details;
}

void read_bytes(const Json& json, WireEntry& entry) {
  entry.is_http = json.string_at("channel") == "http";
  entry.from = json.string_at("from");
  entry.to = json.string_at("to");
  entry.exchange = natural_at(json, "exchange");
  entry.start = json.string_at("start");
  entry.body = json.string_at("body");
  entry.raw = json.string_at("raw");
  entry.part = json.string_at("part");
  entry.framing = json.string_at("framing");
  entry.bytes = natural_at(json, "bytes");
  entry.cut = natural_at(json, "cut");
  if (const Json* const headers = json.find("headers")) {
    for (const Json& header : headers->elements()) {
      const Json::Array& pair = header.elements();
      if (pair.size() == 2 && pair[0].string() != nullptr && pair[1].string() != nullptr) {
        entry.headers.emplace_back(*pair[0].string(), *pair[1].string());
      }
    }
  }
}

}  // namespace

bool WireEntry::is_request() const {
  return is_http && !start.empty() && start.substr(0, 5) != "HTTP/";
}

std::optional<int> WireEntry::status() const {
  if (start.substr(0, 5) != "HTTP/") return std::nullopt;
  const std::size_t blank = start.find(' ');
  int value = 0;
  if (blank == std::string::npos) return std::nullopt;
  std::from_chars(start.data() + blank + 1, start.data() + start.size(), value);
  return value > 0 ? std::optional<int>(value) : std::nullopt;
}

std::string_view WireEntry::method() const {
  return is_request() ? std::string_view(start).substr(0, start.find(' ')) : std::string_view();
}

std::string WireEntry::path() const {
  if (!is_request()) return {};
  const std::size_t first = start.find(' ');
  const std::size_t last = start.rfind(' ');
  if (first == std::string::npos || last <= first) return {};
  const std::string target = start.substr(first + 1, last - first - 1);
  return target.substr(0, target.find('?'));
}

std::string_view WireEntry::header(std::string_view name) const {
  for (const auto& [header_name, value] : headers) {
    if (header_name == name) return value;
  }
  return {};
}

std::optional<WireEntry> parse_wire_entry(std::string_view line) {
  const auto json = parse_json(line, kLineBounds);
  if (!json || !json->is_object()) return std::nullopt;
  WireEntry entry;
  entry.seq = natural_at(*json, "seq");
  entry.at_ms = milliseconds_of(json->string_at("at"));
  const std::string_view kind = json->string_at("kind");
  if (entry.seq == 0 || (kind != "bytes" && kind != "note")) return std::nullopt;
  if (kind == "note") {
    read_note(*json, entry);
  } else {
    read_bytes(*json, entry);
  }
  return entry;
}

WireRun read_wire_lines(std::istream& lines, std::string run, std::string ticket) {
  WireRun out;
  out.run = std::move(run);
  out.ticket = std::move(ticket);
  std::string line;
  std::uint64_t last = 0;
  while (std::getline(lines, line)) {
    if (line.empty()) continue;
    std::optional<WireEntry> entry = parse_wire_entry(line);
    if (!entry) {
      ++out.unreadable;
      continue;
    }
    if (entry->seq > last + 1) out.missing += entry->seq - last - 1;
    last = std::max(last, entry->seq);
    out.entries.push_back(*std::move(entry));
  }
  out.missing -= std::min<std::uint64_t>(out.missing, out.unreadable);  // a line that cannot be read is there
  return out;
}

Result<WireRun> read_wire_log(const std::string& path, std::string run, std::string ticket) {
  POSTERN_TRY(std::string content, read_file(path, kLogBytesMax));
  std::istringstream lines(std::move(content));
  return read_wire_lines(lines, std::move(run), std::move(ticket));
}

}  // namespace postern::host
