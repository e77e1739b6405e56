#include "wire/tap/wire_log.h"

#include <charconv>
#include <optional>

#include "wire/base/log.h"
#include "wire/tap/wire_log_message.h"

namespace postern {
namespace {

constexpr std::size_t kLogBytesMax = std::size_t{1} << 30;

std::uint64_t seq_of_line(std::string_view line) {
  constexpr std::string_view kStart = "{\"seq\":";
  std::uint64_t seq = 0;
  if (line.substr(0, kStart.size()) == kStart)
    std::from_chars(line.data() + kStart.size(), line.data() + line.size(), seq);
  return seq;
}

std::string_view channel_name(Channel channel) {
  return channel == Channel::kHttp ? "http" : "stdio";
}

// "kind" to "exchange": what every entry of bytes begins with.
std::string beginning(const TapRecord& record) {
  const bool out = record.direction == Direction::kOut;
  std::string line = R"("kind":"bytes","channel":")";
  line += channel_name(record.channel);
  line += R"(","from":)";
  Json::append_quoted(line, out ? record.self : record.peer);
  line += R"(,"to":)";
  Json::append_quoted(line, out ? record.peer : record.self);
  line += ",\"exchange\":" + std::to_string(record.exchange);
  return line;
}

// Where a body that goes on can be cut without a secret being cut: behind the last whole event, or, in a body that has
// none, behind the last blank or quote.
std::size_t safe_end(std::string_view body, bool events, bool must_cut) {
  if (events) {
    std::size_t end = 0;
    for (const std::string_view border : {"\n\n", "\r\n\r\n", "\r\r"}) {
      const std::size_t at = body.rfind(border);
      if (at != std::string_view::npos) end = std::max(end, at + border.size());
    }
    if (end > 0) return end;
  }
  if (!must_cut) return 0;
  const std::size_t blank = body.find_last_of(" \t\r\n\",");
  return blank == std::string_view::npos ? body.size() : blank + 1;
}

}  // namespace

std::string_view layer_name(Layer layer) {
  switch (layer) {
    case Layer::kBytes:
      return "bytes";
    case Layer::kEnvelope:
      return "envelope";
    case Layer::kHttp:
      return "http";
    case Layer::kSchema:
      return "schema";
    case Layer::kModel:
      return "model";
    case Layer::kOwn:
      return "own";
  }
  return "own";
}

// A message that comes in parts: what of it has not been written yet.
struct WireLog::Stream {
  std::string head;
  bool head_done = false;
  bool chunked = false;
  bool events = false;
  std::string content_type;
  Dechunker dechunker;
  std::string pending;
  std::uint64_t bytes = 0;
};

Result<std::unique_ptr<WireLog>> WireLog::open(const std::string& path, const Clock& clock, RandomSource& random) {
  std::uint64_t last_seq = 0;
  bool half_line = false;
  if (file_exists(path)) {
    POSTERN_TRY(const std::string before, read_file(path, kLogBytesMax));
    half_line = !before.empty() && before.back() != '\n';
    const std::size_t end = before.find_last_not_of('\n');
    const std::size_t start = end == std::string::npos ? 0 : before.rfind('\n', end) + 1;
    if (!before.empty()) last_seq = seq_of_line(std::string_view(before).substr(start));
  }
  POSTERN_TRY(LineFile file, LineFile::open(path));
  if (half_line) POSTERN_TRY_VOID(file.append(""));  // a crash in the middle of a line costs that line only
  return std::unique_ptr<WireLog>(new WireLog(std::move(file), clock, random, last_seq));
}

WireLog::WireLog(LineFile file, const Clock& clock, RandomSource& random, std::uint64_t last_seq)
    : clock_(clock), fingerprints_(random), redactor_(fingerprints_), file_(std::move(file)), seq_(last_seq) {}

WireLog::~WireLog() {
  const Status complete = status();
  if (!complete) log_error("The wire log is not complete. " + complete.error().text());
}

void WireLog::write(std::string_view members) {
  const MutexLock lock(mutex_);
  if (!status_) return;  // a log with a gap in it misleads more than one that ends
  std::string line = "{\"seq\":" + std::to_string(++seq_) + ",\"at\":\"" + rfc3339(clock_.now()) + "\",";
  line += members;
  line += '}';
  status_ = file_.append(line);
}

bool WireLog::goes_on(const TapRecord& record) {
  const MutexLock lock(streams_mutex_);
  return !record.last || streams_.count({record.exchange, record.direction}) != 0;
}

void WireLog::see(const TapRecord& record) {
  if (goes_on(record)) {
    see_part(record);
    return;
  }
  std::string line = beginning(record);
  if (record.channel == Channel::kHttp) {
    append_message(line, redactor_, record.bytes, kBodyBytesMax);
  } else {
    append_body(line, redactor_, {}, record.bytes, kBodyBytesMax);
  }
  append_size(line, fingerprints_, record.bytes);
  write(line);
}

// A response that goes on: its head as soon as it is whole, then the body up to where it can be cut, then what is left.
void WireLog::see_part(const TapRecord& record) {
  const MutexLock lock(streams_mutex_);
  std::unique_ptr<Stream>& slot = streams_[{record.exchange, record.direction}];
  if (!slot) slot = std::make_unique<Stream>();
  Stream& stream = *slot;
  stream.bytes += record.bytes.size();
  std::string_view bytes = record.bytes;
  if (!stream.head_done) {
    stream.head += bytes;
    const std::optional<WireHead> head = read_wire_head(stream.head);
    if (!head && !record.last && stream.head.size() < kBodyBytesMax) return;
    stream.head_done = true;
    std::string line = beginning(record) + R"(,"part":"head")";
    if (head) {
      stream.content_type = head->find("content-type");
      stream.events = stream.content_type.find("event-stream") != std::string::npos;
      stream.chunked = head->find("transfer-encoding").find("hunked") != std::string_view::npos;
      append_head(line, redactor_, *head);
      bytes = std::string_view(stream.head).substr(head->size);
    } else {
      append_body(line, redactor_, {}, stream.head, kBodyBytesMax, "raw");
      bytes = {};
    }
    write(line);
  }
  if (stream.chunked) {
    stream.dechunker.feed(bytes, stream.pending);
  } else {
    stream.pending += bytes;
  }
  const std::size_t end = record.last ? stream.pending.size()
                                      : safe_end(stream.pending, stream.events, stream.pending.size() >= kBodyBytesMax);
  if (end > 0 || record.last) {
    std::string line = beginning(record) + (record.last ? R"(,"part":"end")" : R"(,"part":"body")");
    append_body(line, redactor_, stream.content_type, std::string_view(stream.pending).substr(0, end), kBodyBytesMax);
    line += ",\"bytes\":" + std::to_string(stream.bytes);
    write(line);
    stream.bytes = 0;
    stream.pending.erase(0, end);
  }
  if (record.last) streams_.erase({record.exchange, record.direction});
}

void WireLog::note(const TapNote& note) {
  std::string line = R"("kind":"note","layer":")";
  line += layer_name(note.layer);
  line += R"(","subject":)";
  Json::append_quoted(line, redactor_.text(note.subject));
  line += note.to_read ? R"(,"verdict":"read")" : R"(,"verdict":"ok")";
  if (note.details.is_object()) {
    line += R"(,"details":)";
    line += redactor_.text(note.details.dump());
  }
  write(line);
}

void WireLog::note(Layer layer, std::string_view subject, bool to_read, Json details) {
  note(TapNote{layer, subject, to_read, std::move(details)});
}

Status WireLog::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

}  // namespace postern
