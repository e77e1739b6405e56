#include "services/domain/refund_receipt.h"

namespace postern::services {
namespace {

// Reads what rfc3339() writes: "2026-11-30T02:51:07.123Z". Nothing for any other form.
std::optional<WallTime> read_rfc3339(std::string_view text) {
  constexpr std::string_view kForm = "dddd-dd-ddTdd:dd:dd.dddZ";
  if (text.size() != kForm.size()) return std::nullopt;
  for (std::size_t i = 0; i < kForm.size(); ++i) {
    const bool fits = kForm[i] == 'd' ? text[i] >= '0' && text[i] <= '9' : text[i] == kForm[i];
    if (!fits) return std::nullopt;
  }
  const auto number = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (const char c : text.substr(from, count)) value = value * 10 + (c - '0');
    return value;
  };
  using std::chrono::day, std::chrono::month, std::chrono::year;
  const std::chrono::year_month_day date(year(number(0, 4)), month(static_cast<unsigned>(number(5, 2))),
                                         day(static_cast<unsigned>(number(8, 2))));
  if (!date.ok() || number(11, 2) > 23 || number(14, 2) > 59 || number(17, 2) > 59) return std::nullopt;
  return WallTime(std::chrono::sys_days(date)) + std::chrono::hours(number(11, 2)) +
         std::chrono::minutes(number(14, 2)) + std::chrono::seconds(number(17, 2)) + Milliseconds(number(20, 3));
}

}  // namespace

Json to_json(const RefundReceipt& receipt) {
  return Json::object({{"refund_id", receipt.refund_id.value()},
                       {"ticket_id", receipt.ticket_id.value()},
                       {"order_id", receipt.order_id.value()},
                       {"line_id", receipt.line_id.value()},
                       {"amount_cents", receipt.amount.minor_units},
                       {"currency", receipt.amount.currency.code()},
                       {"approval_id", receipt.approval_id.value()},
                       {"token_id", receipt.token_id.value()},
                       {"refunded_at", rfc3339(receipt.refunded_at)}});
}

std::optional<RefundReceipt> read_refund_receipt(const Json& json) {
  const auto refund_id = read_id<RefundId>(json.string_at("refund_id"));
  const auto ticket_id = read_id<TicketId>(json.string_at("ticket_id"));
  const auto order_id = read_id<OrderId>(json.string_at("order_id"));
  const auto line_id = read_id<LineId>(json.string_at("line_id"));
  const auto amount = json.integer_at("amount_cents");
  const auto currency = Currency::of_code(json.string_at("currency"));
  const auto approval_id = read_id<ApprovalId>(json.string_at("approval_id"));
  const auto token_id = read_id<TokenId>(json.string_at("token_id"));
  const auto refunded_at = read_rfc3339(json.string_at("refunded_at"));
  if (!refund_id || !ticket_id || !order_id || !line_id || !amount || !currency || !approval_id || !token_id ||
      !refunded_at) {
    return std::nullopt;
  }
  return RefundReceipt{*refund_id,   *ticket_id, *order_id,   *line_id, Money{*amount, *currency},
                       *approval_id, *token_id,  *refunded_at};
}

}  // namespace postern::services
