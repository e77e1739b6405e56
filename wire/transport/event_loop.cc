#include "wire/transport/event_loop.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "wire/base/check.h"
#include "wire/base/log.h"

namespace postern {
namespace {

constexpr std::uint64_t kMailboxId = 0;
constexpr std::uint64_t kFirstListenerId = 1;
constexpr std::uint64_t kFirstConnectionId = 1'000'000;
constexpr int kEventsMax = 64;                          // a turn of the loop
constexpr int kAcceptsMax = 64;                         // a turn of the loop
constexpr std::chrono::milliseconds kAcceptPause{100};  // after running out of descriptors

std::size_t connections_of(const std::vector<HttpListener>& listeners) {
  std::size_t sum = 0;
  for (const HttpListener& listener : listeners) sum += listener.limits.connections_max;
  return std::max<std::size_t>(sum, 1);
}

// Half of the memory at most is set aside in equal parts.
std::size_t own_bytes_of(const std::vector<HttpListener>& listeners) {
  const HttpLimits& limits = listeners.front().limits;
  return std::min(limits.head_bytes_max, limits.buffered_bytes_max / 2 / connections_of(listeners));
}

std::chrono::milliseconds shortest_of(const std::vector<HttpListener>& listeners) {
  std::chrono::milliseconds shortest{1000};
  for (const HttpListener& listener : listeners) {
    const HttpLimits& limits = listener.limits;
    shortest =
        std::min({shortest, limits.request_ms_max, limits.idle_ms_max, limits.send_ms_max, limits.stream_comment_ms});
  }
  return std::max(shortest, std::chrono::milliseconds(1));
}

}  // namespace

ServerCore::ServerCore(std::vector<HttpListener> all, Env environment)
    : listeners(std::move(all)),
      env(environment),
      own_bytes(own_bytes_of(listeners)),
      memory(listeners.front().limits.buffered_bytes_max - own_bytes * connections_of(listeners)),
      lane(listeners.front().limits.blocking_threads, listeners.front().limits.blocking_queue_max),
      connections(std::make_unique<std::atomic<std::size_t>[]>(listeners.size())) {
  for (const HttpListener& listener : listeners) connections_max.push_back(listener.limits.connections_max);
}

EventLoop::EventLoop(ServerCore& core, std::shared_ptr<EventMailbox> mailbox)
    : core_(core),
      mailbox_(std::move(mailbox)),
      dispatcher_(core.env.clock),
      epoll_(epoll_create1(EPOLL_CLOEXEC)),
      last_id_(kFirstConnectionId),
      now_(clock_.steady_now()),
      shortest_limit_(shortest_of(core.listeners)) {
  POSTERN_CHECK(epoll_ >= 0);
  watch(mailbox_->descriptor(), kMailboxId, EPOLLIN);
}

EventLoop::~EventLoop() {
  close(epoll_);
}

void EventLoop::watch(int descriptor, std::uint64_t id, std::uint32_t interest) const {
  epoll_event event{};
  event.events = interest;
  event.data.u64 = id;
  const int added = epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event);
  POSTERN_CHECK(added == 0);
}

void EventLoop::watch_listeners() {
  accepting_ = true;
  accept_paused_ = false;
  for (std::size_t index = 0; index < core_.listeners.size(); ++index) {
    // EPOLLEXCLUSIVE: a new connection wakes one loop, not all of them.
    watch(core_.listeners[index].socket.descriptor(), kFirstListenerId + index, EPOLLIN | EPOLLEXCLUSIVE);
  }
}

void EventLoop::run() {
  watch_listeners();
  std::array<epoll_event, kEventsMax> events{};
  while (!draining_ || (!connections_.empty() && now_ < drain_until_)) {
    const int count = epoll_wait(epoll_, events.data(), kEventsMax, wait_ms());
    now_ = clock_.steady_now();
    for (int i = 0; i < count; ++i) {
      const epoll_event& event = events[static_cast<std::size_t>(i)];
      on_event(event.data.u64, event.events);
    }
    if (now_ >= next_sweep_) sweep();
  }
  while (!connections_.empty()) drop(*connections_.begin()->second);
  const EventMailbox::Mail rest = mailbox_->close();
  for (const EventMailbox::Accepted& accepted : rest.accepted) {
    close(accepted.descriptor);
    --core_.connections[accepted.listener];
  }
  for (const EventMailbox::LaneResult& result : rest.lane_results) {
    if (const auto* stream = std::get_if<EventStream>(&result.reply)) stream->state->end();
  }
}

