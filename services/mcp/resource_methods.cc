// resources/* and subscriptions/listen (MCP 2026-07-28 server/resources, basic/patterns/subscriptions).
#include <algorithm>

#include "services/mcp/failures.h"
#include "services/mcp/incoming.h"
#include "services/mcp/input_requests.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

Json to_json(const ReadResourceResult& read) {
  return Json::object({{"resultType", "complete"},
                       {"contents", read.contents},
                       {"ttlMs", read.ttl_ms},
                       {"cacheScope", read.cache_scope}});
}

struct KeptRead {
  std::shared_ptr<const Catalog> catalog;
  Catalog::Found found;
  RequestId id;
  ReadResourceParams params;
  Json client_capabilities;
};

Result<Answer> read(const KeptRead& kept, const Call& call) {
  POSTERN_TRY(const ReadOutcome outcome, (*kept.found.handler)(ReadCall{call, kept.params, kept.found.variables}));
  if (const auto* asks = std::get_if<InputRequiredResult>(&outcome)) {
    POSTERN_TRY_VOID(check_input_required(*asks, kept.client_capabilities));
    return kept.catalog->writer().result(kept.id, mcp::to_json(*asks));
  }
  const auto& result = std::get<ReadResourceResult>(outcome);
  if (result.contents.size() == 0) return ResourceNotFound{kept.params.uri};  // never an empty list
  return kept.catalog->writer().result(kept.id, to_json(result));
}

// Whoever asks to be told of tasks must declare them (SEP-2663, "Task Status Notifications"), though nobody is told
// here.
Status check_task_ids(const Json& params, const Json& declared, const ServerFeatures& features) {
  const Json* wanted = params.find("notifications");
  if (features.task_starter == nullptr || wanted == nullptr || !wanted->has("taskIds")) return {};
  const Json needed = extension_capability(features.task_starter->extension());
  if (!declares(declared, needed)) return MissingClientCapability{needed};
  return {};
}

}  // namespace

Result<Accepted> Server::list_resources(Incoming& incoming) const {
  if (!incoming.catalog->has_resources()) return UnknownMethod{incoming.request.method};
  return list_page(incoming, incoming.catalog->resource_pages());
}

Result<Accepted> Server::list_resource_templates(Incoming& incoming) const {
  if (!incoming.catalog->has_resources()) return UnknownMethod{incoming.request.method};
  return list_page(incoming, incoming.catalog->template_pages());
}

Result<Accepted> Server::read_resource(Incoming& incoming) const {
  const Catalog& catalog = *incoming.catalog;
  if (!catalog.has_resources()) return UnknownMethod{incoming.request.method};
  POSTERN_TRY(ReadResourceParams params, read_read_resource_params(incoming.request.params));
  auto found = is_absolute_uri(params.uri) ? catalog.find_resource(params.uri) : std::nullopt;
  POSTERN_TRY_VOID(incoming.require(found ? *found->scopes : ScopeSet{}));
  POSTERN_TRY_VOID(incoming.admit());
  if (!found) return incoming.error(ResourceNotFound{params.uri});
  Job job;
  job.lane = found->lane;
  job.deadline = found->deadline;
  job.out_of_time = OutOfTime{"Reading the resource", found->deadline.count(), false};
  const std::shared_ptr<const KeptRead> kept(new KeptRead{incoming.catalog, *std::move(found), incoming.request.id,
                                                          std::move(params), incoming.meta.client_capabilities});
  job.work = [kept](const Call& call) { return read(*kept, call); };
  job.on_failure = [kept](const Failure& failure) {
    if (failure.disposition() == Disposition::kMissingCapability) return refusal(failure, kept->id);
    return error_answer("resources/read", kept->id, failure);
  };
  return prepare(incoming, std::move(job));
}

// What is offered to this caller of what it asks for; the rest is left out of the acknowledgement.
Result<Accepted> Server::listen(Incoming& incoming) const {
  const Catalog& catalog = *incoming.catalog;
  if (!catalog.has_subscriptions()) return UnknownMethod{incoming.request.method};
  POSTERN_TRY_VOID(incoming.require({}));
  POSTERN_TRY(SubscriptionFilter wanted, read_listen_params(incoming.request.params));
  POSTERN_TRY_VOID(check_task_ids(incoming.request.params, incoming.meta.client_capabilities, catalog.features()));
  POSTERN_TRY_VOID(incoming.admit());
  const bool change = catalog.features().lists_change;
  SubscriptionFilter honoured;
  honoured.tools_list_changed = wanted.tools_list_changed && change && !catalog.tools().empty();
  honoured.prompts_list_changed = wanted.prompts_list_changed && change && catalog.has_prompts();
  honoured.resources_list_changed = wanted.resources_list_changed && change && catalog.has_resources();
  for (std::string& uri : wanted.resource_subscriptions) {
    const auto found = catalog.find_resource(uri);
    if (found && found->subscribable && incoming.require(*found->scopes))
      honoured.resource_subscriptions.push_back(std::move(uri));
  }
  return PreparedListen{incoming.request.id, std::move(honoured), incoming.context.principal,
                        incoming.context.expires_at};
}

}  // namespace postern::mcp
