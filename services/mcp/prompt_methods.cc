// prompts/* and completion/complete (MCP 2026-07-28 server/prompts, server/utilities/completion).
#include <algorithm>

#include "services/mcp/failures.h"
#include "services/mcp/incoming.h"
#include "services/mcp/input_requests.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

constexpr std::size_t kCompletionValuesMax = 100;

Json to_json(const GetPromptResult& prompt) {
  Json json = Json::object({{"resultType", "complete"}});
  if (prompt.description) json.append_member("description", *prompt.description);
  json.append_member("messages", prompt.messages.is_null() ? Json::array() : prompt.messages);
  return json;
}

// Every required argument is there, and none that the definition does not have.
Status check_arguments(const PromptRow& row, const GetPromptParams& params) {
  const Json none = Json::array();
  const Json* listed = row.definition.find("arguments");
  if (listed == nullptr) listed = &none;
  for (const Json& argument : listed->elements()) {
    const std::string name(argument.string_at("name"));
    if (argument.boolean_at("required").value_or(false) && params.argument(name) == nullptr)
      return MalformedParams{"params.arguments." + name, "a string: the prompt needs it"};
  }
  for (const auto& [name, value] : params.arguments) {
    const auto is_it = [&name = name](const Json& argument) { return argument.string_at("name") == name; };
    if (std::none_of(listed->elements().begin(), listed->elements().end(), is_it))
      return MalformedParams{"params.arguments." + visible_line(name, 60), "no argument of that name"};
  }
  return {};
}

struct KeptPrompt {
  std::shared_ptr<const Catalog> catalog;
  const PromptRow* row;
  RequestId id;
  GetPromptParams params;
  Json client_capabilities;
};

Result<Answer> get(const KeptPrompt& kept, const Call& call) {
  POSTERN_TRY(const PromptOutcome outcome, kept.row->handler(PromptCall{call, kept.params}));
  if (const auto* asks = std::get_if<InputRequiredResult>(&outcome)) {
    POSTERN_TRY_VOID(check_input_required(*asks, kept.client_capabilities));
    return kept.catalog->writer().result(kept.id, mcp::to_json(*asks));
  }
  return kept.catalog->writer().result(kept.id, to_json(std::get<GetPromptResult>(outcome)));
}

// What completes an argument, and what the caller needs for it.
struct Target {
  const Completer* completer = nullptr;  // null: nothing to propose
  const ScopeSet* scopes = nullptr;      // null: there is no such prompt or template
};

Target target_of(const Catalog& catalog, const CompleteParams& params) {
  const std::map<std::string, Completer>* completers = nullptr;
  Target target;
  if (params.ref == CompleteParams::Ref::kPrompt) {
    const PromptRow* row = catalog.find_prompt(params.target);
    if (row == nullptr) return target;
    target.scopes = &row->scopes;
    completers = &row->completers;
  } else {
    const ResourceTemplateRow* row = catalog.find_template(params.target);
    if (row == nullptr) return target;
    target.scopes = &row->scopes;
    completers = &row->completers;
  }
  const auto found = completers->find(params.argument);
  if (found != completers->end()) target.completer = &found->second;
  return target;
}

Json completion_of(std::vector<std::string> candidates) {
  Json values = Json::array();
  for (std::size_t i = 0; i < std::min(candidates.size(), kCompletionValuesMax); ++i)
    values.push(std::move(candidates[i]));
  Json completion = Json::object({{"values", std::move(values)}});
  completion.append_member("total", static_cast<std::int64_t>(candidates.size()));
  completion.append_member("hasMore", candidates.size() > kCompletionValuesMax);
  return Json::object({{"resultType", "complete"}, {"completion", std::move(completion)}});
}

}  // namespace

Result<Accepted> Server::list_prompts(Incoming& incoming) const {
  if (!incoming.catalog->has_prompts()) return UnknownMethod{incoming.request.method};
  return list_page(incoming, incoming.catalog->prompt_pages());
}

Result<Accepted> Server::get_prompt(Incoming& incoming) const {
  const Catalog& catalog = *incoming.catalog;
  if (!catalog.has_prompts()) return UnknownMethod{incoming.request.method};
  POSTERN_TRY(GetPromptParams params, read_get_prompt_params(incoming.request.params));
  const PromptRow* row = catalog.find_prompt(params.name);
  POSTERN_TRY_VOID(incoming.require(row == nullptr ? ScopeSet{} : row->scopes));
  POSTERN_TRY_VOID(incoming.admit());
  if (row == nullptr) return incoming.error(UnknownPrompt{visible_line(params.name, 128)});
  if (const Status valid = check_arguments(*row, params); !valid) return incoming.error(valid.error());
  Job job;
  job.lane = row->lane;
  job.deadline = row->deadline;
  job.out_of_time = OutOfTime{"The prompt", row->deadline.count(), false};
  const std::shared_ptr<const KeptPrompt> kept(
      new KeptPrompt{incoming.catalog, row, incoming.request.id, std::move(params), incoming.meta.client_capabilities});
  job.work = [kept](const Call& call) { return get(*kept, call); };
  job.on_failure = [kept](const Failure& failure) {
    if (failure.disposition() == Disposition::kMissingCapability) return refusal(failure, kept->id);
    return error_answer("prompts/get", kept->id, failure);
  };
  return prepare(incoming, std::move(job));
}

Result<Accepted> Server::complete(Incoming& incoming) const {
  const Catalog& catalog = *incoming.catalog;
  if (!catalog.has_completers()) return UnknownMethod{incoming.request.method};
  POSTERN_TRY(CompleteParams params, read_complete_params(incoming.request.params));
  const Target target = target_of(catalog, params);
  POSTERN_TRY_VOID(incoming.require(target.scopes == nullptr ? ScopeSet{} : *target.scopes));
  POSTERN_TRY_VOID(incoming.admit());
  if (target.scopes == nullptr)
    return incoming.error(MalformedParams{"params.ref", "a prompt or template of this server"});
  struct Kept {
    std::shared_ptr<const Catalog> catalog;
    const Completer* completer;
    RequestId id;
    CompleteParams params;
  };
  const std::shared_ptr<const Kept> kept(
      new Kept{incoming.catalog, target.completer, incoming.request.id, std::move(params)});
  Job job;
  job.deadline = std::chrono::milliseconds(2'000);
  job.out_of_time = OutOfTime{"The completion", 2'000, false};
  job.work = [kept](const Call& call) -> Result<Answer> {
    std::vector<std::string> candidates;
    if (kept->completer != nullptr) {
      POSTERN_TRY(candidates, (*kept->completer)(CompleteCall{call, kept->params}));
    }
    return kept->catalog->writer().result(kept->id, completion_of(std::move(candidates)));
  };
  job.on_failure = [kept](const Failure& failure) { return error_answer("completion/complete", kept->id, failure); };
  return prepare(incoming, std::move(job));
}

}  // namespace postern::mcp
