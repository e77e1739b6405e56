// Refresh tokens: a family for each grant, of which one token is good at a time (OAuth 2.1 section 4.3, RFC 9700
// section 4.14).
//
// Each use gives a new token and ends the old one. An old one that comes back was copied by somebody, or its answer was
// lost; nobody can tell which, so the whole family ends and the person signs in again. A family that is not used for
// eight hours ends, and every one after 24 hours. Kept by SHA-256 only: a token says which family it is of by its first
// half, so that old tokens need not be remembered. Bounded: the family that was used longest ago leaves when there are
// too many. In memory: a restart ends them all. Thread-safe.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "issuer/code_store.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/env/env.h"

namespace postern::issuer {

class RefreshTokens {
 public:
  static constexpr Seconds kIdle{8 * 3600};
  static constexpr Seconds kAbsolute{24 * 3600};
  static constexpr std::size_t kFamiliesMax = 1024;

  explicit RefreshTokens(Env env) : env_(env) {}

  // Whether that grant comes with refresh tokens: offline_access was granted to a client that may use them.
  [[nodiscard]] static bool belong_to(const Grant& grant);
  // The first token of a new family: "rt_" and 384 bits.
  [[nodiscard]] std::string start(const Grant& grant) POSTERN_EXCLUDES(mutex_);

  struct Used {
    Grant grant;             // as it was given: a use may ask for less, the family keeps it all
    std::string next_token;  // the only good one from now on
  };
  // For a token that is good, and of that client, `admit` says whether the rest of the request is; its failure leaves
  // the token as it is. It runs under the lock. Otherwise invalid_grant; an old token, and one in the hands of another
  // client, end the family.
  [[nodiscard]] Result<Used> use(std::string_view token, std::string_view client_id,
                                 const std::function<Status(const Grant&)>& admit) POSTERN_EXCLUDES(mutex_);

  enum class Revoked { kDone, kUnknown, kOfAnotherClient };
  // Ends the family of that token, which may be an old one (RFC 7009 section 2.1).
  [[nodiscard]] Revoked revoke(std::string_view token, std::string_view client_id) POSTERN_EXCLUDES(mutex_);
  // Ends the family of that grant, when there is one.
  void revoke_grant(std::string_view grant_id) POSTERN_EXCLUDES(mutex_);

 private:
  struct Family {
    Grant grant;
    std::string current_sha256;
    WallTime used_at{};
    WallTime ends_at{};
  };
  using Families = std::unordered_map<std::string, Family>;  // by the SHA-256 of a token's first half

  [[nodiscard]] Families::iterator find(std::string_view token) POSTERN_REQUIRES(mutex_);
  void make_room() POSTERN_REQUIRES(mutex_);
  Env env_;
  Mutex mutex_;
  Families families_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::issuer
