// The seven tools. Each gets validated arguments and a verified caller, looks the case up by both, and calls services
// with the desk's own credentials. What a service fails with becomes a sentence for the caller or an internal failure;
// nothing of it is passed on raw.
#pragma once

#include "services/desk/desk_parts.h"
#include "services/mcp/server_features.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::desk {

// {"ticket_id"}. The one place that shows a handle: to the caller it was made for.
class OpenCase {
 public:
  [[nodiscard]] static Result<mcp::CallToolOutcome> run(const DeskParts& desk, const mcp::ToolCall& call);
};
[[nodiscard]] Result<mcp::CallToolOutcome> get_ticket(const DeskParts& desk, const mcp::ToolCall& call);
[[nodiscard]] Result<mcp::CallToolOutcome> get_customer(const DeskParts& desk, const mcp::ToolCall& call);
[[nodiscard]] Result<mcp::CallToolOutcome> get_order(const DeskParts& desk, const mcp::ToolCall& call);
[[nodiscard]] Result<mcp::CallToolOutcome> get_policy(const DeskParts& desk, const mcp::ToolCall& call);
[[nodiscard]] Result<mcp::CallToolOutcome> get_tracking(const DeskParts& desk, const mcp::ToolCall& call);
// Round 1 asks for approval, later rounds read the decision and pay (tools/issue_refund.cc).
[[nodiscard]] Result<mcp::CallToolOutcome> issue_refund(const DeskParts& desk, const mcp::ToolCall& call);

}  // namespace postern::desk
