#include "issuer/consents.h"

#include "wire/base/json.h"

namespace postern::issuer {
namespace {

// Written as JSON, so that no two triples have one key.
std::string key_of(const Person& person, const AuthorizationRequest& request) {
  return Json::array({person.subject, request.address.client->client_id, request.resource}).dump();
}

}  // namespace

bool Consents::must_ask(const Person& person, const AuthorizationRequest& request) {
  if (!request.device_id.empty() || request.fresh_consent) return true;
  const Client& client = *request.address.client;
  if (client.origin != ClientOrigin::kConfigured) return true;
  if (client.first_party) return false;
  const MutexLock lock(mutex_);
  const auto found = allowed_.find(key_of(person, request));
  return found == allowed_.end() || !found->second.contains_all(request.scope);
}

void Consents::remember(const Person& person, const AuthorizationRequest& request) {
  if (request.address.client->origin != ClientOrigin::kConfigured || !request.device_id.empty()) return;
  const std::string key = key_of(person, request);
  const MutexLock lock(mutex_);
  const auto [entry, is_new] = allowed_.try_emplace(key);
  entry->second = entry->second.join(request.scope);
  if (is_new) order_.push_back(key);
  if (order_.size() > kConsentsMax) {
    allowed_.erase(order_.front());
    order_.pop_front();
  }
}

}  // namespace postern::issuer
