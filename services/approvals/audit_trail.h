// The audit trail: one row for each thing that happened to a request or a session, append-only, chained by hashes.
//
// hash = SHA-256 of the previous row's hash and the canonical JSON of this row, in hex. The first row follows 64 zeros.
// Triggers of the database refuse changes and deletions; whoever gets around them breaks the chain at that row. Names
// are copied at the time of the event. No token, cookie, code or form token is ever part of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/store/database.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"

namespace postern::approvals {

struct AuditEvent {
  std::string actor_subject;  // empty: nobody, the clock
  std::string actor_name;
  std::string_view channel;  // "page", "desk", "clock", "payments"
  std::string_view action;   // "decision.approved"
  std::string object;        // "APR-0001", or a session's reference
  std::optional<std::int64_t> version_before;
  std::optional<std::int64_t> version_after;
  Json detail = Json::object();
};

struct AuditRow {
  std::int64_t seq = 0;
  std::string at;
  std::string actor_subject;
  std::string actor_name;
  std::string channel;
  std::string action;
  std::string object;
  std::optional<std::int64_t> version_before;
  std::optional<std::int64_t> version_after;
  std::string detail;
  std::string hash;
};

struct AuditVerdict {
  std::int64_t rows = 0;
  std::string head;            // the last row's hash
  std::int64_t broken_at = 0;  // the first row that does not fit; 0: whole
  [[nodiscard]] bool whole() const { return broken_at == 0; }
};

// Adds a row in the transaction of `connection`: what it tells about and the row itself are there together or not at
// all.
[[nodiscard]] Status append_audit(services::Connection& connection, const AuditEvent& event, WallTime now);
// Recomputes the whole chain.
[[nodiscard]] Result<AuditVerdict> verify_audit(services::Connection& connection);
// The newest rows first; all objects when `object` is empty.
[[nodiscard]] Result<std::vector<AuditRow>> audit_rows(services::Connection& connection, const std::string& object,
                                                       int rows_max);

}  // namespace postern::approvals
