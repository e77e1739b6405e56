// The requests of one stdio connection that have no answer yet, by their ids (MCP 2026-07-28 basic, "Requests";
// basic/patterns/cancellation).
//
// An id is a string or an integer: 7 and "7" are two. Either a request is cancelled, or it is answered: whoever comes
// first under the lock decides, so that nothing is sent for a request after its cancellation was taken. Thread-safe; no
// lock is held while a stop token fires.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "wire/base/mutex.h"
#include "wire/jsonrpc/message.h"

namespace postern::mcp {

struct RequestInFlight {
  explicit RequestInFlight(RequestId its_id) : id(std::move(its_id)) {}

  const RequestId id;
  std::stop_source stop;
  // Once it is true, nothing of this request is wanted any more.
  const std::shared_ptr<std::atomic<bool>> withdrawn = std::make_shared<std::atomic<bool>>(false);
  std::optional<std::uint64_t> subscription;  // of an open subscriptions/listen; set and read by the reader's thread
};

class RequestsInFlight {
 public:
  using Request = std::shared_ptr<RequestInFlight>;

  // Null when a request with that id is in flight.
  [[nodiscard]] Request begin(const RequestId& id) POSTERN_EXCLUDES(mutex_);
  // It has an answer, or ends without one. True when that may still be sent: it was not cancelled.
  [[nodiscard]] bool finish(const Request& request) POSTERN_EXCLUDES(mutex_);
  // Withdraws it and fires its token; its id stays taken until finish(). Null when there is none, or it was cancelled
  // before.
  [[nodiscard]] Request cancel(const RequestId& id) POSTERN_EXCLUDES(mutex_);

  [[nodiscard]] std::vector<Request> all() const POSTERN_EXCLUDES(mutex_);

 private:
  mutable Mutex mutex_;
  std::map<std::string, Request> requests_ POSTERN_GUARDED_BY(mutex_);  // by the JSON text of the id
};

}  // namespace postern::mcp
