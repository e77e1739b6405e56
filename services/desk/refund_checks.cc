#include "services/desk/refund_checks.h"

#include <chrono>

#include "services/desk/failures.h"

namespace postern::desk {
namespace {

Status ticket_is_open(const RefundFigures& f) {
  if (f.ticket.status != services::TicketStatus::kOpen) return TicketClosed{f.ticket.ticket_id.value()};
  return {};
}

Status line_is_on_order(const RefundFigures& f) {
  if (f.order.line(f.line_id) == nullptr) return NoSuchLine{f.line_id.value(), f.order.order_id.value()};
  return {};
}

Status currency_is_the_policys(const RefundFigures& f) {
  if (f.order.currency == f.policy.limit.currency) return {};
  return CurrencyMismatch{std::string(f.order.currency.code()), std::string(f.policy.limit.currency.code()),
                          f.policy.policy_id.value()};
}

Status within_window(const RefundFigures& f) {
  const std::string policy = f.policy.policy_id.value();
  if (!f.order.delivered_at) return OutsideWindow{-1, f.policy.window_days, policy};
  const auto days = std::chrono::duration_cast<std::chrono::hours>(f.now - *f.order.delivered_at).count() / 24;
  if (days > f.policy.window_days) return OutsideWindow{days, f.policy.window_days, policy};
  return {};
}

// All refunds of the ticket count together (boundary, "the world").
Status within_limit(const RefundFigures& f) {
  const Money asked{f.amount_minor, f.order.currency};
  std::optional<Money> before = Money{0, f.policy.limit.currency};
  for (const services::RefundReceipt& receipt : f.refunds_of_ticket) {
    if (before) before = add(*before, receipt.amount);
  }
  const std::optional<Money> sum = before ? add(*before, asked) : std::nullopt;
  if (sum && sum->minor_units <= f.policy.limit.minor_units) return {};
  const bool had_some = before && before->minor_units > 0;
  return OverLimit{display(asked), had_some ? display(*before) : "", display(f.policy.limit),
                   f.policy.policy_id.value(), f.ticket.ticket_id.value()};
}

Status not_refunded_already(const RefundFigures& f) {
  for (const services::RefundReceipt& receipt : f.refunds_of_order) {
    if (receipt.line_id != f.line_id) continue;
    return LineRefundedAlready{f.line_id.value(), f.order.order_id.value(), receipt.refund_id.value(),
                               display(receipt.amount)};
  }
  return {};
}

constexpr RefundCheck kProductChecks[] = {
    {"ticket open", ticket_is_open}, {"line", line_is_on_order}, {"currency", currency_is_the_policys},
    {"window", within_window},       {"limit", within_limit},    {"once", not_refunded_already},
};

}  // namespace

std::span<const RefundCheck> product_refund_checks() {
  return kProductChecks;
}

Status check_refund(std::span<const RefundCheck> checks, const RefundFigures& figures) {
  for (const RefundCheck& check : checks) POSTERN_TRY_VOID(check.run(figures));
  return {};
}

}  // namespace postern::desk
