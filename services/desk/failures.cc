#include "services/desk/failures.h"

namespace postern::desk {
namespace {

constexpr std::string_view kNothing = " Nothing was refunded.";

std::string with_money(std::string text, bool money) {
  return money ? text + std::string(kNothing) : text;
}

}  // namespace

std::string NoOpenCase::text() const {
  return "No open case with that handle for this caller.";
}

std::string NotYourTicket::text() const {
  return "No ticket " + ticket_id +
         " at a desk of yours. No case was opened. Check the number, or ask the desk that it belongs to.";
}

std::string OtherTicket::text() const {
  return "This server was started for " + ticket_id + " and opens no other ticket. No case was opened.";
}

std::string NoOrderOnCase::text() const {
  return with_money("Ticket " + ticket_id + " is about no order.", money);
}

std::string NoPolicyOnCase::text() const {
  return with_money("No refund policy applies to ticket " + ticket_id + ".", money);
}

std::string ServiceSilent::text() const {
  return "The " + std::string(service) +
         " service does not answer. Nothing was refunded by this call. Try again in a moment.";
}

std::string TicketClosed::text() const {
  return "Ticket " + ticket_id + " is closed. Nothing was refunded. Reopen it before a refund.";
}

std::string NoSuchLine::text() const {
  return "Order " + order_id + " has no line " + line_id + ". Nothing was refunded. Take the line_id from get_order.";
}

std::string CurrencyMismatch::text() const {
  return "The order is in " + order_currency + " and " + policy_id + " limits refunds in " + policy_currency +
         ". Nothing was refunded. A supervisor has to settle this case by hand.";
}

std::string OutsideWindow::text() const {
  if (days < 0) return "The order was not delivered yet, so " + policy_id + " does not apply. Nothing was refunded.";
  return "The order was delivered " + std::to_string(days) + " days ago, and " + policy_id + " covers " +
         std::to_string(window_days) + " days. Nothing was refunded.";
}

std::string OverLimit::text() const {
  if (before.empty()) return amount + " exceeds the " + limit + " limit in " + policy_id + ". Nothing was refunded.";
  return amount + " with the " + before + " refunded on " + ticket_id + " before exceeds the " + limit + " limit in " +
         policy_id + ". Nothing was refunded.";
}

std::string LineRefundedAlready::text() const {
  return "Line " + line_id + " of " + order_id + " was refunded already: " + refund_id + ", " + amount +
         ". Nothing more was refunded.";
}

std::string ApprovalDenied::text() const {
  return "Approval " + approval_id + " was denied by " + decided_by + ". Nothing was refunded.";
}

std::string ApprovalExpired::text() const {
  return "Approval " + approval_id +
         " expired before anybody decided. Nothing was refunded. Ask again if it is still wanted.";
}

std::string ApprovalWithdrawn::text() const {
  return "Approval " + approval_id + " was withdrawn. Nothing was refunded.";
}

std::string ApprovalLapsed::text() const {
  return "Approval " + approval_id + " was not used in time. Nothing was refunded. Ask again if it is still wanted.";
}

std::string ElicitationDeclined::text() const {
  return "The operator answered " + action + ", so this call ends. Nothing was refunded. Approval " + approval_id +
         " stays open for the supervisor; call again to wait for it.";
}

std::string ServiceRefused::text() const {
  const bool says_so = sentence.find("othing was refunded") != std::string::npos;
  return says_so ? sentence : sentence + std::string(kNothing);
}

std::string MoneyUnknown::text() const {
  return "We do not know yet whether " + amount + " was refunded under " + approval_id +
         ": payments does not answer. Do not refund this line in another way. Call issue_refund again with the same "
         "arguments to find out.";
}

std::string ForeignDecision::text() const {
  return "Approval " + approval_id + " is not for this refund. Nothing was refunded.";
}

std::string RequestStateRefused::text() const {
  return "The request state is not valid for this call. Nothing was refunded. Call the tool again without it.";
}

}  // namespace postern::desk
