// Authorization codes: good once, for 60 seconds, for exactly what was asked.
//
// A code is kept by its SHA-256 only. The first presentation takes it out, whether the rest of that request is right or
// not; a second one finds nothing but the id of the grant, so that what was given for the code can be taken back (RFC
// 6749 section 4.1.2). Bounded: the oldest code leaves when there are too many. Thread-safe.
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
  std::string id;  // random; the first part of the jti of its access tokens
  ClientRef client;
  Person person;
  std::string resource;
  ScopeSet scope;
  std::string nonce;  // for the ID token; may be empty
  WallTime auth_time{};
};
[[nodiscard]] Grant make_grant(RandomSource& random, const AuthorizationRequest& request, const Person& person,
                               WallTime auth_time);

// A grant, and what the token request must prove and repeat to get it.
struct CodeGrant {
  Grant grant;
  std::string redirect_uri;
  CodeChallenge challenge;
};

class CodeStore {
 public:
  static constexpr Seconds kLifetime{60};
  static constexpr std::size_t kCodesMax = 1024;

  explicit CodeStore(Env env) : env_(env) {}
  // "ac_" and 256 bits.
  [[nodiscard]] std::string issue(CodeGrant grant) POSTERN_EXCLUDES(mutex_);
  // The grant, the first time only; nothing for a code that is unknown, used or expired.
  [[nodiscard]] std::optional<CodeGrant> take(std::string_view code) POSTERN_EXCLUDES(mutex_);
  // The id of the grant of a code that was used before; nothing for any other, and when it is long ago.
  [[nodiscard]] std::optional<std::string> spent_grant(std::string_view code) POSTERN_EXCLUDES(mutex_);

 private:
  struct Entry {
    std::optional<CodeGrant> grant;  // nothing when it was taken
    std::string grant_id;
    WallTime expires_at{};
  };
  Env env_;
  Mutex mutex_;
  std::unordered_map<std::string, Entry> codes_ POSTERN_GUARDED_BY(mutex_);
  std::deque<std::string> order_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
