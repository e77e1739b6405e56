// The definitions of the desk's tools: exactly what is served, and exactly what pins cover.
//
// A change of any byte in tool_catalog.cc is a change of what models read and of every reviewed pin. The input schemas
// are made from the same rows that the core validates with.
#pragma once

#include <string_view>

#include "wire/mcp/types.h"

namespace postern::desk {

inline constexpr std::string_view kOpenCase = "open_case";
inline constexpr std::string_view kGetTicket = "get_ticket";
inline constexpr std::string_view kGetCustomer = "get_customer";
inline constexpr std::string_view kGetOrder = "get_order";
inline constexpr std::string_view kGetPolicy = "get_policy";
inline constexpr std::string_view kGetTracking = "get_tracking";
inline constexpr std::string_view kIssueRefund = "issue_refund";

// REQUIRES one of the names above.
[[nodiscard]] mcp::Tool definition_of(std::string_view name);

}  // namespace postern::desk
