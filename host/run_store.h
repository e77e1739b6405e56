// The runs: one folder each under $XDG_STATE_HOME/postern/runs, mode 0700, files 0600.
//
//   <run id>/run.json        what the run is and how it ended (RunRecord)
//            lock            held by the program that works on the run
//            wire.jsonl      the wire log
//            transcript.bin  the conversation with the model, byte for byte
//            waiting.json    request states of calls that wait for a person (WaitingRounds), while they do
//            world/          of the profile local: databases, key ring, logs of the servers, keys.json while it can be
//            resumed
//
// Not thread-safe; two programs may use two runs at the same time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/random_source.h"
#include "wire/base/result.h"

namespace postern::host {

struct RunRecord {
  std::string run;
  std::string ticket;
  std::string started_at;  // RFC 3339
  std::string state;       // "running", "pending", "interrupted", "finished", "failed"
  std::string outcome;     // as in the report; empty while it runs
  std::optional<int> exit;
  std::string profile;
  std::string person;       // of the profile local: who signs in
  std::string server;       // the MCP endpoint
  std::string model;        // as configured: an id, or "script:honest"
  std::string model_url;    // where the conversation goes, as configured; empty: the model service's own address
  std::string pins;         // file of reviewed pins, as an absolute path; empty: the embedded ones
  bool model_done = false;  // the model has spoken last: a run that goes on only reads the desk's records
  std::string
      label_nonce;  // of the labels in the conversation with the model: one for the run, also when it goes on later
  Json stack;       // of the profile local: ports and processes; null otherwise
};

[[nodiscard]] Json json_of(const RunRecord& record);

// Held for as long as a program works on a run; given back when the program ends, however it ends.
class RunLock {
 public:
  RunLock(RunLock&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  RunLock& operator=(RunLock&&) = delete;
  ~RunLock();

 private:
  friend class RunStore;
  explicit RunLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

class RunStore {
 public:
  // `state_home` is an absolute folder.
  explicit RunStore(std::string state_home) : root_(std::move(state_home) + "/postern/runs") {}

  // Makes the folder. own.file_failed, with the path, when it cannot be written.
  [[nodiscard]] Result<RunRecord> create(const Clock& clock, RandomSource& random, std::string ticket);
  [[nodiscard]] Status save(const RunRecord& record) const;
  // A run of the state "running" whose program is gone is "interrupted". usage.no_such_run
  [[nodiscard]] Result<RunRecord> load(std::string_view run) const;
  // Newest first, at most `limit`. Folders that hold no record are left out.
  [[nodiscard]] std::vector<RunRecord> list(std::size_t limit) const;
  // The named one, or the newest when `run` is empty.
  [[nodiscard]] Result<RunRecord> named_or_newest(std::string_view run) const;
  // usage.wrong when another program works on the run; own.file_failed.
  [[nodiscard]] Result<RunLock> lock(std::string_view run) const;
  // Whether some program works on it now.
  [[nodiscard]] bool in_use(std::string_view run) const;
  // Removes the folder and all in it.
  [[nodiscard]] Status remove(std::string_view run) const;

  [[nodiscard]] std::string folder(std::string_view run) const { return root_ + "/" + std::string(run); }

 private:
  std::string root_;
};

// "http-20261130T024512-7c1e" and nothing else: a run id becomes part of a path.
[[nodiscard]] bool is_run_id(std::string_view text);

struct NoSuchRun {
  static constexpr std::string_view kId = "usage.no_such_run";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string run;  // made visible; empty: there is no run at all
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::host
