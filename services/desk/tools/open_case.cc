#include "services/desk/failures.h"
#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {

Result<mcp::CallToolOutcome> OpenCase::run(const DeskParts& desk, const mcp::ToolCall& call) {
  const services::TicketId id(std::string(call.arguments.string_at("ticket_id")));
  if (!desk.sole_ticket.empty() && id.value() != desk.sole_ticket) return OtherTicket{desk.sole_ticket};
  POSTERN_TRY(const services::Ticket ticket, ticket_of_caller(desk, call.principal, id));
  POSTERN_TRY(const OpenedCase opened, desk.cases->open_case(call.principal, ticket.ticket_id));
  return structured(Json::object({{"case_handle", opened.handle.reveal(Passkey<OpenCase>{})},
                                  {"ticket_id", ticket.ticket_id.value()},
                                  {"desk", ticket.desk},
                                  {"opened_for", call.principal.display_name()},
                                  {"expires_in_s", std::int64_t{opened.expires_in.count()}}}));
}

}  // namespace postern::desk
