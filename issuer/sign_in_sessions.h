// Who signed in with this browser last, and when: kept so that max_age has a meaning, and that the consent form is
// answered in the browser in which the person was chosen.
//
// A session never signs anyone in by itself: the page with the people is always shown. It only lets the same person go
// on with the time of the earlier sign-in instead of a new one. Kept by the SHA-256 of the cookie, for eight hours,
// bounded. Thread-safe.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/env/env.h"
#include "wire/http_message/http_message.h"

namespace postern::issuer {

struct SignInSession {
  std::string subject;
  WallTime auth_time{};
};

class SignInSessions {
 public:
  static constexpr std::string_view kCookie = "__Host-postern-issuer";
  static constexpr Seconds kLifetime{8 * 3600};
  static constexpr std::size_t kSessionsMax = 1024;

  explicit SignInSessions(Env env) : env_(env) {}
  // The session of the request's cookie, if there is one.
  [[nodiscard]] std::optional<SignInSession> find(const HttpRequest& request) POSTERN_EXCLUDES(mutex_);
  // A new session, always with a new cookie.
  struct Started {
    std::string set_cookie;  // the value of the header
    std::string key;         // as key_of() a request with that cookie
  };
  [[nodiscard]] Started start(SignInSession session) POSTERN_EXCLUDES(mutex_);
  // Names the session of the request's cookie without being that cookie: a form is bound to it. Empty without one.
  [[nodiscard]] static std::string key_of(const HttpRequest& request);

 private:
  Env env_;
  Mutex mutex_;
  std::unordered_map<std::string, SignInSession> sessions_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
