#include "services/mcp/subscriptions.h"

#include <algorithm>

#include "services/mcp/failures.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kMetaSubscriptionId = "io.modelcontextprotocol/subscriptionId";

Json tag(const RequestId& id) {
  return Json::object({{std::string(kMetaSubscriptionId), id.json()}});
}

std::string notification(std::string method, const RequestId& id, Json params = Json::object()) {
  params.append_member("_meta", tag(id));
  return serialise(JsonRpcNotification{std::move(method), std::move(params)});
}

// The empty result by which the server ends a subscription (basic/patterns/subscriptions, "Graceful closure").
std::string closing_result(const RequestId& id) {
  return serialise(JsonRpcResult{id, Json::object({{"resultType", "complete"}, {"_meta", tag(id)}})});
}

bool wants(const SubscriptionFilter& filter, ListKind kind) {
  switch (kind) {
    case ListKind::kTools:
      return filter.tools_list_changed;
    case ListKind::kPrompts:
      return filter.prompts_list_changed;
    case ListKind::kResources:
      return filter.resources_list_changed;
  }
  return false;
}

std::string_view method_of(ListKind kind) {
  switch (kind) {
    case ListKind::kTools:
      return "notifications/tools/list_changed";
    case ListKind::kPrompts:
      return "notifications/prompts/list_changed";
    case ListKind::kResources:
      return "notifications/resources/list_changed";
  }
  return {};
}

}  // namespace

Result<std::uint64_t> Subscriptions::open(PreparedListen listen, std::shared_ptr<SubscriptionSink> sink) {
  const std::string acknowledgement = notification("notifications/subscriptions/acknowledged", listen.id,
                                                   Json::object({{"notifications", to_json(listen.honoured)}}));
  std::uint64_t number = 0;
  {
    const MutexLock lock(mutex_);
    const std::string owner = listen.principal->key();
    const auto mine = static_cast<std::size_t>(std::count_if(
        open_.begin(), open_.end(), [&](const auto& entry) { return entry.second.listen.principal->key() == owner; }));
    if (ended_ || open_.size() >= limits_.subscriptions_max) return TooManySubscriptions{limits_.subscriptions_max};
    if (mine >= limits_.per_principal_max) return TooManySubscriptions{limits_.per_principal_max};
    number = ++last_number_;
    sink->send(acknowledgement);
    open_.emplace(number, Open{std::move(listen), std::move(sink)});
  }
  return number;
}

void Subscriptions::close(std::uint64_t number) {
  const MutexLock lock(mutex_);
  open_.erase(number);
}

void Subscriptions::list_changed(ListKind kind) {
  const MutexLock lock(mutex_);
  for (auto at = open_.begin(); at != open_.end();) {
    const Open& one = at->second;
    const bool reads =
        !wants(one.listen.honoured, kind) || one.sink->send(notification(std::string(method_of(kind)), one.listen.id));
    at = reads ? std::next(at) : open_.erase(at);
  }
}

void Subscriptions::resource_updated(const std::string& uri) {
  const MutexLock lock(mutex_);
  for (auto at = open_.begin(); at != open_.end();) {
    const Open& one = at->second;
    const auto& uris = one.listen.honoured.resource_subscriptions;
    const bool wanted = std::find(uris.begin(), uris.end(), uri) != uris.end();
    const bool reads = !wanted || one.sink->send(notification("notifications/resources/updated", one.listen.id,
                                                              Json::object({{"uri", uri}})));
    at = reads ? std::next(at) : open_.erase(at);
  }
}

void Subscriptions::end_expired() {
  const WallTime now = clock_.now();
  const MutexLock lock(mutex_);
  for (auto at = open_.begin(); at != open_.end();) {
    const Open& one = at->second;
    if (!one.listen.expires_at || now < *one.listen.expires_at) {
      ++at;
      continue;
    }
    one.sink->send(closing_result(one.listen.id));
    one.sink->end();
    at = open_.erase(at);
  }
}

void Subscriptions::end_all() {
  const MutexLock lock(mutex_);
  ended_ = true;
  for (const auto& [number, one] : open_) {
    one.sink->send(closing_result(one.listen.id));
    one.sink->end();
  }
  open_.clear();
}

std::size_t Subscriptions::count() const {
  const MutexLock lock(mutex_);
  return open_.size();
}

}  // namespace postern::mcp
