// CredentialStore: what is kept of a sign-in between requests, and, by the implementations of the host, between runs.
//
// Tokens are kept by issuer and resource, dynamic registrations by issuer: nothing is ever found under another key, so
// that a token goes to no server that it was not issued for. Implementations: MemoryCredentialStore here; a 0600 file
// and the Secret Service in the host. Thread-safe.
#pragma once

#include <compare>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bridge/oauth/client_identity.h"
#include "wire/base/clock.h"
#include "wire/base/mutex.h"
#include "wire/base/result.h"
#include "wire/oauth/access_token.h"
#include "wire/oauth/scope.h"

namespace postern::bridge {

struct TokenKey {
  std::string issuer;
  std::string resource;  // exactly as it is sent
  friend auto operator<=>(const TokenKey&, const TokenKey&) = default;
};

struct StoredTokens {
  AccessToken access_token;
  std::string token_type = "Bearer";   // or "DPoP": then good with this process's key only, and kept in memory only
  RefreshToken refresh_token;          // empty: none came
  std::optional<WallTime> expires_at;  // of the access token; absent: the server did not say: not kept beyond the run
  ScopeSet granted;
  ScopeSet requested;
  std::string client_id;  // that got them
  std::string subject;    // who it is, when a verified ID token or the token itself says so; empty: not known
  std::string name;       // of the person, for display only

  [[nodiscard]] StoredTokens duplicate() const;
};

class CredentialStore {
 public:
  virtual ~CredentialStore() = default;
  // Nothing when there are none. Failures: own.credentials_refused, own.file_failed (a file that must not be believed).
  [[nodiscard]] virtual Result<std::optional<StoredTokens>> tokens(const TokenKey& key) = 0;
  [[nodiscard]] virtual Status keep(const TokenKey& key, const StoredTokens& tokens) = 0;
  [[nodiscard]] virtual Status forget(const TokenKey& key) = 0;
  [[nodiscard]] virtual Result<std::vector<TokenKey>> keys() = 0;

  [[nodiscard]] virtual Result<std::optional<ClientIdentity>> client(const std::string& issuer) = 0;
  [[nodiscard]] virtual Status keep_client(const ClientIdentity& client) = 0;
  [[nodiscard]] virtual Status forget_client(const std::string& issuer) = 0;
};

class MemoryCredentialStore final : public CredentialStore {
 public:
  [[nodiscard]] Result<std::optional<StoredTokens>> tokens(const TokenKey& key) override;
  [[nodiscard]] Status keep(const TokenKey& key, const StoredTokens& tokens) override;
  [[nodiscard]] Status forget(const TokenKey& key) override;
  [[nodiscard]] Result<std::vector<TokenKey>> keys() override;
  [[nodiscard]] Result<std::optional<ClientIdentity>> client(const std::string& issuer) override;
  [[nodiscard]] Status keep_client(const ClientIdentity& client) override;
  [[nodiscard]] Status forget_client(const std::string& issuer) override;

 private:
  Mutex mutex_;
  std::map<TokenKey, StoredTokens> tokens_ POSTERN_GUARDED_BY(mutex_);
  std::map<std::string, ClientIdentity> clients_ POSTERN_GUARDED_BY(mutex_);
};

}  // namespace postern::bridge
