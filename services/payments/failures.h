// Why payments refuses. Each says in its text that nothing was refunded.
#pragma once

#include <string>

#include "services/domain/ids.h"
#include "wire/base/failure.h"
#include "wire/base/money.h"

namespace postern::payments {

using services::ApprovalId;
using services::LineId;
using services::OrderId;
using services::PolicyId;
using services::RefundId;
using services::TicketId;

// The token paid another action before. (The same action again gets its receipt.)
struct TokenSpent {
  static constexpr std::string_view kId = "payment.token_spent";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  ApprovalId approval_id;
  RefundId refund_id;
  [[nodiscard]] std::string text() const;
};
struct OverLimit {
  static constexpr std::string_view kId = "payment.over_limit";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnprocessable;
  Money amount;
  Money refunded_before;  // on the same ticket
  Money limit;
  TicketId ticket_id;
  PolicyId policy_id;
  [[nodiscard]] std::string text() const;
};
struct CurrencyMismatch {
  static constexpr std::string_view kId = "payment.currency_mismatch";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnprocessable;
  Currency presented;
  Currency expected;
  PolicyId policy_id;
  [[nodiscard]] std::string text() const;
};
struct AlreadyRefunded {
  static constexpr std::string_view kId = "payment.already_refunded";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kConflict;
  OrderId order_id;
  LineId line_id;
  [[nodiscard]] std::string text() const;
};
struct UnknownPolicy {
  static constexpr std::string_view kId = "payment.unknown_policy";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kUnprocessable;
  PolicyId policy_id;
  [[nodiscard]] std::string text() const;
};
// A stored currency that is not known here: ours, not the caller's.
struct UnreadableRefund {
  static constexpr std::string_view kId = "payment.unreadable";
  static constexpr Layer kLayer = Layer::kOwn;
  static constexpr Disposition kDisposition = Disposition::kInternal;
  std::string currency;
  [[nodiscard]] std::string text() const;
};
struct MalformedPaymentRequest {
  static constexpr std::string_view kId = "payment.malformed_request";
  static constexpr Layer kLayer = Layer::kHttp;
  static constexpr Disposition kDisposition = Disposition::kBadRequest;
  std::string_view what;
  [[nodiscard]] std::string text() const;
};

}  // namespace postern::payments
