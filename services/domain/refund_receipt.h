// The receipt of one refund, as payments gives it.
#pragma once

#include <optional>

#include "services/domain/ids.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/money.h"

namespace postern::services {

struct RefundReceipt {
  RefundId refund_id;
  TicketId ticket_id;
  OrderId order_id;
  LineId line_id;
  Money amount;
  ApprovalId approval_id;
  TokenId token_id;
  WallTime refunded_at;
};

// {"refund_id","ticket_id","order_id","line_id","amount_cents","currency","approval_id","token_id","refunded_at"}
[[nodiscard]] Json to_json(const RefundReceipt& receipt);
// Nothing when a member is missing or has not its form. Members beside these are not looked at.
[[nodiscard]] std::optional<RefundReceipt> read_refund_receipt(const Json& json);

}  // namespace postern::services
