// One thread that serves the connections it was given: reads, frames, dispatches, sends, and keeps event streams.
//
// A connection belongs to one loop from accept to close, so that its state needs no lock. Other threads speak to a loop
// through its mailbox only. Epoll events carry connection numbers, which are never used twice: an event of a connection
// that has gone meanwhile finds nothing. Every loop watches every listening socket; what it accepts goes to the loops
// in turn.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "wire/base/clock.h"
#include "wire/env/env.h"
#include "wire/transport/acceptor.h"
#include "wire/transport/blocking_lane.h"
#include "wire/transport/connection.h"
#include "wire/transport/event_mailbox.h"
#include "wire/transport/http_server.h"
#include "wire/transport/library_dispatcher.h"
#include "wire/transport/memory_budget.h"
#include "wire/transport/peer_ledger.h"

namespace postern {

// What the loops of one server have in common. Constant while they run, but for the atomics, the lane, the mailboxes
// and what counts (the ledger, the budget).
struct ServerCore {
  ServerCore(std::vector<HttpListener> all, Env environment);

  std::vector<HttpListener> listeners;
  Env env;
  PeerLedger ledger;
  const std::size_t own_bytes;  // of buffered_bytes_max, that each connection has for itself
  MemoryBudget memory;          // the rest of it
  Acceptor acceptor;
  BlockingLane lane;
  std::vector<std::shared_ptr<EventMailbox>> mailboxes;     // one a loop
  std::unique_ptr<std::atomic<std::size_t>[]> connections;  // one a listener
  std::vector<std::size_t> connections_max;                 // one a listener: what is served of it
  std::atomic<std::size_t> turns{0};
  std::atomic<bool> closing{false};       // the last words are spoken: no stream without work is opened any more
  std::atomic<std::size_t> accepting{0};  // loops that still watch the listening sockets; the last one closes them
};

class EventLoop {
 public:
  // `core` must outlive it.
  EventLoop(ServerCore& core, std::shared_ptr<EventMailbox> mailbox);
  ~EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // The thread's body: returns when it was told to drain, and everything is done or the time for it is over.
  void run();

 private:
  // event_loop.cc: the loop, accepting, mail, time
  void watch(int descriptor, std::uint64_t id, std::uint32_t interest) const;
  void on_event(std::uint64_t id, std::uint32_t events);
  void watch_listeners();
  void accept_from(std::size_t listener);
  bool accept_one(std::size_t listener);
  void admit_connection(EventMailbox::Accepted accepted);
  void adopt(EventMailbox::Accepted accepted);
  void read_mail();
  void begin_drain(SteadyTime until);
  [[nodiscard]] int wait_ms() const;
  void sweep();
  void expire(Connection& connection);
  void drop(Connection& connection);
  [[nodiscard]] Connection* find(std::uint64_t id);

  // event_loop_exchange.cc and, for streams, event_loop_stream.cc: what happens on one connection. Each may drop it:
  // the connection is not touched after a call that returns false, or void.
  void on_connection_event(Connection& connection, std::uint32_t events);
  void on_lane_result(EventMailbox::LaneResult result);
  void on_changed_stream(std::uint64_t id);
  void watch_for(Connection& connection, std::uint32_t interest);
  void read_some(Connection& connection);
  void discard_some(Connection& connection);
  void serve_buffered(Connection& connection);
  bool send_continue(Connection& connection);
  bool serve(Connection& connection);
  void refuse(Connection& connection, HttpResponse response);
  void answer(Connection& connection, const HttpRequest& request, HttpResponse response);
  [[nodiscard]] bool admit(Connection& connection);
  [[nodiscard]] bool account(Connection& connection);
  void framed(Connection& connection);
  void queue(Connection& connection);
  [[nodiscard]] bool park(Connection& connection, Blocking blocking);
  bool send_response(Connection& connection);
  enum class Sent { kAll, kSome, kFailed };
  [[nodiscard]] Sent send_out(Connection& connection);
  bool continue_sending(Connection& connection);
  [[nodiscard]] std::optional<HttpResponse> open_stream(Connection& connection, EventStream stream);
  [[nodiscard]] bool start_work(Connection& connection, EventStream& stream);
  void end_stream(Connection& connection);
  void continue_stream(Connection& connection);
  void take_from_stream(Connection& connection);
  void break_silence(Connection& connection);
  void linger(Connection& connection);
  void see(const Connection& connection, Direction direction, std::string_view bytes, bool last) const;

  ServerCore& core_;
  const std::shared_ptr<EventMailbox> mailbox_;
  const SystemClock clock_;  // sockets wait in real time, whatever clock the program is given
  LibraryDispatcher dispatcher_;
  const int epoll_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Connection>> connections_;
  std::uint64_t last_id_;
  SteadyTime now_;
  SteadyTime next_sweep_ = SteadyTime::max();
  std::chrono::milliseconds shortest_limit_;
  bool accepting_ = false;
  bool accept_paused_ = false;  // out of descriptors: tried again at the next sweep
  bool draining_ = false;
  SteadyTime drain_until_;
  std::array<char, 64 * 1024> scratch_;
};

}  // namespace postern
