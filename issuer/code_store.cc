#include "issuer/code_store.h"

#include "wire/base/digest.h"

namespace postern::issuer {

std::string CodeStore::issue(Grant grant) {
  std::string code = random_token(env_.random, "ac_", 32);
  const std::string key = sha256(code);
  const MutexLock lock(mutex_);
  codes_.emplace(key, Entry{std::move(grant), env_.clock.now() + kLifetime});
  order_.push_back(key);
  if (order_.size() > kCodesMax) {
    codes_.erase(order_.front());
    order_.pop_front();
  }
  return code;
}

std::optional<Grant> CodeStore::take(std::string_view code) {
  const std::string key = sha256(code);
  const MutexLock lock(mutex_);
  auto entry = codes_.extract(key);
  if (entry.empty() || env_.clock.now() >= entry.mapped().expires_at) return std::nullopt;
  return std::move(entry.mapped().grant);
}

}  // namespace postern::issuer
