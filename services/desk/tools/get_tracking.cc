#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {
namespace {

Json or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

}  // namespace

// No caller gives an address: the page is the one that the orders service has stored for the case's own order.
Result<mcp::CallToolOutcome> get_tracking(const DeskParts& desk, const mcp::ToolCall& call) {
  POSTERN_TRY(const services::Ticket ticket, ticket_of_case(desk, call));
  POSTERN_TRY(const services::Order order, order_of_ticket(desk, ticket, false));
  POSTERN_TRY(const services::Tracking tracking, desk.orders->tracking(desk.credentials.orders, order.order_id));
  return structured(Json::object({{"available", tracking.available},
                                  {"tracking_id", tracking.tracking_id ? Json(tracking.tracking_id->value()) : Json()},
                                  {"carrier", or_null(tracking.carrier)},
                                  {"page", tracking.available ? Json(tracking.page) : Json()},
                                  {"truncated", tracking.truncated}}));
}

}  // namespace postern::desk
