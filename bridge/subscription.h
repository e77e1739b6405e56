// Subscription: what a server tells when something changes, held open by a thread of its own (MCP 2026-07-28
// basic/patterns/subscriptions).
//
// It sends subscriptions/listen and waits. What the server acknowledges may be less than what was asked for; when it is
// nothing, that is the end. Only notifications with the id of this subscription, of a kind that was asked for, are
// handed on. A stream that breaks off is begun anew after a pause that grows, with a part left to chance, so that the
// clients of a server that comes back do not come back together; one that the server ends in order is not. Nothing is
// ever asked for at intervals.
//
// A challenge does not bring a sign-in before a person: without credentials there is no subscription. `transport` and
// the Env must outlive it; the handlers are called on its thread. Thread-safe.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <thread>

#include "bridge/server_transport.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"
#include "wire/mcp/request_params.h"

namespace postern::bridge {

struct SubscriptionOptions {
  mcp::SubscriptionFilter filter;
  Json request_meta;                              // Session::request_meta()
  std::chrono::milliseconds hold_max{3'600'000};  // then begun anew: a peer that is gone without a word is noticed
  std::chrono::milliseconds pause_first{1'000};   // doubled with each failure in a row
  std::chrono::milliseconds pause_longest{60'000};
  int failures_max = 10;  // in a row, without an acknowledgement between them
};

struct SubscriptionHandlers {
  std::function<void(const JsonRpcNotification&)> changed;
  // The subscription stands, and `honoured` is what the server tells of. `again`: after a gap in which it told nothing.
  std::function<void(const mcp::SubscriptionFilter& honoured, bool again)> acknowledged;
};

class Subscription {
 public:
  enum class State {
    kOpening,    // no acknowledgement yet, or a pause before the next attempt
    kListening,  // acknowledged
    kEnded,      // by the server in order, or by us
    kRefused,    // the server does not have it for us
    kGivenUp     // too many failures in a row
  };
  // Waits until the time is up or the token fires; true when it fired.
  using Sleep = std::function<bool(std::chrono::milliseconds, const std::stop_token&)>;

  Subscription(Env env, ServerTransport& transport, SubscriptionOptions options, SubscriptionHandlers handlers,
               Sleep sleep);
  // Closes the stream and waits for the thread.
  ~Subscription() = default;
  Subscription(const Subscription&) = delete;
  Subscription& operator=(const Subscription&) = delete;

  [[nodiscard]] State state() const { return state_; }
  // Blocks until it is over: for tests, and for whoever has nothing else to do.
  void join() { thread_.join(); }

 private:
  enum class Ending { kInOrder, kAbrupt, kRefused };
  // One stream, from its request to its end.
  struct Stream {
    std::optional<Json> id;
    bool ended_in_order = false;
    bool refused = false;
  };
  void run(const std::stop_token& stop);
  [[nodiscard]] Ending listen(const std::stop_token& stop, bool& acknowledged);
  [[nodiscard]] bool take(const JsonRpcNotification& notification, Stream& stream);
  [[nodiscard]] bool take_acknowledgement(const JsonRpcNotification& notification, Stream& stream);
  [[nodiscard]] bool asked_for(const JsonRpcNotification& notification) const;
  [[nodiscard]] std::chrono::milliseconds jittered(std::chrono::milliseconds pause) const;

  Env env_;
  ServerTransport& transport_;
  SubscriptionOptions options_;
  SubscriptionHandlers handlers_;
  Sleep sleep_;
  std::atomic<State> state_{State::kOpening};
  bool had_one_ = false;  // an acknowledgement, ever
  std::jthread thread_;
};

// The product's Sleep.
[[nodiscard]] bool sleep_until_stopped(std::chrono::milliseconds how_long, const std::stop_token& stop);

}  // namespace postern::bridge
