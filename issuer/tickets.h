// Requests that wait for a person at a page of this issuer.
//
// Each has an unguessable id and a form token of its own. Both stand in the page's form and neither in an address. Good
// for ten minutes and one answer. Bounded: the oldest leaves when there are too many. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/secret.h"
#include "wire/env/env.h"

namespace postern::issuer {

// The two values in the form of a page.
struct Ticket {
  std::string id;
  std::string form_token;
};

template <class Request>
class Tickets {
 public:
  static constexpr Seconds kLifetime{600};
  static constexpr std::size_t kTicketsMax = 1024;

  explicit Tickets(Env env) : env_(env) {}

  [[nodiscard]] Ticket keep(Request request) POSTERN_EXCLUDES(mutex_) {
    Ticket ticket{random_token(env_.random, "", 16), random_token(env_.random, "", 16)};
    const MutexLock lock(mutex_);
    waiting_.emplace(ticket.id, Entry{std::move(request), ticket.form_token, env_.clock.now() + kLifetime});
    order_.push_back(ticket.id);
    if (order_.size() > kTicketsMax) {
      waiting_.erase(order_.front());
      order_.pop_front();
    }
    return ticket;
  }

  // The request, once, when id and form token belong together (compared in constant time) and it is not too old.
  [[nodiscard]] std::optional<Request> take(std::string_view id, std::string_view form_token) POSTERN_EXCLUDES(mutex_) {
    const MutexLock lock(mutex_);
    const auto found = waiting_.find(std::string(id));
    if (found == waiting_.end() || !equal_in_constant_time(found->second.form_token, form_token)) return std::nullopt;
    Entry entry = std::move(found->second);
    waiting_.erase(found);
    if (env_.clock.now() >= entry.expires_at) return std::nullopt;
    return std::move(entry.request);
  }

 private:
  struct Entry {
    Request request;
    std::string form_token;
    WallTime expires_at{};
  };
  Env env_;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> waiting_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
