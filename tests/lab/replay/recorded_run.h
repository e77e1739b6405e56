// A recorded run: what crossed the host's boundaries in one run, normalised, with what it was told and how it ended.
//
// Read from a fixture (fixtures/runs/NAME.run) or from the folder of a run of the product; both give the same values,
// so that whoever grades a run need not know where it comes from. Secrets stand in it as aliases, `<token#1>`: the
// kind, and a number by first appearance; the same secret shows the same number. The world's addresses stand as
// `{desk}`,
// `{issuer}`, the run's id as `{run}`, the nonce of its labels as `{nonce}` (docs/replay.md). Plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/ladder/wire_run.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::lab {

// What stands in for a secret when the run is played again: of that many bytes, beginning so.
struct SecretShape {
  std::size_t number = 0;
  std::string prefix;
  std::size_t bytes = 0;
};

// One start of the host, to its exit code. A run that was resumed has several.
struct RecordedLeg {
  std::vector<std::string> arguments;  // {"run", "T-1042", "--wait", "30s"}
  int stopped_at_wait = 0;             // a Ctrl-C while the host waits for the nth time; 0: none
  std::size_t first = 0;               // of RecordedRun::lines
  std::size_t end = 0;                 // behind the last one
  std::optional<int> exit;             // nothing: not known
  std::optional<std::string> out;      // as printed; nothing: not known, a run's folder does not keep it
  std::optional<std::string> err;
};

struct RecordedRun {
  std::string name;      // of the fixture, or the run's id
  std::string scenario;  // of the laboratory; empty: a run of the product
  std::string ticket;
  std::string seed;
  std::string clock;                                        // when it began, RFC 3339: "2026-11-30T02:45:12.104Z"
  std::map<std::string, std::string, std::less<>> origins;  // "desk" -> "127.0.0.1:4310"
  std::vector<SecretShape> secrets;
  std::vector<RecordedLeg> legs;
  // In their order: what the wire log says ("bytes", "note"), and "failed": a request that has no answer.
  std::vector<Json> lines;
  // Why it cannot be played again, or not to its end; empty: it can.
  std::vector<std::string> limits;

  // The lines of the wire log as the ladder reads them; `seq` is the number of the line among `lines`.
  [[nodiscard]] std::vector<host::WireEntry> entries() const;
  // Of the last leg.
  [[nodiscard]] std::optional<int> exit() const;
};

// A fixture, or the folder of a run. Failures: lab.bad_run_file, own.file_failed.
[[nodiscard]] Result<RecordedRun> read_recorded_run(const std::string& path);

struct BadRunFile {
  static constexpr std::string_view kId = "lab.bad_run_file";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string file;
  std::size_t line = 0;  // 0: of the whole
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::lab
