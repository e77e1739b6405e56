#include "services/approvals/audit_trail.h"

#include "wire/base/canonical_json.h"
#include "wire/base/digest.h"

namespace postern::approvals {
namespace {

constexpr std::string_view kSelectAll =
    "SELECT seq, at, actor_sub, actor_name, channel, action, object, version_before, version_after, detail_json, hash, "
    "prev_hash "
    "FROM audit_events ORDER BY seq";
constexpr std::string_view kSelectNewest =
    "SELECT seq, at, actor_sub, actor_name, channel, action, object, version_before, version_after, detail_json, hash, "
    "prev_hash "
    "FROM audit_events WHERE ?1 = '' OR object = ?1 ORDER BY seq DESC LIMIT ?2";

std::string first_hash() {
  return std::string(64, '0');
}

Json or_null(const std::optional<std::int64_t>& value) {
  return value ? Json(*value) : Json();
}

std::string hash_of(const std::string& previous, const AuditRow& row) {
  return sha256_hex(previous + canonical_json(Json::object({{"seq", row.seq},
                                                            {"at", row.at},
                                                            {"actor_sub", row.actor_subject},
                                                            {"actor_name", row.actor_name},
                                                            {"channel", row.channel},
                                                            {"action", row.action},
                                                            {"object", row.object},
                                                            {"version_before", or_null(row.version_before)},
                                                            {"version_after", or_null(row.version_after)},
                                                            {"detail", row.detail}})));
}

std::optional<std::int64_t> optional_integer(const services::Statement& row, int column) {
  if (row.is_null(column)) return std::nullopt;
  return row.integer(column);
}

AuditRow read_row(const services::Statement& row) {
  return {.seq = row.integer(0),
          .at = row.text(1),
          .actor_subject = row.text(2),
          .actor_name = row.text(3),
          .channel = row.text(4),
          .action = row.text(5),
          .object = row.text(6),
          .version_before = optional_integer(row, 7),
          .version_after = optional_integer(row, 8),
          .detail = row.text(9),
          .hash = row.text(10)};
}

}  // namespace

Status append_audit(services::Connection& connection, const AuditEvent& event, WallTime now) {
  std::string previous = first_hash();
  AuditRow row{.seq = 1,
               .at = rfc3339(now),
               .actor_subject = event.actor_subject,
               .actor_name = event.actor_name,
               .channel = std::string(event.channel),
               .action = std::string(event.action),
               .object = event.object,
               .version_before = event.version_before,
               .version_after = event.version_after,
               .detail = canonical_json(event.detail),
               .hash = {}};
  {
    services::Statement head = connection.statement("SELECT seq, hash FROM audit_events ORDER BY seq DESC LIMIT 1");
    POSTERN_TRY(const bool found, head.step());
    if (found) {
      row.seq = head.integer(0) + 1;
      previous = head.text(1);
    }
  }
  row.hash = hash_of(previous, row);
  services::Statement insert = connection.statement(
      "INSERT INTO audit_events (seq, at, actor_sub, actor_name, channel, action, object, version_before, "
      "version_after, "
      "detail_json, prev_hash, hash) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  return insert
      .bind(row.seq, row.at, row.actor_subject, row.actor_name, row.channel, row.action, row.object, row.version_before,
            row.version_after, row.detail, previous, row.hash)
      .run();
}

Result<AuditVerdict> verify_audit(services::Connection& connection) {
  AuditVerdict verdict{.rows = 0, .head = first_hash(), .broken_at = 0};
  services::Statement rows = connection.statement(kSelectAll);
  while (true) {
    POSTERN_TRY(const bool more, rows.step());
    if (!more) return verdict;
    const AuditRow row = read_row(rows);
    const bool fits =
        row.seq == verdict.rows + 1 && rows.text(11) == verdict.head && hash_of(verdict.head, row) == row.hash;
    if (!fits && verdict.broken_at == 0) verdict.broken_at = row.seq;
    verdict.rows = row.seq;
    verdict.head = row.hash;
  }
}

Result<std::vector<AuditRow>> audit_rows(services::Connection& connection, const std::string& object, int rows_max) {
  std::vector<AuditRow> out;
  services::Statement rows = connection.statement(kSelectNewest);
  rows.bind(object, rows_max);
  while (true) {
    POSTERN_TRY(const bool more, rows.step());
    if (!more) return out;
    out.push_back(read_row(rows));
  }
}

}  // namespace postern::approvals
