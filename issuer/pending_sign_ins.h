// Authorization requests that wait for a person to choose on the sign-in page.
//
// Each has an unguessable id and a form token of its own. Both stand in the page's form and neither in an address. Good
// for ten minutes and one choice. Bounded: the oldest leaves when there are too many. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "issuer/authorization_request.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"

namespace postern::issuer {

class PendingSignIns {
 public:
  static constexpr Seconds kLifetime{600};
  static constexpr std::size_t kPendingMax = 1024;

  struct Ticket {
    std::string id;
    std::string form_token;
  };

  explicit PendingSignIns(Env env) : env_(env) {}
  [[nodiscard]] Ticket keep(AuthorizationRequest request) POSTERN_EXCLUDES(mutex_);
  // The request, once, when id and form token belong together (compared in constant time) and it is not too old.
  [[nodiscard]] std::optional<AuthorizationRequest> take(std::string_view id, std::string_view form_token)
      POSTERN_EXCLUDES(mutex_);

 private:
  struct Entry {
    AuthorizationRequest request;
    std::string form_token;
    WallTime expires_at{};
  };
  Env env_;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> pending_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
