#include "services/mcp/server.h"

#include <algorithm>
#include <iterator>

#include "services/gate/bearer_gate.h"
#include "services/mcp/deadline_watch.h"
#include "services/mcp/era.h"
#include "services/mcp/failures.h"
#include "services/mcp/incoming.h"
#include "services/mcp/input_requests.h"
#include "wire/base/log.h"
#include "wire/base/visible_text.h"
#include "wire/mcp/codec.h"
#include "wire/mcp/headers.h"
#include "wire/transport/failures.h"

namespace postern::mcp {
namespace {

// What the server's owner says of one more request, where the owner wants to be asked.
Status ask(const std::function<Status(const services::Principal&)>& owner, const services::Principal& caller) {
  return owner ? owner(caller) : Status{};
}

}  // namespace

std::span<const ScopeCheck> product_scope_checks() {
  static constexpr ScopeCheck kChecks[] = {
      {"scope", [](const ScopeSet& granted, const ScopeSet& needed) { return granted.contains_all(needed); }}};
  return kChecks;
}

const Server::Method Server::kMethods[] = {
    {"server/discover", &Server::discover},
    {"tools/list", &Server::list_tools},
    {"tools/call", &Server::call_tool},
    {"resources/list", &Server::list_resources},
    {"resources/templates/list", &Server::list_resource_templates},
    {"resources/read", &Server::read_resource},
    {"prompts/list", &Server::list_prompts},
    {"prompts/get", &Server::get_prompt},
    {"completion/complete", &Server::complete},
    {"subscriptions/listen", &Server::listen},
};

Answer error_answer(std::string_view what, const RequestId& id, const Failure& failure) {
  const JsonRpcError error = error_of(failure, id);
  const bool is_stopped = failure.as<Cancelled>() != nullptr;  // as it was told to: nobody reads this answer
  if (error.code == static_cast<std::int64_t>(ErrorCode::kInternalError) && !is_stopped) {
    log_error(std::string(what) + " failed with " + std::string(failure.id()) + ": " + failure.text());
  }
  return {200, serialise(error)};
}

Status Server::Incoming::require(const ScopeSet& scopes) const {
  const ScopeSet needed = scopes.join(catalog->features().base_scopes);
  if (context.granted == nullptr) return {};
  for (const ScopeCheck& check : controls.scope) {
    if (!check.holds(*context.granted, needed)) return services::InsufficientScope{needed};
  }
  return {};
}

Status Server::Incoming::admit() const {
  return ask(catalog->features().admit_request, *context.principal);
}

Status Server::Incoming::admit_call() const {
  return ask(catalog->features().admit_call, *context.principal);
}

PreparedRequest Server::Incoming::error(const Failure& failure) const {
  return PreparedRequest::of(error_answer(visible_line(request.method, 80), request.id, failure));
}

Result<Accepted> Server::Incoming::no_call(const Failure& failure) const {
  if (failure.disposition() != Disposition::kToolError) return failure;
  return PreparedRequest::of(catalog->writer().tool_error(request.id, failure.text()));
}

Server::Server(Env env, SubscriptionLimits limits, ServerControls controls)
    : env_(env), controls_(controls), deadlines_(std::make_unique<DeadlineWatch>()) {
  subscriptions_ = std::make_unique<Subscriptions>(env.clock, limits, [this](Milliseconds after) {
    deadlines_->call_after(after, [this] { subscriptions_->end_expired(); });
  });
}

Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::make(Env env, ServerFeatures features, SubscriptionLimits limits,
                                             ServerControls controls) {
  POSTERN_TRY(auto catalog, Catalog::of_features(std::move(features)));
  std::unique_ptr<Server> server(new Server(env, limits, controls));
  const MutexLock lock(server->mutex_);
  server->catalog_ = std::move(catalog);
  return server;
}

std::shared_ptr<const Catalog> Server::catalog() const {
  const MutexLock lock(mutex_);
  return catalog_;
}

Status Server::admit(const services::Principal& principal) const {
  return ask(catalog()->features().admit_request, principal);
}

Status Server::update(ServerFeatures features) {
  POSTERN_TRY(const auto fresh, Catalog::of_features(std::move(features)));
  std::shared_ptr<const Catalog> old;
  {
    const MutexLock lock(mutex_);
    old = std::exchange(catalog_, fresh);
  }
  const auto differ = [](const ListPages& a, const ListPages& b) { return a.fingerprint() != b.fingerprint(); };
  if (differ(old->tool_pages(true), fresh->tool_pages(true))) subscriptions_->list_changed(ListKind::kTools);
  if (differ(old->prompt_pages(), fresh->prompt_pages())) subscriptions_->list_changed(ListKind::kPrompts);
  if (differ(old->resource_pages(), fresh->resource_pages()) || differ(old->template_pages(), fresh->template_pages()))
    subscriptions_->list_changed(ListKind::kResources);
  return {};
}

Result<Accepted> Server::accept(const JsonRpcRequest& request, const RequestContext& context) const {
  const std::string* version_header = nullptr;
  if (context.headers != nullptr) version_header = context.headers->find(kHeaderProtocolVersion);
  const std::shared_ptr<const Catalog> catalog = this->catalog();
  const std::vector<std::string>& supported = catalog->supported_versions();
  POSTERN_TRY_VOID(check_era(request.method, request.params, version_header, supported));
  POSTERN_TRY(RequestMeta meta, read_request_meta(request.params));
  if (context.headers != nullptr) {
    POSTERN_TRY_VOID(
        check_headers(*context.headers, meta.protocol_version, request.method, request.params, controls_.headers));
  }
  if (meta.protocol_version != kProtocolVersion) return UnsupportedVersion{meta.protocol_version, supported};
  POSTERN_TRY(NotificationWishes wishes, read_notification_wishes(meta));
  if (!catalog->features().logging) wishes.log_level.reset();
  Incoming incoming{request, context, std::move(meta), std::move(wishes), catalog, controls_};
  const auto* method = std::find_if(std::begin(kMethods), std::end(kMethods),
                                    [&](const Method& row) { return row.name == request.method; });
  if (method != std::end(kMethods)) return (this->*method->prepare)(incoming);
  if (const ExtensionMethod* extra = catalog->find_method(request.method)) return extension_method(incoming, *extra);
  return UnknownMethod{visible_line(request.method, 80)};
}

PreparedRequest Server::prepare(Incoming& incoming, Job job) const {
  struct Kept {  // what the work needs after accept(), on whichever thread it runs
    std::shared_ptr<const services::Principal> principal;
    RequestMeta meta;
    NotificationWishes wishes;
    std::shared_ptr<const Catalog> catalog;
    Job job;
  };
  const bool notifies = job.notifies && incoming.wishes.any();
  const Lane lane = job.lane;
  const std::shared_ptr<const Kept> kept(new Kept{incoming.context.principal, std::move(incoming.meta),
                                                  std::move(incoming.wishes), incoming.catalog, std::move(job)});
  PreparedRequest prepared(lane, [this, kept](const RunContext& context) -> std::optional<Answer> {
    const Job& work = kept->job;
    RequestNotifications notifications(env_.clock, kept->wishes, context.outlet);
    const SteadyTime deadline = env_.clock.steady_now() + work.deadline;
    if (!context.may_block || work.lane == Lane::kLoop) {  // it never waits: nobody has to stop it
      const Call call{*kept->principal, kept->meta, deadline, context.may_block, context.stop, notifications};
      const Result<Answer> answer = work.work(call);
      if (answer) return *answer;
      if (!context.may_block && answer.error().as<LaneNeeded>() != nullptr) return std::nullopt;
      return work.on_failure(answer.error());
    }
    std::stop_source source;
    const std::stop_callback hung_up(context.stop, [&source] { source.request_stop(); });
    const DeadlineWatch::Guard guard(*deadlines_, work.deadline, source);
    const Call call{*kept->principal, kept->meta, deadline, true, source.get_token(), notifications};
    const Result<Answer> answer = work.work(call);
    notifications.close();
    if (answer) return *answer;
    if (guard.is_over()) return work.on_failure(work.out_of_time);
    return work.on_failure(answer.error());
  });
  prepared.notifies_ = notifies;
  return prepared;
}

Result<Accepted> Server::list_page(Incoming& incoming, const ListPages& pages) const {
  POSTERN_TRY_VOID(incoming.require({}));
  POSTERN_TRY(const auto cursor, read_cursor(incoming.request.params));
  POSTERN_TRY_VOID(incoming.admit());
  const std::string* page = pages.page(cursor);
  if (page == nullptr) return incoming.error(UnknownCursor{});
  return PreparedRequest::of(incoming.catalog->writer().result_of_members(incoming.request.id, *page));
}

Result<Accepted> Server::discover(Incoming& incoming) const {
  POSTERN_TRY_VOID(incoming.require({}));
  POSTERN_TRY_VOID(incoming.admit());
  const Catalog& catalog = *incoming.catalog;
  return PreparedRequest::of(catalog.writer().result_of_members(incoming.request.id, catalog.discover_members()));
}

Result<Accepted> Server::extension_method(Incoming& incoming, const ExtensionMethod& method) const {
  POSTERN_TRY_VOID(incoming.require({}));
  if (method.client_must_declare) {
    const Json needed = extension_capability(incoming.catalog->extension_of(method));
    if (!declares(incoming.meta.client_capabilities, needed)) return MissingClientCapability{needed};
  }
  POSTERN_TRY_VOID(incoming.admit());
  const std::shared_ptr<const JsonRpcRequest> kept(new JsonRpcRequest(incoming.request));
  Job job;
  job.lane = method.lane;
  job.deadline = method.deadline;
  job.out_of_time = OutOfTime{method.name, method.deadline.count(), true};
  const ResultWriter* writer = &incoming.catalog->writer();
  job.work = [kept, writer, handler = method.handler](const Call& call) -> Result<Answer> {
    POSTERN_TRY(Json members, handler(MethodCall{call, kept->params}));
    Json result = Json::object({{"resultType", "complete"}});
    for (const auto& [name, value] : members.members()) result.append_member(name, value);
    return writer->result(kept->id, result);
  };
  job.on_failure = [kept](const Failure& failure) { return error_answer(kept->method, kept->id, failure); };
  return prepare(incoming, std::move(job));
}

}  // namespace postern::mcp
