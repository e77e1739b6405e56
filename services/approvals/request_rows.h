// Rows of approval_requests, read and written. For the store only.
#pragma once

#include <optional>
#include <string>

#include "services/approvals/approval_request.h"
#include "services/store/database.h"

namespace postern::approvals {

// The columns of a request in the order that read_request() wants them.
#define POSTERN_REQUEST_COLUMNS                                                                                       \
  "id, version, status, ticket_id, order_id, line_id, line_title, customer_id, customer_name, amount_cents, "         \
  "currency, "                                                                                                        \
  "policy_id, limit_cents, ticket_subject, requester_issuer, requester_sub, requester_name, desk, run_id, model_id, " \
  "tool, "                                                                                                            \
  "pin_digest, args_canonical, request_digest, model_reason, created_at_ms, expires_at_ms, decided_by_issuer, "       \
  "decided_by_sub, "                                                                                                  \
  "decided_by_name, decided_at_ms, note"

// The row under the statement. A row that this program cannot have written is store.failed.
[[nodiscard]] Result<ApprovalRequest> read_request(const services::Statement& row);
// `approval.no_such_request`
[[nodiscard]] Result<ApprovalRequest> find_request(services::Connection& connection, const services::ApprovalId& id);
// Gives it the next number; id and version are filled in.
[[nodiscard]] Status insert_request(services::Connection& connection, ApprovalRequest& request);

}  // namespace postern::approvals
