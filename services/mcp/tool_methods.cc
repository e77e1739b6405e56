// tools/list and tools/call (MCP 2026-07-28 server/tools).
#include "services/mcp/failures.h"
#include "services/mcp/incoming.h"
#include "services/mcp/input_requests.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"

namespace postern::mcp {
namespace {

// What one call of a tool keeps beyond accept(). The catalog keeps the row.
struct KeptCall {
  std::shared_ptr<const Catalog> catalog;
  const CompiledTool* tool;
  RequestId id;
  Json arguments;
  CallToolParams params;
  Json client_capabilities;
};

bool only_reads(const Tool& tool) {
  const Json* annotations = tool.definition.find("annotations");
  return annotations != nullptr && annotations->boolean_at("readOnlyHint").value_or(false);
}

// A tool's failure as the client gets it (server/tools, "Error handling").
Answer answer_of(const KeptCall& kept, const Failure& failure) {
  if (failure.disposition() == Disposition::kToolError) {
    return kept.catalog->writer().tool_error(kept.id, failure.text());
  }
  if (failure.disposition() == Disposition::kMissingCapability) return refusal(failure, kept.id);
  return error_answer(kept.tool->name(), kept.id, failure);
}

// The handler, and what it gave held against the output schema and against what the client declared.
Result<CallToolOutcome> run_handler(const KeptCall& kept, const Call& call, const CallToolParams& params) {
  POSTERN_TRY(CallToolOutcome outcome, kept.tool->row().handler(ToolCall{call, kept.arguments, params}));
  if (const auto* result = std::get_if<CallToolResult>(&outcome)) {
    POSTERN_TRY_VOID(kept.tool->check_result(*result));
  } else {
    POSTERN_TRY_VOID(check_input_required(std::get<InputRequiredResult>(outcome), kept.client_capabilities));
  }
  return outcome;
}

// The same for a call that goes on as a task: one round of it, on a thread of whoever carries tasks.
TaskWork task_work(const std::shared_ptr<const KeptCall>& kept, const Clock& clock,
                   std::shared_ptr<const services::Principal> principal, RequestMeta meta) {
  return [kept, &clock, principal = std::move(principal), meta = std::move(meta)](
             std::vector<InputResponse> responses, std::optional<std::string> state,
             std::stop_token stop) -> Result<CallToolOutcome> {
    CallToolParams params = kept->params;
    for (InputResponse& response : responses) {  // the last answer of a key counts
      std::erase_if(params.input_responses, [&](const InputResponse& older) { return older.key == response.key; });
      params.input_responses.push_back(std::move(response));
    }
    if (state) params.request_state = std::move(state);
    RequestNotifications nowhere(clock, {}, nullptr);
    const SteadyTime deadline = clock.steady_now() + kept->tool->row().task_deadline;
    return run_handler(*kept, Call{*principal, meta, deadline, true, stop, nowhere}, params);
  };
}

}  // namespace

Result<Accepted> Server::list_tools(Incoming& incoming) const {
  if (incoming.catalog->tools().empty()) return UnknownMethod{incoming.request.method};
  return list_page(incoming, incoming.catalog->tool_pages(incoming.over_http()));
}

Result<Accepted> Server::call_tool(Incoming& incoming) const {
  const Catalog& catalog = *incoming.catalog;
  if (catalog.tools().empty()) return UnknownMethod{incoming.request.method};
  POSTERN_TRY(CallToolParams params, read_call_tool_params(incoming.request.params));
  const CompiledTool* tool = catalog.find_tool(params.name, incoming.over_http());
  if (tool == nullptr) {
    POSTERN_TRY_VOID(incoming.require({}));
    if (const Status admitted = incoming.admit_call(); !admitted) return incoming.no_call(admitted.error());
    return incoming.error(UnknownTool{visible_line(params.name, 128)});
  }
  const ToolRow& row = tool->row();
  POSTERN_TRY_VOID(incoming.require(row.scopes));
  Json arguments = params.arguments ? *std::move(params.arguments) : Json::object();
  params.arguments.reset();
  if (incoming.over_http()) {
    POSTERN_TRY_VOID(check_param_headers(*incoming.context.headers, tool->param_headers(), arguments));
  }
  const Json& declared = incoming.meta.client_capabilities;
  if (!row.client_capabilities.is_null() && !declares(declared, row.client_capabilities)) {
    return MissingClientCapability{row.client_capabilities};
  }
  // The limit first: to hold arguments against a schema costs more than all before it.
  if (const Status admitted = incoming.admit_call(); !admitted) return incoming.no_call(admitted.error());
  if (const Status valid = tool->check_arguments(arguments); !valid) return incoming.no_call(valid.error());

  const std::shared_ptr<const KeptCall> kept(
      new KeptCall{incoming.catalog, tool, incoming.request.id, std::move(arguments), std::move(params), declared});
  Job job;
  job.deadline = row.deadline;
  job.out_of_time = OutOfTime{tool->name(), row.deadline.count(), !only_reads(row.tool)};
  job.on_failure = [kept](const Failure& failure) { return answer_of(*kept, failure); };
  const auto& starter = catalog.features().task_starter;
  if (row.as_task && starter != nullptr) {
    const Json needed = extension_capability(starter->extension());
    RequestNotifications nowhere(env_.clock, {}, nullptr);
    const Call call{
        *incoming.context.principal, incoming.meta, env_.clock.steady_now() + row.deadline, false, {}, nowhere};
    if (declares(declared, needed) && row.as_task(ToolCall{call, kept->arguments, kept->params})) {
      job.lane = starter->lane();
      job.work = [kept, starter = starter.get(), owner = incoming.context.principal,
                  work = task_work(kept, env_.clock, incoming.context.principal, incoming.meta)](
                     const Call&) -> Result<Answer> {
        const ToolRow& of = kept->tool->row();
        POSTERN_TRY(const Json created, starter->start({owner, kept->tool->name(), of.task_deadline, work}));
        return kept->catalog->writer().result(kept->id, created);
      };
      return prepare(incoming, std::move(job));
    }
  }
  job.lane = row.lane;
  job.notifies = row.notifies;
  job.work = [kept](const Call& call) -> Result<Answer> {
    POSTERN_TRY(const CallToolOutcome outcome, run_handler(*kept, call, kept->params));
    return kept->catalog->writer().tool_outcome(kept->id, outcome);
  };
  return prepare(incoming, std::move(job));
}

}  // namespace postern::mcp
