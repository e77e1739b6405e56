#include "issuer/refresh_tokens.h"

#include <algorithm>

#include "issuer/failures.h"
#include "wire/base/digest.h"
#include "wire/base/secret.h"

namespace postern::issuer {
namespace {

constexpr std::string_view kPrefix = "rt_";
constexpr std::size_t kFamilyBytes = 16;
constexpr std::size_t kFamilyCharacters = 22;  // of base64url
constexpr std::size_t kTokenBytes = 32;

// "rt_" and the family's half; nothing when the text is too short to be a token.
std::string_view family_half(std::string_view token) {
  const std::size_t size = kPrefix.size() + kFamilyCharacters;
  if (token.size() <= size || token.substr(0, kPrefix.size()) != kPrefix) return {};
  return token.substr(0, size);
}

Failure not_good() {
  return OAuthError{"invalid_grant", "The refresh token is unknown, ended, or was used before. Sign in again."};
}

}  // namespace

bool RefreshTokens::belong_to(const Grant& grant) {
  return grant.client->grants.refresh_token && grant.scope.contains(kOfflineAccess);
}

RefreshTokens::Families::iterator RefreshTokens::find(std::string_view token) {
  const auto found = families_.find(sha256(family_half(token)));
  if (found == families_.end()) return found;
  const WallTime now = env_.clock.now();
  if (now < found->second.ends_at && now < found->second.used_at + kIdle) return found;
  families_.erase(found);
  return families_.end();
}

void RefreshTokens::make_room() {
  if (families_.size() < kFamiliesMax) return;
  const auto oldest = std::min_element(families_.begin(), families_.end(), [](const auto& a, const auto& b) {
    return a.second.used_at < b.second.used_at;
  });
  families_.erase(oldest);
}

std::string RefreshTokens::start(const Grant& grant) {
  const std::string half = random_token(env_.random, kPrefix, kFamilyBytes);
  std::string token = random_token(env_.random, half, kTokenBytes);
  const WallTime now = env_.clock.now();
  const MutexLock lock(mutex_);
  make_room();
  families_.emplace(sha256(half), Family{grant, sha256(token), now, now + kAbsolute});
  return token;
}

Result<RefreshTokens::Used> RefreshTokens::use(std::string_view token, std::string_view client_id,
                                               const std::function<Status(const Grant&)>& admit) {
  const MutexLock lock(mutex_);
  const auto found = find(token);
  if (found == families_.end()) return not_good();
  Family& family = found->second;
  if (!equal_in_constant_time(family.current_sha256, sha256(token)) || client_id != family.grant.client->client_id) {
    families_.erase(found);
    return not_good();
  }
  POSTERN_TRY_VOID(admit(family.grant));
  std::string next = random_token(env_.random, family_half(token), kTokenBytes);
  family.current_sha256 = sha256(next);
  family.used_at = env_.clock.now();
  return Used{family.grant, std::move(next)};
}

RefreshTokens::Revoked RefreshTokens::revoke(std::string_view token, std::string_view client_id) {
  const MutexLock lock(mutex_);
  const auto found = find(token);
  if (found == families_.end()) return Revoked::kUnknown;
  if (client_id != found->second.grant.client->client_id) return Revoked::kOfAnotherClient;
  families_.erase(found);
  return Revoked::kDone;
}

void RefreshTokens::revoke_grant(std::string_view grant_id) {
  const MutexLock lock(mutex_);
  std::erase_if(families_, [&](const auto& entry) { return entry.second.grant.id == grant_id; });
}

}  // namespace postern::issuer
