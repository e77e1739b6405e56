// One accepted connection, as its loop sees it. Touched by the loop's thread only.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "wire/base/clock.h"
#include "wire/transport/event_mailbox.h"
#include "wire/transport/event_stream.h"
#include "wire/transport/http_server.h"
#include "wire/transport/ip_address.h"
#include "wire/transport/memory_budget.h"
#include "wire/transport/peer_ledger.h"
#include "wire/transport/request_framer.h"

namespace postern {

//   reading --complete--> (handler) --response--> sending --sent--> reading, or lingering
//                             |-- Blocking -----> parked  --result--> sending or streaming
//                             '-- EventStream --> streaming --finished--> lingering     (its work, if any, in the lane)
//   reading --refused--> sending --sent--> lingering --end of the peer's bytes--> gone
enum class ConnectionStage {
  kReading,    // a request, or the silence before one
  kParked,     // its work runs in the lane
  kSending,    // a whole response
  kStreaming,  // an event stream
  kLingering,  // our side is closed; what still comes is thrown away, so that the peer reads our last answer and not a
               // reset
};

struct Connection {
  Connection(std::uint64_t number, EventMailbox::Accepted accepted, const HttpListener& on, MemoryBudget& budget)
      : id(number),
        descriptor(accepted.descriptor),
        listener_index(accepted.listener),
        listener(on),
        peer(accepted.peer),
        proxied(on.proxies.trust(peer)),
        place(std::move(accepted.place)),
        framer({on.limits.head_bytes_max, on.limits.header_lines_max, on.limits.body_bytes_max}),
        memory(budget) {}

  const std::uint64_t id;
  const int descriptor;
  const std::size_t listener_index;
  const HttpListener& listener;
  const IpAddress peer;                                  // who connected
  const bool proxied;                                    // it is a trusted proxy
  const std::shared_ptr<const PeerLedger::Place> place;  // of this connection, when its peer's are counted

  ConnectionStage stage = ConnectionStage::kReading;
  std::uint32_t interest = 0;  // what epoll watches
  SteadyTime deadline;         // of the stage; SteadyTime::max() for none
  SteadyTime quiet_until;      // the deadline while no byte of a request has come
  RequestFramer framer;
  MemoryBudget::Charge memory;                              // what the framer holds
  std::shared_ptr<MemoryBudget::Charge> queued;             // what the work of the request that is answered has of it
  IpAddress asking;                                         // behind a proxy: whose request is answered
  std::shared_ptr<const PeerLedger::Place> exchange_place;  // of that request, and then of its stream
  std::uint64_t exchange = 0;                               // of the request that is being answered
  bool head_only = false;                                   // it was a HEAD
  bool close_after = false;                                 // its response is the last
  std::string out;
  std::size_t sent = 0;                              // of out
  bool blocked = false;                              // the socket takes no more of `out` for now
  std::size_t discarded = 0;                         // bytes, while lingering
  std::stop_source work{std::nostopstate};           // while parked, and of a stream's work
  std::shared_ptr<EventStreamWriter::State> stream;  // while streaming
  bool stream_finished = false;                      // its last bytes are in `out`
};

}  // namespace postern
