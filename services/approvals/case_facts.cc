#include "services/approvals/case_facts.h"

namespace postern::approvals {
namespace {

using services::RefundReceipt;

template <class Counts>
std::optional<Money> sum(const std::vector<RefundReceipt>& refunds, Currency currency, Counts counts) {
  Money total{0, currency};
  for (const RefundReceipt& refund : refunds) {
    if (!counts(refund)) continue;
    const auto next = add(total, refund.amount);
    if (!next) return std::nullopt;
    total = *next;
  }
  return total;
}

// Payments pays a line of an order once, whatever ticket asks for it.
bool line_was_refunded(const std::vector<RefundReceipt>& refunds, const services::RefundAction& action) {
  for (const RefundReceipt& refund : refunds) {
    if (refund.order_id == action.order_id && refund.line_id == action.line_id) return true;
  }
  return false;
}

}  // namespace

std::optional<Money> sum_of_order(const std::vector<RefundReceipt>& refunds, Currency currency) {
  return sum(refunds, currency, [](const RefundReceipt&) { return true; });
}

std::optional<Money> sum_of_ticket(const std::vector<RefundReceipt>& refunds, const services::TicketId& ticket,
                                   Currency currency) {
  return sum(refunds, currency, [&](const RefundReceipt& refund) { return refund.ticket_id == ticket; });
}

std::optional<std::string> difference(const ApprovalRequest& request, const CaseView& view,
                                      const std::vector<RefundReceipt>& refunds) {
  const services::RefundAction& action = request.asked.action;
  const auto text = [](const std::string& sentence) { return std::optional<std::string>(sentence); };
  if (!view.ticket_open) return text("The ticket " + action.ticket_id.value() + " is closed.");
  if (view.desk != request.asked.desk) return text("The ticket belongs to another desk now.");
  if (!view.order_id || !(*view.order_id == action.order_id)) {
    return text("The ticket is not about the order " + action.order_id.value() + ".");
  }
  if (!(view.customer_id == request.asked.customer_id) || view.customer_name != request.asked.customer_name) {
    return text("The customer of the ticket is not the one that was named when this was asked for.");
  }
  if (!view.line_title || !view.line_price) return text("The order has no line " + action.line_id.value() + ".");
  if (!(view.policy_id == action.policy_id)) return text("Another policy applies now: " + view.policy_id.value() + ".");
  if (!view.limit || !(view.limit->currency == action.amount.currency)) {
    return text("The policy " + action.policy_id.value() + " is in another currency.");
  }
  if (view.line_price->currency != action.amount.currency) return text("The order is in another currency.");
  if (line_was_refunded(refunds, action)) return text("This line was refunded already.");
  const auto paid = sum_of_ticket(refunds, action.ticket_id, action.amount.currency);
  const auto total = paid ? add(*paid, action.amount) : std::nullopt;
  if (!total) return text("What was paid back before cannot be added up.");
  if (total->minor_units > view.limit->minor_units) {
    return text(display(*total) + " exceeds the " + display(*view.limit) + " limit in " + action.policy_id.value() +
                ".");
  }
  if (action.amount.minor_units > view.line_price->minor_units) {
    return text(display(action.amount) + " is more than the " + display(*view.line_price) + " paid for this line.");
  }
  return std::nullopt;
}

}  // namespace postern::approvals
