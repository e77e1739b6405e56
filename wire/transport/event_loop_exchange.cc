#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "wire/base/secret.h"
#include "wire/transport/busy_response.h"
#include "wire/transport/event_loop.h"

namespace postern {
namespace {

constexpr std::chrono::milliseconds kLinger{1000};       // time for the peer to see our last answer
constexpr std::size_t kDiscardedMax = 64 * 1024 * 1024;  // bytes thrown away in that time
constexpr std::size_t kIdleCapacityMax = 16 * 1024;      // bytes that a quiet connection may keep allocated for replies

constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Whether the sender wants no further request on the connection (RFC 9112 section 9.6).
bool asks_to_close(const HttpRequest& request) {
  for (std::string_view list : request.headers.all("Connection")) {
    for (;;) {
      const std::size_t comma = list.find(',');
      std::string_view option = list.substr(0, comma);
      while (option.starts_with(' ')) option.remove_prefix(1);
      while (option.ends_with(' ')) option.remove_suffix(1);
      if (equal_ignoring_case(option, "close")) return true;
      if (comma == std::string_view::npos) break;
      list.remove_prefix(comma + 1);
    }
  }
  return false;
}

std::size_t beyond(std::size_t bytes, std::size_t own) {
  return bytes > own ? bytes - own : 0;
}

}  // namespace

void EventLoop::on_connection_event(Connection& connection, std::uint32_t events) {
  if ((events & (EPOLLERR | EPOLLHUP)) != 0) return drop(connection);
  switch (connection.stage) {
    case ConnectionStage::kReading:
      return read_some(connection);
    case ConnectionStage::kLingering:
      return discard_some(connection);
    case ConnectionStage::kSending:
      if (continue_sending(connection)) serve_buffered(connection);
      return;
    case ConnectionStage::kParked:  // it is watched for a hang-up only
      return drop(connection);
    case ConnectionStage::kStreaming:
      if ((events & EPOLLRDHUP) != 0) return drop(connection);
      return continue_stream(connection);
  }
}

void EventLoop::watch_for(Connection& connection, std::uint32_t interest) {
  if (connection.interest == interest) return;
  connection.interest = interest;
  epoll_event event{};
  event.events = interest;
  event.data.u64 = connection.id;
  epoll_ctl(epoll_, EPOLL_CTL_MOD, connection.descriptor, &event);
}

void EventLoop::read_some(Connection& connection) {
  const ssize_t count = recv(connection.descriptor, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
  if (count < 0) {
    if (errno == EAGAIN || errno == EINTR) return;
    return drop(connection);
  }
  if (count == 0) return drop(connection);  // what came of a request is not whole, and never will be
  const auto size = static_cast<std::size_t>(count);
  if (connection.framer.idle()) connection.deadline = now_ + connection.listener.limits.request_ms_max;
  connection.framer.append({scratch_.data(), size});
  wipe(scratch_.data(), size);
  if (!account(connection)) return refuse(connection, busy_response(503, kMemoryFull));
  serve_buffered(connection);
}

void EventLoop::discard_some(Connection& connection) {
  const ssize_t count = recv(connection.descriptor, scratch_.data(), scratch_.size(), MSG_DONTWAIT);
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (count <= 0) return drop(connection);
  wipe(scratch_.data(), static_cast<std::size_t>(count));
  connection.discarded += static_cast<std::size_t>(count);
  if (connection.discarded > kDiscardedMax) drop(connection);
}

// Serves what is in the buffer, one request after the other: none while the answer to the one before it is on its way.
void EventLoop::serve_buffered(Connection& connection) {
  while (connection.stage == ConnectionStage::kReading) {
    switch (connection.framer.advance()) {
      case RequestFramer::Progress::kNeedMore:
        if (!account(connection)) return refuse(connection, busy_response(503, kMemoryFull));
        if (connection.framer.idle()) connection.deadline = connection.quiet_until;
        if (connection.framer.take_wish_to_continue() && !send_continue(connection)) return;
        return watch_for(connection, EPOLLIN);
      case RequestFramer::Progress::kRefused: {
        const RequestFramer::Refusal& refusal = connection.framer.refusal();
        return refuse(connection, text_response(refusal.status, std::string(refusal.text) + "\n"));
      }
      case RequestFramer::Progress::kComplete:
        if (!serve(connection)) return;
    }
  }
}

// The head was accepted, so the body is wanted. Nothing else waits to be sent while a request is read. False when the
// connection is gone.
bool EventLoop::send_continue(Connection& connection) {
  connection.exchange = next_exchange();
  see(connection, Direction::kOut, kContinue, true);
  const ssize_t count = send(connection.descriptor, kContinue.data(), kContinue.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  if (count == static_cast<ssize_t>(kContinue.size())) return true;
  drop(connection);
  return false;
}

// False when the connection is gone.
bool EventLoop::serve(Connection& connection) {
  const HttpRequest& request = connection.framer.request();
  const Routes& routes = connection.listener.routes;
  connection.exchange = next_exchange();
  connection.head_only = request.method == "HEAD";
  connection.close_after = draining_ || asks_to_close(request);
  see(connection, Direction::kIn, connection.framer.raw(), true);
  std::optional<HttpReply> reply;
  bool streams = false;
  if (!admit(connection)) {
    answer(connection, request, busy_response(429, "You have too many requests in flight. Nothing was done.\n"));
  } else {
    reply = dispatcher_.dispatch(routes, request, connection.close_after, connection.out);
  }
  if (reply) queue(connection);
  if (reply && std::holds_alternative<Blocking>(*reply)) {
    if (park(connection, std::get<Blocking>(*std::move(reply)))) {
      framed(connection);
      return true;
    }
    answer(connection, request, busy_response(503, kLaneFull));
  } else if (reply) {
    std::optional<HttpResponse> refusal = open_stream(connection, std::get<EventStream>(*std::move(reply)));
    streams = !refusal;
    if (refusal) answer(connection, request, *std::move(refusal));
  }
  framed(connection);
  if (!streams) return send_response(connection);
  continue_stream(connection);
  return false;  // gone, or nothing more to serve on it
}

// Behind a proxy: finds out who asks, and takes the place of the request. False when its peer has its share.
bool EventLoop::admit(Connection& connection) {
  if (!connection.proxied) return true;
  HttpRequest& request = connection.framer.request();
  connection.asking = connection.listener.proxies.peer_of(connection.peer, request.headers);
  request.peer_address = connection.asking.text();
  connection.exchange_place = core_.ledger.take_shared(PeerLedger::Kind::kRequest, connection.asking,
                                                       connection.listener.limits.requests_per_peer_max);
  return connection.exchange_place != nullptr;
}

// The request is in the hands of its handler, or answered.
void EventLoop::framed(Connection& connection) {
  connection.framer.next();
  [[maybe_unused]] const bool less = account(connection);
}

// Counts what the framer holds. False when it is more than there is.
bool EventLoop::account(Connection& connection) {
  return connection.memory.hold(beyond(connection.framer.held_bytes(), core_.own_bytes));
}

// What work that waits has of its request counts on, until it is done: about as many bytes as came.
void EventLoop::queue(Connection& connection) {
  if (connection.memory.bytes() == 0) return;
  connection.queued = std::make_shared<MemoryBudget::Charge>(core_.memory);
  connection.memory.hand_to(*connection.queued, connection.framer.raw().size());
}

// Formats a response that was made here. The connection is as good as before.
void EventLoop::answer(Connection& connection, const HttpRequest& request, HttpResponse response) {
  connection.listener.routes.finish(request, response);
  dispatcher_.format(std::move(response), connection.head_only, connection.close_after, connection.out);
}

// What came is no request that can be served; its answer is the last.
void EventLoop::refuse(Connection& connection, HttpResponse response) {
  connection.exchange = next_exchange();
  see(connection, Direction::kIn, connection.framer.raw(), true);
  connection.framer.give_up();
  [[maybe_unused]] const bool less = account(connection);
  connection.head_only = false;
  connection.close_after = true;
  answer(connection, HttpRequest{}, std::move(response));
  send_response(connection);
}

// Hands the work to the lane; false when that is full.
bool EventLoop::park(Connection& connection, Blocking blocking) {
  std::stop_source work;
  const std::uint64_t id = connection.id;
  BlockingLane::Job job;
  job.work = std::move(blocking.work);
  job.stop = work.get_token();
  job.done = [mailbox = mailbox_, id](HttpReply reply) {
    EventMailbox::LaneResult result{id, std::move(reply)};
    if (mailbox->post_lane_result(result)) return;
    if (auto* stream = std::get_if<EventStream>(&result.reply)) stream->state->end();
  };
  job.memory = connection.queued;
  job.place = connection.proxied ? connection.exchange_place : connection.place;
  if (!core_.lane.submit(std::move(job))) return false;
  connection.work = std::move(work);
  connection.stage = ConnectionStage::kParked;
  connection.deadline = SteadyTime::max();
  watch_for(connection, EPOLLRDHUP);
  return true;
}

void EventLoop::on_lane_result(EventMailbox::LaneResult result) {
  Connection* connection = find(result.connection);
  if (connection == nullptr || connection->stage != ConnectionStage::kParked) {
    if (auto* stream = std::get_if<EventStream>(&result.reply)) stream->state->end();
    return;
  }
  connection->work = std::stop_source(std::nostopstate);
  if (auto* stream = std::get_if<EventStream>(&result.reply)) {
    std::optional<HttpResponse> refusal = open_stream(*connection, std::move(*stream));
    if (!refusal) return continue_stream(*connection);
    answer(*connection, HttpRequest{}, *std::move(refusal));
  } else {
    HttpResponse response = std::get<HttpResponse>(std::move(result.reply));
    dispatcher_.format(std::move(response), connection->head_only, connection->close_after, connection->out);
  }
  if (send_response(*connection)) serve_buffered(*connection);
}

bool EventLoop::send_response(Connection& connection) {
  see(connection, Direction::kOut, connection.out, true);
  connection.stage = ConnectionStage::kSending;
  return continue_sending(connection);
}

EventLoop::Sent EventLoop::send_out(Connection& connection) {
  while (connection.sent < connection.out.size()) {
    const ssize_t count = send(connection.descriptor, connection.out.data() + connection.sent,
                               connection.out.size() - connection.sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0) {
      connection.sent += static_cast<std::size_t>(count);
      connection.blocked = false;
    } else if (count < 0 && errno == EAGAIN) {
      // The time runs from the last byte that went out, however often it is tried.
      if (!std::exchange(connection.blocked, true)) {
        connection.deadline = now_ + connection.listener.limits.send_ms_max;
      }
      return Sent::kSome;
    } else if (count == 0 || errno != EINTR) {
      return Sent::kFailed;
    }
  }
  wipe(connection.out);  // a response may carry tokens
  if (connection.out.capacity() > kIdleCapacityMax) connection.out.shrink_to_fit();
  connection.sent = 0;
  return Sent::kAll;
}

// False when the connection is gone.
bool EventLoop::continue_sending(Connection& connection) {
  switch (send_out(connection)) {
    case Sent::kFailed:
      drop(connection);
      return false;
    case Sent::kSome:
      watch_for(connection, EPOLLOUT);
      return true;
    case Sent::kAll:
      break;
  }
  if (connection.close_after) {
    linger(connection);
    return false;
  }
  const HttpLimits& limits = connection.listener.limits;
  connection.stage = ConnectionStage::kReading;
  connection.queued.reset();
  connection.exchange_place.reset();
  connection.quiet_until = now_ + limits.idle_ms_max;
  connection.deadline = connection.framer.idle() ? connection.quiet_until : now_ + limits.request_ms_max;
  return true;
}

// Closes our side, and reads on for a moment: closing with bytes unread would send a reset, which can overtake the last
// answer.
void EventLoop::linger(Connection& connection) {
  int unread = 0;
  const bool quiet = draining_ && ioctl(connection.descriptor, FIONREAD, &unread) == 0 && unread == 0;
  if (quiet || shutdown(connection.descriptor, SHUT_WR) != 0) return drop(connection);
  if (connection.stream != nullptr) end_stream(connection);
  connection.stage = ConnectionStage::kLingering;
  connection.queued.reset();
  connection.exchange_place.reset();
  connection.deadline = now_ + kLinger;
  watch_for(connection, EPOLLIN);
}

void EventLoop::see(const Connection& connection, Direction direction, std::string_view bytes, bool last) const {
  core_.env.tap.see(
      {Channel::kHttp, direction, connection.listener.tap_self, "client", connection.exchange, bytes, last});
}

}  // namespace postern
