#include "services/desk/failures.h"
#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {
namespace {

// For people: the name that the issuer gave, or, where nobody gave one (stdio), the one that the desk knows.
std::string name_of(const DeskParts& desk, const services::Principal& caller) {
  if (caller.display_name() != caller.subject()) return caller.display_name();
  const auto person = desk.customers->person(desk.credentials.customers, caller.subject());
  return person ? person->name : caller.display_name();
}

}  // namespace

Result<mcp::CallToolOutcome> OpenCase::run(const DeskParts& desk, const mcp::ToolCall& call) {
  const services::TicketId id(std::string(call.arguments.string_at("ticket_id")));
  if (!desk.sole_ticket.empty() && id.value() != desk.sole_ticket) return OtherTicket{desk.sole_ticket};
  POSTERN_TRY(const services::Ticket ticket, ticket_of_caller(desk, call.principal, id));
  POSTERN_TRY(const OpenedCase opened, desk.cases->open_case(call.principal, ticket.ticket_id));
  return structured(Json::object({{"case_handle", opened.handle.reveal(Passkey<OpenCase>{})},
                                  {"ticket_id", ticket.ticket_id.value()},
                                  {"desk", ticket.desk},
                                  {"opened_for", name_of(desk, call.principal)},
                                  {"expires_in_s", std::int64_t{opened.expires_in.count()}}}));
}

}  // namespace postern::desk
