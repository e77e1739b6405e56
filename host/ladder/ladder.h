// The wire ladder: a run's wire log read rung by rung, from the bytes up, so that a person starts to read where it
// first went wrong.
//
//   1 bytes      what crossed: stray lines, bytes that are no message
//   2 envelope   JSON-RPC: errors, answers that did not come
//   3 http       status codes; a 401 or 403 that was answered by the next request is a challenge, not a fault
//   4 schema     inputs and results against their schemas, pins (notes of the host)
//   5 model      what the model was sent and told
//
// Pure functions from entries to text; no colour, no terminal. All text of peers is made visible. Forms: docs of the
// command line, "Ladder".
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/ladder/wire_run.h"
#include "wire/base/result.h"

namespace postern::host {

struct LadderFinding {
  std::uint64_t seq = 0;
  std::string text;    // one line
  std::string detail;  // one more line, or empty
};

struct LadderRung {
  Layer layer = Layer::kBytes;
  std::vector<std::uint64_t> entries;  // sequence numbers of what was looked at on this rung
  std::vector<LadderFinding> to_read;
};

struct AnsweredChallenge {
  std::uint64_t seq = 0;
  std::string what;  // "401 discovery", "403 step-up"
};

struct Ladder {
  std::array<LadderRung, 5> rungs;
  std::vector<AnsweredChallenge> challenges;
  std::int64_t working_ms = 0;
  std::int64_t waiting_ms = 0;  // for a person
  bool over_http = false;
  [[nodiscard]] bool something_to_read() const;
};

[[nodiscard]] Ladder climb(const WireRun& run);

// What a command prints, and whether there is something to read (exit code 1).
struct LadderText {
  std::string text;  // lines that end with LF
  bool something_to_read = false;
};

[[nodiscard]] LadderText ladder_summary(const WireRun& run);
// One line an entry of that rung; without `all` only what is to be read.
[[nodiscard]] LadderText ladder_listing(const WireRun& run, Layer layer, bool all);
// One line an entry of the whole log, with or without those that are fine.
[[nodiscard]] LadderText ladder_listing(const WireRun& run, bool all);

struct ShowEntry {
  bool headers = true;
  bool body = true;
  bool raw = false;  // as hex
};
// `wire.no_such_entry` when there is none with that number.
[[nodiscard]] Result<std::string> show_entry(const WireRun& run, std::uint64_t seq, ShowEntry what);

struct NoSuchWireEntry {
  static constexpr std::string_view kId = "wire.no_such_entry";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string run;
  std::uint64_t seq = 0;
  std::uint64_t last = 0;
  [[nodiscard]] std::string text() const;
};

// "bytes", "envelope", "http", "schema" or "model".
[[nodiscard]] std::optional<Layer> ladder_layer(std::string_view name);

}  // namespace postern::host
