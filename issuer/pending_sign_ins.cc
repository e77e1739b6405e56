#include "issuer/pending_sign_ins.h"

#include "wire/base/secret.h"

namespace postern::issuer {

PendingSignIns::Ticket PendingSignIns::keep(AuthorizationRequest request) {
  Ticket ticket{random_token(env_.random, "", 16), random_token(env_.random, "", 16)};
  const MutexLock lock(mutex_);
  pending_.emplace(ticket.id, Entry{std::move(request), ticket.form_token, env_.clock.now() + kLifetime});
  order_.push_back(ticket.id);
  if (order_.size() > kPendingMax) {
    pending_.erase(order_.front());
    order_.pop_front();
  }
  return ticket;
}

std::optional<AuthorizationRequest> PendingSignIns::take(std::string_view id, std::string_view form_token) {
  const MutexLock lock(mutex_);
  const auto found = pending_.find(std::string(id));
  if (found == pending_.end() || !equal_in_constant_time(found->second.form_token, form_token)) return std::nullopt;
  Entry entry = std::move(found->second);
  pending_.erase(found);
  if (env_.clock.now() >= entry.expires_at) return std::nullopt;
  return std::move(entry.request);
}

}  // namespace postern::issuer
