// What the services say about the case of a request, now. The page shows it beside the stored action and compares the
// two: approve is offered only while they agree.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/approvals/approval_request.h"
#include "services/domain/refund_receipt.h"
#include "wire/base/clock.h"
#include "wire/base/money.h"
#include "wire/base/result.h"

namespace postern::approvals {

// A part of a line's article and its price.
struct PartPrice {
  std::string title;
  Money price;
};

struct CaseView {
  std::string desk;
  services::CustomerId customer_id;
  std::string customer_name;
  std::optional<services::OrderId> order_id;
  std::optional<std::string> line_title;  // nothing: the order has no such line
  std::optional<Money> line_price;
  std::vector<PartPrice> parts;  // of that line
  std::optional<WallTime> delivered_at;
  std::int64_t window_days = 0;  // of the policy, from delivery
  std::string ticket_subject;
  bool ticket_open = false;
  services::PolicyId policy_id;
  std::optional<Money> limit;
};

// Filled by the composer from customers, orders and returns, each with its own reading credential. Thread-safe.
class CaseFacts {
 public:
  virtual ~CaseFacts() = default;
  // Failures are those of the services: the case cannot be read now.
  [[nodiscard]] virtual Result<CaseView> read(const services::RefundAction& action) const = 0;
};

// The first reason why what is stored must not be approved, as a sentence; nothing when all agree. `refunds` are those
// of the order, from payments.
[[nodiscard]] std::optional<std::string> difference(const ApprovalRequest& request, const CaseView& view,
                                                    const std::vector<services::RefundReceipt>& refunds);
// What was paid back of a ticket or an order so far; nothing when there is a refund in another currency.
[[nodiscard]] std::optional<Money> sum_of_order(const std::vector<services::RefundReceipt>& refunds, Currency currency);
[[nodiscard]] std::optional<Money> sum_of_ticket(const std::vector<services::RefundReceipt>& refunds,
                                                 const services::TicketId& ticket, Currency currency);

}  // namespace postern::approvals
