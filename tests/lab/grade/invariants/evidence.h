// What is left of a run and can be graded: its wire log, what was printed, the files beside it, and, where the world's
// databases are at hand, the records of approvals and payments.
//
// Read from the folder of a run of the product or from a wire log alone (tests/lab/grade/recorded_evidence.h: from a
// recorded run). A log that is not whole (a line that cannot be read, a number that is missing, nothing in it) is a
// failure and no evidence. Plain values.
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

// Rows as objects, each member a column. All that the world holds: which are of one run is decided by the approval.
struct WorldRecords {
  std::vector<Json> requests;    // of approvals
  std::vector<Json> audit;       // of approvals, oldest first
  std::vector<Json> refunds;     // of payments, whoever asked for them
  std::vector<Json> limits;      // of payments: policy_id, currency, limit_minor
  std::vector<Json> downstream;  // lines of every service's log
};

struct Evidence {
  std::string name;      // a run id, or the name of a fixture
  std::string scenario;  // of the laboratory; empty: a run of the product
  std::string ticket;    // may be empty
  std::string nonce;     // of the labels; empty: not known, then it is the one that occurs
  std::vector<host::WireEntry> entries;
  // `seq` of the first entry of each start of the host: secrets show other fingerprints in each.
  std::vector<std::uint64_t> legs;
  std::optional<int> exit;
  std::string outcome;  // of run.json: "refunded", "no_refund"; empty: not known
  // What was written, by name, to be searched: logs, stdout, stderr, transcript.
  std::map<std::string, std::string> texts;
  std::optional<WorldRecords> world;
  // Secrets that are known to have been in use, where the caller knows them: no piece of one may be in `texts`.
  std::vector<std::string> canaries;
};

// A run's folder, or a .jsonl file. Failures: lab.bad_evidence, own.file_failed.
[[nodiscard]] Result<Evidence> read_evidence(const std::string& path);
// Of lines as a wire log has them.
[[nodiscard]] Result<Evidence> evidence_of_log(std::string name, std::string_view lines);
// Whether the entries are whole; read_evidence() has asked already.
[[nodiscard]] Status check_whole(const Evidence& evidence);
// Whether the outcome and the exit code go together, and whether the log of a run that is finished goes on to the
// model's last turn and the last read of the order. lab.bad_evidence.
[[nodiscard]] Status check_outcome(const Evidence& evidence);
[[nodiscard]] Status check_ended(const Evidence& evidence);
// Databases and logs of the services in that folder, at whatever depth. Nothing when there are none; one database
// without the other is lab.bad_evidence. own.file_failed, store.*.
[[nodiscard]] Result<std::optional<WorldRecords>> read_world_records(const std::string& folder);

struct BadEvidence {
  static constexpr std::string_view kId = "lab.bad_evidence";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUsage;
  std::string name;  // made visible
  std::string reason;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::lab
