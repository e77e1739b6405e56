#include "issuer/code_store.h"

#include <utility>

#include "wire/base/digest.h"

namespace postern::issuer {

Grant make_grant(RandomSource& random, const AuthorizationRequest& request, const Person& person, WallTime auth_time) {
  return {random_token(random, "", 16),
          request.address.client,
          person,
          request.resource,
          request.scope,
          request.nonce,
          auth_time};
}

std::string CodeStore::issue(CodeGrant grant) {
  std::string code = random_token(env_.random, "ac_", 32);
  const std::string key = sha256(code);
  std::string grant_id = grant.grant.id;
  const MutexLock lock(mutex_);
  codes_.emplace(key, Entry{std::move(grant), std::move(grant_id), env_.clock.now() + kLifetime});
  order_.push_back(key);
  if (order_.size() > kCodesMax) {
    codes_.erase(order_.front());
    order_.pop_front();
  }
  return code;
}

std::optional<CodeGrant> CodeStore::take(std::string_view code) {
  const MutexLock lock(mutex_);
  const auto found = codes_.find(sha256(code));
  if (found == codes_.end()) return std::nullopt;
  std::optional<CodeGrant> grant = std::exchange(found->second.grant, std::nullopt);
  if (env_.clock.now() >= found->second.expires_at) return std::nullopt;
  return grant;
}

std::optional<std::string> CodeStore::spent_grant(std::string_view code) {
  const MutexLock lock(mutex_);
  const auto found = codes_.find(sha256(code));
  if (found == codes_.end() || found->second.grant) return std::nullopt;
  return found->second.grant_id;
}

}  // namespace postern::issuer
