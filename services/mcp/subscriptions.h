// Who listens to what: the open subscriptions of one server (MCP 2026-07-28 basic/patterns/subscriptions).
//
// A subscription is a handle of its principal, bounded in count in all and per principal, and in its URIs; it ends with
// the token that opened it. It costs no thread: messages go to its sink, which is the transport's. Every message
// carries the id of the listen request; the acknowledgement is always the first one, and the closing result the last.
// A change that is published while the same change still waits to be handed to the sink is told once.
//
// Thread-safe; no lock is held while a sink is called, and one sink is called by one thread at a time: whoever
// publishes while another thread is at it leaves the message to that thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "services/gate/principal.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/jsonrpc/message.h"
#include "wire/mcp/request_params.h"

namespace postern::mcp {

// A subscriptions/listen that passed every check.
struct PreparedListen {
  RequestId id;
  SubscriptionFilter honoured;  // what was asked for and is offered
  std::shared_ptr<const services::Principal> principal;
  std::optional<WallTime> expires_at;  // of the token
};

// The _meta of every message of a subscription: the id of its listen request, of the same JSON type.
[[nodiscard]] Json subscription_meta(const RequestId& id);
// The empty result by which a server ends a subscription ("Graceful closure").
[[nodiscard]] std::string closing_result(const RequestId& id);

// The transport's end of one subscription. Must not block.
class SubscriptionSink {
 public:
  virtual ~SubscriptionSink() = default;
  // One JSON-RPC message as text. False when nobody reads it: the subscription is then forgotten.
  virtual bool send(const std::string& message) = 0;
  // Nothing comes behind it.
  virtual void end() = 0;
};

struct SubscriptionLimits {
  std::size_t subscriptions_max = 4096;
  std::size_t per_principal_max = 1024;
};

enum class ListKind { kTools, kPrompts, kResources };

class Subscriptions {
 public:
  // Has end_expired() called once that time has passed; later is no harm.
  using Alarm = std::function<void(Milliseconds)>;

  // `clock` must outlive it. Without an alarm somebody else calls end_expired().
  explicit Subscriptions(const Clock& clock, SubscriptionLimits limits = {}, Alarm alarm = {})
      : clock_(clock), limits_(limits), alarm_(std::move(alarm)) {}
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // Keeps the sink, and sends the acknowledgement before anything else. The number is for close() and end().
  // Failures: `mcp.too_many_subscriptions`, `mcp.stopping`.
  [[nodiscard]] Result<std::uint64_t> open(PreparedListen listen, std::shared_ptr<SubscriptionSink> sink)
      POSTERN_EXCLUDES(mutex_);
  // The reader went away or cancelled: nothing more is sent, but for a message that another thread is just handing
  // over. Unknown numbers are ignored.
  void close(std::uint64_t number) POSTERN_EXCLUDES(mutex_);
  // The server ends it: the closing result, then the sink's end. Unknown numbers are ignored.
  void end(std::uint64_t number) POSTERN_EXCLUDES(mutex_);

  void list_changed(ListKind kind) POSTERN_EXCLUDES(mutex_);
  void resource_updated(const std::string& uri) POSTERN_EXCLUDES(mutex_);
  // Ends those whose token has expired, with the result that a client may answer by listening anew. Cheap when there is
  // nothing to do.
  void end_expired() POSTERN_EXCLUDES(mutex_);
  // The server stops: every subscription gets its closing result, then its end. Later opens are refused.
  void end_all() POSTERN_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t count() const POSTERN_EXCLUDES(mutex_);

 private:
  class Subscription;
  using Ones = std::vector<std::shared_ptr<Subscription>>;
  [[nodiscard]] Ones those_that(const std::function<bool(const PreparedListen&)>& want) const POSTERN_EXCLUDES(mutex_);
  std::shared_ptr<Subscription> forget(std::uint64_t number) POSTERN_EXCLUDES(mutex_);
  // Hands over what waits; forgets the subscription when nobody reads it any more.
  void deliver(Subscription& one) POSTERN_EXCLUDES(mutex_);
  void set_alarm(WallTime next) POSTERN_EXCLUDES(mutex_);

  const Clock& clock_;
  const SubscriptionLimits limits_;
  const Alarm alarm_;
  mutable Mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Subscription>> open_ POSTERN_GUARDED_BY(mutex_);
  std::map<std::string, std::size_t> per_principal_ POSTERN_GUARDED_BY(mutex_);  // by Principal::key()
  std::uint64_t last_number_ POSTERN_GUARDED_BY(mutex_) = 0;
  std::optional<WallTime> alarm_at_ POSTERN_GUARDED_BY(mutex_);  // the earliest that was asked for and has not rung
  bool ended_ POSTERN_GUARDED_BY(mutex_) = false;
};

}  // namespace postern::mcp
