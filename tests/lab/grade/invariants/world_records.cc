// The records of approvals and payments, and the logs of who called a service, from the files of a world.

#include <algorithm>
#include <filesystem>

#include "services/store/database.h"
#include "tests/lab/grade/invariants/evidence.h"
#include "wire/base/embedded.h"
#include "wire/base/file.h"
#include "wire/base/visible_text.h"

POSTERN_EMBEDDED(services_approvals_migrations)
POSTERN_EMBEDDED(services_payments_migrations)

namespace postern::lab {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLogBytesMax = std::size_t{64} << 20;

// `sql` gives one column: a JSON object a row.
Result<std::vector<Json>> rows_of(services::Database& database, std::string_view sql) {
  return database.read<std::vector<Json>>([sql](services::Connection& connection) -> Result<std::vector<Json>> {
    services::Statement statement = connection.statement(sql);
    std::vector<Json> rows;
    for (;;) {
      POSTERN_TRY(const bool found, statement.step());
      if (!found) return rows;
      POSTERN_TRY(Json row, parse_json(statement.text(0)));
      rows.push_back(std::move(row));
    }
  });
}

constexpr std::string_view kRequests =
    "SELECT json_object('id', id, 'status', status, 'ticket_id', ticket_id, 'order_id', order_id, 'line_id', line_id, "
    "'amount_cents', amount_cents, 'currency', currency, 'policy_id', policy_id, 'limit_cents', limit_cents, "
    "'requester_sub', requester_sub, 'decided_by_sub', decided_by_sub, 'decided_at_ms', decided_at_ms, "
    "'request_digest', request_digest, 'run_id', run_id) FROM approval_requests ORDER BY number";
constexpr std::string_view kAudit =
    "SELECT json_object('seq', seq, 'at', at, 'actor_sub', actor_sub, 'channel', channel, 'action', action, 'object', "
    "object) FROM audit_events ORDER BY seq";
constexpr std::string_view kRefunds =
    "SELECT json_object('refund_id', refund_id, 'token_id', token_id, 'approval_id', approval_id, 'ticket_id', "
    "ticket_id, 'order_id', order_id, 'line_id', line_id, 'amount_minor', amount_minor, 'currency', currency, "
    "'policy_id', policy_id, 'request_digest', request_digest, 'refunded_at', refunded_at) FROM refunds "
    "ORDER BY number";
constexpr std::string_view kLimits =
    "SELECT json_object('policy_id', policy_id, 'currency', currency, 'limit_minor', limit_minor) FROM policy_limits";

// A copy is read: a grade changes no evidence, and a reader of WAL files writes beside them.
class Copy {
 public:
  static Result<Copy> of(const fs::path& file) {
    std::string form = (fs::temp_directory_path() / "postern-grade-XXXXXX").string();
    if (mkdtemp(form.data()) == nullptr) return FileFailed{form, "make the folder", "mkdtemp failed", 0};
    Copy copy(form);
    std::error_code error;
    for (const char* suffix : {"", "-wal"}) {
      const fs::path from = file.string() + suffix;
      if (!fs::exists(from, error)) continue;
      fs::copy_file(from, copy.folder_ / from.filename(), error);
      if (error) return FileFailed{visible_line(from.string(), 300), "read", error.message(), 0};
    }
    copy.file_ = (copy.folder_ / file.filename()).string();
    return copy;
  }
  Copy(Copy&& other) noexcept : folder_(std::move(other.folder_)), file_(std::move(other.file_)) {
    other.folder_.clear();
  }
  Copy& operator=(Copy&&) = delete;
  ~Copy() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
  }
  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  explicit Copy(fs::path folder) : folder_(std::move(folder)) {}
  fs::path folder_;
  std::string file_;
};

Result<std::unique_ptr<services::Database>> open(const Copy& copy, std::span<const EmbeddedFile> migrations) {
  services::DatabaseOptions options;
  options.path = copy.file();
  options.migrations = migrations;
  return services::Database::open(std::move(options));
}

Status read_approvals(const fs::path& file, WorldRecords& records) {
  POSTERN_TRY(const Copy copy, Copy::of(file));
  POSTERN_TRY(const auto database, open(copy, embedded::services_approvals_migrations()));
  POSTERN_TRY(records.requests, rows_of(*database, kRequests));
  POSTERN_TRY(records.audit, rows_of(*database, kAudit));
  return {};
}

Status read_payments(const fs::path& file, WorldRecords& records) {
  POSTERN_TRY(const Copy copy, Copy::of(file));
  POSTERN_TRY(const auto database, open(copy, embedded::services_payments_migrations()));
  POSTERN_TRY(records.refunds, rows_of(*database, kRefunds));
  POSTERN_TRY(records.limits, rows_of(*database, kLimits));
  return {};
}

Status read_downstream(const fs::path& file, WorldRecords& records) {
  POSTERN_TRY(const std::string text, read_file(file.string(), kLogBytesMax));
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    if (line.empty()) continue;
    POSTERN_TRY(Json call, parse_json(line));
    records.downstream.push_back(std::move(call));
  }
  return {};
}

}  // namespace

Result<std::optional<WorldRecords>> read_world_records(const std::string& folder) {
  WorldRecords records;
  bool approvals = false;
  bool payments = false;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name == "approvals.sqlite") POSTERN_TRY_VOID(read_approvals(entry.path(), records));
    if (name == "payments.sqlite") POSTERN_TRY_VOID(read_payments(entry.path(), records));
    if (name == "downstream.jsonl") POSTERN_TRY_VOID(read_downstream(entry.path(), records));
    approvals = approvals || name == "approvals.sqlite";
    payments = payments || name == "payments.sqlite";
  }
  if (!approvals && !payments) return std::optional<WorldRecords>();
  if (approvals && payments) return std::optional<WorldRecords>(std::move(records));
  return BadEvidence{visible_line(folder, 200),
                     std::string("its world has no records of ") + (approvals ? "payments" : "approvals")};
}

}  // namespace postern::lab
