// Why the desk refuses a call. Each text says what happened, what it means for the money where money is the matter, and
// what to do next: these sentences are read by people and by models.
#pragma once

#include <string>
#include <string_view>

#include "wire/base/failure.h"

namespace postern::desk {

// The handle is unknown, has expired, or belongs to somebody else: the three are not told apart.
struct NoOpenCase {
  static constexpr std::string_view kId = "case.no_such_handle";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  [[nodiscard]] std::string text() const;
};
// There is no such ticket, or it belongs to a desk that the caller does not serve: the two are not told apart.
struct NotYourTicket {
  static constexpr std::string_view kId = "case.not_your_ticket";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string ticket_id;
  [[nodiscard]] std::string text() const;
};
// A server that was started for one ticket opens no other (stdio).
struct OtherTicket {
  static constexpr std::string_view kId = "case.other_ticket";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string ticket_id;  // the one that it was started for
  [[nodiscard]] std::string text() const;
};
struct NoOrderOnCase {
  static constexpr std::string_view kId = "case.no_order";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string ticket_id;
  bool money = false;  // found by a call that would have moved money
  [[nodiscard]] std::string text() const;
};
struct NoPolicyOnCase {
  static constexpr std::string_view kId = "case.no_policy";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string ticket_id;
  bool money = false;
  [[nodiscard]] std::string text() const;
};
// A service that the tool needs does not answer. Nothing was changed by this call.
struct ServiceSilent {
  static constexpr std::string_view kId = "case.service_silent";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string_view service;  // "payments", "approvals"
  [[nodiscard]] std::string text() const;
};

// ---- A refund that is refused before anybody is asked to decide
// ----------------------------------------------------------------

struct TicketClosed {
  static constexpr std::string_view kId = "refund.ticket_closed";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string ticket_id;
  [[nodiscard]] std::string text() const;
};
struct NoSuchLine {
  static constexpr std::string_view kId = "refund.no_such_line";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string line_id;
  std::string order_id;
  [[nodiscard]] std::string text() const;
};
struct CurrencyMismatch {
  static constexpr std::string_view kId = "refund.currency_mismatch";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string order_currency;
  std::string policy_currency;
  std::string policy_id;
  [[nodiscard]] std::string text() const;
};
struct OutsideWindow {
  static constexpr std::string_view kId = "refund.outside_window";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  long long days = -1;  // since delivery; -1: not delivered yet
  long long window_days = 0;
  std::string policy_id;
  [[nodiscard]] std::string text() const;
};
struct OverLimit {
  static constexpr std::string_view kId = "refund.over_limit";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string amount;  // "$4800.00"
  std::string before;  // what the ticket was refunded already; empty when nothing
  std::string limit;   // "$60.00"
  std::string policy_id;
  std::string ticket_id;
  [[nodiscard]] std::string text() const;
};
struct LineRefundedAlready {
  static constexpr std::string_view kId = "refund.line_refunded_already";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string line_id;
  std::string order_id;
  std::string refund_id;
  std::string amount;
  [[nodiscard]] std::string text() const;
};

// ---- The end of a request for approval
// ------------------------------------------------------------------------------------------

struct ApprovalDenied {
  static constexpr std::string_view kId = "refund.approval_denied";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string approval_id;
  std::string decided_by;
  [[nodiscard]] std::string text() const;
};
struct ApprovalExpired {
  static constexpr std::string_view kId = "refund.approval_expired";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string approval_id;
  [[nodiscard]] std::string text() const;
};
struct ApprovalWithdrawn {
  static constexpr std::string_view kId = "refund.approval_withdrawn";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string approval_id;
  [[nodiscard]] std::string text() const;
};
// Approved, and not used in time.
struct ApprovalLapsed {
  static constexpr std::string_view kId = "refund.approval_lapsed";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string approval_id;
  [[nodiscard]] std::string text() const;
};
// The operator did not take the request up. It stays open for the supervisor.
struct ElicitationDeclined {
  static constexpr std::string_view kId = "refund.elicitation_declined";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string approval_id;
  std::string action;  // "decline" or "cancel"
  [[nodiscard]] std::string text() const;
};
// Payments or approvals said no, in its own words.
struct ServiceRefused {
  static constexpr std::string_view kId = "refund.service_refused";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string sentence;
  [[nodiscard]] std::string text() const;
};
// A refund was sent, its answer is lost, and payments cannot be asked.
struct MoneyUnknown {
  static constexpr std::string_view kId = "refund.money_unknown";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string amount;
  std::string approval_id;
  [[nodiscard]] std::string text() const;
};
// What approvals answered is not what was asked of it. Nothing is paid on it.
struct ForeignDecision {
  static constexpr std::string_view kId = "refund.foreign_decision";
  static constexpr Layer kLayer = Layer::kModel;
  static constexpr Disposition kDisposition = Disposition::kToolError;
  std::string approval_id;
  [[nodiscard]] std::string text() const;
};

// ---- Request state
// ---------------------------------------------------------------------------------------------------------------

// Not a state of this desk, changed, of another purpose, caller, tool or arguments, or of a time that is over. `check`
// is for the log and for tests; the caller is not told which it was.
struct RequestStateRefused {
  static constexpr std::string_view kId = "case.request_state_refused";
  static constexpr Layer kLayer = Layer::kEnvelope;
  static constexpr Disposition kDisposition = Disposition::kInvalidParams;
  std::string_view check;  // of mcp::product_state_checks(), or "form", "seal", "tool", "ticket"
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::desk
