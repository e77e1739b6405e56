#include "services/payments/payments_records.h"

#include "wire/base/check.h"

namespace postern::payments {
namespace {

using services::number_at;
using services::text_at;

Money money_at(const Json& json, std::string_view amount) {
  const auto currency = Currency::of_code(text_at(json, "currency"));
  POSTERN_CHECK(currency.has_value());
  return {number_at(json, amount), *currency};
}

}  // namespace

PaymentsRecords records_of(const services::World& world) {
  PaymentsRecords records;
  const Json policies = world.document("policies.json");
  for (const Json& json : policies.elements()) {
    records.limits.push_back({PolicyId(text_at(json, "policy_id")), money_at(json, "limit_cents")});
  }
  const Json refunds = world.document("refunds.json");
  for (const Json& json : refunds.elements()) {
    RefundReceipt receipt{RefundId(text_at(json, "refund_id")), TicketId(text_at(json, "ticket_id")),
                          OrderId(text_at(json, "order_id")),   LineId(text_at(json, "line_id")),
                          money_at(json, "amount_cents"),       ApprovalId(text_at(json, "approval_id")),
                          TokenId(text_at(json, "token_id")),   world.days_ago(number_at(json, "refunded_days_ago"))};
    records.refunds.push_back({std::move(receipt), PolicyId(text_at(json, "policy_id"))});
  }
  return records;
}

}  // namespace postern::payments
