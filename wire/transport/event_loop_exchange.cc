#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>
#include <variant>

#include "wire/base/check.h"
#include "wire/base/secret.h"
#include "wire/transport/event_loop.h"

namespace postern {
namespace {

constexpr std::chrono::milliseconds kLinger{1000};       // time for the peer to see our last answer
constexpr std::size_t kDiscardedMax = 64 * 1024 * 1024;  // bytes thrown away in that time
constexpr std::size_t kIdleCapacityMax = 16 * 1024;      // bytes that a quiet connection may keep allocated for replies

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

HttpResponse lane_full() {
  HttpResponse response = text_response(503, "This server is busy. Nothing was done. Try again in a second.\n");
  response.headers.add("Retry-After", "1");
  return response;
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
        return watch_for(connection, EPOLLIN);
      case RequestFramer::Progress::kRefused:
        return refuse(connection, connection.framer.refusal().status, connection.framer.refusal().text);
      case RequestFramer::Progress::kComplete:
        if (!serve(connection)) return;
    }
  }
}

// False when the connection is gone.
bool EventLoop::serve(Connection& connection) {
  const HttpRequest& request = connection.framer.request();
  const Routes& routes = connection.listener.routes;
  connection.exchange = next_exchange();
  connection.head_only = request.method == "HEAD";
  connection.close_after = draining_ || asks_to_close(request);
  see(connection, Direction::kIn, connection.framer.raw(), true);
  std::optional<HttpReply> reply = dispatcher_.dispatch(routes, request, connection.close_after, connection.out);
  bool streams = false;
  if (reply && std::holds_alternative<Blocking>(*reply)) {
    if (park(connection, std::get<Blocking>(*std::move(reply)))) {
      connection.framer.next();
      return true;
    }
    answer_busy(connection, request);
  } else if (reply) {
    streams = open_stream(connection, std::get<EventStream>(*std::move(reply)));
    if (!streams) answer_busy(connection, request);
  }
  connection.framer.next();
  if (!streams) return send_response(connection);
  continue_stream(connection);
  return false;  // gone, or nothing more to serve on it
}

// Nothing was done, and the connection is as good as before.
void EventLoop::answer_busy(Connection& connection, const HttpRequest& request) {
  HttpResponse response = lane_full();
  connection.listener.routes.finish(request, response);
  dispatcher_.format(std::move(response), connection.head_only, connection.close_after, connection.out);
}

void EventLoop::refuse(Connection& connection, int status, std::string_view text) {
  connection.exchange = next_exchange();
  see(connection, Direction::kIn, connection.framer.raw(), true);
  HttpResponse response = text_response(status, std::string(text) + "\n");
  connection.listener.routes.finish(HttpRequest{}, response);
  connection.close_after = true;
  dispatcher_.format(std::move(response), false, connection.close_after, connection.out);
  send_response(connection);
}

// Hands the work to the lane; false when that is full.
bool EventLoop::park(Connection& connection, Blocking blocking) {
  std::stop_source work;
  const std::uint64_t id = connection.id;
  BlockingLane::Job job{std::move(blocking.work), work.get_token(), [mailbox = mailbox_, id](HttpReply reply) {
                          EventMailbox::LaneResult result{id, std::move(reply)};
                          if (mailbox->post_lane_result(result)) return;
                          if (auto* stream = std::get_if<EventStream>(&result.reply)) stream->state->end();
                        }};
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
    if (open_stream(*connection, std::move(*stream))) return continue_stream(*connection);
    answer_busy(*connection, HttpRequest{});
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
  connection.deadline = now_ + (connection.framer.idle() ? limits.idle_ms_max : limits.request_ms_max);
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
  connection.deadline = now_ + kLinger;
  watch_for(connection, EPOLLIN);
}

void EventLoop::see(const Connection& connection, Direction direction, std::string_view bytes, bool last) const {
  core_.env.tap.see(
      {Channel::kHttp, direction, connection.listener.tap_self, "client", connection.exchange, bytes, last});
}

}  // namespace postern
