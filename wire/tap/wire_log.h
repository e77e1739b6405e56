// The wire log: a Tap that redacts and appends JSON lines to one file.
//
//   {"seq":7,"at":"2026-11-30T02:45:12.104Z","kind":"bytes","channel":"http","from":"host","to":"server",
//    "exchange":4,"start":"POST /mcp HTTP/1.1","headers":[["mcp-method","tools/call"],...],"body":"{...}",
//    "bytes":812,"digest":"9f..."}
//   {"seq":8,"at":"...","kind":"note","layer":"schema","subject":"get_order","verdict":"ok"}
//
// Of every line: `seq` counts from 1 without a gap, `at` is the wall clock, `kind` is "bytes" or "note".
// Of bytes: `channel` is "http" or "stdio"; `exchange` is one number a request and its response (0 on stdio); `body` is
// the body after redaction, always as text, with a chunked body put together (`framing` says that it could not be);
// `cut` is how many bytes of a long body were left out, which happens after redaction, so that no secret is cut in
// halves; `bytes` is the size of what crossed and `digest` is keyed (wire/tap/fingerprint.h). A message that is no HTTP
// has `raw` in place of start, headers and body; a stdio line has `body` alone. A streamed response comes as several
// entries of one exchange with `part`: "head", then "body" (whole events), then "end".
// Of a note: `layer`, `subject`, `verdict` ("ok" or "read"), and `details`, an object.
//
// Thread-safe; one lock orders sequence numbers and lines. Each line is one write(2), with the system when the call
// returns. Mode 0600.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "wire/base/clock.h"
#include "wire/base/file.h"
#include "wire/base/mutex.h"
#include "wire/base/random_source.h"
#include "wire/base/result.h"
#include "wire/tap/fingerprint.h"
#include "wire/tap/redact.h"
#include "wire/tap/tap.h"

namespace postern {

class WireLog final : public Tap {
 public:
  // What of a body is kept in one entry.
  static constexpr std::size_t kBodyBytesMax = 256 * 1024;

  // Appends to `path`, which it creates; a log that is continued goes on with the next sequence number.
  // `own.file_failed` when it cannot.
  [[nodiscard]] static Result<std::unique_ptr<WireLog>> open(const std::string& path, const Clock& clock,
                                                             RandomSource& random);
  ~WireLog() override;

  void see(const TapRecord& record) override;
  void note(const TapNote& note) override;
  // The same, as one call.
  void note(Layer layer, std::string_view subject, bool to_read = false, Json details = {});

  // The first failure to write, if there was one: the log is then not complete, and a run must say so.
  [[nodiscard]] Status status() const;
  // For other artefacts of the same run: the same secret shows the same digits there.
  [[nodiscard]] const Redactor& redactor() const { return redactor_; }

 private:
  struct Stream;  // of a response that goes on
  WireLog(LineFile file, const Clock& clock, RandomSource& random, std::uint64_t last_seq);
  void write(std::string_view members);
  [[nodiscard]] bool goes_on(const TapRecord& record);
  void see_part(const TapRecord& record);

  const Clock& clock_;
  Fingerprints fingerprints_;
  Redactor redactor_;
  mutable Mutex mutex_;
  LineFile file_ POSTERN_GUARDED_BY(mutex_);
  std::uint64_t seq_ POSTERN_GUARDED_BY(mutex_);
  Status status_ POSTERN_GUARDED_BY(mutex_);
  Mutex streams_mutex_;
  std::map<std::pair<std::uint64_t, Direction>, std::unique_ptr<Stream>> streams_ POSTERN_GUARDED_BY(streams_mutex_);
};

[[nodiscard]] std::string_view layer_name(Layer layer);  // "bytes", "envelope", "http", "schema", "model", "own"

}  // namespace postern