void EventLoop::on_event(std::uint64_t id, std::uint32_t events) {
  if (id == kMailboxId) return read_mail();
  if (id < kFirstConnectionId) return accept_from(static_cast<std::size_t>(id - kFirstListenerId));
  if (Connection* connection = find(id)) on_connection_event(*connection, events);
}

Connection* EventLoop::find(std::uint64_t id) {
  const auto found = connections_.find(id);
  return found == connections_.end() ? nullptr : found->second.get();
}

void EventLoop::accept_from(std::size_t listener) {
  for (int i = 0; i < kAcceptsMax && accepting_; ++i) {
    if (!accept_one(listener)) return;
  }
}

// False when no connection waits, or none can be taken now.
bool EventLoop::accept_one(std::size_t listener) {
  int descriptor = -1;
  IpAddress peer;
  switch (core_.acceptor.accept(core_.listeners[listener].socket.descriptor(), &descriptor, &peer)) {
    case Acceptor::Outcome::kAccepted:
      admit_connection({descriptor, listener, peer, nullptr});
      return true;
    case Acceptor::Outcome::kRefused:
    case Acceptor::Outcome::kAgain:
      return true;
    case Acceptor::Outcome::kNone:
      return false;
    case Acceptor::Outcome::kExhausted:
      break;
  }
  // The connection stays in the backlog and the socket readable: watching it now would spin.
  for (const HttpListener& each : core_.listeners) {
    epoll_ctl(epoll_, EPOLL_CTL_DEL, each.socket.descriptor(), nullptr);
  }
  accept_paused_ = true;
  next_sweep_ = std::min(next_sweep_, now_ + kAcceptPause);
  log_warning("no descriptor is left for a new connection; it waits");
  return false;
}

// Gives the connection to the loop whose turn it is, when there is a place for it.
void EventLoop::admit_connection(EventMailbox::Accepted accepted) {
  const HttpListener& on = core_.listeners[accepted.listener];
  std::atomic<std::size_t>& count = core_.connections[accepted.listener];
  if (count++ >= core_.connections_max[accepted.listener]) {
    --count;
    return Acceptor::refuse_full(accepted.descriptor);
  }
  if (!accepted.peer.is_loopback() && !on.proxies.trust(accepted.peer)) {
    accepted.place =
        core_.ledger.take_shared(PeerLedger::Kind::kConnection, accepted.peer, on.limits.connections_per_peer_max);
    if (!accepted.place) {
      --count;
      return Acceptor::refuse_peer(accepted.descriptor);
    }
  }
  const int now = 1;  // or a reply would wait for an acknowledgement, about 40 ms
  setsockopt(accepted.descriptor, IPPROTO_TCP, TCP_NODELAY, &now, sizeof now);
  EventMailbox& next = *core_.mailboxes[core_.turns++ % core_.mailboxes.size()];
  if (&next == mailbox_.get() || !next.post_accepted(accepted)) adopt(std::move(accepted));
}

void EventLoop::adopt(EventMailbox::Accepted accepted) {
  if (draining_) {
    close(accepted.descriptor);
    --core_.connections[accepted.listener];
    return;
  }
  const HttpListener& listener = core_.listeners[accepted.listener];
  auto owned = std::make_unique<Connection>(++last_id_, std::move(accepted), listener, core_.memory);
  Connection& connection = *owned;
  connections_.emplace(connection.id, std::move(owned));
  connection.framer.request().peer_address = connection.peer.text();
  connection.interest = EPOLLIN;
  watch(connection.descriptor, connection.id, EPOLLIN);
  connection.deadline = connection.quiet_until = now_ + listener.limits.idle_ms_max;
  next_sweep_ = std::min(next_sweep_, now_ + shortest_limit_);
}

