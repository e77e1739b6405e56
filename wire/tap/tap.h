// The tap: sees each byte that crosses a boundary of this process, once, before a parser does.
//
// A transport calls it with what it read or wrote; what it shows are the bytes as they are, so that a stray line, a
// smuggled request or a fused message can be seen as such. What only a parser can judge (a schema, an answer of the
// model) comes as a note beside the bytes, because redacted bytes cannot be judged again later. Implementations redact
// before anything touches the disk (wire/tap/wire_log.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>

#include "wire/base/failure.h"
#include "wire/base/json.h"

namespace postern {

enum class Channel { kStdio, kHttp };
enum class Direction { kOut, kIn };  // as seen from this process

// One stretch of bytes of one exchange.
struct TapRecord {
  Channel channel = Channel::kHttp;
  Direction direction = Direction::kOut;
  std::string_view self;       // "host", "desk"
  std::string_view peer;       // "server", "issuer", "model"; chosen by the composer, never by the peer
  std::uint64_t exchange = 0;  // one number a request and its response, unique in the process (next_exchange())
  std::string_view bytes;      // a whole HTTP message (head and body) or one stdio line; valid during the call only
  bool last = true;            // false while a streamed body goes on: the record holds the bytes so far unseen
};

// What was judged about the bytes: one rung of the ladder, ok or to be read.
struct TapNote {
  Layer layer = Layer::kOwn;
  std::string_view subject;  // "get_order", "tools/list": what was judged
  bool to_read = false;      // somebody should look at it
  Json details;  // an object or null; "text" is what the ladder prints; "waited_ms" is time that a person took
};

// A number that no exchange of this process has had: one counter for all its transports. Thread-safe.
[[nodiscard]] inline std::uint64_t next_exchange() {
  static std::atomic<std::uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

class Tap {
 public:
  virtual ~Tap() = default;
  // Thread-safe. Must not fail: a tap that cannot write remembers it and says so when it is closed.
  virtual void see(const TapRecord& record) = 0;
  // As see().
  virtual void note(const TapNote&) {}
};

// Sees nothing. For programs and tests without a wire log.
class NoTap final : public Tap {
 public:
  void see(const TapRecord&) override {}
};

}  // namespace postern
