#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {

namespace {

Json lines_of(const services::Order& order) {
  Json lines = Json::array();
  for (const services::OrderLine& line : order.lines) {
    lines.push(Json::object({{"line_id", line.line_id.value()},
                             {"sku", line.sku},
                             {"title", line.title},
                             {"quantity", line.quantity},
                             {"unit_cents", line.unit_minor},
                             {"line_cents", line.line_minor()}}));
  }
  return lines;
}

Json parts_of(const services::Order& order) {
  Json parts = Json::array();
  for (const services::ReplacementPart& part : order.parts) {
    parts.push(Json::object({{"line_id", part.line_id.value()},
                             {"sku", part.sku},
                             {"title", part.title},
                             {"unit_cents", part.unit_minor}}));
  }
  return parts;
}

Json refunds_of(const OrderRefunds& refunds) {
  Json list = Json::array();
  for (const services::RefundReceipt& receipt : refunds.receipts) {
    list.push(Json::object({{"refund_id", receipt.refund_id.value()},
                            {"ticket_id", receipt.ticket_id.value()},
                            {"line_id", receipt.line_id.value()},
                            {"amount_cents", receipt.amount.minor_units},
                            {"currency", receipt.amount.currency.code()},
                            {"approval_id", receipt.approval_id.value()},
                            {"token_id", receipt.token_id.value()},
                            {"refunded_at", rfc3339(receipt.refunded_at)}}));
  }
  return list;
}

}  // namespace

Result<mcp::CallToolOutcome> get_order(const DeskParts& desk, const mcp::ToolCall& call) {
  POSTERN_TRY(const services::Ticket ticket, ticket_of_case(desk, call));
  POSTERN_TRY(const services::Order order, order_of_ticket(desk, ticket, false));
  POSTERN_TRY(const OrderRefunds refunds, desk.refund_facts->of_order(order.order_id, call.may_block, call.stop));
  return structured(Json::object({{"order_id", order.order_id.value()},
                                  {"placed_at", rfc3339(order.placed_at)},
                                  {"delivered_at", order.delivered_at ? Json(rfc3339(*order.delivered_at)) : Json()},
                                  {"status", order.status},
                                  {"currency", order.currency.code()},
                                  {"total_cents", order.total_minor()},
                                  {"lines", lines_of(order)},
                                  {"parts", parts_of(order)},
                                  {"refunds", refunds_of(refunds)},
                                  {"refunds_source", refunds.known ? "payments" : "unavailable"}}));
}

}  // namespace postern::desk