void EventLoop::read_mail() {
  EventMailbox::Mail mail = mailbox_->take();
  for (EventMailbox::Accepted& accepted : mail.accepted) adopt(std::move(accepted));
  for (EventMailbox::LaneResult& result : mail.lane_results) on_lane_result(std::move(result));
  for (const std::uint64_t id : mail.changed_streams) on_changed_stream(id);
  if (mail.drain_until) begin_drain(*mail.drain_until);
}

void EventLoop::begin_drain(SteadyTime until) {
  drain_until_ = until;
  if (std::exchange(draining_, true)) return;
  if (!accept_paused_) {
    for (const HttpListener& each : core_.listeners) {
      epoll_ctl(epoll_, EPOLL_CTL_DEL, each.socket.descriptor(), nullptr);
    }
  }
  accepting_ = accept_paused_ = false;
  if (--core_.accepting == 0) {
    for (HttpListener& each : core_.listeners) const ListeningSocket closed = std::move(each.socket);
  }
  std::vector<std::uint64_t> ids;
  for (const auto& [id, connection] : connections_) ids.push_back(id);
  for (const std::uint64_t id : ids) {
    Connection* connection = find(id);
    if (connection == nullptr) continue;
    connection->close_after = true;
    if (connection->stage == ConnectionStage::kReading && connection->framer.idle()) {
      read_some(*connection);  // a request that has arrived already is in flight
      connection = find(id);
      const bool unused = connection != nullptr && connection->stage == ConnectionStage::kReading;
      if (unused && connection->framer.idle()) drop(*connection);
    } else if (connection->stage == ConnectionStage::kStreaming && !connection->work.stop_possible()) {
      connection->stream->finish();  // one with work is a request in flight, and ends when that returns
      continue_stream(*connection);
    }
  }
}

int EventLoop::wait_ms() const {
  SteadyTime until = next_sweep_;
  if (draining_) until = std::min(until, drain_until_);
  if (until == SteadyTime::max()) return -1;
  // Rounded up: a wait that ends a moment too early would spin until the time has come.
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now_).count();
  return static_cast<int>(std::clamp<std::int64_t>(left, 0, 60'000));
}

// Deadlines are looked at together. None that is set after a sweep can end before the shortest limit is over, so the
// next sweep comes at the earliest deadline or then, and the loop sleeps in between.
void EventLoop::sweep() {
  if (accept_paused_ && !draining_) watch_listeners();
  std::vector<std::uint64_t> expired;
  for (const auto& [id, connection] : connections_) {
    if (connection->deadline <= now_) expired.push_back(id);
  }
  for (const std::uint64_t id : expired) {
    if (Connection* connection = find(id)) expire(*connection);
  }
  next_sweep_ = SteadyTime::max();
  for (const auto& [id, connection] : connections_) next_sweep_ = std::min(next_sweep_, connection->deadline);
  if (!connections_.empty()) next_sweep_ = std::min(next_sweep_, now_ + shortest_limit_);
  if (accept_paused_) next_sweep_ = std::min(next_sweep_, now_ + kAcceptPause);
}

void EventLoop::expire(Connection& connection) {
  if (connection.stage == ConnectionStage::kReading && !connection.framer.idle()) {
    return refuse(connection, text_response(408, "The request did not come whole in time.\n"));
  }
  if (connection.stage == ConnectionStage::kStreaming && !connection.blocked) return break_silence(connection);
  drop(connection);
}

void EventLoop::drop(Connection& connection) {
  // Out of the table first, so that neither a callback below nor a later event finds it; then the descriptor, whose
  // number may be given to the next connection at once.
  const auto found = connections_.find(connection.id);
  const std::unique_ptr<Connection> owned = std::move(found->second);
  connections_.erase(found);
  close(owned->descriptor);
  --core_.connections[owned->listener_index];
  if (owned->stream != nullptr) {
    if (!owned->stream_finished) see(*owned, Direction::kOut, "", true);
    end_stream(*owned);
  }
  if (owned->stage == ConnectionStage::kParked) owned->work.request_stop();
}

}  // namespace postern
