// Making, finding and listing requests, and what the clock and payments do to them. Deciding and redeeming have files
// of their own.
#include "services/approvals/approval_store.h"

#include "services/approvals/failures.h"
#include "services/approvals/request_rows.h"
#include "wire/base/canonical_json.h"
#include "wire/base/embedded.h"
#include "wire/base/visible_text.h"

POSTERN_EMBEDDED(services_approvals_migrations)

namespace postern::approvals {

using services::ApprovalId;
using services::Connection;
using services::PersonKey;
using services::Statement;

namespace {

// A writing transaction that gives nothing back.
template <class Work>
Status write_nothing_back(services::Database& database, Work work) {
  struct Done {};
  const Result<Done> done = database.write<Done>([&](Connection& connection) -> Result<Done> {
    POSTERN_TRY_VOID(work(connection));
    return Done{};
  });
  if (!done) return done.error();
  return {};
}

Json event_detail(const ApprovalRequest& request) {
  return Json::object({{"action", action_json(request)}, {"desk", request.asked.desk}});
}

AuditEvent created_event(const ApprovalRequest& request) {
  return {.actor_subject = request.asked.requester.subject,
          .actor_name = request.asked.requester_name,
          .channel = "desk",
          .action = "request.created",
          .object = request.id.value(),
          .version_before = std::nullopt,
          .version_after = request.version,
          .detail = event_detail(request)};
}

// Moves every pending request whose time is over; within the caller's transaction.
Status expire_due_in(Connection& connection, WallTime now) {
  std::vector<std::pair<std::string, std::int64_t>> due;
  {
    Statement rows = connection.statement(
        "SELECT id, version FROM approval_requests WHERE status = 'pending' AND expires_at_ms <= ?1");
    rows.bind(now);
    while (true) {
      POSTERN_TRY(const bool more, rows.step());
      if (!more) break;
      due.emplace_back(rows.text(0), rows.integer(1));
    }
  }
  for (const auto& [id, version] : due) {
    POSTERN_TRY_VOID(
        connection.statement("UPDATE approval_requests SET status = 'expired', version = version + 1 WHERE id = ?1")
            .bind(id)
            .run());
    AuditEvent event{.actor_subject = {},
                     .actor_name = {},
                     .channel = "clock",
                     .action = "request.expired",
                     .object = id,
                     .version_before = version,
                     .version_after = version + 1};
    POSTERN_TRY_VOID(append_audit(connection, event, now));
  }
  return {};
}

// The request for this digest that is still open: pending, or approved with time left to use it.
Result<std::optional<ApprovalRequest>> open_request(Connection& connection, const std::string& digest, WallTime now) {
  Statement row =
      connection.statement("SELECT " POSTERN_REQUEST_COLUMNS
                           " FROM approval_requests WHERE request_digest = ?1 ORDER BY number DESC LIMIT 1");
  POSTERN_TRY(const bool found, row.bind(digest).step());
  if (!found) return std::optional<ApprovalRequest>();
  POSTERN_TRY(ApprovalRequest request, read_request(row));
  const bool pending = request.status == RequestStatus::kPending;
  const bool usable = request.status == RequestStatus::kApproved && now < request.use_by();
  if (!pending && !usable) return std::optional<ApprovalRequest>();
  return std::optional<ApprovalRequest>(std::move(request));
}

Status check_room(Connection& connection, const PersonKey& requester) {
  Statement row = connection.statement(
      "SELECT count(*) FROM approval_requests WHERE requester_issuer = ?1 AND requester_sub = ?2 AND status = "
      "'pending'");
  POSTERN_TRY(const bool found, row.bind(requester.issuer, requester.subject).step());
  const auto waiting = found ? row.integer(0) : 0;
  if (waiting >= ApprovalStore::kOpenRequestsMax) return TooManyOpenRequests{static_cast<int>(waiting)};
  return {};
}

}  // namespace

Result<std::unique_ptr<ApprovalStore>> ApprovalStore::open(ApprovalStoreOptions options, const DeskStaff& staff,
                                                           services::ApprovalTokenIssuer issuer) {
  POSTERN_TRY(std::unique_ptr<services::Database> database,
              services::Database::open({.path = options.database_dir + "/approvals.sqlite",
                                        .durability = services::Durability::kFull,
                                        .migrations = embedded::services_approvals_migrations()}));
  return std::unique_ptr<ApprovalStore>(
      new ApprovalStore(std::move(options), staff, std::move(issuer), std::move(database)));
}

Result<ApprovalRequest> ApprovalStore::request(const NewRequest& asked, WallTime now) {
  const std::string digest = services::request_digest(asked.action, asked.requester);
  return database_->write<ApprovalRequest>([&](Connection& connection) -> Result<ApprovalRequest> {
    POSTERN_TRY_VOID(expire_due_in(connection, now));
    POSTERN_TRY(std::optional<ApprovalRequest> open, open_request(connection, digest, now));
    if (open) return *std::move(open);
    POSTERN_TRY_VOID(check_room(connection, asked.requester));
    Json arguments = services::to_json(asked.action);
    arguments.set("reason", asked.reason);
    ApprovalRequest request{.id = {},
                            .version = 1,
                            .status = RequestStatus::kPending,
                            .asked = asked,
                            .request_digest = digest,
                            .arguments_canonical = canonical_json(arguments),
                            .created_at = now,
                            .expires_at = now + options_.request_time,
                            .decided_by = {},
                            .decided_by_name = {},
                            .decided_at = std::nullopt,
                            .note = {}};
    POSTERN_TRY_VOID(insert_request(connection, request));
    POSTERN_TRY_VOID(append_audit(connection, created_event(request), now));
    return request;
  });
}

Result<ApprovalRequest> ApprovalStore::find(const ApprovalId& id) {
  return database_->read<ApprovalRequest>([&](Connection& connection) { return find_request(connection, id); });
}

Result<RequestList> ApprovalStore::list(const std::vector<std::string>& desks, const PersonKey& requester,
                                        bool pending_only, int page, WallTime now) {
  Json desk_list = Json::array();
  for (const std::string& desk : desks) desk_list.push(desk);
  return database_->read<RequestList>([&](Connection& connection) -> Result<RequestList> {
    Statement rows = connection.statement(
        "SELECT " POSTERN_REQUEST_COLUMNS
        " FROM approval_requests WHERE (desk IN (SELECT value FROM json_each(?1)) OR (requester_issuer = ?2 AND "
        "requester_sub = "
        "?3)) AND (?4 = 0 OR (status = 'pending' AND expires_at_ms > ?5)) ORDER BY number DESC LIMIT ?6 OFFSET ?7");
    rows.bind(desk_list.dump(), requester.issuer, requester.subject, pending_only, now, kPageSize + 1,
              page * kPageSize);
    RequestList list;
    while (true) {
      POSTERN_TRY(const bool more, rows.step());
      if (!more) return list;
      if (list.requests.size() == static_cast<std::size_t>(kPageSize)) {
        list.more = true;
        return list;
      }
      POSTERN_TRY(ApprovalRequest request, read_request(rows));
      list.requests.push_back(std::move(request));
    }
  });
}

Status ApprovalStore::expire_due(WallTime now) {
  return write_nothing_back(*database_, [&](Connection& connection) { return expire_due_in(connection, now); });
}

Result<std::optional<TokenRecord>> ApprovalStore::token_of(const ApprovalId& id) {
  return database_->read<std::optional<TokenRecord>>([&](Connection& connection) -> Result<std::optional<TokenRecord>> {
    Statement row = connection.statement(
        "SELECT id, issued_at_ms, use_by_ms, refund_id, failure, lapsed_at_ms FROM approval_tokens WHERE request_id = "
        "?1");
    POSTERN_TRY(const bool found, row.bind(id).step());
    if (!found) return std::optional<TokenRecord>();
    return std::optional<TokenRecord>(TokenRecord{.token_id = row.id<services::TokenId>(0),
                                                  .issued_at = row.time(1),
                                                  .use_by = row.time(2),
                                                  .refund_id = row.text(3),
                                                  .failure = row.text(4),
                                                  .lapsed = !row.is_null(5)});
  });
}

Result<std::vector<ApprovalRequest>> ApprovalStore::unsettled() {
  return database_->read<std::vector<ApprovalRequest>>(
      [&](Connection& connection) -> Result<std::vector<ApprovalRequest>> {
        Statement rows = connection.statement(
            "SELECT " POSTERN_REQUEST_COLUMNS
            " FROM approval_requests AS r WHERE status = 'approved' AND NOT EXISTS (SELECT 1 FROM audit_events AS a "
            "WHERE a.object = "
            "r.id AND a.action IN ('refund.paid', 'token.refused', 'token.lapsed')) ORDER BY number LIMIT 100");
        std::vector<ApprovalRequest> out;
        while (true) {
          POSTERN_TRY(const bool more, rows.step());
          if (!more) return out;
          POSTERN_TRY(ApprovalRequest request, read_request(rows));
          out.push_back(std::move(request));
        }
      });
}

namespace {

Status settle_as(Connection& connection, const ApprovalRequest& request, std::string_view action, Json detail,
                 WallTime now) {
  Statement before = connection.statement("SELECT 1 FROM audit_events WHERE object = ?1 AND action = ?2");
  POSTERN_TRY(const bool known, before.bind(request.id, action).step());
  if (known) return {};
  const AuditEvent event{.actor_subject = {},
                         .actor_name = {},
                         .channel = action == "token.lapsed" ? "clock" : "payments",
                         .action = action,
                         .object = request.id.value(),
                         .version_before = request.version,
                         .version_after = request.version,
                         .detail = std::move(detail)};
  return append_audit(connection, event, now);
}

Status settle_in(Connection& connection, const ApprovalRequest& request, const services::PaymentState& state,
                 WallTime now) {
  if (state.status == services::PaymentStatus::kPaid && state.receipt) {
    const services::RefundReceipt& receipt = *state.receipt;
    POSTERN_TRY_VOID(
        connection.statement("UPDATE approval_tokens SET spent_at = ?1, refund_id = ?2 WHERE request_id = ?3")
            .bind(rfc3339(receipt.refunded_at), receipt.refund_id, request.id)
            .run());
    POSTERN_TRY_VOID(
        settle_as(connection, request, "token.spent", Json::object({{"token_id", receipt.token_id.value()}}), now));
    return settle_as(connection, request, "refund.paid", services::to_json(receipt), now);
  }
  if (state.status == services::PaymentStatus::kRefused) {
    POSTERN_TRY_VOID(connection.statement("UPDATE approval_tokens SET failure = ?1 WHERE request_id = ?2")
                         .bind(state.refusal, request.id)
                         .run());
    return settle_as(connection, request, "token.refused", Json::object({{"text", visible_line(state.refusal)}}), now);
  }
  if (now < request.use_by()) return {};
  POSTERN_TRY_VOID(connection.statement("UPDATE approval_tokens SET lapsed_at_ms = ?1 WHERE request_id = ?2")
                       .bind(now, request.id)
                       .run());
  return settle_as(connection, request, "token.lapsed", Json::object(), now);
}

}  // namespace

Status ApprovalStore::settle(const ApprovalRequest& request, const services::PaymentState& state, WallTime now) {
  return write_nothing_back(*database_,
                            [&](Connection& connection) { return settle_in(connection, request, state, now); });
}

Status ApprovalStore::record(const AuditEvent& event, WallTime now) {
  return write_nothing_back(*database_, [&](Connection& connection) { return append_audit(connection, event, now); });
}

Result<std::vector<AuditRow>> ApprovalStore::audit(const std::string& object, int rows_max) {
  return database_->read<std::vector<AuditRow>>(
      [&](Connection& connection) { return audit_rows(connection, object, rows_max); });
}

Result<AuditVerdict> ApprovalStore::verify() {
  return database_->read<AuditVerdict>([](Connection& connection) { return verify_audit(connection); });
}

}  // namespace postern::approvals
