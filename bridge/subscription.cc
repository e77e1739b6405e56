#include "bridge/subscription.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "bridge/failures.h"

namespace postern::bridge {
namespace {

constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";

// The part of `asked` that the acknowledgement grants, whatever else it names.
mcp::SubscriptionFilter granted_of(const mcp::SubscriptionFilter& asked, const Json& granted) {
  mcp::SubscriptionFilter honoured;
  const auto flag = [&](bool wanted, const char* name) { return wanted && granted.boolean_at(name).value_or(false); };
  honoured.tools_list_changed = flag(asked.tools_list_changed, "toolsListChanged");
  honoured.prompts_list_changed = flag(asked.prompts_list_changed, "promptsListChanged");
  honoured.resources_list_changed = flag(asked.resources_list_changed, "resourcesListChanged");
  const Json* uris = granted.find("resourceSubscriptions");
  for (const std::string& uri : asked.resource_subscriptions) {
    if (uris == nullptr) break;
    const auto& named = uris->elements();
    const bool there = std::any_of(named.begin(), named.end(),
                                   [&](const Json& one) { return one.string() != nullptr && *one.string() == uri; });
    if (there) honoured.resource_subscriptions.push_back(uri);
  }
  return honoured;
}

bool is_empty(const mcp::SubscriptionFilter& filter) {
  return !filter.tools_list_changed && !filter.prompts_list_changed && !filter.resources_list_changed &&
         filter.resource_subscriptions.empty();
}

// What will not be otherwise the next time.
bool is_lasting(const Failure& failure) {
  if (const auto* status = failure.as<HttpStatus>())
    return status->status >= 300 && status->status < 500 && status->status != 429;
  const std::string_view id = failure.id();
  return failure.as<ScopeNeeded>() != nullptr || id.starts_with("sign_in.") || id.starts_with("oauth.");
}

}  // namespace

bool sleep_until_stopped(std::chrono::milliseconds how_long, const std::stop_token& stop) {
  Mutex mutex;
  ConditionVariable never;
  const MutexLock lock(mutex);
  never.wait_for(mutex, stop, how_long, [] { return false; });
  return stop.stop_requested();
}

Subscription::Subscription(Env env, ServerTransport& transport, SubscriptionOptions options,
                           SubscriptionHandlers handlers, Sleep sleep)
    : env_(env),
      transport_(transport),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      sleep_(std::move(sleep)),
      thread_([this](const std::stop_token& stop) { run(stop); }) {}

// Between half of it and all of it.
std::chrono::milliseconds Subscription::jittered(std::chrono::milliseconds pause) const {
  unsigned char bytes[2] = {};
  env_.random.fill(std::span(bytes));
  const std::int64_t part = bytes[0] * 256 + bytes[1];
  return pause / 2 + std::chrono::milliseconds(pause.count() * part / (2 * 65'535));
}

void Subscription::run(const std::stop_token& stop) {
  std::chrono::milliseconds pause = options_.pause_first;
  for (int failures = 0;;) {
    bool acknowledged = false;
    const Ending ending = listen(stop, acknowledged);
    if (ending == Ending::kInOrder || stop.stop_requested()) break;
    if (ending == Ending::kRefused) {
      state_ = State::kRefused;
      return;
    }
    state_ = State::kOpening;
    if (acknowledged) {
      pause = options_.pause_first;
      failures = 0;
    }
    if (++failures > options_.failures_max) {
      state_ = State::kGivenUp;
      return;
    }
    if (sleep_(jittered(pause), stop)) break;
    pause = std::min(pause * 2, options_.pause_longest);
  }
  state_ = State::kEnded;
}

Subscription::Ending Subscription::listen(const std::stop_token& stop, bool& acknowledged) {
  Stream stream;
  OutgoingRequest request;
  request.method = "subscriptions/listen";
  request.params = Json::object({{"notifications", to_json(options_.filter)}, {"_meta", options_.request_meta}});
  request.deadline = env_.clock.steady_now() + options_.hold_max;
  request.may_sign_in = false;
  request.on_notification = [&](const JsonRpcNotification& notification) { return take(notification, stream); };
  const Result<ServerAnswer> answer = transport_.exchange(request, stop);
  acknowledged = stream.id.has_value();
  if (stream.refused) return Ending::kRefused;
  if (stream.ended_in_order) return Ending::kInOrder;
  if (!answer) return is_lasting(answer.error()) ? Ending::kRefused : Ending::kAbrupt;
  const auto* error = std::get_if<JsonRpcError>(&*answer);
  if (error == nullptr) return Ending::kInOrder;
  return error->code == static_cast<std::int64_t>(ErrorCode::kInternalError) ? Ending::kAbrupt : Ending::kRefused;
}

bool Subscription::take_acknowledgement(const JsonRpcNotification& notification, Stream& stream) {
  const Json* meta = notification.params.find("_meta");
  const Json* id = meta == nullptr ? nullptr : meta->find(kSubscriptionId);
  const Json* granted = notification.params.find("notifications");
  if (id == nullptr || granted == nullptr) return true;
  const mcp::SubscriptionFilter honoured = granted_of(options_.filter, *granted);
  stream.refused = is_empty(honoured);
  if (stream.refused) return false;
  stream.id = *id;
  state_ = State::kListening;
  if (handlers_.acknowledged) handlers_.acknowledged(honoured, std::exchange(had_one_, true));
  return true;
}

bool Subscription::asked_for(const JsonRpcNotification& notification) const {
  const mcp::SubscriptionFilter& filter = options_.filter;
  if (notification.method == "notifications/tools/list_changed") return filter.tools_list_changed;
  if (notification.method == "notifications/prompts/list_changed") return filter.prompts_list_changed;
  if (notification.method == "notifications/resources/list_changed") return filter.resources_list_changed;
  return notification.method == "notifications/resources/updated" && !filter.resource_subscriptions.empty();
}

// False ends the stream.
bool Subscription::take(const JsonRpcNotification& notification, Stream& stream) {
  if (!stream.id) {
    if (notification.method != "notifications/subscriptions/acknowledged") return true;
    return take_acknowledgement(notification, stream);
  }
  // A server over stdio may end a subscription with this, before or instead of the result.
  if (notification.method == "notifications/cancelled") {
    const Json* ended = notification.params.find("requestId");
    stream.ended_in_order = ended != nullptr && *ended == *stream.id;
    return !stream.ended_in_order;
  }
  const Json* meta = notification.params.find("_meta");
  const Json* id = meta == nullptr ? nullptr : meta->find(kSubscriptionId);
  if (id == nullptr || id->type_name() != stream.id->type_name() || !(*id == *stream.id)) return true;
  if (asked_for(notification) && handlers_.changed) handlers_.changed(notification);
  return true;
}

}  // namespace postern::bridge
