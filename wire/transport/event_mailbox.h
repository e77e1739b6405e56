// What other threads tell a loop: the only thing of a loop that is shared.
//
// A message names a connection by its number, never by a pointer, so that one that has gone meanwhile is simply not
// found. Thread-safe; outlives its loop without harm: after close() nothing is taken any more.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/transport/http_server.h"
#include "wire/transport/ip_address.h"
#include "wire/transport/peer_ledger.h"

namespace postern {

class EventMailbox {
 public:
  struct Accepted {
    int descriptor = -1;
    std::size_t listener = 0;
    IpAddress peer;
    std::shared_ptr<const PeerLedger::Place> place;  // of a peer whose connections are counted
  };
  struct LaneResult {
    std::uint64_t connection = 0;
    HttpReply reply;
  };
  struct Mail {
    std::vector<Accepted> accepted;
    std::vector<LaneResult> lane_results;
    std::vector<std::uint64_t> changed_streams;
    std::optional<SteadyTime> drain_until;
  };

  EventMailbox();
  ~EventMailbox();
  EventMailbox(const EventMailbox&) = delete;
  EventMailbox& operator=(const EventMailbox&) = delete;

  // An eventfd that is readable while there is mail.
  [[nodiscard]] int descriptor() const { return descriptor_; }
  // False when the loop has ended: the message stays with the caller.
  bool post_accepted(Accepted& accepted) POSTERN_EXCLUDES(mutex_);
  bool post_lane_result(LaneResult& result) POSTERN_EXCLUDES(mutex_);
  void post_changed_stream(std::uint64_t connection) POSTERN_EXCLUDES(mutex_);
  void post_drain(SteadyTime until) POSTERN_EXCLUDES(mutex_);
  // Of the loop.
  [[nodiscard]] Mail take() POSTERN_EXCLUDES(mutex_);
  // Takes the rest and refuses everything from now on.
  [[nodiscard]] Mail close() POSTERN_EXCLUDES(mutex_);

 private:
  void wake() POSTERN_REQUIRES(mutex_);

  int descriptor_;
  Mutex mutex_;
  Mail mail_ POSTERN_GUARDED_BY(mutex_);
  bool woken_ POSTERN_GUARDED_BY(mutex_) = false;
  bool closed_ POSTERN_GUARDED_BY(mutex_) = false;
};

}  // namespace postern
