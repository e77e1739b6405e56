#include <utility>

#include "bridge/oauth/credential_store.h"

namespace postern::bridge {

StoredTokens StoredTokens::duplicate() const {
  StoredTokens copy;
  copy.access_token = access_token.duplicate();
  copy.token_type = token_type;
  copy.refresh_token = refresh_token.duplicate();
  copy.expires_at = expires_at;
  copy.granted = granted;
  copy.requested = requested;
  copy.client_id = client_id;
  copy.subject = subject;
  copy.name = name;
  return copy;
}

Result<std::optional<StoredTokens>> MemoryCredentialStore::tokens(const TokenKey& key) {
  const MutexLock lock(mutex_);
  const auto found = tokens_.find(key);
  if (found == tokens_.end()) return std::optional<StoredTokens>();
  return std::optional<StoredTokens>(found->second.duplicate());
}

Status MemoryCredentialStore::keep(const TokenKey& key, const StoredTokens& tokens) {
  const MutexLock lock(mutex_);
  tokens_.insert_or_assign(key, tokens.duplicate());
  return {};
}

Status MemoryCredentialStore::forget(const TokenKey& key) {
  const MutexLock lock(mutex_);
  tokens_.erase(key);
  return {};
}

Result<std::vector<TokenKey>> MemoryCredentialStore::keys() {
  const MutexLock lock(mutex_);
  std::vector<TokenKey> out;
  for (const auto& entry : tokens_) out.push_back(entry.first);
  return out;
}

Result<std::optional<ClientIdentity>> MemoryCredentialStore::client(const std::string& issuer) {
  const MutexLock lock(mutex_);
  const auto found = clients_.find(issuer);
  if (found == clients_.end()) return std::optional<ClientIdentity>();
  return std::optional<ClientIdentity>(found->second.duplicate());
}

Status MemoryCredentialStore::keep_client(const ClientIdentity& client) {
  const MutexLock lock(mutex_);
  clients_.insert_or_assign(client.issuer, client.duplicate());
  return {};
}

Status MemoryCredentialStore::forget_client(const std::string& issuer) {
  const MutexLock lock(mutex_);
  clients_.erase(issuer);
  return {};
}

}  // namespace postern::bridge
