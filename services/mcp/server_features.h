// What a server offers, as tables that it hands to the core (MCP 2026-07-28 server/*).
//
// One row a tool: its definition as served, who may call it, how it is carried out. The core checks everything that a
// row states before the handler runs; the handler gets validated arguments and a verified caller, and never looks at
// headers. Features to come (resources, prompts, completion, subscriptions) are further tables here and further rows of
// the core's table of methods.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "services/gate/principal.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/types.h"
#include "wire/oauth/scope.h"

namespace postern::mcp {

// One call of a tool, as its handler sees it. References live as long as the call.
struct ToolCall {
  const services::Principal& principal;
  const Json& arguments;         // an object that satisfies the input schema
  const CallToolParams& params;  // what the client answered to an earlier input_required
  const RequestMeta& meta;       // claims of the client: for display and logs
  SteadyTime deadline;           // of the row
  bool may_block = true;         // false on a thread of the event loop
  std::stop_token stop;          // the client hung up, or the server stops
};

// A result, or a request for input. A result that holds structured content and a null `content` gets its text block
// from the core. A failure with the disposition kToolError becomes a result with isError and the failure's text;
// kInvalidParams becomes -32602; others are -32603 without their text, which goes to the log.
using ToolHandler = std::function<Result<CallToolOutcome>(const ToolCall&)>;

// Where a handler runs when it is called over HTTP.
enum class Lane {
  kLoop,       // never waits: on the event loop
  kBlocking,   // waits for other processes or for a writer of a database: in the bounded lane
  kLoopFirst,  // on the event loop with may_block false; mcp.lane_needed moves it to the lane
};

struct ToolRow {
  Tool tool;               // input_schema, output_schema and definition as served
  ScopeSet scopes;         // all that a call needs; not looked at over stdio
  bool http_only = false;  // needs a caller who is authenticated per request
  Lane lane = Lane::kLoop;
  Json client_capabilities;  // null, or what the client must have declared: {"elicitation":{"url":{}}}
  std::chrono::milliseconds deadline{10'000};
  ToolHandler handler;
};

struct ServerFeatures {
  Implementation server_info;
  std::optional<std::string> instructions;
  ScopeSet base_scopes;        // what every request over HTTP needs
  std::vector<ToolRow> tools;  // in the order in which they are listed
  std::int64_t list_ttl_ms = 60'000;
  std::string cache_scope = "public";  // nothing in the lists depends on the caller
};

}  // namespace postern::mcp
