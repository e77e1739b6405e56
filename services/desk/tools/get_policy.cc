#include "services/desk/tools/case_lookup.h"
#include "services/desk/tools/tools.h"

namespace postern::desk {

Result<mcp::CallToolOutcome> get_policy(const DeskParts& desk, const mcp::ToolCall& call) {
  POSTERN_TRY(const services::Ticket ticket, ticket_of_case(desk, call));
  POSTERN_TRY(const services::RefundPolicy policy, policy_of_ticket(desk, ticket, false));
  return structured(Json::object({{"policy_id", policy.policy_id.value()},
                                  {"limit_cents", policy.limit.minor_units},
                                  {"currency", policy.limit.currency.code()},
                                  {"window_days", policy.window_days},
                                  {"text", policy.text}}));
}

}  // namespace postern::desk
