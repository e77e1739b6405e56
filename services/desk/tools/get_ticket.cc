#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {

Result<mcp::CallToolOutcome> get_ticket(const DeskParts& desk, const mcp::ToolCall& call) {
  POSTERN_TRY(const services::Ticket ticket, ticket_of_case(desk, call));
  return structured(Json::object({{"ticket_id", ticket.ticket_id.value()},
                                  {"subject", ticket.subject},
                                  {"text", ticket.text},
                                  {"status", services::name_of(ticket.status)},
                                  {"opened_at", rfc3339(ticket.opened_at)}}));
}

}  // namespace postern::desk
