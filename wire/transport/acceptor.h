// Takes connections off listening sockets, for all loops of one server, and refuses by number those that are not
// served.
//
// A spare descriptor is kept for the moment when there is no other: it is given up to accept the connection that has
// none, so that its peer is told at once, and does not wait in the backlog while the loop spins. Thread-safe.
#pragma once

#include "wire/base/mutex.h"
#include "wire/transport/ip_address.h"

namespace postern {

class Acceptor {
 public:
  enum class Outcome {
    kAccepted,
    kRefused,    // one was told that there is no descriptor for it; there may be more
    kAgain,      // this one has gone; there may be more
    kNone,       // no connection waits
    kExhausted,  // one waits, and there is not even a descriptor to refuse it with
  };

  Acceptor();
  ~Acceptor();
  Acceptor(const Acceptor&) = delete;
  Acceptor& operator=(const Acceptor&) = delete;

  // Non-blocking, close-on-exec. `descriptor` and `peer` are set when it was accepted.
  [[nodiscard]] Outcome accept(int listening, int* descriptor, IpAddress* peer) POSTERN_EXCLUDES(mutex_);

  // Answers and closes a connection that is not served: 503 when the server has no place, 429 when its peer has its
  // share; both with Retry-After.
  static void refuse_full(int descriptor);
  static void refuse_peer(int descriptor);

 private:
  Mutex mutex_;  // or another loop would take the descriptor that was given up
  int spare_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern
