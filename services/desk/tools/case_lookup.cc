#include "services/desk/tools/case_lookup.h"

#include "services/desk/failures.h"

namespace postern::desk {

using services::Ticket;
using services::TicketId;

Result<Ticket> ticket_of_case(const DeskParts& desk, const mcp::ToolCall& call) {
  POSTERN_TRY(const TicketId id, desk.cases->find(call.principal, call.arguments.string_at("case_handle")));
  return desk.customers->ticket(desk.credentials.customers, id);
}

Result<Ticket> ticket_of_caller(const DeskParts& desk, const services::Principal& caller, const TicketId& id) {
  auto ticket = desk.customers->ticket(desk.credentials.customers, id);
  if (failed_with(ticket, services::NoSuchTicket::kId)) return NotYourTicket{id.value()};
  if (!ticket) return std::move(ticket).error();
  const auto person = desk.customers->person(desk.credentials.customers, caller.subject());
  if (failed_with(person, services::NoSuchPerson::kId)) return NotYourTicket{id.value()};
  if (!person) return person.error();
  if (!person->serves(ticket->desk)) return NotYourTicket{id.value()};
  return ticket;
}

Result<services::Order> order_of_ticket(const DeskParts& desk, const Ticket& ticket, bool money) {
  if (!ticket.order_id) return NoOrderOnCase{ticket.ticket_id.value(), money};
  auto order = desk.orders->order(desk.credentials.orders, *ticket.order_id);
  if (failed_with(order, services::NoSuchOrder::kId)) return NoOrderOnCase{ticket.ticket_id.value(), money};
  return order;
}

Result<services::RefundPolicy> policy_of_ticket(const DeskParts& desk, const Ticket& ticket, bool money) {
  auto policy = desk.returns->policy_of_ticket(desk.credentials.returns, ticket.ticket_id);
  if (failed_with(policy, services::NoPolicy::kId)) return NoPolicyOnCase{ticket.ticket_id.value(), money};
  return policy;
}

mcp::CallToolOutcome structured(Json content) {
  return mcp::CallToolResult{Json(), std::move(content), false};
}

}  // namespace postern::desk
