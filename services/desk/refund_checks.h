// What must hold before anybody is asked to decide about a refund: deterministic rows, in the order in which they run.
// The first that objects decides the failure.
//
// Payments checks the limit again when it pays, whatever an approval says. The product takes the table whole; the lab
// takes a row away to see which attack that row stops. Pure.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "services/customers/customers.h"
#include "services/domain/ids.h"
#include "services/domain/refund_receipt.h"
#include "services/orders/orders.h"
#include "services/returns/returns.h"
#include "wire/base/clock.h"
#include "wire/base/money.h"
#include "wire/base/result.h"

namespace postern::desk {

struct RefundFigures {
  const services::Ticket& ticket;
  const services::Order& order;
  const services::RefundPolicy& policy;
  const std::vector<services::RefundReceipt>& refunds_of_ticket;
  const std::vector<services::RefundReceipt>& refunds_of_order;
  services::LineId line_id;
  std::int64_t amount_minor = 0;  // in the order's currency
  WallTime now;
};

struct RefundCheck {
  std::string_view name;  // "ticket open", "line", "currency", "window", "limit", "once"
  Status (*run)(const RefundFigures& figures);
};
[[nodiscard]] std::span<const RefundCheck> product_refund_checks();

[[nodiscard]] Status check_refund(std::span<const RefundCheck> checks, const RefundFigures& figures);

}  // namespace postern::desk
