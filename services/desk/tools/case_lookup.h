// From a call to its case: what every tool but open_case begins with.
#pragma once

#include "services/customers/customers.h"
#include "services/desk/desk_parts.h"
#include "services/domain/ids.h"
#include "services/mcp/server_features.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::desk {

// The ticket of the case that the call's handle names, for its caller. `case.no_such_handle`.
[[nodiscard]] Result<services::Ticket> ticket_of_case(const DeskParts& desk, const mcp::ToolCall& call);
// The ticket, when the caller serves its desk. `case.not_your_ticket`, also for a ticket that does not exist.
[[nodiscard]] Result<services::Ticket> ticket_of_caller(const DeskParts& desk, const services::Principal& caller,
                                                        const services::TicketId& id);
// The order of a ticket. `case.no_order`.
[[nodiscard]] Result<services::Order> order_of_ticket(const DeskParts& desk, const services::Ticket& ticket,
                                                      bool money);
// The policy of a ticket. `case.no_policy`.
[[nodiscard]] Result<services::RefundPolicy> policy_of_ticket(const DeskParts& desk, const services::Ticket& ticket,
                                                              bool money);

// A result with structured content only: the core writes its text.
[[nodiscard]] mcp::CallToolOutcome structured(Json content);

}  // namespace postern::desk
