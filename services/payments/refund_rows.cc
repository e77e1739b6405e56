#include "services/payments/refund_rows.h"

#include "services/payments/failures.h"

namespace postern::payments {
namespace {

using services::Connection;
using services::Statement;

#define POSTERN_REFUND_COLUMNS                                                                                 \
  "SELECT refund_id, token_id, approval_id, ticket_id, order_id, line_id, amount_minor, currency, policy_id, " \
  "request_digest, refunded_at FROM refunds "

// Statements must be literals (the connection keeps them by their text).
std::string_view sql_of(RefundKey key) {
  switch (key) {
    case RefundKey::kSpent:
      return POSTERN_REFUND_COLUMNS "WHERE spent_key = ?1";
    case RefundKey::kTicket:
      return POSTERN_REFUND_COLUMNS "WHERE ticket_id = ?1 ORDER BY refunded_at, number";
    case RefundKey::kOrder:
      return POSTERN_REFUND_COLUMNS "WHERE order_id = ?1 ORDER BY refunded_at, number";
    case RefundKey::kApproval:
      return POSTERN_REFUND_COLUMNS "WHERE approval_id = ?1 ORDER BY refunded_at, number";
  }
  return {};
}
#undef POSTERN_REFUND_COLUMNS

Result<Money> money_of(const Statement& row, int amount_column, int currency_column) {
  const std::string code = row.text(currency_column);
  const auto currency = Currency::of_code(code);
  if (!currency) return UnreadableRefund{code};
  return Money{row.integer(amount_column), *currency};
}

}  // namespace

Result<std::vector<RefundRow>> find_refunds(Connection& connection, RefundKey key, std::string_view value) {
  Statement rows = connection.statement(sql_of(key));
  rows.bind(value);
  std::vector<RefundRow> found;
  for (;;) {
    POSTERN_TRY(const bool more, rows.step());
    if (!more) return found;
    POSTERN_TRY(const Money amount, money_of(rows, 6, 7));
    services::RefundReceipt receipt{rows.id<services::RefundId>(0),
                                    rows.id<services::TicketId>(3),
                                    rows.id<services::OrderId>(4),
                                    rows.id<services::LineId>(5),
                                    amount,
                                    rows.id<services::ApprovalId>(2),
                                    rows.id<services::TokenId>(1),
                                    rows.time(10)};
    found.push_back({std::move(receipt), rows.id<services::PolicyId>(8), rows.text(9)});
  }
}

Status insert_refund(Connection& connection, const RefundRow& row, std::string_view spent_key) {
  const services::RefundReceipt& receipt = row.receipt;
  return connection
      .statement(
          "INSERT INTO refunds (refund_id, token_id, approval_id, ticket_id, order_id, line_id, amount_minor, "
          "currency, "
          "policy_id, request_digest, refunded_at, spent_key) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, "
          "?12)")
      .bind(receipt.refund_id, receipt.token_id, receipt.approval_id, receipt.ticket_id, receipt.order_id,
            receipt.line_id, receipt.amount.minor_units, receipt.amount.currency.code(), row.policy_id,
            row.request_digest, receipt.refunded_at, spent_key)
      .run();
}

Result<services::RefundId> next_refund_id(Connection& connection) {
  Statement row =
      connection.statement("UPDATE next_refund SET number = number + 1 WHERE sole = 1 RETURNING number - 1");
  POSTERN_TRY(const bool found, row.step());
  const std::int64_t number = found ? row.integer(0) : 0;
  POSTERN_TRY_VOID(row.step());
  return services::RefundId(services::numbered("RF-", number));
}

Result<std::optional<Money>> find_limit(Connection& connection, const services::PolicyId& id) {
  Statement row = connection.statement("SELECT limit_minor, currency FROM policy_limits WHERE policy_id = ?1");
  POSTERN_TRY(const bool found, row.bind(id).step());
  if (!found) return std::optional<Money>();
  POSTERN_TRY(const Money limit, money_of(row, 0, 1));
  return std::optional<Money>(limit);
}

Status insert_limit(Connection& connection, const services::PolicyId& id, const Money& limit) {
  return connection.statement("INSERT INTO policy_limits (policy_id, currency, limit_minor) VALUES (?1, ?2, ?3)")
      .bind(id, limit.currency.code(), limit.minor_units)
      .run();
}

}  // namespace postern::payments
