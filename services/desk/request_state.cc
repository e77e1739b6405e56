#include "services/desk/request_state.h"

#include "services/desk/failures.h"
#include "services/mcp/failures.h"

namespace postern::desk {

std::string digest_of_arguments(const Json& arguments) {
  Json bound = arguments;
  bound.erase("case_handle");
  return mcp::digest_of_arguments(bound);
}

std::string RequestStates::seal(const RefundState& state, const StateBinding& binding) const {
  return sealed_.seal(Json::object({{"approval_id", state.approval_id.value()},
                                    {"request_digest", state.request_digest},
                                    {"ticket_id", state.ticket_id.value()}}),
                      binding);
}

Result<RefundState> RequestStates::open(std::string_view text, const StateBinding& presented) const {
  const auto payload = sealed_.open(text, presented);
  if (!payload) {
    const auto* refused = payload.error().as<mcp::RequestStateRefused>();
    return RequestStateRefused{refused == nullptr ? "form" : refused->check};
  }
  auto approval_id = services::read_id<services::ApprovalId>(payload->string_at("approval_id"));
  auto ticket_id = services::read_id<services::TicketId>(payload->string_at("ticket_id"));
  if (!approval_id || !ticket_id) return RequestStateRefused{"form"};
  return RefundState{*std::move(approval_id), std::string(payload->string_at("request_digest")), *std::move(ticket_id)};
}

}  // namespace postern::desk
