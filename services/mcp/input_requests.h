// What a handler asks a client for, held against what the client declared and what the revision has (MCP 2026-07-28
// basic/patterns/mrtr, client/elicitation).
#pragma once

#include <string_view>

#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"

namespace postern::mcp {

// True when every member that is required is declared: {"elicitation":{"url":{}}} wants elicitation and url in it.
[[nodiscard]] bool declares(const Json& declared, const Json& required);

// What a client must have declared that speaks an extension.
[[nodiscard]] Json extension_capability(std::string_view identifier);

// `mcp.bad_input_request` when the result asks for nothing, repeats a key, or asks in a form that does not exist;
// `mcp.missing_client_capability` when the client declared less on this request than the questions need.
[[nodiscard]] Status check_input_required(const InputRequiredResult& result, const Json& client_capabilities);

}  // namespace postern::mcp
