// What a server offers, as tables that it hands to the core (MCP 2026-07-28 server/*).
//
// One row a tool, resource, resource template or prompt: its definition as served, who may use it, how it is carried
// out. The core checks everything that a row states before the handler runs; the handler gets validated arguments and a
// verified caller, and never looks at headers. A capability is advertised exactly when its table has rows. What an
// extension of the protocol adds is a part of its own (extension.h).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "services/gate/principal.h"
#include "services/mcp/notifications.h"
#include "wire/base/clock.h"
#include "wire/base/json.h"
#include "wire/base/result.h"
#include "wire/mcp/request_params.h"
#include "wire/mcp/types.h"
#include "wire/oauth/scope.h"

namespace postern::mcp {

class Extension;
class TaskStarter;

// What every handler knows of the request that it serves. References live as long as the call.
struct Call {
  const services::Principal& principal;
  const RequestMeta& meta;  // claims of the client: for display and logs
  SteadyTime deadline;      // of the row; past it `stop` fires
  bool may_block = true;    // false on a thread of the event loop
  std::stop_token stop;     // the client hung up or cancelled, the time is over, or the server stops
  RequestNotifications& notifications;
};

struct ToolCall : Call {
  const Json& arguments;         // an object that satisfies the input schema
  const CallToolParams& params;  // what the client answered to an earlier input_required
};

// A result, or a request for input. A result that holds structured content and a null `content` gets its text block
// from the core. A failure with the disposition kToolError becomes a result with isError and the failure's text;
// kInvalidParams becomes -32602; others are -32603 without their text, which goes to the log. A failure that comes back
// after the deadline is told as mcp.out_of_time.
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
  bool notifies = false;     // sends progress or log messages while it runs: lane kBlocking only
  Json client_capabilities;  // null, or what the client must have declared: {"elicitation":{"url":{}}}
  std::chrono::milliseconds deadline{10'000};
  ToolHandler handler;
  // Null: never. True when this call goes on as a task, for a client that declares the tasks extension: then the
  // handler runs apart from the request, once more for each round of answers. Must not block.
  std::function<bool(const ToolCall&)> as_task;
  std::chrono::milliseconds task_deadline{600'000};  // of one round of it
};

struct ReadCall : Call {
  const ReadResourceParams& params;
  const std::map<std::string, std::string>& variables;  // of the template, decoded; empty for a resource
};
struct ReadResourceResult {
  Json contents;  // an array of {uri, mimeType?, text | blob}; empty: there is no such resource
  std::int64_t ttl_ms = 0;
  std::string cache_scope = "private";
};
// mcp.resource_not_found is -32602 with the URI; others as for tools, but that there is no isError.
using ReadOutcome = std::variant<ReadResourceResult, InputRequiredResult>;
using ReadHandler = std::function<Result<ReadOutcome>(const ReadCall&)>;

struct CompleteCall : Call {
  const CompleteParams& params;
};
// The candidates in order of relevance; the core sends the first hundred and says that there are more.
using Completer = std::function<Result<std::vector<std::string>>(const CompleteCall&)>;

struct ResourceRow {
  Json definition;  // {uri, name, ...} as listed
  ScopeSet scopes;
  Lane lane = Lane::kLoop;
  bool subscribable = false;
  std::chrono::milliseconds deadline{10'000};
  ReadHandler handler;
};

struct ResourceTemplateRow {
  Json definition;  // {uriTemplate, name, ...} as listed; RFC 6570 level 1
  ScopeSet scopes;
  Lane lane = Lane::kLoop;
  bool subscribable = false;
  std::chrono::milliseconds deadline{10'000};
  ReadHandler handler;
  std::map<std::string, Completer> completers;  // by variable
};

struct PromptCall : Call {
  const GetPromptParams& params;  // every required argument is there, and none that is not in the definition
};
struct GetPromptResult {
  Json messages;  // an array of {role, content}
  std::optional<std::string> description;
};
using PromptOutcome = std::variant<GetPromptResult, InputRequiredResult>;
using PromptHandler = std::function<Result<PromptOutcome>(const PromptCall&)>;

struct PromptRow {
  Json definition;  // {name, description?, arguments?, ...} as listed
  ScopeSet scopes;
  Lane lane = Lane::kLoop;
  std::chrono::milliseconds deadline{10'000};
  PromptHandler handler;
  std::map<std::string, Completer> completers;  // by argument
};

struct ServerFeatures {
  Implementation server_info;
  std::optional<std::string> instructions;
  ScopeSet base_scopes;        // what every request over HTTP needs
  std::vector<ToolRow> tools;  // in the order in which they are listed
  std::vector<ResourceRow> resources;
  std::vector<ResourceTemplateRow> resource_templates;
  std::vector<PromptRow> prompts;
  bool lists_change = false;  // advertises listChanged: Server::update() is going to be called
  bool logging = false;       // advertises the deprecated feature: some row sends log messages
  std::size_t page_size = 0;  // of every list; 0: one page
  std::int64_t list_ttl_ms = 60'000;
  std::string cache_scope = "public";                  // "public" only when nothing in the lists depends on the caller
  std::vector<std::shared_ptr<Extension>> extensions;  // in the order in which they are advertised
  std::shared_ptr<TaskStarter> task_starter;           // null: as_task is not looked at
  std::vector<std::string> older_versions;             // served by an older-era block beside the core, for discover
  // Asked for every tools/call of a caller who may, before its arguments are held against the schema. A kToolError
  // failure is told as a result.
  std::function<Status(const services::Principal&)> admit_call;
  // Asked for every other message, and over HTTP also for those that are refused: nothing that a caller sends is free.
  std::function<Status(const services::Principal&)> admit_request;
};

}  // namespace postern::mcp
