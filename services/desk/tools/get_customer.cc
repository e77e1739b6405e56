#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {

Result<mcp::CallToolOutcome> get_customer(const DeskParts& desk, const mcp::ToolCall& call) {
  POSTERN_TRY(const services::Ticket ticket, ticket_of_case(desk, call));
  POSTERN_TRY(const services::Customer customer,
              desk.customers->customer(desk.credentials.customers, ticket.customer_id));
  return structured(Json::object({{"customer_id", customer.customer_id.value()},
                                  {"name", customer.name},
                                  {"email", customer.email},
                                  {"customer_since", customer.customer_since}}));
}

}  // namespace postern::desk
