#include "services/payments/failures.h"

namespace postern::payments {

std::string TokenSpent::text() const {
  return "Approval " + approval_id.value() + " was used already for " + refund_id.value() +
         " and cannot pay another refund. Nothing was refunded by this call.";
}

std::string OverLimit::text() const {
  std::string text = display(amount);
  if (refunded_before.minor_units > 0) {
    text += " after " + display(refunded_before) + " already refunded on " + ticket_id.value();
  }
  return text + " exceeds the " + display(limit) + " limit in " + policy_id.value() + ". Nothing was refunded.";
}

std::string CurrencyMismatch::text() const {
  return "The refund is in " + std::string(presented.code()) + ", and " + policy_id.value() + " allows refunds in " +
         std::string(expected.code()) + " only. Nothing was refunded.";
}

std::string AlreadyRefunded::text() const {
  return "Line " + line_id.value() + " of " + order_id.value() +
         " was refunded already. Nothing was refunded by this call.";
}

std::string UnknownPolicy::text() const {
  return "Payments knows no limit for " + policy_id.value() + ". Nothing was refunded.";
}

std::string UnreadableRefund::text() const {
  return "A stored amount is in the unknown currency " + currency + ".";
}

std::string MalformedPaymentRequest::text() const {
  return "The request to payments cannot be used: " + std::string(what) + ". Nothing was refunded.";
}

}  // namespace postern::payments
