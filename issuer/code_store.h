// Authorization codes: good once, for 60 seconds, for exactly what was asked.
//
// A code is kept by its SHA-256 only. The first presentation takes it out, whether the rest of that request is right or
// not; a second one finds nothing. Bounded: the oldest code leaves when there are too many. Thread-safe.
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

// What a person agreed to, and when that person signed in.
struct Grant {
  AuthorizationRequest request;
  Person person;
  WallTime auth_time{};
};

class CodeStore {
 public:
  static constexpr Seconds kLifetime{60};
  static constexpr std::size_t kCodesMax = 1024;

  explicit CodeStore(Env env) : env_(env) {}
  // "ac_" and 256 bits.
  [[nodiscard]] std::string issue(Grant grant) POSTERN_EXCLUDES(mutex_);
  // The grant, the first time only; nothing for a code that is unknown, used or expired.
  [[nodiscard]] std::optional<Grant> take(std::string_view code) POSTERN_EXCLUDES(mutex_);

 private:
  struct Entry {
    Grant grant;
    WallTime expires_at{};
  };
  Env env_;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> codes_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
