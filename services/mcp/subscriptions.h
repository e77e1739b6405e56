// Who listens to what: the open subscriptions of one server (MCP 2026-07-28 basic/patterns/subscriptions).
//
// A subscription is a handle of its principal, bounded in count in all and per principal, and in its URIs; it ends with
// the token that opened it. It costs no thread: messages go to its sink, which is the transport's. Every message
// carries the id of the listen request; the acknowledgement is always the first one. Thread-safe; no lock is held while
// a sink is called.
#pragma once

#include <cstdint>
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

// The transport's end of one subscription. Thread-safe.
class SubscriptionSink {
 public:
  virtual ~SubscriptionSink() = default;
  // One JSON-RPC message as text. False when the reader is gone: the subscription is then forgotten.
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
  // `clock` must outlive it.
  explicit Subscriptions(const Clock& clock, SubscriptionLimits limits = {}) : clock_(clock), limits_(limits) {}
  Subscriptions(const Subscriptions&) = delete;
  Subscriptions& operator=(const Subscriptions&) = delete;

  // Sends the acknowledgement, then keeps the sink. The number is for close(). `mcp.too_many_subscriptions`.
  [[nodiscard]] Result<std::uint64_t> open(PreparedListen listen, std::shared_ptr<SubscriptionSink> sink)
      POSTERN_EXCLUDES(mutex_);
  // The reader went away or cancelled: nothing more is sent. Unknown numbers are ignored.
  void close(std::uint64_t number) POSTERN_EXCLUDES(mutex_);

  void list_changed(ListKind kind) POSTERN_EXCLUDES(mutex_);
  void resource_updated(const std::string& uri) POSTERN_EXCLUDES(mutex_);
  // Ends those whose token has expired, with the result that a client may answer by listening anew. Called by whoever
  // keeps time; cheap when there is nothing to do.
  void end_expired() POSTERN_EXCLUDES(mutex_);
  // The server stops: every subscription gets its closing result, then its end. Later opens are refused.
  void end_all() POSTERN_EXCLUDES(mutex_);

  [[nodiscard]] std::size_t count() const POSTERN_EXCLUDES(mutex_);

 private:
  struct Open {
    PreparedListen listen;
    std::shared_ptr<SubscriptionSink> sink;
  };
  const Clock& clock_;
  const SubscriptionLimits limits_;
  mutable Mutex mutex_;
  std::map<std::uint64_t, Open> open_ POSTERN_GUARDED_BY(mutex_);
  std::uint64_t last_number_ POSTERN_GUARDED_BY(mutex_) = 0;
  bool ended_ POSTERN_GUARDED_BY(mutex_) = false;
};

}  // namespace postern::mcp
