#include "issuer/registered_clients.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "wire/base/digest.h"

namespace postern::issuer {

void RegisteredClients::make_room() {
  if (entries_.size() < kClientsMax) return;
  const auto first = std::min_element(entries_.begin(), entries_.end(), [](const auto& a, const auto& b) {
    return std::tie(a.second.used, a.second.at) < std::tie(b.second.used, b.second.at);
  });
  entries_.erase(first);
}

RegisteredClients::Registered RegisteredClients::add(Client client) {
  client.client_id = random_token(env_.random, "cl_", 16);
  client.origin = ClientOrigin::kRegistered;
  std::string secret;
  if (client.authentication != ClientAuthentication::kNone) {
    secret = random_token(env_.random, "cs_", 32);
    client.secret_sha256 = sha256(secret);
  }
  auto made = std::make_shared<const Client>(std::move(client));
  const MutexLock lock(mutex_);
  make_room();
  entries_.emplace(made->client_id, Entry{made, env_.clock.now(), false});
  return {std::move(made), std::move(secret)};
}

ClientRef RegisteredClients::find(std::string_view client_id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(std::string(client_id));
  return found == entries_.end() ? nullptr : found->second.client;
}

void RegisteredClients::note_use(std::string_view client_id) {
  const MutexLock lock(mutex_);
  const auto found = entries_.find(std::string(client_id));
  if (found == entries_.end()) return;
  found->second.used = true;
  found->second.at = env_.clock.now();
}

}  // namespace postern::issuer
