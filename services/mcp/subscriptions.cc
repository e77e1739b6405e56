#include "services/mcp/subscriptions.h"

#include <algorithm>
#include <chrono>
#include <deque>
#include <utility>

#include "services/mcp/failures.h"
#include "wire/mcp/codec.h"

namespace postern::mcp {
namespace {

constexpr std::string_view kMetaSubscriptionId = "io.modelcontextprotocol/subscriptionId";
// The longest wait for a token's end: wall clocks are set, and machines sleep.
constexpr Milliseconds kAlarmMax = std::chrono::minutes(1);

std::string notification(std::string method, const RequestId& id, Json params = Json::object()) {
  params.append_member("_meta", subscription_meta(id));
  return serialise(JsonRpcNotification{std::move(method), std::move(params)});
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

Json subscription_meta(const RequestId& id) {
  return Json::object({{std::string(kMetaSubscriptionId), id.json()}});
}

std::string closing_result(const RequestId& id) {
  return serialise(JsonRpcResult{id, Json::object({{"resultType", "complete"}, {"_meta", subscription_meta(id)}})});
}

// One subscription with what waits for its sink. Thread-safe.
class Subscriptions::Subscription {
 public:
  Subscription(std::uint64_t number, PreparedListen listen, std::shared_ptr<SubscriptionSink> sink)
      : number_(number), listen_(std::move(listen)), sink_(std::move(sink)) {
    // First in the queue before anybody can publish to it ("Acknowledgment").
    post(notification("notifications/subscriptions/acknowledged", listen_.id,
                      Json::object({{"notifications", to_json(listen_.honoured)}})));
  }

  [[nodiscard]] std::uint64_t number() const { return number_; }
  [[nodiscard]] const PreparedListen& listen() const { return listen_; }

  void post(std::string message) {
    const MutexLock lock(mutex_);
    if (closed_ || ending_ || std::find(waiting_.begin(), waiting_.end(), message) != waiting_.end()) return;
    waiting_.push_back(std::move(message));
  }
  // The closing result is the last.
  void end() {
    const MutexLock lock(mutex_);
    if (closed_ || std::exchange(ending_, true)) return;
    waiting_.push_back(closing_result(listen_.id));
  }
  void close() {
    const MutexLock lock(mutex_);
    closed_ = true;
    waiting_.clear();
  }
  // Hands over what waits, unless another thread is at it. False when the sink has no reader.
  bool deliver() {
    for (bool first = true;; first = false) {
      const std::optional<std::string> message = next(first);
      if (!message) return true;
      if (!sink_->send(*message)) {
        close();
        return false;
      }
    }
  }

 private:
  // The next message; nothing when there is none, which ends this thread's turn.
  std::optional<std::string> next(bool first) {
    {
      const MutexLock lock(mutex_);
      if (first && std::exchange(delivering_, true)) return std::nullopt;
      if (!waiting_.empty()) {
        std::string message = std::move(waiting_.front());
        waiting_.pop_front();
        return message;
      }
      delivering_ = false;
      if (closed_ || !ending_) return std::nullopt;
      closed_ = true;
    }
    sink_->end();
    return std::nullopt;
  }

  const std::uint64_t number_;
  const PreparedListen listen_;
  const std::shared_ptr<SubscriptionSink> sink_;
  Mutex mutex_;
  std::deque<std::string> waiting_ POSTERN_GUARDED_BY(mutex_);
  bool delivering_ POSTERN_GUARDED_BY(mutex_) = false;
  bool ending_ POSTERN_GUARDED_BY(mutex_) = false;
  bool closed_ POSTERN_GUARDED_BY(mutex_) = false;
};

Result<std::uint64_t> Subscriptions::open(PreparedListen listen, std::shared_ptr<SubscriptionSink> sink) {
  std::shared_ptr<Subscription> one;
  {
    const MutexLock lock(mutex_);
    if (ended_) return Stopping{};
    if (open_.size() >= limits_.subscriptions_max) return TooManySubscriptions{limits_.subscriptions_max};
    std::size_t& mine = per_principal_[listen.principal->key()];
    if (mine >= limits_.per_principal_max) return TooManySubscriptions{limits_.per_principal_max};
    ++mine;
    one = std::make_shared<Subscription>(++last_number_, std::move(listen), std::move(sink));
    open_.emplace(one->number(), one);
  }
  deliver(*one);
  if (one->listen().expires_at) set_alarm(*one->listen().expires_at);
  return one->number();
}

std::shared_ptr<Subscriptions::Subscription> Subscriptions::forget(std::uint64_t number) {
  const MutexLock lock(mutex_);
  const auto found = open_.find(number);
  if (found == open_.end()) return nullptr;
  std::shared_ptr<Subscription> one = std::move(found->second);
  open_.erase(found);
  const auto mine = per_principal_.find(one->listen().principal->key());
  if (mine != per_principal_.end() && --mine->second == 0) per_principal_.erase(mine);
  return one;
}

void Subscriptions::deliver(Subscription& one) {
  if (!one.deliver()) forget(one.number());
}

void Subscriptions::close(std::uint64_t number) {
  if (const auto one = forget(number)) one->close();
}

void Subscriptions::end(std::uint64_t number) {
  const auto one = forget(number);
  if (one == nullptr) return;
  one->end();
  deliver(*one);
}

Subscriptions::Ones Subscriptions::those_that(const std::function<bool(const PreparedListen&)>& want) const {
  Ones wanted;
  const MutexLock lock(mutex_);
  for (const auto& [number, one] : open_) {
    if (want(one->listen())) wanted.push_back(one);
  }
  return wanted;
}

void Subscriptions::list_changed(ListKind kind) {
  for (const auto& one : those_that([kind](const PreparedListen& listen) { return wants(listen.honoured, kind); })) {
    one->post(notification(std::string(method_of(kind)), one->listen().id));
    deliver(*one);
  }
}

void Subscriptions::resource_updated(const std::string& uri) {
  const auto wanted = [&uri](const PreparedListen& listen) {
    const auto& uris = listen.honoured.resource_subscriptions;
    return std::find(uris.begin(), uris.end(), uri) != uris.end();
  };
  for (const auto& one : those_that(wanted)) {
    one->post(notification("notifications/resources/updated", one->listen().id, Json::object({{"uri", uri}})));
    deliver(*one);
  }
}

void Subscriptions::end_expired() {
  const WallTime now = clock_.now();
  const auto expired = [now](const PreparedListen& listen) { return listen.expires_at && now >= *listen.expires_at; };
  for (const auto& one : those_that(expired)) end(one->number());
  std::optional<WallTime> next;
  {
    const MutexLock lock(mutex_);
    alarm_at_.reset();
    for (const auto& [number, one] : open_) {
      const auto& expires_at = one->listen().expires_at;
      if (expires_at && (!next || *expires_at < *next)) next = *expires_at;
    }
  }
  if (next) set_alarm(*next);
}

void Subscriptions::set_alarm(WallTime next) {
  if (!alarm_) return;
  const WallTime now = clock_.now();
  const Milliseconds after = std::clamp(next - now, Milliseconds(1), kAlarmMax);
  {
    const MutexLock lock(mutex_);
    if (alarm_at_ && *alarm_at_ <= now + after) return;  // an earlier one will see to it
    alarm_at_ = now + after;
  }
  alarm_(after);
}

void Subscriptions::end_all() {
  {
    const MutexLock lock(mutex_);
    ended_ = true;
  }
  for (const auto& one : those_that([](const PreparedListen&) { return true; })) end(one->number());
}

std::size_t Subscriptions::count() const {
  const MutexLock lock(mutex_);
  return open_.size();
}

}  // namespace postern::mcp
