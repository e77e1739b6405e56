#include "services/approvals/request_rows.h"

#include "services/approvals/failures.h"

namespace postern::approvals {

using services::ApprovalId;
using services::Connection;
using services::Statement;

Result<ApprovalRequest> read_request(const Statement& row) {
  const auto status = request_status_of(row.text(2));
  const auto currency = Currency::of_code(row.text(10));
  if (!status || !currency)
    return services::StoreFailed{"approvals.sqlite", "a request has a status or currency that is not known"};
  ApprovalRequest request{.id = row.id<ApprovalId>(0),
                          .version = row.integer(1),
                          .status = *status,
                          .asked = {.action = {.ticket_id = row.id<services::TicketId>(3),
                                               .order_id = row.id<services::OrderId>(4),
                                               .line_id = row.id<services::LineId>(5),
                                               .amount = {row.integer(9), *currency},
                                               .policy_id = row.id<services::PolicyId>(11)},
                                    .requester = {row.text(14), row.text(15)},
                                    .requester_name = row.text(16),
                                    .line_title = row.text(6),
                                    .customer_id = row.id<services::CustomerId>(7),
                                    .customer_name = row.text(8),
                                    .limit = {row.integer(12), *currency},
                                    .ticket_subject = row.text(13),
                                    .desk = row.text(17),
                                    .reason = row.text(24),
                                    .run_id = row.text(18),
                                    .model_id = row.text(19),
                                    .tool = row.text(20),
                                    .pin_digest = row.text(21)},
                          .request_digest = row.text(23),
                          .arguments_canonical = row.text(22),
                          .created_at = row.time(25),
                          .expires_at = row.time(26),
                          .decided_by = {row.text(27), row.text(28)},
                          .decided_by_name = row.text(29),
                          .decided_at = row.optional_time(30),
                          .note = row.text(31)};
  return request;
}

Result<ApprovalRequest> find_request(Connection& connection, const ApprovalId& id) {
  Statement row = connection.statement("SELECT " POSTERN_REQUEST_COLUMNS " FROM approval_requests WHERE id = ?1");
  POSTERN_TRY(const bool found, row.bind(id).step());
  if (!found) return NoSuchRequest{};
  return read_request(row);
}

Status insert_request(Connection& connection, ApprovalRequest& request) {
  std::int64_t number = 1;
  {
    Statement last = connection.statement("SELECT max(number) FROM approval_requests");
    POSTERN_TRY(const bool found, last.step());
    if (found) number = last.integer(0) + 1;
  }
  request.id = ApprovalId(services::numbered("APR-", number));
  request.version = 1;
  const NewRequest& asked = request.asked;
  Statement insert = connection.statement(
      "INSERT INTO approval_requests (number, id, version, status, ticket_id, order_id, line_id, line_title, "
      "customer_id, "
      "customer_name, amount_cents, currency, policy_id, limit_cents, ticket_subject, requester_issuer, requester_sub, "
      "requester_name, desk, run_id, model_id, tool, pin_digest, args_canonical, request_digest, model_reason, "
      "created_at_ms, "
      "expires_at_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, "
      "?20, ?21, "
      "?22, ?23, ?24, ?25, ?26, ?27, ?28)");
  return insert
      .bind(number, request.id, request.version, text_of(request.status), asked.action.ticket_id, asked.action.order_id,
            asked.action.line_id, asked.line_title, asked.customer_id, asked.customer_name,
            asked.action.amount.minor_units, asked.action.amount.currency.code(), asked.action.policy_id,
            asked.limit.minor_units, asked.ticket_subject, asked.requester.issuer, asked.requester.subject,
            asked.requester_name, asked.desk, asked.run_id, asked.model_id, asked.tool, asked.pin_digest,
            request.arguments_canonical, request.request_digest, asked.reason, request.created_at, request.expires_at)
      .run();
}

}  // namespace postern::approvals
