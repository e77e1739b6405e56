// The rows of payments' tables, read and written within a transaction of the caller.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/approval_token/approval_token.h"
#include "services/domain/refund_action.h"
#include "services/domain/refund_receipt.h"
#include "services/store/database.h"
#include "wire/base/result.h"

namespace postern::payments {

struct RefundRow {
  services::RefundReceipt receipt;
  services::PolicyId policy_id;
  std::string request_digest;
  [[nodiscard]] services::RefundAction action() const {
    return {receipt.ticket_id, receipt.order_id, receipt.line_id, receipt.amount, policy_id};
  }
};

enum class RefundKey { kSpent, kTicket, kOrder, kApproval };

// Oldest first.
[[nodiscard]] Result<std::vector<RefundRow>> find_refunds(services::Connection& connection, RefundKey key,
                                                          std::string_view value);
// One of a spent key at most.
[[nodiscard]] Status insert_refund(services::Connection& connection, const RefundRow& row, std::string_view spent_key);
// Takes the next number: "RF-0001", "RF-0002", ...
[[nodiscard]] Result<services::RefundId> next_refund_id(services::Connection& connection);
// Nothing when payments knows no such policy.
[[nodiscard]] Result<std::optional<Money>> find_limit(services::Connection& connection, const services::PolicyId& id);
[[nodiscard]] Status insert_limit(services::Connection& connection, const services::PolicyId& id, const Money& limit);

}  // namespace postern::payments
